//! The words of a refusal: where, what came and what was wanted. Of what came only so much is quoted.

/// The longest piece of what came, in characters.
const QUOTED: usize = 200;

/// A text of somebody else's, shortened in its middle.
pub(super) fn shortened(text: &str) -> String {
    let Some((head, _)) = text.char_indices().nth(QUOTED / 2) else { return text.to_owned() };
    let Some((tail, _)) = text.char_indices().rev().nth(QUOTED / 2 - 1) else { return text.to_owned() };
    if tail <= head {
        return text.to_owned();
    }
    format!("{}…{}", text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default())
}

/// What a deserializer said: what came is shortened, what was wanted stays, for it is as long as the type makes it.
pub(super) fn said(text: &str) -> String {
    match text.rsplit_once(", expected ") {
        Some((came, wanted)) => format!("{}, expected {wanted}", shortened(came)),
        None => shortened(text),
    }
}

/// What is wrong with the argument at a path; the path is empty for the arguments as a whole.
pub(super) fn wrong(path: &str, said: &str) -> String {
    if path.is_empty() { said.to_owned() } else { format!("argument `{path}`: {said}") }
}

pub(super) fn missing(path: &str) -> String {
    format!("argument `{path}` is missing")
}

/// A value that its type reads and that no JSON value holds, so that the schema's limits cannot be looked at.
pub(super) fn unchecked(path: &str, error: &serde_json::Error) -> String {
    wrong(path, &shortened(&format!("it holds what cannot be checked: {error}")))
}

/// The name of the field whose absence a deserializer complained of.
pub(super) fn missing_field(said: &str) -> Option<&str> {
    said.strip_prefix("missing field `")?.strip_suffix('`')
}

/// The path of a place inside another.
pub(super) fn joined(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        ("", path) | (path, "") => path.to_owned(),
        (outer, inner) if inner.starts_with('[') => format!("{outer}{inner}"),
        (outer, inner) => format!("{outer}.{inner}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{joined, said, shortened};

    #[test]
    fn what_came_is_shortened_and_what_was_wanted_is_not() {
        let long = "ä".repeat(5_000);
        assert_eq!(shortened(&long).chars().count(), 201);
        for short in ["", "a", &"ä".repeat(200)] {
            assert_eq!(shortened(short), short);
        }
        let wanted = "one of `a`, `b`".repeat(40);
        let text = said(&format!("unknown variant `{long}`, expected {wanted}"));
        assert!(text.ends_with(&wanted) && text.chars().count() < 300 + wanted.len(), "{text}");
    }

    #[test]
    fn a_path_is_joined_with_a_dot_or_an_index() {
        assert_eq!(joined("place", "lat"), "place.lat");
        assert_eq!(joined("points", "[0].x"), "points[0].x");
        assert_eq!(joined("", "lat"), "lat");
        assert_eq!(joined("place", ""), "place");
    }
}
