//! Declare what a language model may see: typed context fragments, tools and a closed registry, checked at
//! compile time; and a loop around them.
//!
//! Data goes one way round a ring:
//!
//! 1. **Declare.** [`ContextFragment`](derive@ContextFragment) and [`tool`] say what there is; [`registry!`] closes
//!    the set. Whatever is not in it cannot reach the model: the compiler refuses it.
//! 2. **Record.** A [`Session`] takes fragments and a person's words through typed doors.
//! 3. **Project.** A [`Prompt`] is a pure function of what was recorded; a [`Layout`] orders it by type fields alone.
//! 4. **Verify.** The prompt is sealed: what leaves is what the journal yields when it is read back, byte for byte.
//! 5. **Ask.** A [`Model`] sees the sealed prompt, and nothing else.
//! 6. **Act.** An [`Interpreter`] says what the reply means; the handlers of the tools, or an [`Executor`], act; what they
//!    return is recorded, and the ring closes.
//!
//! A [`Journal`] keeps what happens, before anything relies on it: [`Agent::resume`] goes on with a run that was
//! interrupted. [`MemoryJournal`] keeps it as long as the process lives, `SqliteJournal` in a file.
//!
//! ```
//! use polyloop::prelude::*;
//!
//! /// Where the agent works.
//! #[derive(ContextFragment)]
//! #[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
//! struct WorkingDirectory { path: String }
//!
//! /// Hands in the answer.
//! #[tool(completes_run)]
//! async fn submit(/** The whole answer. */ answer: String) -> String { answer }
//!
//! registry! {
//!     /// Everything this application may show a model.
//!     struct App { fragments: [WorkingDirectory], tools: [submit], max_chars: 2_000 }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = Scripted::replies([Reply::tool("submit", r#"{"answer": "a README"}"#)]);
//! let agent = Agent::<App>::builder(model).build()?;
//! let mut run = agent.on(()).inject(WorkingDirectory { path: "/srv".into() }).goal("What is here?").await?;
//! assert_eq!(run.finish().await?.to_string(), "a README");
//! # Ok(())
//! # }
//! ```

mod agent;
#[cfg(feature = "anthropic")]
mod anthropic;
mod compact;
mod dialect;
mod error;
mod event;
mod execute;
mod foreign;
mod fragment;
#[cfg(feature = "gemini")]
mod gemini;
mod identity;
mod interpret;
mod journal;
mod layout;
mod ledger;
#[cfg(feature = "mcp")]
pub mod mcp;
mod message;
mod model;
#[cfg(feature = "openai")]
mod openai;
#[cfg(feature = "http")]
#[cfg_attr(
    not(all(feature = "anthropic", feature = "gemini", feature = "openai")),
    allow(dead_code, unused_imports, reason = "each client uses its part of it")
)]
mod provider;
mod registry;
mod retention;
mod session;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tool;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod prelude;

