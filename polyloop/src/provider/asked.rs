//! What a body is made of, beside the options.

use std::borrow::Cow;

use serde_json::Value;

use crate::dialect::LoweredTools;
use crate::dialect::keys::portable_key;
use crate::message::Prompt;

/// A prompt, its tools as the provider reads them, and who the provider is.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The sealed prompt.
    pub prompt: &'a Prompt,
    /// The tools.
    pub tools: &'a LoweredTools,
    /// Whose state goes back.
    pub provider: &'a str,
    /// Whether what the operator says among the turns is marked, so that it is not read as a person's words.
    pub marks_notes: bool,
}

impl<'a> Asked<'a> {
    /// The arguments of an old call as they are sent: those of the tool's schema as the provider reads it, and always a
    /// JSON object.
    pub(super) fn arguments(&self, tool: &str, arguments: &'a str) -> Cow<'a, str> {
        match self.tools.get(tool).map(|tool| tool.decoder().encode_text(arguments)) {
            Some(Cow::Owned(encoded)) => Cow::Owned(object(&encoded).into_owned()),
            _ => object(arguments),
        }
    }
}

/// The name of a tool that was called, as every provider takes it.
///
/// A model may call what there is not, under any name, and is told so. Providers hold the names of old calls against the same
/// pattern as those of tools, so this name would end the run with the next request.
pub(super) fn called(name: &str) -> Cow<'_, str> {
    let portable = portable_key(name, b"_-", true);
    if portable == name { Cow::Borrowed(name) } else { Cow::Owned(portable) }
}

/// The member that holds arguments which are no JSON object.
const UNREADABLE: &str = "unreadable_arguments";

/// What is sent of a call's arguments.
///
/// Several servers read the arguments of old calls, and refuse the whole request where they are no JSON object. A
/// model that once wrote something else would end its run so. Such a text is sent inside an object, and can be read
/// back from it; no arguments at all are an empty object.
fn object(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    match serde_json::from_str::<Value>(arguments) {
        // An object that looks like a wrapped text is wrapped as well, so that reading back is never wrong.
        Ok(Value::Object(members)) if !(members.len() == 1 && members.contains_key(UNREADABLE)) => {
            Cow::Borrowed(arguments)
        }
        _ => Cow::Owned(serde_json::json!({ UNREADABLE: arguments }).to_string()),
    }
}

/// What a model wrote as arguments, of what was sent of them.
pub(crate) fn original_arguments(sent: &str) -> Result<String, serde_json::Error> {
    let mut members: serde_json::Map<String, Value> = serde_json::from_str(sent)?;
    match members.remove(UNREADABLE) {
        Some(Value::String(text)) if members.is_empty() => Ok(text),
        _ => Ok(sent.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::object;

    #[test]
    fn arguments_are_sent_as_they_are_or_inside_an_object() {
        for same in ["{}", r#"{ "a" : 1 }"#, r#"{"a":1,"a":2}"#, r#"{"unreadable_arguments":1,"b":2}"#] {
            assert_eq!(object(same), same);
        }
        assert_eq!(object(" "), "{}");
        for (text, sent) in [
            (r#"{"a":"#, r#"{"unreadable_arguments":"{\"a\":"}"#),
            ("[1]", r#"{"unreadable_arguments":"[1]"}"#),
            (r#"{"unreadable_arguments":1}"#, r#"{"unreadable_arguments":"{\"unreadable_arguments\":1}"}"#),
        ] {
            assert_eq!(object(text), sent);
        }
    }
}
