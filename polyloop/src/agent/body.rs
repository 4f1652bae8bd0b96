//! The body of a request: its hash, and where two of them differ.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::RunError;

/// The hash of a body, as hexadecimal digits: one pass over it.
pub(super) fn hash(body: &[u8]) -> String {
    blake3::hash(body).to_hex().to_string()
}

/// Says that a body came out differently, and where, if the earlier one is still there.
pub(super) fn differs(before: Option<&[u8]>, now: Option<&[u8]>) -> RunError {
    let (Some(before), Some(now)) = (before, now) else {
        return RunError::BodyDiffers { message: None, byte: None };
    };
    let byte = before.iter().zip(now).take_while(|(before, now)| before == now).count();
    RunError::BodyDiffers { message: message_at(before, byte), byte: Some(byte) }
}

/// The message that holds a byte, counted from 1; known for a body in JSON with a list of `messages`.
fn message_at(body: &[u8], byte: usize) -> Option<usize> {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        messages: Vec<&'a RawValue>,
    }

    let messages = serde_json::from_slice::<Body<'_>>(body).ok()?.messages;
    let place = messages.iter().position(|message| {
        // Each is a slice of the body.
        let begin = message.get().as_ptr().addr().saturating_sub(body.as_ptr().addr());
        (begin..begin + message.get().len()).contains(&byte)
    })?;
    Some(place + 1)
}

#[cfg(test)]
mod tests {
    use super::differs;
    use crate::error::RunError;

    fn place(before: &str, now: &str) -> (Option<usize>, Option<usize>) {
        match differs(Some(before.as_bytes()), Some(now.as_bytes())) {
            RunError::BodyDiffers { message, byte } => (message, byte),
            _ => (None, None),
        }
    }

    #[test]
    fn the_first_byte_that_differs_is_named_with_its_message() {
        let before = r#"{"model":"m","messages":[{"content":"one"},{"content":"two"}]}"#;
        assert_eq!(place(before, &before.replace("two", "tvo")), (Some(2), Some(56)));
        assert_eq!(place(before, &before.replace("one", "on")), (Some(1), Some(39)));
        assert_eq!(place(before, &before.replace("\"m\"", "\"n\"")), (None, Some(10)));
        assert_eq!(place(before, &before[..20]), (None, Some(20)));
        assert_eq!(place("one", "one "), (None, Some(3)));
    }
}
