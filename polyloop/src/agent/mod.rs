//! The loop: fold what happened, plan what is next, carry it out.
//!
//! `state` folds events and `plan` says what is next, both pure; the driver carries it out.

mod act;
#[expect(clippy::module_inception, reason = "an agent is what the room is named after")]
mod agent;
mod answers;
mod ask;
mod audit;
mod begin;
mod body;
mod budget;
mod builder;
mod carry_out;
mod child;
mod clock;
mod compacting;
mod compactions;
mod definition;
mod driver;
mod fork;
mod handle;
mod head;
mod identity;
mod import;
mod late;
mod lineage;
mod mirror;
mod open;
mod opening;
mod plan;
mod queue;
mod recover;
mod redacted;
mod report;
mod request;
mod restating;
mod results;
mod resume;
mod retries;
mod rollback;
mod room;
mod run;
mod state;
mod stepping;
mod stop;
mod texts;
mod tree;
mod update;
mod writer;

#[cfg(test)]
mod tests;

pub use agent::Agent;
pub use audit::{Audit, AuditedRequest, Declared, PrefixBreak, Source, Traced};
pub use budget::Budget;
pub use builder::AgentBuilder;
pub use child::ChildRequest;
pub use fork::ForkRequest;
pub use handle::RunHandle;
pub use import::{HistoryImport, ImportReport};
pub use opening::FollowUp;
pub use report::{Report, SummaryCost};
pub use request::Request;
pub use restating::Restating;
pub use resume::Resumption;
pub use retries::Retries;
pub use run::Run;
#[cfg(feature = "mcp")]
pub(crate) use texts::CheckedTexts;
pub use texts::Texts;
pub use tree::{SessionNode, SessionTree, SessionTurn};
pub use update::Update;
