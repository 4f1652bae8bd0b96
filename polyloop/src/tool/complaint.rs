//! The words of a refusal, with what others said kept short.

/// The longest piece of somebody's text in an error, in characters.
const QUOTED: usize = 300;

/// What a serializer or validator said of an argument.
pub(super) fn wrong(path: &str, said: &str) -> String {
    if path.is_empty() { quoted(said) } else { format!("argument `{path}`: {}", quoted(said)) }
}

/// A text of somebody else's, shortened.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
