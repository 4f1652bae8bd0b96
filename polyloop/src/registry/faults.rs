//! What the derive refuses, found in a description that may be written by hand.

use crate::fragment::{
    Absent, Channel, FragmentSpec, LARGE, Legacy, Lifetime, Marker, Marking, OnCompact, OnFork, Overflow,
    Slot, byte, lower_at,
};
use crate::message::Role;

/// What is wrong with a description, as the rest of a sentence that begins with the type's name.
pub(super) const fn fault(spec: &FragmentSpec) -> Option<&'static str> {
    first(&[identity(spec), place(spec), endurance(spec), room(spec), marking(spec)])
}

/// The rest of the sentence, where something is wrong.
type Check = Option<&'static str>;

/// The first fault; `Option::or` is not const on stable.
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the position is checked")]
const fn first(checks: &[Check]) -> Check {
    let (mut at, number) = (0, checks.len());
    while at < number {
        if let Some(fault) = checks[at] {
            return Some(fault);
        }
        at += 1;
    }
    None
}

/// The sentence, if the condition holds.
const fn when(condition: bool, sentence: &'static str) -> Check {
    if condition { Some(sentence) } else { None }
}

#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the positions are checked")]
const fn identity(spec: &FragmentSpec) -> Check {
    let mut former = 0;
    while former < spec.was.len() {
        let was = spec.was[former];
        let fault = first(&[
            when(
                !is_kind(was),
                "has a former kind that is not of the form `feature.name`; write it in lower case",
            ),
            when(
                super::finding::equal(was, spec.kind),
                "has its own kind among its former ones; remove it there",
            ),
        ]);
        if fault.is_some() {
            return fault;
        }
        former += 1;
    }
    first(&[
        when(
            matches!(spec.role, Role::Tool),
            "has the role `tool`, which only results of calls have; choose another role",
        ),
        when(
            !is_kind(spec.kind),
            "has a kind that is not of the form `feature.name`; write it in lower case, with `.` and `_`",
        ),
        when(
            starts_with(spec.kind.as_bytes(), 0, b"polyloop."),
            "has a kind that begins with `polyloop.`, which is reserved; choose another",
        ),
    ])
}

/// An injection is the given text and nothing else.
const fn place(spec: &FragmentSpec) -> Check {
    let Slot::Injection(channel) = spec.slot else { return None };
    let is_nameless = matches!(channel, Channel::Named(name) if name.is_empty());
    let is_user = matches!(spec.role, Role::User);
    let is_unmarked = matches!(spec.marking, Marking::Unmarked(_));
    first(&[
        when(is_nameless, "is an injection whose channel has no name; write one"),
        when(
            !is_user || !is_unmarked || !spec.standalone || !spec.raw,
            "is an injection, which is an unmarked message of the user as it is given; set nothing else",
        ),
        when(
            spec.rank != 0 || spec.pin.is_some(),
            "is an injection, which stands in the order in which it is given; remove `rank` and `pin`",
        ),
    ])
}

const fn endurance(spec: &FragmentSpec) -> Check {
    let is_latest = matches!(spec.lifetime, Lifetime::Latest);
    let is_blank =
        matches!(spec.absent, Some(Absent::Says(text) | Absent::Never(text)) if text.trim_ascii().is_empty());
    first(&[
        when(
            is_latest && spec.absent.is_none(),
            "is `latest`, which can become false; say its `absent` text, or why it is `never_retracted`",
        ),
        when(is_blank, "has an empty `absent` text or reason; write it down"),
        when(
            !is_latest && spec.absent.is_some(),
            "has a cancellation without being `latest`; set that lifetime, or remove it",
        ),
        when(
            matches!(spec.lifetime, Lifetime::Once) && !matches!(spec.on_compact, OnCompact::Drop),
            "is news of one turn, which compaction drops; remove `on_compact`",
        ),
        when(
            !is_latest && matches!(spec.on_compact, OnCompact::Restate),
            "is to be restated without being `latest`; set that lifetime, or let compaction keep it",
        ),
        when(
            !is_latest && matches!(spec.on_fork, OnFork::Refresh),
            "is to be refreshed without being `latest`; set that lifetime, or let a fork keep it",
        ),
        when(
            spec.change && !(is_latest && spec.state),
            "says what changed, so it must be `latest` and record its `state`; set both",
        ),
    ])
}

