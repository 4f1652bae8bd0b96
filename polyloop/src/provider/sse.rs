//! Reads a stream of server-sent events, as the HTML standard defines it (*Interpreting an event stream*).

/// Takes bytes as they arrive and gives the data of whole events.
///
/// Lines end with LF, CR LF or CR, also where the two bytes arrive apart. Texts are decoded a whole line at a time, so
/// that a character may be split anywhere. Comments and fields other than `data` are passed over; an event that
/// nothing ends is none.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<String>,
    /// The line before ended with CR; an LF belongs to it.
    after_cr: bool,
    /// Behind the first line, where a byte order mark may stand.
    begun: bool,
}

impl Events {
    /// Takes some bytes; returns the data of each event that is now whole.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_cr = std::mem::take(&mut self.after_cr);
            match byte {
                b'\n' if after_cr => {}
                b'\n' | b'\r' => {
                    self.after_cr = byte == b'\r';
                    events.extend(self.end_of_line());
                }
                _ => self.line.push(byte),
            }
        }
        events
    }

    fn end_of_line(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let first = !std::mem::replace(&mut self.begun, true);
        let line = if first { line.strip_prefix('\u{feff}').unwrap_or(&line) } else { &line };
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then(|| data.join("\n"));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            self.data.push(value.strip_prefix(' ').unwrap_or(value).to_owned());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    fn events(chunks: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        chunks.iter().flat_map(|chunk| events.take(chunk)).collect()
    }

    #[test]
    fn the_examples_of_the_standard_are_read_as_it_says() {
        assert_eq!(events(&[b"data: YHOO\ndata: +2\ndata: 10\n\n"]), ["YHOO\n+2\n10"]);
        let stream: &[u8] =
            b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
        assert_eq!(events(&[stream]), ["first event", "second event", " third event"]);
        // The last block has no blank line behind it.
        assert_eq!(events(&[b"data\n\ndata\ndata\n\ndata:"]), ["", "\n"]);
        assert_eq!(events(&[b"data:test\n\ndata: test\n\n"]), ["test", "test"]);
    }

    #[test]
    fn every_end_of_a_line_and_every_split_reads_the_same() {
        let text = "\u{feff}data: größer 🦀\nevent: x\n: comment\ndata: b\n\ndata: c\n\n";
        for end in ["\n", "\r\n", "\r"] {
            let text = text.replace('\n', end);
            for at in 0..=text.len() {
                let (before, after) = text.as_bytes().split_at(at);
                assert_eq!(events(&[before, after]), ["größer 🦀\nb", "c"], "{end:?} at {at}");
            }
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(events(&bytes), ["größer 🦀\nb", "c"]);
        }
    }

    #[test]
    fn a_byte_order_mark_stands_at_the_beginning_only() {
        assert_eq!(events(&[b"\n\xef\xbb\xbfdata: a\n\n"]), [""; 0]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(events(&[b"data: a\xffb\n\n"]), ["a\u{fffd}b"]);
    }
}
