//! A JSON action in the text of a reply.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Interpreter;
use super::code_fence::fences;
use crate::event::{Action, Decision, Reply};

/// What a model is told that wrote something else.
const EXPLANATION: &str = "Reply with one JSON object: either {\"tool\": name, \"arguments\": {…}} to call a tool, or \
    {\"answer\": text} to finish. Text around it is fine.";

/// An interpreter that reads one JSON object in the text: `{"tool": "…", "arguments": {…}}` to act,
/// `{"answer": "…"}` to finish.
///
/// The object is the whole text, or stands in a code fence, or begins at the first brace of the text. The history keeps
/// the reply's text as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonAction;

#[derive(Deserialize)]
struct Written<'t> {
    tool: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
    answer: Option<String>,
}

impl Interpreter for JsonAction {
    fn interpret(&self, reply: &Reply) -> Decision {
        let text = reply.as_text();
        let fenced = fences(text).map(|fence| fence.source);
        let from_brace = text.find('{').and_then(|at| text.get(at..));
        match fenced.chain(from_brace).find_map(read).map(|(written, _)| written) {
            Some(Written { tool: Some(name), arguments, answer: None }) => {
                let arguments = arguments.map_or("", RawValue::get);
                Decision::act(text, vec![Action::tool(name, arguments)])
            }
            Some(Written { tool: None, answer: Some(answer), .. }) if !answer.trim().is_empty() => {
                Decision::Final { history_text: text.to_owned(), answer }
            }
            _ => Decision::invalid(text, EXPLANATION),
        }
    }

    fn action_end(&self, text: &str) -> Option<usize> {
        let fenced = fences(text).filter_map(|fence| Some((fence.begin, fence.end, read(fence.source)?.0)));
        let from_brace = text.find('{').and_then(|at| {
            let (written, length) = read(text.get(at..)?)?;
            Some((at, at + length, written))
        });
        // The object after the first brace may be the one in the first fence, which ends with the fence.
        let actions = fenced.chain(from_brace).filter(|(.., written)| written.tool.is_some());
        actions.min_by_key(|(begin, ..)| *begin).map(|(_, end, _)| end)
    }
}

/// Reads the object at the start of a text, and its length in bytes; the rest of the text is ignored.
fn read(text: &str) -> Option<(Written<'_>, usize)> {
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Written<'_>>();
    let written = objects.next()?.ok()?;
    Some((written, objects.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::{Decision, Interpreter, JsonAction, Reply};
    use crate::event::Action;

    #[test]
    fn an_action_is_read_from_plain_text_prose_and_fences() {
        let object = r#"{"tool": "read_file", "arguments": {"path": "a {b}"}}"#;
        let action = Action::tool("read_file", r#"{"path": "a {b}"}"#);
        for text in [
            object.to_owned(),
            format!("I will look.\n{object}\nThen on."),
            format!("```json\n{object}\n```"),
        ] {
            let decision = JsonAction.interpret(&Reply::text(&text));
            assert_eq!(decision, Decision::act(&text, vec![action.clone()]));
        }
    }

    #[test]
    fn both_or_neither_is_invalid() {
        for text in ["Hello.", r#"{"tool": "a", "answer": "b"}"#, r#"{"answer": " "}"#, "{", r#"{"tool": 3}"#]
        {
            assert!(matches!(JsonAction.interpret(&Reply::text(text)), Decision::Invalid { .. }), "{text}");
        }
    }
}
