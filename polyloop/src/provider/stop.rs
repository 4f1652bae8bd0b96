//! The end of a reply: the reasons that providers give for it, and the checks that a stream holds one reply only.
//!
//! A call is executed, and a text is an answer, only from a message that ended properly. The page `docs/16-providers.md` says for
//! each interface when that is so.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};

use super::Ended;
use crate::error::{ModelError, ModelErrorClass};

/// Reasons of a reply that is complete.
const SAID: [&str; 8] =
    ["stop", "tool_calls", "function_call", "end_turn", "tool_use", "stop_sequence", "eos", "complete"];
/// Reasons of a reply that met a length limit.
const LENGTH: [&str; 5] =
    ["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"];
/// Reasons of a reply that the provider cut for its content.
const FILTERED: [&str; 12] = [
    "content_filter",
    "refusal",
    "sensitive",
    "safety",
    "recitation",
    "language",
    "blocklist",
    "prohibited_content",
    "spii",
    "image_safety",
    "image_prohibited_content",
    "image_recitation",
];
/// Reasons of a reply that broke off at the provider.
const FAILED: [&str; 7] =
    ["error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled", "failed"];
/// Reasons of a reply with calls that the provider itself calls broken. Routers put words around them.
const BROKEN_CALLS: [&str; 8] = [
    "malformed_function_call",
    "malformed_tool_call",
    "unexpected_function_call",
    "unexpected_tool_call",
    "missing_function_call",
    "missing_tool_call",
    "too_many_tool_calls",
    "missing_thought_signature",
];

/// Returns the end that a reason stands for, in any case of its letters; `None` for a reason that is not known.
///
/// # Errors
///
/// When the reply broke off at the provider, or the provider calls its calls broken; `detail` is added to the message.
pub(crate) fn ended(reason: &str, detail: &str) -> Result<Option<Ended>, ModelError> {
    let name = reason.trim().to_ascii_lowercase();
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    let fail = |class, message: &str| {
        let message = format!("{message}: {reason} {detail}");
        Err(ModelError::new(class, message.trim_end().to_owned()))
    };
    if is_in(&SAID) {
        Ok(Some(Ended::Said))
    } else if is_in(&LENGTH) {
        Ok(Some(Ended::Length))
    } else if is_in(&FILTERED) {
        Ok(Some(Ended::Filtered))
    } else if is_in(&FAILED) {
        fail(ModelErrorClass::Server, "the provider failed while the model wrote")
    } else if BROKEN_CALLS.iter().any(|broken| name.contains(broken)) {
        fail(ModelErrorClass::Empty, "the provider could not read the model's call")
    } else {
        Ok(None)
    }
}

/// Makes the error of a reply that has no proper end.
pub(crate) fn cut(what: &str) -> ModelError {
    ModelError::new(ModelErrorClass::Transport, format!("the reply was cut: {what}"))
}

/// Makes the error of a stream that holds parts of several replies.
pub(crate) fn mixed(what: &str) -> ModelError {
    ModelError::new(ModelErrorClass::Transport, format!("the stream holds more than one reply: {what}"))
}

/// The member of a piece that states the reason to stop. A server may leave it out, or write `null` or an empty text.
#[derive(Debug, Default)]
pub(crate) struct ReasonMember {
    is_named: bool,
    reason: Option<String>,
}

impl ReasonMember {
    /// Returns the reason.
    pub(crate) fn into_reason(self) -> Option<String> {
        self.reason
    }
}

impl<'de> Deserialize<'de> for ReasonMember {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let reason: Option<String> = Option::deserialize(from)?;
        Ok(Self { is_named: true, reason: reason.filter(|reason| !reason.trim().is_empty()) })
    }
}

/// The reason to stop, in an interface that states it beside the pieces of a reply.
///
/// A reason counts only if no content follows it. Some servers state one beside every piece: after the first that was wrong,
/// the end of the connection is no proof of completeness, and the interface's own last event has to come.
#[derive(Debug, Default)]
pub(crate) struct StopReason {
    reason: Option<String>,
    /// Whether a piece had the member at all, with whatever value.
    is_named: bool,
    /// Whether content followed a reason.
    is_contradicted: bool,
}

