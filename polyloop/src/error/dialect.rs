//! What can go wrong between a schema and those who read it.

use thiserror::Error;

/// A schema that a reader cannot take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}`: {reason}")]
pub struct SchemaError {
    path: String,
    reason: String,
}

impl SchemaError {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }

    /// Returns the path of the place, such as `place.tags[]`; empty for the schema as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns what is wrong there, and what to do.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// A value that does not have the form in which a reader was asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}` {reason}")]
pub struct DecodeError {
    path: String,
    reason: String,
}

impl DecodeError {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }

    /// Returns the path of the value, such as `place.tags[0]`; empty for the value as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Tools that a reader cannot be shown. A provider answers one such tool by failing the whole request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .tools.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ToolsRefused {
    tools: Vec<ToolRefusal>,
}

impl ToolsRefused {
    pub(crate) fn new(tools: Vec<ToolRefusal>) -> Self {
        Self { tools }
    }

    /// Returns each tool, with what cannot be read in it; there is one at least.
    #[must_use]
    pub fn tools(&self) -> &[ToolRefusal] {
        &self.tools
    }

    pub(crate) fn map(self, mend: impl FnMut(ToolRefusal) -> ToolRefusal) -> Self {
        Self { tools: self.tools.into_iter().map(mend).collect() }
    }
}

/// A tool that a reader cannot be shown; the set was not lowered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("tool `{tool}` cannot be shown to {reader}: {}{}", place(.path, .rust_type.as_deref()), .reason)]
pub struct ToolRefusal {
    tool: String,
    reader: &'static str,
    path: String,
    rust_type: Option<String>,
    reason: String,
}

impl ToolRefusal {
    pub(crate) fn new(tool: &str, reader: &'static str, error: SchemaError) -> Self {
        let SchemaError { path, reason } = error;
        Self { tool: tool.to_owned(), reader, path, rust_type: None, reason }
    }

    /// Adds the type of the argument.
    pub(crate) fn of_type(mut self, rust_type: Option<&str>) -> Self {
        self.rust_type = rust_type.map(str::to_owned);
        self
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the path of the place, such as `place.tags[]`; empty for the arguments as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the Rust type of the argument in which the place is, where the tool is one of Rust.
    #[must_use]
    pub fn rust_type(&self) -> Option<&str> {
        self.rust_type.as_deref()
    }

    /// Returns what is wrong there, and what to do.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

fn place(path: &str, rust_type: Option<&str>) -> String {
    match (path, rust_type) {
        ("", _) => String::new(),
        (path, None) => format!("argument `{path}`: "),
        (path, Some(rust_type)) => format!("argument `{path}`, of type `{rust_type}`: "),
    }
}
