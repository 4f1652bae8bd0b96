//! The seam that says what a reply means.

mod code_fence;
mod json_action;
mod stop_at_action;

pub use code_fence::CodeFence;
pub use json_action::JsonAction;
pub use stop_at_action::StopAtAction;

use crate::event::{Action, Decision, Reply};
use crate::tool::Replay;

/// A reading of replies: something to do, the answer, or neither.
///
/// It is a pure function of the reply: it is called again after a crash and must say the same.
pub trait Interpreter: Send + Sync + 'static {
    /// Reads a reply. It is not empty, and was not cut by a length limit.
    fn interpret(&self, reply: &Reply) -> Decision;

    /// Returns the version of its rules: another one where it reads some reply in another way than before. A run that is
    /// taken up again is not read by another version unless that is accepted.
    fn version(&self) -> u32 {
        1
    }

    /// Whether it reads native tool calls: then the tools are in the header of each request, and results answer calls.
    fn reads_native_calls(&self) -> bool {
        false
    }

    /// Returns whether a block of code may be executed again where its outcome is not known. [`Replay::Never`] unless
    /// implemented, as for a tool that says nothing. It is recorded when the block is begun, and asked again in a recovery.
    fn replay_of_code(&self, language: &str, source: &str) -> Replay {
        let _ = (language, source);
        Replay::Never
    }

    /// Returns the length in bytes of a reply's text up to the end of its first action, or `None` where there is no action.
    /// [`StopAtAction`] leaves out the rest. `None` unless implemented.
    fn action_end(&self, text: &str) -> Option<usize> {
        let _ = text;
        None
    }
}

/// The interpreter that reads native tool calls; a reply without one is the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeCalls;

impl Interpreter for NativeCalls {
    fn interpret(&self, reply: &Reply) -> Decision {
        if reply.calls().is_empty() {
            return Decision::answer(reply.as_text());
        }
        let actions = reply.calls().iter().map(|call| Action::tool(&call.name, &call.arguments)).collect();
        Decision::act(reply.as_text(), actions)
    }

    fn reads_native_calls(&self) -> bool {
        true
    }
}
