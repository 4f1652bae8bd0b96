//! The loop: fold what happened, plan what is next, carry it out.
//!
//! [`fold`](state) and `plan` are pure; a driver carries out what they say.

mod act;
mod budget;
mod definition;
mod driver;
mod plan;
mod report;
mod request;
mod run;
mod state;
mod texts;

pub use budget::Budget;
pub use definition::{Agent, AgentBuilder};
pub use report::Report;
pub use request::Request;
pub use run::{Canceller, Run, Update};
pub use texts::Texts;
