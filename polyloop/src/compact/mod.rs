//! Compaction: what is replaced, and by what.

mod effects;
mod history;
mod summarizer;

use std::future::Future;

pub(crate) use effects::{Effect, fitting};
pub(crate) use history::Size;
pub use history::{Exchange, History};
pub use summarizer::Summarizer;

use crate::message::ItemId;
use crate::tool::BoxFuture;

/// A strategy for sessions that grow too large: it says what is replaced, and by what.
///
/// It is asked between two steps, when a prompt is nearly as large as the budget allows or there are many items (see
/// [`Budget`](crate::Budget)). What fragments become is no matter of a strategy: their types say whether they stay, are stated
/// anew or go.
///
/// A compaction that gains nothing is abandoned, and the session stays what it was. After that, and after one that was applied,
/// the strategy is asked again once the prompt has grown by a tenth.
///
/// Calls that took effect stay listed, each with its result, whatever a strategy replaces. It may keep more: an exchange that
/// it does not name stays, and [`Compaction::shortening`] cuts the results in one that stays.
///
/// ```
/// use polyloop::{Compaction, Compactor, History};
///
/// /// Forgets all but the last three exchanges, without a summary; a person's words are exchanges as well.
/// struct Forgetful;
///
/// impl Compactor for Forgetful {
///     async fn compact(&self, history: &History) -> Option<Compaction> {
///         let old = history.exchanges().len().checked_sub(3)?;
///         Some(Compaction::without_summary().replacing_all(&history.exchanges()[..old]))
///     }
/// }
/// ```
pub trait Compactor: Send + Sync + 'static {
    /// Plans a compaction; none where nothing is to be gained. It may ask whomever it likes for a summary of its own.
    fn compact(&self, history: &History) -> impl Future<Output = Option<Compaction>> + Send;

    /// Says which version this is; to be raised with every change of what it plans.
    fn version(&self) -> u32 {
        1
    }
}

/// What is replaced, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    replaces: Vec<ItemId>,
    shortens: Vec<(ItemId, usize)>,
    summary: Summary,
}

/// Who writes the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Summary {
    /// Nobody.
    None,
    /// The model of the run, which is told this behind its usual request.
    Asked(String),
    /// The strategy itself did.
    Written(String),
}

impl Compaction {
    /// Lets the model of the run write a summary. It is asked behind the request that it knows, so that what the provider has
    /// cached of that serves here as well.
    #[must_use]
    pub fn asking(instruction: impl Into<String>) -> Self {
        Self::with(Summary::Asked(instruction.into()))
    }

    /// Puts a text of the strategy's own in the place of what is replaced.
    #[must_use]
    pub fn summary(text: impl Into<String>) -> Self {
        Self::with(Summary::Written(text.into()))
    }

    /// Puts nothing in its place, but for the calls that took effect and may not be repeated, which are named.
    #[must_use]
    pub fn without_summary() -> Self {
        Self::with(Summary::None)
    }

    fn with(summary: Summary) -> Self {
        Self { replaces: Vec::new(), shortens: Vec::new(), summary }
    }

    /// Adds to what is replaced: an exchange, whole.
    #[must_use]
    pub fn replacing(mut self, exchange: &Exchange) -> Self {
        self.replaces.extend(exchange.items().iter().map(crate::ledger::Item::id));
        self
    }

    /// Adds to what is replaced.
    #[must_use]
    pub fn replacing_all<'e>(self, exchanges: impl IntoIterator<Item = &'e Exchange>) -> Self {
        exchanges.into_iter().fold(self, Self::replacing)
    }

    /// Cuts the results in an exchange that stays: of each that has more than so many characters the beginning and the end
    /// are shown from here on. The journal keeps all of it. That asks no model.
    #[must_use]
    pub fn shortening(mut self, exchange: &Exchange, chars: usize) -> Self {
        let long = exchange.observations().filter(|(_, size)| *size > chars);
        self.shortens.extend(long.map(|(item, _)| (item.id(), chars)));
        self
    }

    pub(crate) fn into_parts(self) -> CompactionParts {
        CompactionParts { replaces: self.replaces, shortens: self.shortens, summary: self.summary }
    }
}

/// A plan, taken apart.
pub(crate) struct CompactionParts {
    pub(crate) replaces: Vec<ItemId>,
    pub(crate) shortens: Vec<(ItemId, usize)>,
    pub(crate) summary: Summary,
}

impl CompactionParts {
    /// A plan that replaces nothing: the types of fragments decide.
    pub(crate) fn nothing() -> Self {
        Compaction::without_summary().into_parts()
    }
}

/// A strategy behind `dyn`.
pub(crate) trait DynCompactor: Send + Sync {
    fn compact_boxed<'a>(&'a self, history: &'a History) -> BoxFuture<'a, Option<Compaction>>;
}

impl<C: Compactor> DynCompactor for C {
    fn compact_boxed<'a>(&'a self, history: &'a History) -> BoxFuture<'a, Option<Compaction>> {
        Box::pin(self.compact(history))
    }
}
