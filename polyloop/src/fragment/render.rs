//! From a fragment to its text: markers, neutralising, the cap.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::body::{Body, Trust};
use super::index::{Hit, MarkerIndex};
use super::key::Key;
use super::neutral::{Whole, first_marker, neutralise};
use super::pattern::Pattern;
use super::spec::FragmentSpec;
use super::vocabulary::{Channel, Marking, Overflow, Slot};
use crate::error::{RecordError, RecordErrorKind};

/// The notice where a type states none.
const NOTICE: &str = "\n[… {left_out} characters left out …]\n";
/// What stands for the number in a notice.
const LEFT_OUT: &str = "{left_out}";
/// The digits of the largest number that a notice may hold.
const LONGEST_NUMBER: usize = 20;
/// A cut moves at most this many characters to end at a line, and at most three quarters of what it could keep.
const NEAR: usize = 200;

/// A fragment's text, and what else is recorded with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendered {
    text: String,
    chars: usize,
    true_chars: usize,
    id: Option<String>,
    channel: Option<String>,
    state: Option<String>,
}

impl Rendered {
    /// A text that another program recorded, as it was. What else the value held is not known.
    pub(crate) fn imported(text: &str, channel: Option<String>) -> Self {
        let chars = text.chars().count();
        Self { text: text.to_owned(), chars, true_chars: chars, id: None, channel, state: None }
    }

    /// Returns the text: begin, body, end, with nothing between them.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the size of the text in characters.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// Returns the size in characters before anything was cut; equal to [`chars`](Self::chars) if nothing was.
    #[must_use]
    pub fn true_chars(&self) -> usize {
        self.true_chars
    }

    /// Returns the id that is recorded with the item.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the channel of an injection.
    #[must_use]
    pub fn channel(&self) -> Option<&str> {
        self.channel.as_deref()
    }

