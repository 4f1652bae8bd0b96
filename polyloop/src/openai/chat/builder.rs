//! The options that only chat completions have.

use super::ChatCompletions;
use super::decode::{self, ChatBody};
use super::request::{DeveloperRole, ResponseFormat};
use crate::provider::{Client, ClientBuilder, ProviderError};

impl Client<ChatCompletions> {
    /// Reads a body back: the inverse of [`body`](Self::body), but that a call without arguments has `{}`, and a tool that
    /// there is not the name that was sent.
    ///
    /// # Errors
    ///
    /// When the bytes are no such body.
    pub fn decode(body: &[u8]) -> Result<ChatBody, ProviderError> {
        decode::decode(body)
    }
}

impl ClientBuilder<ChatCompletions> {
    /// Sets under which role the developer's messages are sent; `system` unless set, which every server knows.
    #[must_use]
    pub fn developer_role(mut self, role: DeveloperRole) -> Self {
        self.protocol.developer_role = role;
        self
    }

    /// Sets the seed of the sampling.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.protocol.seed = Some(seed);
        self
    }

    /// Sets how many tokens a reply may have, thoughts included, as `max_completion_tokens`: the newer name, which
    /// reasoning models of OpenAI ask for and other servers may not know.
    #[must_use]
    pub fn max_completion_tokens(mut self, most: u32) -> Self {
        self.protocol.max_completion_tokens = Some(most);
        self
    }

    /// Sets what form the reply's text must have.
    #[must_use]
    pub fn response_format(mut self, format: ResponseFormat) -> Self {
        self.protocol.response_format = Some(format);
        self
    }

    /// Sets whether the reasoning of a reply with calls is kept, and sent back beside these calls; it is unless set.
    ///
    /// It is read from `reasoning_content`, `reasoning`, `reasoning_details` and a call's `extra_content`, and goes back under
    /// the same names, to the same host and model only. Several vendors refuse the next step without it; `false` is for a server
    /// that refuses these names in a request.
    #[must_use]
    pub fn return_reasoning(mut self, returns: bool) -> Self {
        self.protocol.drops_reasoning = !returns;
        self
    }

    /// Sets whether one reply may hold several calls; the server's own choice unless set.
    #[must_use]
    pub fn parallel_tool_calls(self, parallel: bool) -> Self {
        self.parallel(parallel)
    }
}
