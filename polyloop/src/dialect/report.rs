//! Which tool a reader is shown in which form, and why.

use std::fmt;

use super::Dialect;
use super::tools::LoweredTool;

/// The forms in which the tools of a request are shown; it displays itself as one line for each tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaReport {
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    tool: String,
    dialect: Dialect,
    is_decoded: bool,
    reason: Option<String>,
}

impl SchemaReport {
    pub(super) fn new(tools: &[LoweredTool]) -> Self {
        let row = |tool: &LoweredTool| Row {
            tool: tool.definition().name().to_owned(),
            dialect: tool.dialect(),
            is_decoded: !tool.decoder().is_identity(),
            reason: tool.reason().map(str::to_owned),
        };
        Self { rows: tools.iter().map(row).collect() }
    }

    /// Returns the names of the tools that are not strict although the reader knows strictness, each with the reason.
    pub fn fallen_back(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rows.iter().filter_map(|row| Some((row.tool.as_str(), row.reason.as_deref()?)))
    }
}

impl fmt::Display for SchemaReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, row) in self.rows.iter().enumerate() {
            let line = if at == 0 { "" } else { "\n" };
            let decoded = if row.is_decoded { ", decoded" } else { "" };
            write!(formatter, "{line}`{}`: {}{decoded}", row.tool, row.dialect)?;
            if let Some(reason) = &row.reason {
                write!(formatter, "; not strict, because {reason}")?;
            }
        }
        Ok(())
    }
}
