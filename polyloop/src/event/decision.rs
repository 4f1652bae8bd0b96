//! What an interpreter made of a reply.

use serde::{Deserialize, Serialize};

use crate::tool::normal_form;

/// One thing that a model wants done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Action {
    /// A call of a tool.
    Tool {
        /// The tool's name, as the model wrote it.
        name: String,
        /// The arguments, as JSON text.
        arguments: String,
    },
    /// A block of code; needs an executor of the project's own.
    Code {
        /// What stands behind the fence; may be empty.
        language: String,
        /// The code.
        source: String,
    },
}

impl Action {
    /// Makes a call of a tool.
    #[must_use]
    pub fn tool(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::Tool { name: name.into(), arguments: arguments.into() }
    }

    /// Returns the tool's name; for code its language, or `code`.
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Tool { name, .. } => name,
            Self::Code { language, .. } if language.is_empty() => "code",
            Self::Code { language, .. } => language,
        }
    }

    /// Returns the arguments of a call, or the code.
    #[must_use]
    pub fn payload(&self) -> &str {
        match self {
            Self::Tool { arguments, .. } => arguments,
            Self::Code { source, .. } => source,
        }
    }

    /// The same action, with its arguments in their normal form: two that are the same call are equal then.
    pub(crate) fn in_normal_form(&self) -> Self {
        match self {
            Self::Tool { name, arguments } => Self::tool(name, normal_form(arguments)),
            Self::Code { .. } => self.clone(),
        }
    }
}

/// The meaning of a reply. An interpreter makes it, from the reply alone.
///
/// `history_text` is what the history keeps of the reply's text. It may differ from what the model wrote; the
/// library neither cuts nor changes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Decision {
    /// Something is to be done.
    Act {
        /// What the history keeps.
        history_text: String,
        /// What is to be done, in order.
        actions: Vec<Action>,
    },
    /// The answer.
    Final {
        /// What the history keeps.
        history_text: String,
        /// The answer.
        answer: String,
    },
    /// Neither; the model is told why.
    Invalid {
        /// What the history keeps.
        history_text: String,
        /// What the model is told.
        explanation: String,
    },
}

impl Decision {
    /// Makes a decision to act.
    #[must_use]
    pub fn act(history_text: impl Into<String>, actions: Vec<Action>) -> Self {
        Self::Act { history_text: history_text.into(), actions }
    }

    /// Makes a decision to answer.
    #[must_use]
    pub fn answer(text: impl Into<String>) -> Self {
        let answer = text.into();
        Self::Final { history_text: answer.clone(), answer }
    }

    /// Makes a decision that the reply cannot be used.
    #[must_use]
    pub fn invalid(history_text: impl Into<String>, explanation: impl Into<String>) -> Self {
        Self::Invalid { history_text: history_text.into(), explanation: explanation.into() }
    }

    /// Returns what the history keeps of the reply's text.
    #[must_use]
    pub fn history_text(&self) -> &str {
        match self {
            Self::Act { history_text, .. }
            | Self::Final { history_text, .. }
            | Self::Invalid { history_text, .. } => history_text,
        }
    }
}
