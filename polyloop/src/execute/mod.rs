//! The seams that act, and that look what became of it.

mod limit;
mod panics;
mod timer;
mod tools;
mod verify;

use std::future::Future;

pub use tools::ToolExecutor;
pub use verify::Verifier;

pub(crate) use limit::within_limit;
pub(crate) use panics::{catching, drop_caught};
pub(crate) use timer::has_timer;
pub(crate) use verify::DynVerifier;

use crate::event::{Action, ActionOutcome};
use crate::tool::{BoxFuture, CallContext, ToolSet};

/// A project's own way to carry out actions, in place of the handlers of its tools.
///
/// A call of a tool arrives with its effective arguments: checked, in the order of the parameters, with defaults filled in and
/// near misses corrected, as a handler gets them. A block of code arrives unchanged. The `timeout` of a tool holds: the future is
/// dropped when it is over. `S` is the state of the registry; the executor borrows the state of the run, as a [`Verifier`] does.
///
/// The agent has one for all runs ([`AgentBuilder::executor`](crate::AgentBuilder::executor)), or a run has its own
/// ([`Request::executor`](crate::Request::executor)).
///
/// ```
/// use polyloop::prelude::*;
/// use polyloop::{Action, ActionOutcome, CodeFence, Executor};
///
/// /// Where scripts run.
/// struct Container(String);
///
/// /// Runs scripts in the container of the run.
/// struct Scripts;
///
/// impl Executor<Container> for Scripts {
///     async fn execute(&self, action: &Action, _call: &CallContext, container: &Container) -> ActionOutcome {
///         match action {
///             Action::Code { source, .. } => ActionOutcome::executed(format!("{}: ran {source}", container.0)),
///             other => ActionOutcome::not_executed(format!("`{}` is no script", other.label())),
///         }
///     }
/// }
///
/// registry! { struct App { state: Container } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = Scripted::replies([Reply::text("```sh\nls\n```"), Reply::text("Done.")]);
/// let agent = Agent::<App>::builder(model.clone()).interpreter(CodeFence::any()).executor(Scripts).build()?;
/// agent.on(Container("box-7".into())).goal("List the files.").await?.finish().await?;
/// assert_eq!(model.requests()[1].messages().last().unwrap().text(), "box-7: ran ls\n");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no executor on the state `{S}`",
    label = "not an `Executor<{S}>`",
    note = "implement `polyloop::Executor` for the state that `registry!` names, or for every `S: Send + Sync`"
)]
pub trait Executor<S>: Send + Sync + 'static {
    /// Carries out an action and returns its outcome. For an action that it refuses, the model reads the fixed text
    /// [`Texts::refused_by_executor`](crate::Texts::refused_by_executor), and the sentence of the executor is in the journal.
    fn execute(
        &self,
        action: &Action,
        call: &CallContext,
        state: &S,
    ) -> impl Future<Output = ActionOutcome> + Send;

    /// Returns the set of tools whose handlers it calls, if it does. A run refuses an executor of other tools than those that its
    /// model is shown. Tools are compared by their types: those that only look the same to a model have other handlers.
    fn tools(&self) -> Option<&ToolSet<S>> {
        None
    }
}

/// An executor as a trait object.
pub(crate) trait DynExecutor<S>: Send + Sync {
    fn execute_boxed<'a>(
        &'a self,
        action: &'a Action,
        call: &'a CallContext,
        state: &'a S,
    ) -> BoxFuture<'a, ActionOutcome>;
    fn declared_tools(&self) -> Option<&ToolSet<S>>;
}

impl<S, E: Executor<S>> DynExecutor<S> for E {
    fn execute_boxed<'a>(
        &'a self,
        action: &'a Action,
        call: &'a CallContext,
        state: &'a S,
    ) -> BoxFuture<'a, ActionOutcome> {
        Box::pin(self.execute(action, call, state))
    }

    fn declared_tools(&self) -> Option<&ToolSet<S>> {
        Executor::tools(self)
    }
}
