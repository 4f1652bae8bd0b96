//! Puts a reply together from the pieces of a stream: the *chat completion chunk object* of OpenAI's API reference.

use std::collections::BTreeMap;

use serde_json::Value;

use super::assemble::Assembled;
use super::reply::{Answer, Gathered, Keep, Parts, WireCall, WireFunction, WireMessage, WireText};
use crate::error::ModelError;
use crate::event::{Reply, Usage};
use crate::model::Deltas;
use crate::provider::{Gathering, ReplyIds, StopReason, cut, of_answer, read};

/// The data of the event behind the last piece.
const DONE: &str = "[DONE]";

/// A reply on its way.
#[derive(Debug, Default)]
pub struct Pieces {
    keep: Keep,
    parts: Parts,
    /// The newest call of each index.
    newest: BTreeMap<u64, usize>,
    /// All of it, for the journal.
    assembled: Assembled,
    ids: ReplyIds,
    stop: StopReason,
    done: bool,
}

impl Gathering for Pieces {
    fn is_done(&self) -> bool {
        self.done
    }

    fn is_finished(&self) -> bool {
        self.stop.is_end()
    }

    fn finish(self) -> Result<Reply, ModelError> {
        // The last event alone says that the stream is over, and not that the model is.
        if !self.stop.is_end_with_last_event() {
            return Err(cut("its last piece has no `finish_reason`"));
        }
        self.ids.check()?;
        let reason = self.stop.into_reason();
        let reply = self.parts.into_reply(&self.keep, reason.as_deref())?;
        Ok(reply.with_raw(self.assembled.into_text()))
    }

    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<(), ModelError> {
        if data == DONE {
            self.done = true;
            return Ok(());
        }
        let piece: Answer<'_> = read(data)?;
        if let Some(error) = piece.error.filter(|error| error.get() != "null") {
            return Err(of_answer(error.get()));
        }
        self.assembled.add(data);
        if let Some(usage) = piece.usage {
            self.parts.usage = Usage::from(usage);
        }
        // A piece without choices states the cost only.
        if !piece.choices.is_empty() {
            self.ids.piece(piece.id.as_ref().and_then(Value::as_str).map(str::to_owned))?;
        }
        let choices = piece.choices.into_iter().enumerate();
        for (_, choice) in choices.filter(|(place, choice)| choice.is_first(*place)) {
            if let Some(message) = choice.message {
                self.message(message, deltas);
            }
            self.stop.member(choice.finish_reason);
        }
        Ok(())
    }
}

impl Pieces {
    pub(super) fn new(keep: Keep) -> Self {
        Self { keep, ..Self::default() }
    }

    /// Adds a piece of the message.
    fn message(&mut self, mut message: WireMessage<'_>, deltas: &Deltas) {
        let has_reasoning = self.parts.reasoning.add(&mut message);
        let text = message.content.map(WireText::into_text).unwrap_or_default();
        let refusal = message.refusal.unwrap_or_default();
        if has_reasoning || !(text.is_empty() && refusal.is_empty() && message.tool_calls.is_empty()) {
            self.stop.content();
        }
        deltas.tell(&text);
        self.parts.text.push_str(&text);
        self.parts.refusal.push_str(&refusal);
        message.tool_calls.into_iter().for_each(|call| self.call(call));
    }