const fn room(spec: &FragmentSpec) -> Check {
    let absent = match spec.absent {
        Some(Absent::Says(text)) => text,
        Some(Absent::Never(_)) | None => "",
    };
    // No text has more characters than bytes, so that most are never counted.
    let bytes = match &spec.marking {
        Marking::Marked { begin, end } => begin.as_str().len() + end.as_str().len(),
        Marking::Unmarked(_) => 0,
    };
    let is_near = bytes + absent.len() >= spec.max_chars;
    let markers = match &spec.marking {
        Marking::Marked { begin, end } if is_near => least_chars(begin) + least_chars(end),
        Marking::Marked { .. } | Marking::Unmarked(_) => 0,
    };
    let is_end_too_long = is_near && markers + chars(absent.as_bytes()) > spec.max_chars;
    let has_blank_reason = matches!(spec.large, Some(why) if why.trim_ascii().is_empty());
    let has_dumb_notice = matches!(spec.notice, Some(notice) if !says_left_out(notice.as_bytes()));
    first(&[
        when(spec.max_chars == 0, "has no `max_chars`; every fragment is bounded"),
        when(
            spec.max_chars > LARGE && spec.large.is_none(),
            "has a `max_chars` over 40000; say why with `large`",
        ),
        when(has_blank_reason, "is `large` without a reason; write it down"),
        when(markers >= spec.max_chars, "has a `max_chars` that its markers take up alone; raise it"),
        when(
            is_end_too_long,
            "has an `absent` text that does not fit into its `max_chars`; shorten it, or raise that",
        ),
        when(spec.at_most == 0, "has an `at_most` of 0, so it could never be recorded; raise it"),
        when(
            spec.notice.is_some() && matches!(spec.overflow, Overflow::Refuse),
            "has a `notice` and never cuts; set `overflow`, or remove it",
        ),
        when(
            has_dumb_notice,
            "has a `notice` that does not say how much is missing; put `{left_out}` into it",
        ),
    ])
}

#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the position is checked")]
const fn marking(spec: &FragmentSpec) -> Check {
    let present = match &spec.marking {
        Marking::Unmarked(why) => {
            when(why.trim_ascii().is_empty(), "has no markers; set `markers`, or say why it is `unmarked`")
        }
        Marking::Marked { begin, end } => pair(begin, end),
    };
    let mut old = 0;
    while old < spec.legacy.len() && present.is_none() {
        let fault = match &spec.legacy[old] {
            Legacy::Pair(begin, end) => pair(&Marker::new(begin), &Marker::new(end)),
            Legacy::Prefix(begin) => pair(&Marker::new(begin), &Marker::new("-")),
        };
        if fault.is_some() {
            return fault;
        }
        old += 1;
    }
    present
}

const fn pair(begin: &Marker, end: &Marker) -> Check {
    let (begin_text, end_text) = (begin.as_str().as_bytes(), end.as_str().as_bytes());
    let is_empty = begin_text.is_empty() || end_text.is_empty();
    first(&[
        when(is_empty, "has an empty marker, so it could never be recognised; write both"),
        when(
            !is_empty && (is_space(begin_text, 0) || is_space(end_text, last_character(end_text))),
            "has markers with white space outside, so it could never be recognised; trim them",
        ),
        when(
            !has_sound_braces(begin) || !has_sound_braces(end),
            "has a brace in a marker that is not its one `{key}`; write `{{` or `}}` for a literal brace",
        ),
        when(
            !ends_its_key(begin) || !ends_its_key(end),
            "has a marker whose key has no text before it, or none after it that ends a key; put some there",
        ),
        when(
            end.has_key() && !begin.has_key(),
            "has a key in an end marker that its begin marker lacks; put it into both, or only the first",
        ),
    ])
}

