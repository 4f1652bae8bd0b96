//! The tools of a request, each in the best form that the reader takes.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::budget::Budget;
use super::decoder::Decoder;
use super::measure::Measure;
use super::report::SchemaReport;
use super::{Dialect, Lowered, lower};
use crate::error::{SchemaError, ToolRefusal, ToolsRefused};
use crate::message::ToolDefinition;

/// Who reads the tools of a request: the dialects to try, from the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SchemaReader {
    /// OpenAI: strict where that goes, else plain.
    OpenAi,
    /// A server like OpenAI's that knows no strictness.
    OpenAiPlain,
    /// Anthropic: strict where that goes, else plain.
    Anthropic,
    /// A server like Anthropic's that knows no strictness.
    AnthropicPlain,
    /// Gemini's `parametersJsonSchema`.
    Gemini,
    /// Gemini's `parameters`.
    GeminiOpenApi,
    /// The grammars of llama.cpp.
    LlamaCpp,
    /// A client of the Model Context Protocol.
    Mcp,
}

impl SchemaReader {
    /// Every reader.
    pub const ALL: [Self; 8] = [
        Self::OpenAi,
        Self::OpenAiPlain,
        Self::Anthropic,
        Self::AnthropicPlain,
        Self::Gemini,
        Self::GeminiOpenApi,
        Self::LlamaCpp,
        Self::Mcp,
    ];

    /// Returns the dialects that it takes, from the one that is tried first.
    #[must_use]
    pub const fn dialects(self) -> &'static [Dialect] {
        match self {
            Self::OpenAi => &[Dialect::OpenAiStrict, Dialect::OpenAi],
            Self::OpenAiPlain => &[Dialect::OpenAi],
            Self::Anthropic => &[Dialect::AnthropicStrict, Dialect::Anthropic],
            Self::AnthropicPlain => &[Dialect::Anthropic],
            Self::Gemini => &[Dialect::Gemini],
            Self::GeminiOpenApi => &[Dialect::GeminiOpenApi],
            Self::LlamaCpp => &[Dialect::LlamaCpp],
            Self::Mcp => &[Dialect::Mcp],
        }
    }
}

/// The tools of a request in the forms that one reader takes.
#[derive(Clone, Debug)]
pub struct LoweredTools {
    tools: Vec<LoweredTool>,
}

/// A tool in the form that a reader takes.
#[derive(Clone, Debug)]
pub struct LoweredTool {
    definition: ToolDefinition,
    schema: Arc<RawValue>,
    dialect: Dialect,
    reason: Option<String>,
    decoder: Decoder,
}

impl LoweredTools {
    /// Lowers all tools of a request: each strict where that goes, else plain.
    ///
    /// What readers count over a request is counted over these tools, in their order; a tool that would be too much is
    /// plain.
    ///
    /// # Errors
    ///
    /// When the reader can take a tool in no form; every such tool is listed.
    pub fn new(definitions: &Arc<[ToolDefinition]>, reader: SchemaReader) -> Result<Self, ToolsRefused> {
        let mut used = Measure::default();
        let mut tools = Vec::with_capacity(definitions.len());
        let mut refusals = Vec::new();
        for definition in definitions.iter() {
            match LoweredTool::new(definition, reader, &mut used) {
                Ok(tool) => tools.push(tool),
                Err(refusal) => refusals.push(refusal),
            }
        }
        if refusals.is_empty() { Ok(Self { tools }) } else { Err(ToolsRefused::new(refusals)) }
    }

    /// Returns the tool with a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&LoweredTool> {
        self.tools.iter().find(|tool| tool.definition.name() == name)
    }

    /// Returns all tools, in their order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &LoweredTool> {
        self.tools.iter()
    }

    /// Returns which tool is strict, which is not, and why.
    #[must_use]
    pub fn report(&self) -> SchemaReport {
        SchemaReport::new(&self.tools)
    }
}

impl LoweredTool {
    fn new(
        definition: &ToolDefinition,
        reader: SchemaReader,
        used: &mut Measure,
    ) -> Result<Self, ToolRefusal> {
        let refused = |dialect: Dialect, error| ToolRefusal::new(definition.name(), dialect.name(), error);
        let mut reason = None;
        let mut refusal = None;
        for dialect in reader.dialects() {
            let lowered = match lowered(definition, *dialect) {
                Ok(lowered) => lowered,
                Err(error) => {
                    reason.get_or_insert_with(|| error.to_string());
                    refusal = Some(refused(*dialect, error));
                    continue;
                }
            };
            let sum = used.with(lowered.measure);
            if let Some(over) = Budget::of(*dialect).and_then(|budget| budget.over(sum)) {
                reason = Some(over.clone());
                refusal = Some(refused(*dialect, SchemaError::new("", over)));
                continue;
            }
            if dialect.is_strict() {
                *used = sum;
            }
            let schema = to_raw_value(&lowered.schema)
                .map_err(|error| refused(*dialect, SchemaError::new("", error.to_string())))?;
            let (definition, schema) = (definition.clone(), Arc::from(schema));
            return Ok(Self { definition, schema, dialect: *dialect, reason, decoder: lowered.decoder });
        }
        let nowhere = || refused(Dialect::Canonical, SchemaError::new("", "no dialect was tried"));
        Err(refusal.unwrap_or_else(nowhere))
    }

    /// Returns the tool as the request has it.
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Returns the lowered schema of the arguments, as JSON text: the same bytes for the same tools.
    #[must_use]
    pub fn schema(&self) -> &RawValue {
        &self.schema
    }

    /// Returns the dialect of the schema.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether the reader is to promise that what is written fits.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.dialect.is_strict()
    }

    /// Returns why it is not strict, where the reader knows strictness.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Returns what brings arguments back into the form of the canonical schema.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

fn lowered(definition: &ToolDefinition, dialect: Dialect) -> Result<Lowered, SchemaError> {
    let schema: Value = serde_json::from_str(definition.parameters())
        .map_err(|error| SchemaError::new("", format!("its schema is no JSON: {error}")))?;
    lower(&schema, dialect)
}