    /// Adds a piece to the call that it belongs to: the one of its index, unless its id says that it is another.
    fn call(&mut self, piece: WireCall<'_>) {
        let id = piece.id.unwrap_or_default();
        let calls = &mut self.parts.calls;
        let known = match piece.index {
            // Some servers number every call 0; so the newest one of that index is meant.
            Some(index) => self.newest.get(&index).copied(),
            None => calls.len().checked_sub(1),
        };
        let is_other = |call: &Gathered| !id.is_empty() && !call.id.is_empty() && call.id != id;
        let place = known.filter(|place| !calls.get(*place).is_some_and(is_other)).unwrap_or_else(|| {
            calls.push(Gathered::default());
            let place = calls.len() - 1;
            self.newest.extend(piece.index.map(|index| (index, place)));
            place
        });
        let Some(call) = calls.get_mut(place) else { return };
        if call.id.is_empty() {
            call.id = id;
        }
        call.extra = piece.extra_content.filter(Value::is_object).or(call.extra.take());
        let arguments = piece.function.as_ref().map(WireFunction::arguments).unwrap_or_default();
        let name = piece.function.and_then(|function| function.name).unwrap_or_default();
        // Some servers repeat the whole name in every piece.
        if call.name != name {
            call.name.push_str(&name);
        }
        call.arguments.push_str(&arguments);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Instant;

    use super::Pieces;
    use crate::error::{ModelError, ModelErrorClass};
    use crate::event::Reply;
    use crate::model::Deltas;
    use crate::provider::Gathered;

    fn gather(pieces: &[&str]) -> Result<Reply, ModelError> {
        let mut gathering = Gathered::new(Pieces::default());
        let deltas = Deltas::new(|_| {});
        for piece in pieces {
            gathering.take(format!("data: {piece}\n\n").as_bytes(), &deltas)?;
        }
        gathering.finish()
    }

    fn calls(pieces: &[&str]) -> Vec<(String, String, String)> {
        let calls = |piece: &&str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{piece}]}}}}]}}"#);
        let mut pieces: Vec<String> = pieces.iter().map(calls).collect();
        pieces.push("[DONE]".to_owned());
        let reply = gather(&pieces.iter().map(String::as_str).collect::<Vec<_>>()).unwrap_or_default();
        let part =
            |call: &crate::event::ReplyCall| (call.id.clone(), call.name.clone(), call.arguments.clone());
        reply.calls().iter().map(part).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn pieces_of_calls_come_to_the_right_call() {
        let interleaved = [
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":""}}"#,
            r#"{"index":1,"id":"b","function":{"name":"g","arguments":"{\"x"}}"#,
            r#"{"index":0,"function":{"arguments":"{}"}}"#,
            r#"{"index":1,"function":{"arguments":"\":1}"}}"#,
        ];
        assert_eq!(calls(&interleaved), [call("a", "f", "{}"), call("b", "g", r#"{"x":1}"#)]);
    }

    #[test]
    fn odd_numbering_loses_no_call() {
        let whole = [
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
            r#"{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}"#,
        ];
        assert_eq!(calls(&whole), [call("a", "f", "{}"), call("b", "f", "{}")]);
        let same_ids = [
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"1"}}"#,
            r#"{"index":1,"id":"a","function":{"name":"f","arguments":"2"}}"#,
        ];
        assert_eq!(calls(&same_ids), [call("a", "f", "1"), call("a", "f", "2")]);
        let unnumbered = [
            r#"{"id":"a","function":{"name":"f","arguments":"{"}}"#,
            r#"{"function":{"arguments":"}"}}"#,
            r#"{"id":"b","function":{"name":"g","arguments":{"x": 1}}}"#,
        ];
        assert_eq!(calls(&unnumbered), [call("a", "f", "{}"), call("b", "g", r#"{"x": 1}"#)]);
        let repeated = [
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}"#,
        ];
        assert_eq!(calls(&repeated), [call("a", "f", "{}")]);
    }

    #[test]
    fn a_piece_costs_the_same_however_many_calls_the_reply_makes() {
        let took = |count: usize| {
            let started = |call| {
                format!(r#"{{"index":{call},"id":"{call}","function":{{"name":"f","arguments":"1"}}}}"#)
            };
            let more = r#"{"index":0,"function":{"arguments":"1"}}"#.to_owned();
            let pieces: Vec<String> = (0..count).map(started).chain(vec![more; count]).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let begin = Instant::now();
            let found = calls(&pieces);
            assert_eq!(found.len(), count);
            assert_eq!(found.first().map(|(_, _, arguments)| arguments.len()), Some(count + 1));
            begin.elapsed()
        };
        let few = (0..3).map(|_| took(500)).min().unwrap_or_default();
        // Where each piece is compared with all calls, it takes four hundred times as long.
        assert!(took(10_000) < few * 80, "{few:?}");
    }

    #[test]
    fn only_what_says_why_it_stopped_is_whole() {
        let text = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
        let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
        assert_eq!(gather(&[text]).map_err(|error| error.class()), Err(ModelErrorClass::Transport));
        for pieces in
            [&[text, end][..], &[text, end, "[DONE]"], &[text, "[DONE]"], &[text, end, "[DONE]", "x"]]
        {
            assert_eq!(gather(pieces).map(|reply| reply.as_text().to_owned()), Ok("a".to_owned()));
        }
        let null = r#"{"choices":[{"delta":{"content":null,"tool_calls":null},"finish_reason":null}],"usage":null,"error":null}"#;
        assert!(gather(&[null, text, end]).is_ok());
    }

    #[test]
    fn each_piece_of_text_is_told_once() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let kept = told.clone();
        let deltas = Deltas::new(move |text| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        });
        let mut gathering = Gathered::new(Pieces::default());
        for text in ["Gr", "", "üß"] {
            let data = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
            assert!(gathering.take(data.as_bytes(), &deltas).is_ok());
        }
        assert_eq!(*told.lock().unwrap_or_else(PoisonError::into_inner), ["Gr", "üß"]);
    }
}
