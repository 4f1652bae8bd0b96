//! A model that follows a script.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Model;
use super::strict::check;
use crate::error::{ModelError, ModelErrorClass};
use crate::event::Reply;
use crate::message::Prompt;

type Answer = dyn FnMut(&Prompt) -> Result<Reply, ModelError> + Send;

/// A model that replies from a list, or by a function of the prompt; for tests and examples.
///
/// It checks each request as a strict provider would: no empty message, every call answered directly behind it, no
/// result without a call. It keeps the requests. Clones share everything.
///
/// ```
/// use polyloop::{Reply, Scripted};
///
/// let model = Scripted::replies([Reply::tool("list_files", "{}"), Reply::text("Two files.")]);
/// # assert!(model.requests().is_empty());
/// ```
#[derive(Clone)]
pub struct Scripted {
    answer: Arc<Mutex<Box<Answer>>>,
    requests: Arc<Mutex<Vec<Prompt>>>,
}

impl Scripted {
    /// Replies from a list, one after another. Behind its end a request fails as a bad one.
    #[must_use]
    pub fn replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::results(replies.into_iter().map(Ok))
    }

    /// Replies or fails from a list, one after another.
    #[must_use]
    pub fn results(results: impl IntoIterator<Item = Result<Reply, ModelError>>) -> Self {
        let mut results: VecDeque<_> = results.into_iter().collect();
        Self::answering(move |_| {
            results.pop_front().unwrap_or_else(|| {
                Err(ModelError::new(ModelErrorClass::BadRequest, "the script has no further reply; add one"))
            })
        })
    }

    /// Replies by a function of the prompt.
    #[must_use]
    pub fn by(mut answer: impl FnMut(&Prompt) -> Reply + Send + 'static) -> Self {
        Self::answering(move |prompt| Ok(answer(prompt)))
    }

    fn answering(answer: impl FnMut(&Prompt) -> Result<Reply, ModelError> + Send + 'static) -> Self {
        Self { answer: Arc::new(Mutex::new(Box::new(answer))), requests: Arc::default() }
    }

    /// Returns the prompts of all requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Prompt> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[diagnostic::do_not_recommend]
impl Model for Scripted {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(prompt.clone());
        check(prompt)?;
        (self.answer.lock().unwrap_or_else(PoisonError::into_inner))(prompt)
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scripted").finish_non_exhaustive()
    }
}
