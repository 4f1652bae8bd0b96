//! What an answer holds, before it is a reply.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::mixed;
use super::state::States;
use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Finish, Reply, ReplyCall, Usage};

/// Why the model stopped writing, as far as it decides something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It had said everything, or waits for results: the calls themselves say which.
    #[default]
    Said,
    /// It met its length limit.
    Length,
    /// The provider cut it for its content.
    Filtered,
}

/// The parts of an answer.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    pub(crate) text: String,
    /// What the model or its provider said in place of an answer.
    pub(crate) refusal: String,
    pub(crate) calls: Vec<ReplyCall>,
    pub(crate) ended: Ended,
    pub(crate) usage: Usage,
    pub(crate) states: States,
}

impl Answered {
    /// Makes the reply, with the state that goes back to its provider.
    ///
    /// # Errors
    ///
    /// When the provider refused to answer, or one call stands in it twice.
    pub(crate) fn into_reply(self, provider: &str) -> Result<Reply, ModelError> {
        self.check_calls()?;
        let refused = |text: String| Err(ModelError::new(ModelErrorClass::ContentRefused, text));
        let no_text = self.text.trim().is_empty();
        let finish = match self.ended {
            Ended::Length => Finish::Length,
            // A call that the provider cut must not be carried out.
            Ended::Filtered if no_text || !self.calls.is_empty() => {
                let said = Some(self.refusal).filter(|refusal| !refusal.trim().is_empty());
                return refused(
                    said.unwrap_or_else(|| "the provider cut the reply for its content".to_owned()),
                );
            }
            Ended::Filtered => Finish::ContentFilter,
            Ended::Said => Finish::Stop,
        };
        if no_text && self.calls.is_empty() && !self.refusal.trim().is_empty() {
            return refused(self.refusal);
        }
        let mut reply = Reply::text(self.text).finished(finish).used(self.usage);
        for ReplyCall { id, name, arguments } in self.calls {
            reply = reply.call_with_id(id, name, arguments);
        }
        Ok(self.states.into_state(provider).into_iter().fold(reply, Reply::with_provider_state))
    }

    /// Refuses a reply in which one call stands twice: the same id with the same tool and arguments. Some servers give all calls
    /// one id, so an id alone says nothing.
    fn check_calls(&self) -> Result<(), ModelError> {
        let mut known = BTreeSet::new();
        for ReplyCall { id, name, arguments } in self.calls.iter().filter(|call| !call.id.is_empty()) {
            if !known.insert((id, name, arguments)) {
                return Err(mixed(&format!("the call `{id}` of `{name}` stands in it twice")));
            }
        }
        Ok(())
    }
}

/// Reads JSON of an answer.
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ModelError> {
    serde_json::from_str(text).map_err(|error| unreadable(&error.to_string()))
}

/// A value, or its default where the server writes `null`.
pub(crate) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// A number of tokens; none where the server writes something else. No reply is lost for what it cost.
pub(crate) fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    Ok(Value::deserialize(from)?.as_u64())
}

/// What a request cost; none where the server writes it in a form of its own.
pub(crate) fn cost<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

/// Says why an answer is none of the interface's.
pub(crate) fn unreadable(reason: &str) -> ModelError {
    ModelError::new(ModelErrorClass::Protocol, format!("the answer cannot be read: {reason}"))
}
