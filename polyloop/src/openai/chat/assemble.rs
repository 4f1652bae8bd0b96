//! Puts the pieces of a stream together to one object, also what nothing here reads.

use serde_json::{Map, Value};

/// The pieces so far, in the form of one piece.
#[derive(Debug, Default)]
pub(super) struct Assembled(Map<String, Value>);

impl Assembled {
    /// Adds a piece; what is no object is passed over.
    pub(super) fn add(&mut self, piece: &str) {
        if let Ok(piece) = serde_json::from_str(piece) {
            merge(&mut self.0, piece, false);
        }
    }

    /// The JSON text of all.
    pub(super) fn into_text(self) -> String {
        Value::Object(self.0).to_string()
    }
}

/// Members that a later piece repeats and does not continue.
const REPEATED: [&str; 4] = ["role", "id", "type", "format"];

/// Adds the members of a piece. Inside a delta a text continues the one before; anywhere else what comes later counts.
pub(super) fn merge(known: &mut Map<String, Value>, piece: Map<String, Value>, in_delta: bool) {
    for (name, value) in piece {
        let inside = in_delta || name == "delta";
        match (known.get_mut(&name), value) {
            (Some(_), Value::Null) => {}
            (Some(Value::Object(known)), Value::Object(piece)) => merge(known, piece, inside),
            (Some(Value::Array(known)), Value::Array(pieces)) => {
                for piece in pieces {
                    merge_into(known, piece, inside);
                }
            }
            (Some(Value::String(text)), Value::String(more))
                if in_delta && !REPEATED.contains(&name.as_str()) =>
            {
                // Some servers repeat the whole name of a tool in every piece.
                if name != "name" || *text != more {
                    text.push_str(&more);
                }
            }
            (_, value) => drop(known.insert(name, value)),
        }
    }
}

/// Adds an element to the one of its index, unless its id or type says that it is another; one without an index stands alone.
fn merge_into(known: &mut Vec<Value>, piece: Value, in_delta: bool) {
    let index = piece.get("index").and_then(Value::as_u64);
    let member = |value: &Value, name| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let others = |known: &Value| {
        ["id", "type"].into_iter().any(|name| {
            let (one, other) = (member(known, name), member(&piece, name));
            !one.is_empty() && !other.is_empty() && one != other
        })
    };
    let place = index.and_then(|index| place_of(known, index)).and_then(|place| known.get_mut(place));
    match (place.filter(|known| !others(known)), piece) {
        (Some(Value::Object(known)), Value::Object(piece)) => merge(known, piece, in_delta),
        (_, piece) => known.push(piece),
    }
}

/// The number of elements at the end of a list in which an index is looked for.
const NEWEST: usize = 16;

/// Returns the place of the newest element with an index: among the last ones, or where the index itself says. A search of
/// the whole list would cost the number of calls for each of them; an element that is found by neither stands alone.
fn place_of(known: &[Value], index: u64) -> Option<usize> {
    let is_it = |place: &usize| known.get(*place)?.get("index")?.as_u64().filter(|known| *known == index);
    let newest = (known.len().saturating_sub(NEWEST)..known.len()).rev().find(|place| is_it(place).is_some());
    newest.or_else(|| usize::try_from(index).ok().filter(|place| is_it(place).is_some()))
}

#[cfg(test)]
mod tests {
    use super::Assembled;

    fn assembled(pieces: &[&str]) -> String {
        let mut assembled = Assembled::default();
        for piece in pieces {
            assembled.add(piece);
        }
        assembled.into_text()
    }

    #[test]
    fn texts_go_on_and_everything_else_is_what_came_last() {
        let pieces = [
            r#"{"id":"a","choices":[{"index":0,"delta":{"role":"assistant","reasoning":"Hm","content":""}}],"usage":null}"#,
            r#"{"id":"a","choices":[{"index":0,"delta":{"role":"assistant","reasoning":"m.","content":"Yes"}}]}"#,
            r#"{"id":"a","choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}]}"#,
            r#"{"id":"a","choices":[],"usage":{"prompt_tokens":3}}"#,
        ];
        assert_eq!(
            assembled(&pieces),
            r#"{"id":"a","choices":[{"index":0,"delta":{"role":"assistant","reasoning":"Hmm.","content":"Yes!"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}"#
        );
    }

    #[test]
    fn calls_are_told_apart_by_index_and_id() {
        let call = |call: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#);
        let pieces = [
            call(r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}"#),
            call(r#"{"index":0,"function":{"name":"f","arguments":"}"}}"#),
            call(r#"{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}"#),
            call(r#"{"id":"c","function":{"name":"h","arguments":"{}"}}"#),
        ];
        let calls = concat!(
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},"#,
            r#"{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}},"#,
            r#"{"id":"c","function":{"name":"h","arguments":"{}"}}"#,
        );
        assert_eq!(assembled(&pieces.each_ref().map(String::as_str)), call(calls));
    }

    #[test]
    fn what_is_no_object_is_passed_over() {
        assert_eq!(assembled(&["[1]", "x", r#"{"a":1}"#, "7"]), r#"{"a":1}"#);
    }
}
