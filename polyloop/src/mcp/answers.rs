//! Answers that are being written while other messages are read.

use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use tokio::time::Sleep;

use crate::execute::has_timer;
use crate::tool::BoxFuture;

/// How many requests of the other side are answered at the same time.
pub(super) const MAX_OPEN: usize = 16;

/// How long the other side may take to read an answer, where `MAX_OPEN` of them wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// A bounded set of answers.
#[derive(Default)]
pub(super) struct Answers {
    writing: FuturesUnordered<BoxFuture<'static, ()>>,
    /// Set while there is no room.
    late: Option<Pin<Box<Sleep>>>,
}

impl Answers {
    /// Adds one; it is written while something is awaited here.
    pub(super) fn push<T>(&mut self, answer: impl Future<Output = T> + Send + 'static) {
        self.writing.push(Box::pin(async move { drop(answer.await) }));
    }

    /// Waits until there is room for another one. Returns `false` if the other side reads none for too long. Dropped and called
    /// again it goes on where it was.
    pub(super) async fn room(&mut self) -> bool {
        if self.writing.len() < MAX_OPEN {
            return true;
        }
        if !has_timer() {
            return false;
        }
        let late = self.late.get_or_insert_with(|| Box::pin(tokio::time::sleep(PATIENCE)));
        let has_room = matches!(select(self.writing.next(), late.as_mut()).await, Either::Left(_));
        self.late = None;
        has_room
    }

    /// Writes while something else is awaited.
    pub(super) async fn beside<F: Future>(&mut self, other: F) -> F::Output {
        let mut other = pin!(other);
        loop {
            if self.writing.is_empty() {
                return other.await;
            }
            if let Either::Left((done, _)) = select(other.as_mut(), self.writing.next()).await {
                return done;
            }
        }
    }
}
