//! What a model replied.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::ProviderState;

/// The reason why a model stopped writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// It had said everything.
    #[default]
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// It met its length limit; nothing of the reply is executed.
    Length,
    /// The provider cut it for its content.
    ContentFilter,
}

/// The cost of a request in tokens, as the provider reports it. It decides nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Those of them that a cache held.
    pub cached: u64,
    /// Tokens of the reply.
    pub reply: u64,
}

impl Usage {
    /// Adds what another request cost. A provider may report any number.
    pub(crate) fn add(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.cached = self.cached.saturating_add(other.cached);
        self.reply = self.reply.saturating_add(other.reply);
    }
}

/// A native tool call, as the model sent it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReplyCall {
    /// The provider's id, which may be empty or repeated; the library mints its own.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments, as text.
    pub arguments: String,
}

/// A model's reply.
///
/// ```
/// use polyloop::Reply;
///
/// let answer = Reply::text("All done.");
/// let call = Reply::text("Let me look.").call("read_file", r#"{"path":"src/lib.rs"}"#);
/// assert_eq!(call.calls().len(), 1);
/// # assert!(answer.calls().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reply {
    text: String,
    calls: Vec<ReplyCall>,
    finish: Finish,
    usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raw: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider_state: Option<ProviderState>,
}

impl Reply {
    /// Makes a reply of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns the reply with another text.
    pub(crate) fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Makes a reply of one native tool call.
    #[must_use]
    pub fn tool(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::default().call(name, arguments)
    }

    /// Adds a native tool call.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.call_with_id("", name, arguments)
    }

    /// Adds a native tool call with the provider's id.
    #[must_use]
    pub fn call_with_id(
        mut self,
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        self.calls.push(ReplyCall { id: id.into(), name: name.into(), arguments: arguments.into() });
        if self.finish == Finish::Stop {
            self.finish = Finish::ToolCalls;
        }
        self
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn finished(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// Sets what the request cost.
    #[must_use]
    pub fn used(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets what the provider sent, for the journal; nothing else reads it.
    #[must_use]
    pub fn with_raw(mut self, raw: impl Into<Arc<str>>) -> Self {
        self.raw = Some(raw.into());
        self
    }

    /// Sets a state that only the provider can read: what must go back to it with a later request. The journal keeps it,
    /// and it stands in later prompts as long as the reply does, if the reply was taken as it is.
    #[must_use]
    pub fn with_provider_state(mut self, state: ProviderState) -> Self {
        self.provider_state = Some(state);
        self
    }

    /// Puts other arguments in the place of those that a function knows better, by the tool's name.
    #[cfg(feature = "http")]
    pub(crate) fn with_arguments(mut self, better: impl Fn(&str, &str) -> Option<String>) -> Self {
        for call in &mut self.calls {
            if let Some(arguments) = better(&call.name, &call.arguments) {
                call.arguments = arguments;
            }
        }
        self
    }

    /// Returns the text; may be empty beside calls.
    #[must_use]
    pub fn as_text(&self) -> &str {
        &self.text
    }

    /// Returns the native tool calls, in order.
    #[must_use]
    pub fn calls(&self) -> &[ReplyCall] {
        &self.calls
    }

    /// Returns why the model stopped.
    #[must_use]
    pub fn finish(&self) -> Finish {
        self.finish
    }

    /// Returns what the request cost.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns what the provider sent, if the model tells: the body of the answer; of a stream its pieces put together.
    #[must_use]
    pub fn raw(&self) -> Option<&str> {
        self.raw.as_deref()
    }

    /// Returns the state that only the provider can read.
    #[must_use]
    pub fn provider_state(&self) -> Option<&ProviderState> {
        self.provider_state.as_ref()
    }

    /// Whether there is neither a call nor any text but white space.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.text.trim().is_empty()
    }
}
