//! Fenced blocks of code in the text of a reply.

use super::Interpreter;
use crate::event::{Action, Decision, Reply};

/// An interpreter that reads one fenced block of code as the action; a reply without one is the answer.
///
/// Code has no tool, so it needs an [`Executor`](crate::Executor) of the project's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeFence {
    language: Option<String>,
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
        Self { language: Some(language.into()) }
    }
}

impl Interpreter for CodeFence {
    fn interpret(&self, reply: &Reply) -> Decision {
        let text = reply.as_text();
        let wanted =
            |fence: &Fence<'_>| self.language.as_ref().is_none_or(|language| fence.language == language);
        let mut blocks = fences(text).filter(wanted);
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
}

/// A fenced block: what stands behind the fence, and the lines inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence<'t> {
    pub(super) language: &'t str,
    pub(super) source: &'t str,
}

/// The closed fences of a text, in order. A block ends at a line of as many backticks as began it, or more.
pub(super) fn fences(text: &str) -> impl Iterator<Item = Fence<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
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
                    return Some(Fence { language, source: start.get(..length)? });
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
        assert_eq!(found.first(), Some(&Fence { language: "sh", source: "ls\n" }));
        assert_eq!(found.get(1).map(|fence| fence.source), Some("```\ninner\n```\n"));
    }
}