impl StopReason {
    /// Takes note of content, which voids a reason before it.
    pub(crate) fn content(&mut self) {
        self.is_contradicted |= self.reason.take().is_some();
    }

    /// Takes the member of a piece: absent, empty, or a reason. A reason for which the reply is incomplete is not taken back by
    /// another one.
    pub(crate) fn member(&mut self, member: ReasonMember) {
        self.is_named |= member.is_named;
        let Some(reason) = member.reason else { return };
        let is_ordinary = |known: &String| matches!(ended(known, ""), Ok(Some(Ended::Said)));
        if self.reason.as_ref().is_none_or(is_ordinary) {
            self.reason = Some(reason);
        }
    }

    /// Returns `true` if the reply is complete although nothing but the end of the connection follows.
    pub(crate) fn is_end(&self) -> bool {
        self.reason.is_some() && !self.is_contradicted
    }

    /// Returns `true` if the reply is complete once the last event of the interface has come. A server that never names reasons
    /// needs to give none.
    pub(crate) fn is_end_with_last_event(&self) -> bool {
        self.reason.is_some() || !self.is_named
    }

    /// Returns the reason.
    pub(crate) fn into_reason(self) -> Option<String> {
        self.reason
    }
}

/// The ids of a reply's pieces, which show whether they belong together.
///
/// Most servers repeat one id in every piece, and some make a new one for each. An id that comes again beside another one, or
/// two pieces with two ids, are parts of different replies.
#[derive(Debug, Default)]
pub(crate) struct ReplyIds {
    ids: BTreeSet<String>,
    has_repetition: bool,
}

impl ReplyIds {
    /// Takes the id of a piece; an empty one says nothing.
    pub(crate) fn piece(&mut self, id: Option<String>) -> Result<(), ModelError> {
        let Some(id) = id.filter(|id| !id.is_empty()) else { return Ok(()) };
        self.has_repetition |= !self.ids.insert(id);
        if self.has_repetition && self.ids.len() > 1 {
            return Err(mixed("its pieces have different ids"));
        }
        Ok(())
    }

    /// Checks the ids of a reply that is over.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        if self.ids.len() == 2 {
            return Err(mixed("its two pieces have different ids"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, ReasonMember, ReplyIds, StopReason, ended};

    #[test]
    fn a_reason_is_read_in_any_case_and_an_unknown_one_is_none() {
        for (reason, expected) in [
            ("stop", Ok(Some(Ended::Said))),
            ("STOP", Ok(Some(Ended::Said))),
            ("MAX_TOKENS", Ok(Some(Ended::Length))),
            ("refusal", Ok(Some(Ended::Filtered))),
            ("SOMETHING_NEW", Ok(None)),
        ] {
            assert_eq!(ended(reason, ""), expected, "{reason}");
        }
        for failed in ["network_error", "abort", "function_call_filter: MALFORMED_FUNCTION_CALL"] {
            assert!(ended(failed, "").is_err(), "{failed}");
        }
    }

    #[test]
    fn a_reason_for_an_incomplete_reply_is_not_taken_back() {
        let mut stop = StopReason::default();
        for reason in ["stop", "length", "stop"] {
            stop.member(ReasonMember { is_named: true, reason: Some(reason.to_owned()) });
        }
        assert_eq!(stop.into_reason().as_deref(), Some("length"));
    }

    #[test]
    fn ids_are_all_the_same_or_all_different() {
        let read = |ids: &[&str]| {
            let mut known = ReplyIds::default();
            ids.iter().try_for_each(|id| known.piece(Some((*id).to_owned()))).and_then(|()| known.check())
        };
        for fine in [&["a", "a", "a"][..], &["a", "b", "c"], &["", "a", ""], &[]] {
            assert!(read(fine).is_ok(), "{fine:?}");
        }
        for mixed in [&["a", "a", "b"][..], &["a", "b", "b"], &["a", "b", "a"], &["a", "b"]] {
            assert!(read(mixed).is_err(), "{mixed:?}");
        }
    }
}
