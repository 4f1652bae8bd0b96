//! What holds for any bytes, in registries with every form of markers; the fuzz target checks it as well.

mod every;
mod odd;

use std::fmt::Debug;
use std::iter::once;
use std::marker::PhantomData;
use std::ops::Range;

use polyloop::prelude::*;
use polyloop::{
    FragmentSpec, ItemKind, Key, Marking, Overflow, Piece, RecordErrorKind, Registered, Rendered,
};

use crate::reference::Reference;

/// The most bytes of a text: the plain rules take long for more.
const LONGEST: usize = 300;

/// What control characters stand for: the pieces of escapes and of the templates.
const PIECES: [&str; 14] = [
    "&lt;",
    "&amp;",
    "&amp;lt;",
    "lt;",
    "amp;",
    " | ",
    "=",
    "gone",
    " as ",
    "tag>",
    "\n[… 7 characters left out …]\n",
    "…",
    "\u{212a}",
    "0123456789",
];

/// Checks everything for some bytes: the first says which kind is rendered, the others are texts.
pub(crate) fn check(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    if first % 2 == 0 { every::check(first / 2, rest) } else { odd::check(first / 2, rest) }
}

/// A registry, and the plain rules for its markers.
pub(crate) struct World<R> {
    rules: Reference,
    /// Whether values and templates can make a marker together.
    has_seams: bool,
    registry: PhantomData<fn() -> R>,
}

impl<R: Registry> World<R> {
    pub(crate) fn new() -> Self {
        Self { rules: Reference::of::<R>(), has_seams: false, registry: PhantomData }
    }

    fn with_seams() -> Self {
        Self { has_seams: true, ..Self::new() }
    }

    /// Makes a text of bytes: what is UTF-8 stands for itself, any other byte for a marker, whole, in capitals,
    /// escaped or cut, and a control character for a piece of an escape or a template.
    fn text(&self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for chunk in bytes.utf8_chunks() {
            for plain in chunk.valid().chars() {
                match PIECES.get((plain as usize).wrapping_sub(0x0e)) {
                    Some(piece) => text.push_str(piece),
                    None => text.push(plain),
                }
            }
            chunk.invalid().iter().for_each(|byte| text.push_str(&self.marker(*byte)));
        }
        while text.len() > LONGEST {
            text.pop();
        }
        text
    }

    fn marker(&self, byte: u8) -> String {
        let number =
            usize::from(byte & 0x1f) % (self.rules.markers().count() + self.rules.prefixes().count());
        let mut markers = self.rules.markers().chain(self.rules.prefixes());
        let marker = markers.nth(number).expect("there are more").with_key("a");
        let behind_first = marker.char_indices().nth(1).map_or(0, |(at, _)| at);
        match byte & 0x60 {
            0x00 => marker,
            0x20 => marker.to_ascii_uppercase(),
            0x40 => ["&lt;", &marker[behind_first..]].concat(),
            _ => marker[..marker.len() - marker.chars().next_back().map_or(0, char::len_utf8)].to_owned(),
        }
    }

    /// Checks what the registry says of a text, and what becomes of it as a person's words.
    pub(crate) fn says_what_the_rules_say(&self, text: &str) {
        let known = R::recognize(text);
        let found = known.map(|known| (position::<R>(known.kind), known.key, known.body, known.legacy));
        let expected =
            self.rules.recognise(text).map(|known| (known.kind, known.key, known.body, known.legacy));
        assert_eq!(found, expected, "{text:?}");
        let is_marked = self.rules.is_marked(text);
        assert_eq!(R::holds_marker(text), is_marked, "{text:?}");
        let mut session = Session::<R>::new();
        if session.say(text).is_err() {
            assert!(text.trim().is_empty());
            return;
        }
        let [item] = session.items() else { panic!("{text:?}") };
        assert_eq!((item.kind(), item.text().as_ref()), (ItemKind::Input, text));
        assert_eq!(item.has_forged_marker(), is_marked, "{text:?}");
    }

    /// Renders a value that was made of a text, and checks the rendering, or that it is refused with right.
    fn renders<F: Registered<R>>(&self, value: &F, text: &str, key: Option<&Key>) -> Option<Rendered> {
        let own = position::<R>(F::KIND);
        let is_tag = key.is_some_and(|key| self.is_foreign_tag(key, own));
        let rendered = match R::render(value) {
            Ok(rendered) => rendered,
            Err(refused) => {
                let reason = refused.reason();
                assert_eq!(matches!(reason, RecordErrorKind::KeyIsTag { .. }), is_tag, "{reason}");
                assert!(is_tag || self.is_rightly_refused(&F::SPEC, text, reason), "{text:?}: {reason}");
                return None;
            }
        };
        assert!(!is_tag, "{key:?}");
        assert_bounded(&F::SPEC, &rendered);
        self.assert_nothing_but_itself(&F::SPEC, own, rendered.text());
        self.says_what_the_rules_say(rendered.text());
        Some(rendered)
    }