/// Whether the character at a position is white space, as [`str::trim`] sees it.
const fn is_space(text: &[u8], at: usize) -> bool {
    matches!(
        (byte(text, at), byte(text, at + 1), byte(text, at + 2)),
        (b'\t'..=b'\r' | b' ', ..)
            | (0xC2, 0x85 | 0xA0, _)
            | (0xE1, 0x9A, 0x80)
            | (0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF)
            | (0xE2, 0x81, 0x9F)
            | (0xE3, 0x80, 0x80)
    )
}

/// Where the last character begins.
const fn last_character(text: &[u8]) -> usize {
    let mut at = text.len().saturating_sub(1);
    while at > 0 && byte(text, at) & 0b1100_0000 == 0b1000_0000 {
        at -= 1;
    }
    at
}

/// Whether every brace is doubled or belongs to the one key.
const fn has_sound_braces(marker: &Marker) -> bool {
    let text = marker.as_str().as_bytes();
    let mut at = 0;
    while !marker.is_plain() && at < text.len() {
        match byte(text, at) {
            b'{' if marker.has_key() && at == marker.head_len() => at = marker.tail_start(),
            brace @ (b'{' | b'}') if byte(text, at + 1) == brace => at += 2,
            b'{' | b'}' => return false,
            _ => at += 1,
        }
    }
    true
}

/// Whether one can see where the key begins and ends.
const fn ends_its_key(marker: &Marker) -> bool {
    if marker.is_plain() {
        return true;
    }
    let text = marker.as_str().as_bytes();
    let after = lower_at(text, marker.tail_start());
    let runs_on = after == 0 || after.is_ascii_lowercase() || after.is_ascii_digit() || after == b'_';
    !marker.has_key() || marker.head_len() > 0 && !runs_on
}

/// The characters that the marker takes at least.
const fn least_chars(marker: &Marker) -> usize {
    let text = marker.as_str().as_bytes();
    let (mut at, mut chars) = (0, 0);
    while at < text.len() {
        if marker.has_key() && at == marker.head_len() {
            at = marker.tail_start();
            chars += 1;
            continue;
        }
        let current = byte(text, at);
        if is_beginning(current) {
            chars += 1;
        }
        at += if matches!(current, b'{' | b'}') { 2 } else { 1 };
    }
    chars
}

const fn chars(text: &[u8]) -> usize {
    let (mut at, mut chars) = (0, 0);
    while at < text.len() {
        chars += is_beginning(byte(text, at)) as usize;
        at += 1;
    }
    chars
}

/// Whether a byte is the first of a character.
const fn is_beginning(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

const fn says_left_out(notice: &[u8]) -> bool {
    let mut at = 0;
    while at < notice.len() {
        if starts_with(notice, at, b"{left_out}") {
            return true;
        }
        at += if byte(notice, at) == b'{' && byte(notice, at + 1) == b'{' { 2 } else { 1 };
    }
    false
}

const fn starts_with(text: &[u8], from: usize, start: &[u8]) -> bool {
    let mut at = 0;
    while at < start.len() {
        if byte(text, from + at) != byte(start, at) {
            return false;
        }
        at += 1;
    }
    true
}

#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the position is checked")]
const fn is_kind(kind: &str) -> bool {
    let (kind, length) = (kind.as_bytes(), kind.len());
    let mut at = 0;
    let mut first = true;
    while at < length {
        match kind[at] {
            b'a'..=b'z' => first = false,
            b'0'..=b'9' | b'_' if !first => {}
            b'.' if !first => first = true,
            _ => return false,
        }
        at += 1;
    }
    !first
}

#[cfg(test)]
mod tests {
    use super::{is_space, last_character};

    #[test]
    fn white_space_is_what_trimming_takes_away() {
        for character in '\0'..=char::MAX {
            let text = format!("x{character}");
            let found = is_space(text.as_bytes(), last_character(text.as_bytes()));
            assert_eq!(found, character.is_whitespace(), "{character:?}");
        }
    }
}
