//! A tool made ready: its schema as text, and a check for each argument.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use schemars::generate::SchemaSettings;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::given::given;
use super::param::{Limit, Param};
use super::scalar::Scalar;
use super::spec::ToolSpec;
use super::validator::{Validator, states_more};
use super::variants::in_source_order;
use crate::dialect::canonical::{Node, Nulls, canonical, ordered, without_null};
use crate::error::SetProblem;

/// A parameter made ready.
#[derive(Debug)]
pub(crate) struct CompiledParam {
    pub(crate) param: Param,
    /// Whether the call must hold it.
    pub(crate) required: bool,
    /// The value of an absent argument, as JSON text.
    pub(crate) default: Option<String>,
    pub(super) scalar: Option<Scalar>,
    /// The check of every call, where the schema states more than the type enforces.
    pub(super) validator: Option<Validator>,
    /// The check of a value that does not read; it finds what else is wrong inside.
    full: OnceLock<Option<Validator>>,
    /// The schema that is checked, with the definitions.
    checked: (Node, Arc<Value>),
}

impl CompiledParam {
    fn new(param: Param, required: bool, definitions: Arc<Value>) -> Self {
        Self {
            param,
            required,
            default: None,
            scalar: None,
            validator: None,
            full: OnceLock::new(),
            checked: (Node::new(), definitions),
        }
    }

    /// Finds everything that the schema forbids, for values with an inside. Made when it is first needed.
    pub(super) fn everything(&self) -> Option<&Validator> {
        if self.validator.is_some() {
            return self.validator.as_ref();
        }
        let (schema, definitions) = &self.checked;
        let inside = ["properties", "items", "additionalProperties", "prefixItems"];
        if !inside.iter().any(|keyword| schema.contains_key(*keyword)) {
            return None;
        }
        self.full.get_or_init(|| Validator::new(schema.clone(), definitions).ok()).as_ref()
    }
}

/// A tool made ready.
#[derive(Debug)]
pub(crate) struct CompiledTool {
    pub(crate) params: Vec<CompiledParam>,
    /// The names of all arguments that a call may hold.
    pub(crate) names: Vec<String>,
    /// The scalar fields of a parameter that stands for the whole object.
    pub(crate) field_scalars: BTreeMap<String, Scalar>,
    pub(crate) lenient: bool,
    /// The canonical schema, as JSON text.
    pub(crate) schema: Arc<RawValue>,
}

impl CompiledTool {
    /// Makes a tool ready; lists everything that its types cannot.
    pub(crate) fn new(spec: &ToolSpec) -> Result<Self, Vec<SetProblem>> {
        let mut builder = Builder {
            spec,
            problems: Vec::new(),
            properties: Node::new(),
            required: Vec::new(),
            given: Node::new(),
        };
        let mut generator = SchemaSettings::draft2020_12()
            .with(|settings| {
                settings.inline_subschemas = true;
                settings.meta_schema = None;
            })
            .into_generator();
        let raw: Vec<Value> = spec
            .params
            .iter()
            .map(|param| match param.given {
                Some(schema) => builder.given(schema),
                None => (param.of.schema)(&mut generator).to_value(),
            })
            .collect();
        let mut definitions = generator.take_definitions(true);
        definitions.append(&mut builder.given);
        let shown_definitions = builder.definitions(&definitions, Nulls::Stripped);
        let checked_definitions = Arc::new(builder.definitions(&definitions, Nulls::Kept));
        let params: Vec<CompiledParam> = spec
            .params
            .iter()
            .zip(&raw)
            .map(|(param, raw)| builder.param(param, raw, &checked_definitions))
            .collect();
        let schema = builder.root(shown_definitions);
        let names = builder.properties.keys().cloned().collect();
        let field_scalars = builder.field_scalars();
        match schema {
            Some(schema) if builder.problems.is_empty() => {
                Ok(Self { params, names, field_scalars, lenient: spec.lenient, schema })
            }
            _ => Err(builder.problems),
        }
    }
}

/// Collects what a tool's parameters give.
struct Builder<'s> {
    spec: &'s ToolSpec,
    problems: Vec<SetProblem>,
    properties: Node,
    required: Vec<Value>,
    /// The definitions of a schema that was given, where they refer to themselves.
    given: Node,
}