    fn is_foreign_tag(&self, key: &Key, own: usize) -> bool {
        let tag = format!("<{key}>");
        self.rules.begins().any(|(kind, begin)| {
            kind != own
                && begin.head != "<"
                && begin.at(&tag, 0).is_some_and(|(length, _)| length == tag.len())
        })
    }

    fn is_rightly_refused(&self, spec: &FragmentSpec, text: &str, reason: &RecordErrorKind) -> bool {
        match reason {
            RecordErrorKind::MarkerInValue { marker } => {
                let has_no_escape = !marker.starts_with('<') || self.is_prefix(marker);
                has_no_escape && (self.has_seams || text.contains(marker.as_str()))
            }
            RecordErrorKind::MarkerStartsInTemplate { .. } => self.has_seams || spec.notice.is_some(),
            RecordErrorKind::NotRecognised => has_raw(spec),
            _ => false,
        }
    }

    /// An old prefix is never escaped: where it does not begin a text, it is none.
    fn is_prefix(&self, marker: &str) -> bool {
        self.rules.prefixes().any(|prefix| prefix.at(marker, 0).is_some())
    }

    /// A marked text is recognised as its kind, an unmarked one as nothing else, and no marker touches the body.
    fn assert_nothing_but_itself(&self, spec: &FragmentSpec, own: usize, text: &str) {
        let known = self.rules.recognise(text);
        let body = if matches!(spec.marking, Marking::Marked { .. }) {
            let known = known.expect("a marked text is recognised");
            assert_eq!((known.kind, known.legacy), (own, false), "{text:?}");
            known.body
        } else {
            assert!(has_raw(spec) || known.is_none_or(|known| known.kind == own), "{text:?}");
            0..text.len()
        };
        let places = self.rules.places(text);
        let touches = |place: &Range<usize>| place.start.max(body.start) < place.end.min(body.end);
        assert!(has_raw(spec) || !places.iter().any(touches), "{text:?}: {places:?}");
    }

    /// Checks that a value is read back as itself or not at all, through the registry and through its type alone.
    fn reads_back<F>(&self, value: &F, text: &str, key: Option<&Key>) -> Option<Rendered>
    where
        F: Registered<R> + ParseFragment + PartialEq + Debug,
    {
        let rendered = self.renders(value, text, key);
        if let Some(rendered) = &rendered {
            let read = R::parse::<F>(rendered.text());
            assert!(read.as_ref().is_err() || read.as_ref() == Ok(value), "{read:?}, not {value:?}");
        }
        let alone = Reference::of_kinds(once(&F::SPEC));
        assert_eq!(F::matches(text), alone.recognise(text).is_some(), "{text:?}");
        if let Ok(rendered) = value.render() {
            assert_eq!(F::matches(rendered.text()), alone.recognise(rendered.text()).is_some());
            let read = F::parse(rendered.text());
            assert!(read.as_ref().is_err() || read.as_ref() == Ok(value), "{read:?}, not {value:?}");
        }
        rendered
    }
}

/// The parts of a text between zero bytes; nothing where there are no more.
fn parts(text: &str) -> impl Iterator<Item = String> {
    text.split('\0').map(str::to_owned).chain(std::iter::repeat(String::new()))
}

/// The first key in a text, else `k`.
fn key_in(text: &str) -> Key {
    let mut words =
        text.split(|next: char| !(next.is_ascii_lowercase() || next.is_ascii_digit() || next == '_'));
    words.find_map(|word| Key::new(word).ok()).unwrap_or_else(|| Key::new("k").expect("it is one"))
}

fn assert_bounded(spec: &FragmentSpec, rendered: &Rendered) {
    let chars = rendered.text().chars().count();
    assert_eq!(rendered.chars(), chars);
    assert!(chars <= spec.max_chars);
    let is_cut = rendered.true_chars() > spec.max_chars;
    assert!(if is_cut { spec.overflow != Overflow::Refuse } else { rendered.true_chars() == chars });
}

fn has_raw(spec: &FragmentSpec) -> bool {
    spec.raw
        || spec
            .templates
            .iter()
            .flat_map(|template| template.iter())
            .any(|piece| matches!(piece, Piece::Raw(_)))
}

fn position<R: Registry>(kind: R::Kind) -> usize {
    let position = R::SPEC.fragments.iter().position(|entry| entry.kind == kind);
    position.expect("a kind is registered")
}
