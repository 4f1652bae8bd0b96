//! What happened: replies, decisions, outcomes, and the events that record them.

mod decision;
mod events;
mod outcome;
mod reply;

pub use decision::{Action, Decision};
pub use events::{Call, CallId, Ending, UserInput};
pub use outcome::{ActionOutcome, Status};
pub use reply::{Finish, Reply, ReplyCall, Usage};

pub(crate) use events::{Closing, Event, RecordedFragment, Settled};
