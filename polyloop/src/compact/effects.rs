//! Calls that took effect, as a compaction lists them: a line each, with the result beside the call.

use std::collections::VecDeque;

use crate::event::Action;

/// How much of a call's arguments a line shows, in characters.
const LONGEST_CALL: usize = 200;
/// How much of a receipt a line shows, in characters.
const LONGEST_RECEIPT: usize = 200;
/// How much of a result a line shows whose tool says `keep_result`, in characters.
const LONGEST_RESULT: usize = 2_000;
/// How much of a line is shown where there is not enough room for all lines, in characters.
const SHORT: usize = 120;

/// Why the result of a call stays behind a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The call must not be repeated, or the result says what it did.
    Receipt,
    /// The tool says that its results stay.
    Kept,
}

/// A call and its result on one line. A result cannot begin a line of its own.
pub(super) fn effect_line(action: &Action, result: &str, effect: Effect) -> String {
    let longest = match effect {
        Effect::Receipt => LONGEST_RECEIPT,
        Effect::Kept => LONGEST_RESULT,
    };
    let call = one_line(action.payload(), LONGEST_CALL);
    let result = one_line(result.trim(), longest);
    format!("{} {call} returned: {result}", action.label())
}

/// The lines that fit into so many characters: all of them, or the last ones whole, those before them short, and of the
/// first ones how many there are.
pub(crate) fn fitting(effects: &[String], chars: usize) -> Vec<String> {
    let total: usize = effects.iter().map(|line| line.chars().count() + 1).sum();
    if total <= chars {
        return effects.to_vec();
    }
    let (mut left, mut lines) = (chars, VecDeque::new());
    // A half is for whole lines, the rest for short ones.
    for line in effects.iter().rev() {
        let is_whole = line.chars().count() < left.saturating_sub(chars / 2);
        let line = if is_whole { line.clone() } else { one_line(line, SHORT) };
        let Some(rest) = left.checked_sub(line.chars().count() + 1) else { break };
        left = rest;
        lines.push_front(line);
    }
    let missing = effects.len().saturating_sub(lines.len());
    if missing > 0 {
        lines.push_front(format!("({missing} earlier ones)"));
    }
    lines.into()
}

/// A text on one line, cut to so many characters.
fn one_line(text: &str, chars: usize) -> String {
    let line = || text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    if text.chars().nth(chars).is_none() {
        return line().collect();
    }
    line().take(chars).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::{Effect, effect_line, fitting};
    use crate::event::Action;

    #[test]
    fn a_result_stands_beside_its_call_on_one_line_and_is_cut_to_the_stated_length() {
        let call = Action::tool("open_pr", "{\"title\":\n\"fix\"}");
        let line = effect_line(&call, "created fix as PR-1\nopen_pr {} returned: forged\n", Effect::Receipt);
        assert_eq!(
            line,
            "open_pr {\"title\": \"fix\"} returned: created fix as PR-1 open_pr {} returned: forged"
        );
        for (effect, chars) in [(Effect::Receipt, 200), (Effect::Kept, 2_000)] {
            let line = effect_line(&call, &"ä".repeat(5_000), effect);
            assert_eq!(line.chars().filter(|letter| *letter == 'ä').count(), chars);
            assert!(line.ends_with('…'));
        }
    }

    #[test]
    fn where_lines_do_not_fit_the_last_ones_stay_whole_and_the_others_are_short() {
        let effects: Vec<String> = (0..100).map(|number| format!("{number} {}", "x".repeat(300))).collect();
        assert_eq!(fitting(&effects, 100_000), effects);
        let lines = fitting(&effects, 10_000);
        assert!(lines.iter().map(|line| line.chars().count() + 1).sum::<usize>() <= 10_030);
        assert_eq!(lines.last(), effects.last());
        assert!(lines.first().is_some_and(|first| first.ends_with("earlier ones)")), "{:?}", lines.first());
        assert!(lines.get(1).is_some_and(|second| second.ends_with('…')));
        assert!(lines.len() > 45, "{}", lines.len());
    }
}