impl Builder<'_> {
    fn problem(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        let tool = self.spec.name.to_owned();
        let problem = SetProblem::Schema { tool, path: path.into(), reason: reason.into() };
        // A definition is looked at in two forms; what is wrong with both is one problem.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Reads a schema that is given as text.
    fn given(&mut self, schema: &str) -> Value {
        match given(schema) {
            Ok((schema, definitions)) => {
                self.given = definitions;
                Value::Object(schema)
            }
            Err(reason) => {
                self.problem("", reason);
                json!({"type": "object", "properties": {}})
            }
        }
    }

    fn definitions(&mut self, definitions: &Node, nulls: Nulls) -> Value {
        let mut out = Node::new();
        for (name, schema) in definitions {
            match canonical(schema, name, nulls) {
                Ok(node) => drop(out.insert(name.clone(), Value::Object(node))),
                Err((path, reason)) => self.problem(path, reason),
            }
        }
        Value::Object(out)
    }

    fn param(&mut self, param: &Param, raw: &Value, definitions: &Arc<Value>) -> CompiledParam {
        let required = param.default.is_none() && !(param.of.takes_absence)();
        let mut compiled = CompiledParam::new(*param, required, definitions.clone());
        let forms = canonical(raw, param.name, Nulls::Stripped)
            .and_then(|shown| Ok((shown, canonical(raw, param.name, Nulls::Kept)?)));
        let (shown, checked) = match forms {
            Ok(forms) => forms,
            Err((path, reason)) => {
                self.problem(path, reason);
                return compiled;
            }
        };
        let optional = !required && !param.flatten;
        let mut shown = if optional { without_null(shown) } else { shown };
        if param.given.is_none() {
            in_source_order(&mut shown, &|text| (param.of.complain)(text).1);
        }
        if param.flatten {
            self.flattened(&mut compiled, raw, &shown, checked);
            return compiled;
        }
        let mut checked = if optional { without_null(checked) } else { checked };
        for limit in param.limits() {
            let applied = apply(limit, &mut shown).and_then(|()| apply(limit, &mut checked));
            if let Err(reason) = applied {
                self.problem(param.name, reason);
            }
        }
        compiled.scalar = Scalar::of(&Value::Object(shown.clone()));
        let limited = param.limits().next().is_some();
        if limited || (!is_plain((param.of.type_name)()) && states_more(raw)) {
            self.validated(&mut compiled, &checked);
        }
        compiled.checked.0 = checked;
        describe(&mut shown, param);
        self.with_default(&mut compiled, &mut shown);
        if let Some(examples) = param.examples {
            shown.insert("examples".to_owned(), Value::Array(examples()));
        }
        if compiled.required {
            self.required.push(param.name.into());
        }
        self.properties.insert(param.name.to_owned(), Value::Object(ordered(shown)));
        compiled
    }

    /// The one parameter that stands for the whole object: its properties are the tool's.
    fn flattened(&mut self, compiled: &mut CompiledParam, raw: &Value, shown: &Node, mut checked: Node) {
        let is_object = shown.get("type").is_some_and(|kind| kind == "object");
        let Some(Value::Object(properties)) = shown.get("properties").filter(|_| is_object).cloned() else {
            let reason = match compiled.param.given {
                None => {
                    let type_name = (compiled.param.of.type_name)();
                    format!("`{type_name}` is no struct with named fields; flatten one of those")
                }
                Some(_) => "its schema is no plain object with properties; leave the tool out".to_owned(),
            };
            self.problem("", reason);
            return;
        };
        self.properties = properties;
        self.required = shown.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let is_given = compiled.param.given.is_some();
        // Unknown keys are looked at before, with the nearest known name; but of a schema that says what they must be.
        if !(is_given && checked.get("additionalProperties").is_some_and(Value::is_object)) {
            checked.remove("additionalProperties");
        }
        if is_given || states_more(raw) {
            self.validated(compiled, &checked);
        }
        compiled.checked.0 = checked;
    }

    fn field_scalars(&self) -> BTreeMap<String, Scalar> {
        if !self.spec.params.iter().any(|param| param.flatten) {
            return BTreeMap::new();
        }
        let scalar = |(name, schema): (&String, &Value)| Some((name.clone(), Scalar::of(schema)?));
        self.properties.iter().filter_map(scalar).collect()
    }

    fn validated(&mut self, compiled: &mut CompiledParam, checked: &Node) {
        match Validator::new(checked.clone(), &compiled.checked.1) {
            Ok(validator) => compiled.validator = Some(validator),
            Err(reason) => self.problem(compiled.param.name, reason),
        }
    }

    fn with_default(&mut self, compiled: &mut CompiledParam, shown: &mut Node) {
        let Some(default) = compiled.param.default else { return };
        let value = default();
        let text = value.to_string();
        let (path, said) = (compiled.param.of.complain)(&text);
        if !said.is_empty() {
            self.problem(
                format!("{}{path}", compiled.param.name),
                format!("its default {text} does not fit: {said}"),
            );
        }
        if let Some(validator) = &compiled.validator {
            for error in validator.check(compiled.param.name, &value) {
                self.problem(error.path(), format!("its default {text} does not fit: {error}"));
            }
        }
        if !value.is_null() {
            shown.insert("default".to_owned(), value);
        }
        compiled.default = Some(text);
    }

    fn root(&mut self, definitions: Value) -> Option<Arc<RawValue>> {
        let mut root = Node::new();
        root.insert("type".to_owned(), "object".into());
        root.insert("properties".to_owned(), Value::Object(self.properties.clone()));
        root.insert("required".to_owned(), Value::Array(self.required.clone()));
        root.insert("additionalProperties".to_owned(), self.spec.lenient.into());
        if definitions.as_object().is_some_and(|definitions| !definitions.is_empty()) {
            root.insert("$defs".to_owned(), definitions);
        }
        match to_raw_value(&root) {
            Ok(schema) => Some(Arc::from(schema)),
            Err(error) => {
                self.problem("", error.to_string());
                None
            }
        }
    }
}

