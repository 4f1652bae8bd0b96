//! What happened: replies, decisions, outcomes, and the events that record them.

mod calls;
mod codec;
mod context;
mod decision;
mod events;
mod holders;
mod input;
mod outcome;
mod parts;
mod redaction;
mod reply;
mod tagged;

pub use context::CompactionReason;
pub use decision::{Action, Decision};
pub use input::{InputPart, UserInput};
pub use outcome::{ActionOutcome, Status, Verdict};
pub use parts::{Call, CallId, Ending};
pub use reply::{Finish, Reply, ReplyCall, Usage};

pub(crate) use calls::CallTable;
pub(crate) use codec::VERSION;
pub(crate) use context::{ImportedItem, ImportedPart, ImportedTurns, NoteEnd, NoteId, RecordedFragment};
pub(crate) use events::{
    Closing, Definitions, Event, Header, Intent, LateOutcome, Measured, Seal, SealPurpose, Settled,
};
pub(crate) use holders::Holders;
pub(crate) use redaction::{Extent, without_texts};
