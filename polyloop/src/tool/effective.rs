//! The effective arguments of a call: what its handler takes, as JSON text.

/// The arguments that were taken so far, in the order of the parameters.
#[derive(Debug, Default)]
pub(super) struct EffectiveArguments {
    /// The object without its closing brace; empty before the first argument.
    text: String,
    /// Whether one parameter stands for the whole object, and `text` is all of it.
    is_whole: bool,
}

impl EffectiveArguments {
    /// Adds an argument, given as JSON text.
    pub(super) fn push(&mut self, name: &str, value: &str) {
        self.text.push(if self.text.is_empty() { '{' } else { ',' });
        push_string(&mut self.text, name);
        self.text.push(':');
        push_compact(&mut self.text, value);
    }

    /// Sets the whole object, given as JSON text.
    pub(super) fn set_whole(&mut self, object: &str) {
        self.text.clear();
        push_compact(&mut self.text, object);
        self.is_whole = true;
    }

    /// Returns whether one parameter stands for the whole object.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the arguments as the text of a JSON object without white space between its tokens.
    pub(super) fn into_text(mut self) -> String {
        if !self.is_whole {
            self.text.push_str(if self.text.is_empty() { "{}" } else { "}" });
        }
        self.text
    }
}

/// Writes a name as a JSON string.
fn push_string(text: &mut String, name: &str) {
    if name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\') {
        text.push('"');
        text.push_str(name);
        text.push('"');
    } else {
        text.push_str(&serde_json::Value::from(name).to_string());
    }
}

/// Writes a JSON value without the white space between its tokens.
fn push_compact(text: &mut String, value: &str) {
    let is_space = |character: char| matches!(character, ' ' | '\n' | '\t' | '\r');
    if !value.contains(is_space) {
        text.push_str(value);
        return;
    }
    let (mut in_string, mut escaped) = (false, false);
    for character in value.chars() {
        if in_string || !is_space(character) {
            text.push(character);
        }
        in_string ^= character == '"' && !escaped;
        escaped = in_string && character == '\\' && !escaped;
    }
}

#[cfg(test)]
mod tests {
    use super::EffectiveArguments;

    #[test]
    fn only_white_space_between_tokens_is_removed() {
        let mut arguments = EffectiveArguments::default();
        arguments.push("a", "{ \"b c\" : [ 1 ,\n2 ], \"d\\\" e\" : \"f \\\\\" , \"g\":\t\" \" }");
        arguments.push("h \"", "7");
        assert_eq!(arguments.into_text(), r#"{"a":{"b c":[1,2],"d\" e":"f \\","g":" "},"h \"":7}"#);
        assert_eq!(EffectiveArguments::default().into_text(), "{}");
    }
}
