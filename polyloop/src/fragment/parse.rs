//! Reading a fragment back from its text.

use std::any::type_name;
use std::str::FromStr;

use super::ContextFragment;
use super::index::MarkerIndex;
use super::neutral::restore;
use super::pattern::Pattern;
use super::render::{may_be_cut, render};
use super::vocabulary::{Marking, Piece};
use crate::error::{ParseError, ParseErrorKind};

/// A fragment that can be read back: its body is a template, every field is in the text, no two values touch, and
/// each field implements [`FromStr`].
///
/// `#[derive(ContextFragment)]` implements it where that holds. Reading gives the value that was rendered or an
/// error, never another value: the split must be the only one, and rendering the result must give the same text.
///
/// ```
/// use polyloop::{ContextFragment, ParseFragment, Render};
///
/// #[derive(ContextFragment)]
/// #[fragment(role = user, markers("<room>", "</room>"), max_chars = 100, body = "{left} of {total}")]
/// struct Room { left: u32, total: u32 }
///
/// let text = Room { left: 3, total: 9 }.render().unwrap();
/// assert_eq!(Room::parse(text.text()).unwrap().left, 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read back from its text",
    note = "that needs a templated body with all fields in it, text between any two of them, and `FromStr` for each"
)]
pub trait ParseFragment: ContextFragment + Sized {
    /// Reads a value back from a text that [`Render::render`](crate::Render::render) gave.
    ///
    /// # Errors
    ///
    /// When the text is not of this type's form, can be split in several ways, or a field does not read.
    fn parse(text: &str) -> Result<Self, ParseError> {
        let spec = Self::SPEC;
        parse_in(text, 0, &MarkerIndex::new(std::iter::once(&spec)))
    }

    /// Makes the value from the texts of its fields; what the derive writes.
    #[doc(hidden)]
    fn from_fields(template: usize, fields: &mut Fields<'_>) -> Result<Self, ParseError>;
}

/// A value that reads back from text; every [`FromStr`] type is.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read back from text",
    note = "implement `std::str::FromStr` for `{Self}`"
)]
pub trait FromText: Sized {
    /// Reads the value.
    fn from_text(text: &str) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: FromStr> FromText for T {
    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// The texts of the fields, as the template splits them.
#[doc(hidden)]
#[derive(Debug)]
pub struct Fields<'a> {
    kind: &'static str,
    values: Vec<(&'static str, String)>,
    key: Option<&'a str>,
}

impl Fields<'_> {
    /// Reads one field.
    ///
    /// # Errors
    ///
    /// When its text is no `T`.
    pub fn take<T: FromText>(&mut self, name: &str) -> Result<T, ParseError> {
        let text = self.values.iter().find(|(field, _)| *field == name).map(|(_, text)| text.as_str());
        self.read(name, text)
    }

    /// Reads the key of the markers.
    ///
    /// # Errors
    ///
    /// When its text is no `T`.
    pub fn key<T: FromText>(&mut self) -> Result<T, ParseError> {
        self.read("key", self.key)
    }

    fn read<T: FromText>(&self, name: &str, text: Option<&str>) -> Result<T, ParseError> {
        text.and_then(T::from_text).ok_or_else(|| {
            let field = name.to_owned();
            ParseError::new(self.kind, ParseErrorKind::Field { field, wanted: type_name::<T>() })
        })
    }
}

/// Reads a value back, with the markers of its set.
pub(crate) fn parse_in<T: ParseFragment>(
    text: &str,
    own: usize,
    index: &MarkerIndex,
) -> Result<T, ParseError> {
    let spec = T::SPEC;
    let failed = |kind| ParseError::new(spec.kind, kind);
    let (key, body) = match &spec.marking {
        Marking::Unmarked(_) => (None, text),
        Marking::Marked { begin, end } => {
            let (begin, end) = (Pattern::new(begin), Pattern::new(end));
            let bytes = text.as_bytes();
            let inside = begin.at_any_key(bytes).and_then(|(from, key)| {
                let to = text.len().checked_sub(end.at_end(bytes, key)?)?;
                text.get(from..to).map(|body| (key, body))
            });
            inside.ok_or_else(|| failed(ParseErrorKind::Markers))?
        }
    };
    if may_be_cut(&spec, body) {
        return Err(failed(ParseErrorKind::Cut));
    }
    let mut found = None;
    for (number, template) in spec.templates.iter().enumerate() {
        let Some(values) = split(body, template).map_err(failed)? else { continue };
        let values =
            values.into_iter().map(|(piece, value)| read_value(piece, value, spec.raw, index)).collect();
        let value = T::from_fields(number, &mut Fields { kind: spec.kind, values, key })?;
        let again = render(&spec, own, value.body(), index);
        if !again.is_ok_and(|again| again.text() == text) {
            continue;
        }
        if found.replace(value).is_some() {
            return Err(failed(ParseErrorKind::Ambiguous));
        }
    }
    found.ok_or_else(|| failed(ParseErrorKind::Body))
}

fn read_value(piece: Piece, value: &str, raw: bool, index: &MarkerIndex) -> (&'static str, String) {
    match piece {
        Piece::Field(name) if !raw => (name, restore(value, index)),
        Piece::Field(name) | Piece::Raw(name) | Piece::Text(name) => (name, value.to_owned()),
    }
}

/// Splits a body by a template; `None` where it does not fit, an error where it fits in several ways.
fn split<'t>(body: &'t str, template: &[Piece]) -> Result<Option<Vec<(Piece, &'t str)>>, ParseErrorKind> {
    let first = split_from_front(body, template);
    let last = split_from_behind(body, template);
    match (first, last) {
        (Some(first), Some(last)) if first == last => Ok(Some(first)),
        (Some(_), Some(_)) => Err(ParseErrorKind::Ambiguous),
        _ => Ok(None),
    }
}

