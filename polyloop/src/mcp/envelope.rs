//! The id of a message that cannot be read as a whole.

use rmcp::model::RequestId;

/// The greatest length of a name or a value that is kept, in bytes.
const MAX_TOKEN: usize = 256;

/// The outermost names of a JSON object, found without holding it: for lines that are too long, too deep or malformed.
///
/// Its state is of constant size, whatever passes.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// What stands on the outermost level since the last separator.
    token: Vec<u8>,
    name: Vec<u8>,
    id: Option<Vec<u8>>,
    has_method: bool,
}

impl Envelope {
    /// Reads a whole line.
    pub(super) fn of(line: &[u8]) -> Self {
        let mut envelope = Self::default();
        envelope.feed(line);
        envelope
    }

    /// Reads the next part of the line.
    pub(super) fn feed(&mut self, part: &[u8]) {
        for byte in part {
            self.next(*byte);
        }
    }

    /// Returns the id, where the line has one.
    pub(super) fn id(&self) -> Option<RequestId> {
        serde_json::from_slice(self.id.as_deref()?).ok()
    }

    /// Whether the line is a request or a notification, and no answer.
    pub(super) fn has_method(&self) -> bool {
        self.has_method
    }

    fn next(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.end_of_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.name = std::mem::take(&mut self.token),
            b',' => self.end_of_value(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < MAX_TOKEN {
            self.token.push(byte);
        }
    }

    fn end_of_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        let value = std::mem::take(&mut self.token);
        match self.name.as_slice() {
            br#""id""# => self.id = Some(value),
            br#""method""# => self.has_method = true,
            _ => {}
        }
        self.name.clear();
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::Envelope;

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        let deep = "[".repeat(1_000_000);
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_owned(), Some(RequestId::Number(7))),
            (
                r#"{ "result" : {"id":1, "a":[{"id":2}]}, "id" : "x\"y" }"#.to_owned(),
                Some(RequestId::String(r#"x"y"#.into())),
            ),
            (format!(r#"{{"id":7,"result":{deep}"#), Some(RequestId::Number(7))),
            (r#"{"result":"\"id\":3,","id":4}"#.to_owned(), Some(RequestId::Number(4))),
            (r#"{"result":{"id":4}}"#.to_owned(), None),
            (format!(r#"{{"id":"{}"}}"#, "x".repeat(1_000)), None),
            ("no JSON".to_owned(), None),
            (r#"{"id":null}"#.to_owned(), None),
        ] {
            let mut parts = Envelope::default();
            line.as_bytes().chunks(3).for_each(|part| parts.feed(part));
            assert_eq!((Envelope::of(line.as_bytes()).id(), parts.id()), (id.clone(), id));
        }
    }

    #[test]
    fn a_request_is_no_answer() {
        assert!(Envelope::of(br#"{"id":1,"method":"ping"}"#).has_method());
        assert!(!Envelope::of(br#"{"id":1,"result":{"method":"ping"}}"#).has_method());
    }
}
