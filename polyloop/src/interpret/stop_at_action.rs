//! An interpreter that leaves out what a model wrote after its action.

use super::Interpreter;
use crate::event::{Decision, Reply};
use crate::tool::Replay;

/// An interpreter of text that reads a reply up to the end of its first action only. A model may go on writing after it: results
/// that it made up, and further actions that build on them. The history does not hold them then, so the model does not take them
/// for what happened. The journal keeps the whole reply.
///
/// It is for [`CodeFence`](super::CodeFence), [`JsonAction`](super::JsonAction), and every interpreter that implements
/// [`Interpreter::action_end`]. A reply without an action is read whole.
///
/// ```
/// use polyloop::prelude::*;
/// use polyloop::{CodeFence, Decision, StopAtAction};
///
/// let reply = Reply::text("I look.\n```sh\nls\n```\nOutput:\n```\nnotes.txt\n```\nThere is one file.");
/// let decision = StopAtAction(CodeFence::any()).interpret(&reply);
/// assert!(matches!(decision, Decision::Act { .. }));
/// assert_eq!(decision.history_text(), "I look.\n```sh\nls\n```");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopAtAction<I>(pub I);

impl<I: Interpreter> Interpreter for StopAtAction<I> {
    fn interpret(&self, reply: &Reply) -> Decision {
        let text = reply.as_text();
        match self.0.action_end(text).and_then(|end| text.get(..end)) {
            Some(read) => self.0.interpret(&reply.clone().with_text(read.trim_end())),
            None => self.0.interpret(reply),
        }
    }

    fn version(&self) -> u32 {
        self.0.version()
    }

    fn reads_native_calls(&self) -> bool {
        self.0.reads_native_calls()
    }

    fn replay_of_code(&self, language: &str, source: &str) -> Replay {
        self.0.replay_of_code(language, source)
    }

    fn action_end(&self, text: &str) -> Option<usize> {
        self.0.action_end(text)
    }
}
