//! What can go wrong with tools before their bodies run.

use std::fmt;

use thiserror::Error;

/// Everything that is wrong with a set of tools. The set was not built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the set of tools cannot be built: {}", list(.problems))]
pub struct SetError {
    problems: Vec<SetProblem>,
}

impl SetError {
    pub(crate) fn new(problems: Vec<SetProblem>) -> Self {
        Self { problems }
    }

    /// Returns every problem, in the order of the tools.
    #[must_use]
    pub fn problems(&self) -> &[SetProblem] {
        &self.problems
    }
}

/// One thing that is wrong with a set of tools.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetProblem {
    /// A type cannot be described to a model.
    #[error("tool `{tool}`, argument `{path}`: {reason}")]
    Schema {
        /// The tool.
        tool: String,
        /// The path of the argument.
        path: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Tools without a handler.
    #[error("{} without a handler; bring an `Executor` of your own", names(.tools))]
    NoHandler {
        /// The tools.
        tools: Vec<String>,
    },
    /// Tools of another registry.
    #[error("`{registry}` does not list {}; add what is missing under `tools` in `registry!`", names(.tools))]
    NotListed {
        /// The tools.
        tools: Vec<String>,
        /// The registry of the agent.
        registry: &'static str,
    },
    /// A name that is not in the set.
    #[error("no tool `{name}`{}", did_you_mean(.nearest.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The nearest name in the set.
        nearest: Option<String>,
    },
    /// Names that two sets share.
    #[error("both sets have {}; rename one side with `prefixed`", names(.tools))]
    Collision {
        /// The names.
        tools: Vec<String>,
    },
    /// A name that providers refuse.
    #[error("`{name}` is no name of a tool; providers take `[a-zA-Z_][a-zA-Z0-9_-]{{0,63}}`")]
    Name {
        /// The name.
        name: String,
    },
}

/// The reason why a call was not executed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// There is no such tool.
    #[error("there is no tool `{name}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownTool {
        /// The name as the model sent it.
        name: String,
        /// The nearest name in the set.
        nearest: Option<String>,
    },
    /// The arguments are wrong.
    #[error("invalid arguments for `{tool}`: {}", first(.errors))]
    InvalidArguments {
        /// The tool.
        tool: String,
        /// Every wrong argument.
        errors: Vec<ArgumentError>,
    },
}

/// A wrong argument, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ArgumentError {
    path: String,
    message: String,
}

impl ArgumentError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// Returns the path of the argument, such as `place.lat`; empty for the arguments as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// How many wrong arguments a text lists; the model sees it, so it is bounded whatever the model sent.
const LISTED: usize = 16;

fn first(errors: &[ArgumentError]) -> String {
    let listed = list(errors.get(..LISTED).unwrap_or(errors));
    match errors.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed}; and {more} more"),
    }
}

fn list(items: &[impl fmt::Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn names(tools: &[String]) -> String {
    tools.iter().map(|tool| format!("`{tool}`")).collect::<Vec<_>>().join(", ")
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