    /// Returns the value as JSON text, where the type says `state`.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

/// Renders one fragment against the markers of its set, `own` being its kind's position there.
pub(crate) fn render(
    spec: &FragmentSpec,
    own: usize,
    body: Body,
    index: &MarkerIndex,
) -> Result<Rendered, RecordError> {
    try_render(spec, own, body, index).map_err(|kind| RecordError::new(spec.kind, kind))
}

fn try_render(
    spec: &FragmentSpec,
    own: usize,
    mut body: Body,
    index: &MarkerIndex,
) -> Result<Rendered, RecordErrorKind> {
    let state = body.take_state().transpose().map_err(|reason| RecordErrorKind::State { reason })?;
    let (id, channel) = (body.take_id(), channel(spec, &mut body)?);
    let (begin, end) = written_markers(spec, own, &body, index)?;
    let mut whole = if spec.raw {
        Whole { text: body.take_between(&begin, &end), holds_markers: true }
    } else {
        neutralise(&mut body, &begin, &end, index)?
    };
    let true_chars = char_count(&whole.text);
    let mut chars = true_chars;
    if true_chars > spec.max_chars {
        let cut = Cut::of(spec, &whole.text, true_chars, (&begin, &end))?;
        if !spec.raw {
            cut.check_seams(index)?;
        }
        chars = char_count(&cut.text);
        whole = Whole { text: cut.text, holds_markers: true };
    }
    let Whole { text, holds_markers } = whole;
    let inside = begin.len()..text.len() - end.len();
    let hit = index.recognize_made(&text, holds_markers);
    match (&spec.marking, hit) {
        (Marking::Marked { .. }, hit) => {
            let is_own = |hit: &Hit| hit.kind == own && !hit.legacy && hit.body == inside;
            hit.filter(is_own).ok_or(RecordErrorKind::NotRecognised)?;
        }
        (Marking::Unmarked(_), Some(hit)) if hit.kind != own && !spec.raw => {
            check_first_words(&body, text.get(..hit.body.start).unwrap_or_default())?;
        }
        (Marking::Unmarked(_), _) => {}
    }
    Ok(Rendered { text, chars, true_chars, id, channel, state })
}

/// Renders what is said when a fact stops holding: between the present markers, with the key of the statement that it
/// takes back.
pub(crate) fn retraction(
    spec: &FragmentSpec,
    own: usize,
    earlier: &Rendered,
    says: &str,
    index: &MarkerIndex,
) -> Result<Rendered, RecordError> {
    let refuse = |kind| RecordError::new(spec.kind, kind);
    let text = match &spec.marking {
        Marking::Unmarked(_) => says.to_owned(),
        Marking::Marked { begin, end } => {
            let key = begin.has_key().then(|| written_key(&earlier.text, own, index)).flatten();
            let [begin, end] = [begin, end].map(|marker| Pattern::new(marker).with_key(key.as_ref()));
            let text = [begin.as_str(), says, &end].concat();
            if index.recognize(&text).is_none_or(|hit| hit.kind != own || hit.legacy) {
                return Err(refuse(RecordErrorKind::NotRecognised));
            }
            text
        }
    };
    let chars = text.chars().count();
    if chars > spec.max_chars {
        return Err(refuse(RecordErrorKind::TooLarge { size: chars, cap: spec.max_chars }));
    }
    let (id, channel) = (earlier.id.clone(), earlier.channel.clone());
    Ok(Rendered { text, chars, true_chars: chars, id, channel, state: None })
}

/// The key between whose markers a text of this kind stands.
fn written_key(text: &str, own: usize, index: &MarkerIndex) -> Option<Key> {
    let hit = index.recognize(text).filter(|hit| hit.kind == own)?;
    Key::new(text.get(hit.key?)?).ok()
}

/// Refuses an unmarked text that begins like a text of another kind, unless its first words are raw.
///
/// An old prefix is a marker at the start of a text only, so neutralising leaves it.
fn check_first_words(body: &Body, start: &str) -> Result<(), RecordErrorKind> {
    let marker = start.trim_start().to_owned();
    match body.trust_at(start.len() - marker.len()) {
        Some(Trust::Raw) => Ok(()),
        Some(Trust::Value) => Err(RecordErrorKind::MarkerInValue { marker }),
        _ => Err(RecordErrorKind::MarkerStartsInTemplate { marker }),
    }
}

fn channel(spec: &FragmentSpec, body: &mut Body) -> Result<Option<String>, RecordErrorKind> {
    match spec.slot {
        Slot::Injection(Channel::Named(name)) => Ok(Some(name.to_owned())),
        Slot::Injection(Channel::Field) => match body.take_channel() {
            Some(name) if !name.is_empty() => Ok(Some(name)),
            _ => Err(RecordErrorKind::NoChannel),
        },
        _ => Ok(None),
    }
}

fn written_markers(
    spec: &FragmentSpec,
    own: usize,
    body: &Body,
    index: &MarkerIndex,
) -> Result<(String, String), RecordErrorKind> {
    let Marking::Marked { begin, end } = &spec.marking else { return Ok((String::new(), String::new())) };
    let key = if begin.has_key() { Some(key(body, own, index)?) } else { None };
    let key = key.as_ref();
    Ok((Pattern::new(begin).with_key(key), Pattern::new(end).with_key(key)))
}

fn key(body: &Body, own: usize, index: &MarkerIndex) -> Result<Key, RecordErrorKind> {
    let text = body.key_text().unwrap_or_default();
    let key = Key::new(text).map_err(|source| RecordErrorKind::Key { source })?;
    if index.is_foreign_tag(text, own) {
        return Err(RecordErrorKind::KeyIsTag { key: text.to_owned() });
    }
    Ok(key)
}

/// A text with something left out of its body.
struct Cut {
    text: String,
    /// Where the notice stands, in bytes.
    notice: Range<usize>,
}

impl Cut {
    /// Cuts the body between the markers so that the whole, which has `size` characters, fits the cap, with a notice
    /// where something is missing.
    fn of(
        spec: &FragmentSpec,
        whole: &str,
        size: usize,
        (begin, end): (&str, &str),
    ) -> Result<Self, RecordErrorKind> {
        let cap = spec.max_chars;
        if spec.overflow == Overflow::Refuse {
            return Err(RecordErrorKind::TooLarge { size, cap });
        }
        let notice = spec.notice.unwrap_or(NOTICE);
        // The number has at most as many digits as the size itself.
        let longest_notice = filled(notice, &size.to_string());
        let around = begin.chars().count() + end.chars().count();
        let room = cap
            .checked_sub(around + longest_notice.chars().count())
            .ok_or(RecordErrorKind::NoRoomForNotice { cap })?;
        let body = whole.get(begin.len()..whole.len() - end.len()).unwrap_or_default();
        let body_chars = size - around;
        let (head, tail) = match spec.overflow {
            Overflow::CutTail | Overflow::Refuse => (head_of(body, room), ""),
            Overflow::CutHead => ("", tail_of(body, body_chars, room)),
            Overflow::CutMiddle => (head_of(body, room.div_ceil(2)), tail_of(body, body_chars, room / 2)),
        };
        let left_out = body_chars - head.chars().count() - tail.chars().count();
        let notice = filled(notice, &left_out.to_string());
        let text = [begin, head, &notice, tail, end].concat();
        let start = begin.len() + head.len();
        Ok(Self { text, notice: start..start + notice.len() })
    }

