//! One schema, many readers: what a provider, an engine or a client takes, and how what it writes is read back.

mod budget;
pub(crate) mod canonical;
mod decoder;
mod fits;
mod form;
pub(crate) mod keys;
mod list;
mod lowering;
mod measure;
mod notes;
mod object;
pub(crate) mod prepare;
mod report;
mod rules;
mod step;
mod tools;
pub(crate) mod tree;
mod union;

use std::fmt;

use serde_json::Value;

pub use decoder::Decoder;
pub use report::SchemaReport;
pub use tools::{LoweredTool, LoweredTools, SchemaReader};

use crate::error::SchemaError;

/// The form in which a reader takes a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The canonical form, independent of any reader.
    #[default]
    Canonical,
    /// OpenAI's chat completions and responses, with `strict`: what is written always fits.
    OpenAiStrict,
    /// The same without `strict`.
    OpenAi,
    /// Anthropic's messages, with `strict`.
    AnthropicStrict,
    /// The same without `strict`.
    Anthropic,
    /// Gemini's `parametersJsonSchema`.
    Gemini,
    /// Gemini's `parameters`, a subset of `OpenAPI`.
    GeminiOpenApi,
    /// The grammars of llama.cpp.
    LlamaCpp,
    /// The Model Context Protocol.
    Mcp,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 9] = [
        Self::Canonical,
        Self::OpenAiStrict,
        Self::OpenAi,
        Self::AnthropicStrict,
        Self::Anthropic,
        Self::Gemini,
        Self::GeminiOpenApi,
        Self::LlamaCpp,
        Self::Mcp,
    ];

    /// Returns its name, as messages and reports show it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::OpenAiStrict => "strict OpenAI",
            Self::OpenAi => "OpenAI",
            Self::AnthropicStrict => "strict Anthropic",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::GeminiOpenApi => "Gemini (OpenAPI)",
            Self::LlamaCpp => "llama.cpp",
            Self::Mcp => "MCP",
        }
    }

    /// Whether the reader promises that what is written fits.
    #[must_use]
    pub const fn is_strict(self) -> bool {
        matches!(self, Self::OpenAiStrict | Self::AnthropicStrict)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A schema in a dialect, and how what is written in it is read back.
#[derive(Clone, Debug)]
pub struct Lowered {
    schema: Value,
    decoder: Decoder,
    measure: measure::Measure,
}

impl Lowered {
    /// Returns the schema in the dialect.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Returns what brings arguments back into the form of the canonical schema.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

/// Lowers the schema of a tool's arguments to what a reader takes.
///
/// The schema may be canonical or lowered already, which changes nothing, or one of another program.
///
/// # Errors
///
/// When the reader cannot take it in any form, or only in one that does not hold all that the schema allows; the first
/// such place is told.
pub fn lower(schema: &Value, dialect: Dialect) -> Result<Lowered, SchemaError> {
    lowering::lower(schema, dialect)
}