/// The split in which every separator stands as early as it can.
fn split_from_front<'t>(body: &'t str, template: &[Piece]) -> Option<Vec<(Piece, &'t str)>> {
    let mut rest = body;
    let mut values = Vec::new();
    let mut open: Option<Piece> = None;
    for (at, piece) in template.iter().enumerate() {
        match piece {
            Piece::Field(_) | Piece::Raw(_) => open = Some(*piece),
            Piece::Text(text) => match open.take() {
                None => rest = rest.strip_prefix(text)?,
                Some(field) => {
                    let last = at + 1 == template.len();
                    let end = if last { rest.strip_suffix(text)?.len() } else { rest.find(text)? };
                    values.push((field, rest.get(..end)?));
                    rest = rest.get(end + text.len()..)?;
                }
            },
        }
    }
    match open {
        Some(field) => values.push((field, rest)),
        None if rest.is_empty() => {}
        None => return None,
    }
    Some(values)
}

/// The split in which every separator stands as late as it can.
fn split_from_behind<'t>(body: &'t str, template: &[Piece]) -> Option<Vec<(Piece, &'t str)>> {
    let mut rest = body;
    let mut values = Vec::new();
    let mut open: Option<Piece> = None;
    for (at, piece) in template.iter().enumerate().rev() {
        match piece {
            Piece::Field(_) | Piece::Raw(_) => open = Some(*piece),
            Piece::Text(text) => match open.take() {
                None => rest = rest.strip_suffix(text)?,
                Some(field) => {
                    let start =
                        if at == 0 { rest.starts_with(text).then_some(0)? } else { rest.rfind(text)? };
                    values.push((field, rest.get(start + text.len()..)?));
                    rest = rest.get(..start)?;
                }
            },
        }
    }
    match open {
        Some(field) => values.push((field, rest)),
        None if rest.is_empty() => {}
        None => return None,
    }
    values.reverse();
    Some(values)
}