    /// Refuses a marker that the notice and what stands beside it make together.
    fn check_seams(&self, index: &MarkerIndex) -> Result<(), RecordErrorKind> {
        let crosses = |marker: &Range<usize>| {
            let crosses = |seam| marker.start < seam && seam < marker.end;
            crosses(self.notice.start) || crosses(self.notice.end)
        };
        match first_marker(&self.text, index, crosses) {
            Some(marker) => Err(RecordErrorKind::MarkerStartsInTemplate { marker }),
            None => Ok(()),
        }
    }
}

/// The number of characters, as `chars().count()` gives it and faster: most texts are ASCII, and the bytes that begin a
/// character are counted many at a time where the sum of a chunk fits a byte.
fn char_count(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let begins = |byte: &u8| u8::from(byte & 0xc0 != 0x80);
    text.as_bytes().chunks(240).map(|chunk| usize::from(chunk.iter().map(begins).sum::<u8>())).sum()
}

/// The notice of a type with the number in it; doubled braces are literal.
fn filled(notice: &str, number: &str) -> String {
    let parts = notice.split("{{").map(|part| part.replace(LEFT_OUT, number).replace("}}", "}"));
    parts.collect::<Vec<_>>().join("{")
}

/// Whether a body holds what the type's notice looks like, so that something may have been left out of it.
pub(crate) fn may_be_cut(spec: &FragmentSpec, body: &str) -> bool {
    if spec.overflow == Overflow::Refuse {
        return false;
    }
    let notice = spec.notice.unwrap_or(NOTICE);
    let around = filled(notice, "\0");
    let Some((before, _)) = around.split_once('\0') else { return body.contains(&around) };
    body.char_indices().filter_map(|(at, _)| body.get(at..)).any(|rest| {
        let Some(from_number) = rest.strip_prefix(before) else { return false };
        let digits = from_number.bytes().take(LONGEST_NUMBER).take_while(u8::is_ascii_digit).count();
        let mut numbers = (1..=digits).filter_map(|length| from_number.get(..length));
        numbers.any(|number| rest.starts_with(&filled(notice, number)))
    })
}

/// How far a cut that could keep `chars` characters may move.
fn near(chars: usize) -> usize {
    NEAR.min(chars - chars / 4)
}

/// The first `chars` characters, shortened to the end of a line where one is near.
fn head_of(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let head = text.get(..end).unwrap_or_default();
    match head.rfind('\n') {
        Some(line) if head.get(line..).is_some_and(|rest| rest.chars().count() <= near(chars)) => {
            head.get(..line).unwrap_or_default()
        }
        _ => head,
    }
}

/// The last `chars` characters of `all`, shortened to the start of a line where one is near.
fn tail_of(text: &str, all: usize, chars: usize) -> &str {
    let start = text.char_indices().nth(all.saturating_sub(chars)).map_or(text.len(), |(at, _)| at);
    let tail = text.get(start..).unwrap_or_default();
    match tail.find('\n') {
        Some(line) if tail.get(..line).is_some_and(|rest| rest.chars().count() <= near(chars)) => {
            tail.get(line + 1..).unwrap_or_default()
        }
        _ => tail,
    }
}