pub use agent::{
    Agent, AgentBuilder, Audit, AuditedRequest, Budget, ChildRequest, Declared, FollowUp, ForkRequest,
    HistoryImport, ImportReport, PrefixBreak, Report, Request, Restating, Resumption, Retries, Run,
    RunHandle, SessionNode, SessionTree, SessionTurn, Source, SummaryCost, Texts, Traced, Update,
};
#[cfg(feature = "anthropic")]
pub use anthropic::{Anthropic, AnthropicBuilder, Messages};
pub use compact::{Compaction, Compactor, Exchange, History, Summarizer};
pub use dialect::{Decoder, Dialect, Lowered, LoweredTool, LoweredTools, SchemaReader, SchemaReport, lower};
pub use error::{
    ArgumentError, BuildError, CallError, DecodeError, HistoryError, HistoryFault, HistoryPlace, ImageError,
    ImportError, JournalError, KeyError, LineError, ModelError, ModelErrorClass, ParseError, ParseErrorKind,
    RecordError, RecordErrorKind, RunError, SchemaError, SetError, SetProblem, ToolRefusal, ToolsRefused,
};
pub use event::{
    Action, ActionOutcome, Call, CallId, CompactionReason, Decision, Ending, Finish, InputPart, Reply,
    ReplyCall, Status, Usage, UserInput, Verdict,
};
pub use execute::{Executor, ToolExecutor, Verifier};
pub use foreign::{ForeignHistory, LeftOut};
pub use fragment::{
    Absent, Body, ChangedFragment, Channel, ContextFragment, FragmentSpec, IntoBody, Key, LatestFragment,
    Legacy, Lifetime, Marker, MarkerKey, Marking, Memory, OnCompact, OnFork, OnRollback, Overflow,
    ParseFragment, Piece, Pin, Recognize, Render, Rendered, RetractableFragment, Slot,
};
#[cfg(feature = "gemini")]
pub use gemini::{Gemini, GeminiBuilder, GenerateContent};
pub use interpret::{CodeFence, Interpreter, JsonAction, NativeCalls, StopAtAction};
pub use journal::{
    ChainKey, Durability, Evidence, Fork, Head, Journal, Lease, MemoryJournal, Record, SessionId,
    Verification, export_session, import_session, session_head, verify_session,
};
pub use layout::{Grouped, Layout, Staged, Turn};
pub use ledger::{Item, ItemKind, Statement};
pub use message::{
    Block, Content, Image, ImageSource, ItemId, Message, Origin, Prompt, ProviderState, Role, Share, Stretch,
    ToolDefinition,
};
pub use model::{Model, Scripted, SealedRequest};
#[cfg(feature = "openai")]
pub use openai::{
    ChatBody, ChatCompletions, ChatMessage, ChatPart, ChatTool, DeveloperRole, OpenAi, OpenAiBuilder,
    OpenAiResponses, OpenAiResponsesBuilder, ResponseFormat, Responses,
};
#[cfg(feature = "http")]
pub use provider::{Client, ClientBuilder, Protocol, ProviderError};
pub use registry::{
    FragmentEntry, Recognized, Registered, RegisteredTool, Registry, RegistrySpec, RetiredKind, ToolList,
};
pub use retention::{Erasure, Redacted, Redaction, erase_session, redact_session};
pub use session::{Entry, Known, LiveTurn, Session, TurnContext};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteJournal;
pub use tool::{
    CallContext, CheckedCall, Hints, IntoState, Json, Limit, Observation, Param, Provide, Replay, Scalars,
    Tool, ToolArg, ToolEntry, ToolError, ToolFailure, ToolReturn, ToolSet, ToolSpec, read_result,
};

#[doc = include_str!("docs/context_fragment.md")]
pub use polyloop_derive::ContextFragment;
#[doc = include_str!("docs/state.md")]
pub use polyloop_derive::State;
#[cfg(feature = "mcp")]
#[doc = include_str!("docs/mcp_tools.md")]
pub use polyloop_derive::mcp_tools;
#[doc = include_str!("docs/registry.md")]
pub use polyloop_derive::registry;
#[doc = include_str!("docs/tool.md")]
pub use polyloop_derive::tool;
#[doc = include_str!("docs/toolbox.md")]
pub use polyloop_derive::toolbox;

// Traits of expansions: a message calls each by its shortest path, which is not to be a private one.
#[doc(hidden)]
pub use {
    __private::ToJson,
    fragment::{FromText, Recorded, Shared},
    registry::{Listed, ListedTool, ToolTuple},
    tool::Returned,
};

// Argument types derive the traits of these crates; a project need not depend on them itself.
pub use {schemars, serde, serde_json};

/// Compares a registry with a committed file of all its markers: `assert_marker_lock!(App, "markers.lock")`.
///
/// A marker that was ever written to a journal must stay recognisable. Call this in a test of yours. The path is
/// relative to the package. A new kind is added to the file; a changed or removed marker without a `legacy` entry
/// panics with the line to add.
///
/// ```no_run
/// # use polyloop::prelude::*;
/// # registry! { struct App {} }
/// #[test]
/// fn every_marker_stays_recognisable() {
///     // The first run creates the file; commit it.
///     polyloop::assert_marker_lock!(App, "markers.lock");
/// }
/// ```
#[macro_export]
macro_rules! assert_marker_lock {
    ($registry:ty, $file:expr $(,)?) => {
        if let ::core::result::Result::Err(__lost) =
            $crate::__private::assert_marker_lock::<$registry>(::core::env!("CARGO_MANIFEST_DIR"), $file)
        {
            ::core::panic!("{}", __lost);
        }
    };
}
