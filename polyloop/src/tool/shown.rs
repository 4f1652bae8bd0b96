//! What a model is shown of a set of tools, in the form that its reader takes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::set::{Member, ToolSet};
use crate::dialect::{Dialect, LoweredTools, SchemaReader, lower};
use crate::error::{SchemaError, SetError, SetProblem, ToolRefusal, ToolsRefused};
use crate::message::ToolDefinition;

impl<S: ?Sized> ToolSet<S> {
    /// Returns what a model is shown of one tool's arguments, in a dialect, as JSON text.
    ///
    /// # Errors
    ///
    /// When there is no such tool, or when the dialect cannot express its arguments.
    pub fn schema(&self, name: &str, dialect: Dialect) -> Result<Cow<'_, str>, SetError> {
        self.known(&[name])?;
        let shown = self.member(name).map(|member| member.shown(dialect));
        shown.unwrap_or(Ok(Cow::Borrowed("{}"))).map_err(|refusal| SetError::new(vec![problem(&refusal)]))
    }

    /// Returns all tools that are not hidden, as a JSON list of `name`, `description` and `parameters`.
    ///
    /// # Errors
    ///
    /// When the dialect cannot express the arguments of a tool; every such tool is listed.
    pub fn schema_for_model(&self, dialect: Dialect) -> Result<String, SetError> {
        let mut texts = Vec::new();
        let mut problems = Vec::new();
        for member in self.members.iter().filter(|member| !member.entry.spec.hidden) {
            match member.shown(dialect) {
                Ok(schema) => {
                    let (name, description) = (json!(*member.name), json!(member.entry.spec.description));
                    texts.push(format!(
                        r#"{{"name":{name},"description":{description},"parameters":{schema}}}"#
                    ));
                }
                Err(refusal) => problems.push(problem(&refusal)),
            }
        }
        if problems.is_empty() { Ok(format!("[{}]", texts.join(","))) } else { Err(SetError::new(problems)) }
    }

    /// Lowers all tools that are not hidden to what a reader takes: each strict where that goes, else plain.
    ///
    /// # Errors
    ///
    /// When the reader can take a tool in no form; every such tool is listed, with the place and the Rust type.
    pub fn lowered(&self, reader: SchemaReader) -> Result<LoweredTools, ToolsRefused> {
        LoweredTools::new(&self.definitions(&BTreeSet::new()), reader).map_err(|refused| self.typed(refused))
    }

    /// Names in each refusal the Rust type that is to be changed.
    pub(crate) fn typed(&self, refused: ToolsRefused) -> ToolsRefused {
        refused.map(|refusal| match self.member(refusal.tool()) {
            Some(member) => {
                let rust_type = member.type_at(refusal.path());
                refusal.of_type(rust_type)
            }
            None => refusal,
        })
    }

    /// The tools that are not hidden, or enabled, for the header of a request.
    pub(crate) fn definitions(&self, enabled: &BTreeSet<String>) -> Arc<[ToolDefinition]> {
        self.members
            .iter()
            .filter(|member| !member.entry.spec.hidden || enabled.contains(&*member.name))
            .map(|member| {
                let schema: Arc<RawValue> = member.compiled.schema.clone();
                ToolDefinition::new(member.name.clone(), member.entry.spec.description.into(), schema)
            })
            .collect()
    }
}

impl<S: ?Sized> Member<S> {
    fn shown(&self, dialect: Dialect) -> Result<Cow<'_, str>, ToolRefusal> {
        let canonical = self.compiled.schema.get();
        if dialect == Dialect::Canonical {
            return Ok(Cow::Borrowed(canonical));
        }
        let schema: Value = serde_json::from_str(canonical).unwrap_or_default();
        let lowered = lower(&schema, dialect).map_err(|error| self.refusal(dialect, error))?;
        Ok(Cow::Owned(lowered.schema().to_string()))
    }

    fn refusal(&self, dialect: Dialect, error: SchemaError) -> ToolRefusal {
        let refusal = ToolRefusal::new(&self.name, dialect.name(), error);
        let rust_type = self.type_at(refusal.path());
        refusal.of_type(rust_type)
    }

    /// The Rust type of the argument in which a path leads.
    fn type_at(&self, path: &str) -> Option<&'static str> {
        let name = path.split(['.', '[', '{']).next()?;
        let of = |param: &&super::compiled::CompiledParam| param.param.name == name || param.param.flatten;
        let param = self.compiled.params.iter().find(of)?;
        Some((param.param.of.type_name)())
    }
}

fn problem(refusal: &ToolRefusal) -> SetProblem {
    let of_type = refusal.rust_type().map(|name| format!("`{name}`: ")).unwrap_or_default();
    SetProblem::Schema {
        tool: refusal.tool().to_owned(),
        path: refusal.path().to_owned(),
        reason: format!("{of_type}{}", refusal.reason()),
    }
}