/// The parameter's own doc, the type's after it.
fn describe(shown: &mut Node, param: &Param) {
    if shown.contains_key("$ref") {
        return;
    }
    let own = shown.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = match (param.description, own) {
        ("", own) => own.to_owned(),
        (description, "") => description.to_owned(),
        (description, own) => format!("{description}\n{own}"),
    };
    shown.insert("description".to_owned(), text.into());
}

/// Whether a type is a number, a text, a boolean, or an option or list of these: it enforces what its schema says.
///
/// The name of a type is no contract of the compiler's; a name that is not known only means that the schema is
/// looked at.
fn is_plain(type_name: &str) -> bool {
    let mut name = type_name;
    for wrapper in ["core::option::Option<", "alloc::vec::Vec<"] {
        name = name.strip_prefix(wrapper).and_then(|inner| inner.strip_suffix('>')).unwrap_or(name);
    }
    let plain = [
        "alloc::string::String",
        "bool",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "isize",
        "f32",
        "f64",
    ];
    plain.contains(&name)
}

/// Writes a limit into a schema.
fn apply(limit: Limit, node: &mut Node) -> Result<(), String> {
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = matches!(kind.as_str(), "integer" | "number");
    let mut put = |keyword: &str, value: Value| drop(node.insert(keyword.to_owned(), value));
    let wrong =
        |what: &str, fits: &str| Err(format!("`{what}` is for {fits}; its type is `{kind}` in the schema"));
    match limit {
        Limit::Minimum(text) if number => put("minimum", bound(text)?),
        Limit::Maximum(text) if number => put("maximum", bound(text)?),
        Limit::ExclusiveMaximum(text) if number => put("exclusiveMaximum", bound(text)?),
        Limit::MinLength(least) if kind == "string" => put("minLength", json!(least)),
        Limit::MinLength(least) if kind == "array" => put("minItems", json!(least)),
        Limit::MaxLength(most) if kind == "string" => put("maxLength", json!(most)),
        Limit::MaxLength(most) if kind == "array" => put("maxItems", json!(most)),
        Limit::Pattern(pattern) if kind == "string" => put("pattern", pattern.into()),
        Limit::Minimum(_) | Limit::Maximum(_) | Limit::ExclusiveMaximum(_) => {
            return wrong("range", "numbers");
        }
        Limit::MinLength(_) | Limit::MaxLength(_) => return wrong("length", "texts and lists"),
        Limit::Pattern(_) => return wrong("pattern", "texts"),
    }
    Ok(())
}

fn bound(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|_| format!("`{text}` is no number"))
}
