//! The seams that act, and that look what became of it.

mod panics;
mod timer;
mod tools;
mod verify;

use std::future::Future;

pub use tools::ToolExecutor;
pub use verify::Verifier;

pub(crate) use panics::{catching, drop_caught};
pub(crate) use timer::has_timer;
pub(crate) use verify::DynVerifier;

use crate::event::{Action, ActionOutcome};
use crate::tool::{BoxFuture, CallContext};

/// A project's own way to act, in place of its tools' handlers.
///
/// Calls of tools arrive with checked arguments; blocks of code arrive as they are.
pub trait Executor: Send + Sync + 'static {
    /// Carries an action out, and tells what became of it.
    fn execute(&self, action: &Action, call: &CallContext) -> impl Future<Output = ActionOutcome> + Send;

    /// Returns the fingerprint of the set of tools that it belongs to, where it belongs to one. A run refuses an
    /// executor of another set than the one that its model is shown.
    fn tools_fingerprint(&self) -> Option<String> {
        None
    }
}

/// An executor behind `dyn`.
pub(crate) trait DynExecutor: Send + Sync {
    fn execute_boxed<'a>(&'a self, action: &'a Action, call: &'a CallContext)
    -> BoxFuture<'a, ActionOutcome>;
    fn tools_fingerprint(&self) -> Option<String>;
}

impl<E: Executor> DynExecutor for E {
    fn execute_boxed<'a>(
        &'a self,
        action: &'a Action,
        call: &'a CallContext,
    ) -> BoxFuture<'a, ActionOutcome> {
        Box::pin(self.execute(action, call))
    }

    fn tools_fingerprint(&self) -> Option<String> {
        Executor::tools_fingerprint(self)
    }
}
