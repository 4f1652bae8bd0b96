//! Fenced blocks of code in the text of a reply.

use super::Interpreter;
use crate::event::{Action, Decision, Reply};
use crate::tool::Replay;

/// An interpreter that reads one fenced block of code as the action; a reply without one is the answer.
///
/// Code has no tool, so it needs an [`Executor`](crate::Executor) of the project's own.
///
/// ```
/// use polyloop::{CodeFence, Replay, StopAtAction};
///
/// // Queries only read, so a query whose outcome was lost in a crash is executed again.
/// let queries = CodeFence::of("sql").replay(Replay::Safe);
/// // The model goes on writing after its block; that is not kept.
/// let queries = StopAtAction(queries);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFence {
    language: Option<String>,
    replay: Replay,
}

impl Default for CodeFence {
    fn default() -> Self {
        Self { language: None, replay: Replay::Never }
    }
}

impl CodeFence {
    /// Reads blocks of any language.
    #[must_use]
    pub fn any() -> Self {
        Self::default()
    }

    /// Reads blocks of one language; others are prose.
    #[must_use]
    pub fn of(language: impl Into<String>) -> Self {
        Self { language: Some(language.into()), ..Self::default() }
    }

    /// Sets whether a block whose outcome is not known may be executed again, as `replay` does for a tool; [`Replay::Never`]
    /// unless set.
    #[must_use]
    pub fn replay(mut self, replay: Replay) -> Self {
        self.replay = replay;
        self
    }

    fn blocks<'t>(&self, text: &'t str) -> impl Iterator<Item = Fence<'t>> {
        fences(text).filter(|fence| self.language.as_ref().is_none_or(|language| fence.language == language))
    }
}

impl Interpreter for CodeFence {
    fn interpret(&self, reply: &Reply) -> Decision {
        let text = reply.as_text();
        let mut blocks = self.blocks(text);
        match (blocks.next(), blocks.next()) {
            (None, _) => Decision::answer(text),
            (Some(block), None) => {
                let action =
                    Action::Code { language: block.language.to_owned(), source: block.source.to_owned() };
                Decision::act(text, vec![action])
            }
            (Some(_), Some(_)) => {
                Decision::invalid(text, "The reply holds several blocks of code; write exactly one.")
            }
        }
    }

    fn replay_of_code(&self, _: &str, _: &str) -> Replay {
        self.replay
    }

    fn action_end(&self, text: &str) -> Option<usize> {
        self.blocks(text).next().map(|block| block.end)
    }
}

/// A fenced block: what stands behind the fence, and the lines inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence<'t> {
    pub(super) language: &'t str,
    pub(super) source: &'t str,
    /// Where it begins in the text, and where it ends, in bytes.
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// The closed fences of a text, in order. A block ends at a line of as many backticks as began it, or more.
pub(super) fn fences(text: &str) -> impl Iterator<Item = Fence<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let begin = text.len() - rest.len();
            let (line, behind) = next_line(rest)?;
            rest = behind;
            let Some(ticks) = fence_ticks(line) else { continue };
            let language = line.trim().trim_start_matches('`').trim();
            let start = rest;
            let mut length = 0;
            while let Some((line, behind)) = next_line(rest) {
                rest = behind;
                if fence_ticks(line).is_some_and(|closing| closing >= ticks)
                    && line.trim().trim_matches('`').is_empty()
                {
                    let (source, end) = (start.get(..length)?, text.len() - rest.len());
                    return Some(Fence { language, source, begin, end });
                }
                length = start.len() - rest.len();
            }
            return None;
        }
    })
}

fn next_line(text: &str) -> Option<(&str, &str)> {
    if text.is_empty() {
        return None;
    }
    let end = text.find('\n').map_or(text.len(), |at| at + 1);
    text.split_at_checked(end)
}

/// How many backticks a line begins with, if it is a fence.
fn fence_ticks(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let ticks = line.len() - line.trim_start_matches('`').len();
    (ticks >= 3).then_some(ticks)
}

#[cfg(test)]
mod tests {
    use super::{Fence, fences};

    #[test]
    fn fences_are_closed_by_as_many_backticks() {
        let text = "a\n```sh\nls\n```\nb\n````\n```\ninner\n```\n````\n```open\nnever";
        let found: Vec<Fence<'_>> = fences(text).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found.first(), Some(&Fence { language: "sh", source: "ls\n", begin: 2, end: 15 }));
        assert_eq!(found.get(1).map(|fence| fence.source), Some("```\ninner\n```\n"));
    }
}
