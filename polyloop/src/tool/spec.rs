//! What a tool says of itself, as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::param::Param;

/// Whether a call whose outcome is not known may be executed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replay {
    /// It may: the tool only reads, or doing it twice is as good as once.
    Safe,
    /// It may not.
    Never,
    /// It begins a run in a session of its own, and at the next attempt that one is taken up:
    /// [`Agent::child`](crate::Agent::child).
    Child,
}

/// Hints for clients; nothing here changes what the library does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent hints of the protocol that they come from"
)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// Doing it twice is as good as once.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

/// The description of a tool: name, description, parameters, and how it may be called.
///
/// `#[tool]` writes it. The implementation hangs on the description, so that the two cannot drift apart.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the attribute, with its name")]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: &'static str,
    /// What the model reads about it.
    pub description: &'static str,
    /// The file that declares the tool.
    pub file: &'static str,
    /// The line that declares the tool, counted from 1; 0 where it is not known.
    pub line: u32,
    /// The parameters, in the order of the source.
    pub params: &'static [Param],
    /// Whether a call whose outcome is not known may be executed again.
    pub replay: Replay,
    /// Whether a successful call ends the run.
    pub completes_run: bool,
    /// Whether it may run beside other calls of one reply.
    pub concurrent: bool,
    /// How long a handler may take.
    pub timeout: Option<Duration>,
    /// Whether a person must agree first.
    pub approval: bool,
    /// Hints for clients.
    pub hints: Hints,
    /// Whether it is registered and callable, but not shown to the model.
    pub hidden: bool,
    /// Whether unknown arguments are taken.
    pub lenient: bool,
    /// Whether it has no handler.
    pub schema_only: bool,
    /// Whether its handler borrows nothing from the state.
    pub stateless: bool,
    /// How many characters of a result a model is shown at most; none where the agent's limit holds.
    pub max_chars: Option<usize>,
    /// Whether a compaction keeps the results beside the calls.
    pub keep_result: bool,
}

impl ToolSpec {
    /// Starts a description.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            file: "",
            line: 0,
            params: &[],
            replay: Replay::Never,
            completes_run: false,
            concurrent: false,
            timeout: None,
            approval: false,
            hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
            hidden: false,
            lenient: false,
            schema_only: false,
            stateless: false,
            max_chars: None,
            keep_result: false,
        }
    }

    /// Whether it is the same declaration. A set may know a tool by another name, so a name alone would not do.
    pub(crate) fn is_same_tool(&self, other: &Self) -> bool {
        (self.name, self.file, self.line) == (other.name, other.file, other.line)
    }

    /// Says where the tool is declared.
    #[must_use]
    pub const fn declared(mut self, file: &'static str, line: u32) -> Self {
        self.file = file;
        self.line = line;
        self
    }

    /// Sets the parameters.
    #[must_use]
    pub const fn params(mut self, params: &'static [Param]) -> Self {
        self.params = params;
        self
    }

    /// Sets whether a call may be executed again.
    #[must_use]
    pub const fn replay(mut self, replay: Replay) -> Self {
        self.replay = replay;
        self
    }

    /// Lets a successful call end the run.
    #[must_use]
    pub const fn completes_run(mut self) -> Self {
        self.completes_run = true;
        self
    }

    /// Lets calls run side by side.
    #[must_use]
    pub const fn concurrent(mut self) -> Self {
        self.concurrent = true;
        self
    }

    /// Limits a handler's time, in milliseconds.
    #[must_use]
    pub const fn timeout(mut self, milliseconds: u64) -> Self {
        self.timeout = Some(Duration::from_millis(milliseconds));
        self
    }

    /// Asks a person first.
    #[must_use]
    pub const fn approval(mut self) -> Self {
        self.approval = true;
        self
    }

    /// Hints that it changes nothing.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.hints.read_only = true;
        self
    }

    /// Hints that it may destroy something.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.hints.destructive = true;
        self
    }

    /// Hints that doing it twice is as good as once.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.hints.idempotent = true;
        self
    }

    /// Hints that it reaches beyond this machine.
    #[must_use]
    pub const fn open_world(mut self) -> Self {
        self.hints.open_world = true;
        self
    }

    /// Hides it from the model.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Takes unknown arguments.
    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.lenient = true;
        self
    }

    /// States that its handler borrows nothing from the state, so that no client of a server waits for another one's calls of
    /// other tools.
    #[must_use]
    pub const fn stateless(mut self) -> Self {
        self.stateless = true;
        self
    }

    /// Says that there is no handler.
    #[must_use]
    pub const fn schema_only(mut self) -> Self {
        self.schema_only = true;
        self
    }

    /// Limits how much of a result a model is shown, in characters: more or fewer than the agent allows.
    #[must_use]
    pub const fn max_chars(mut self, chars: usize) -> Self {
        self.max_chars = Some(chars);
        self
    }

    /// Lets a compaction keep the results beside the calls.
    #[must_use]
    pub const fn keep_result(mut self) -> Self {
        self.keep_result = true;
        self
    }
}
