//! What happened: replies, decisions, outcomes, and the events that record them.

mod codec;
mod decision;
mod events;
mod outcome;
mod parts;
mod reply;

pub use decision::{Action, Decision};
pub use outcome::{ActionOutcome, Status, Verdict};
pub use parts::{Call, CallId, Ending, UserInput};
pub use reply::{Finish, Reply, ReplyCall, Usage};

pub(crate) use codec::VERSION;
pub(crate) use events::{
    Closing, Definitions, Event, Header, Intent, Measured, RecordedFragment, Seal, Settled,
};
