//! Panics of other people's code, as outcomes.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use crate::tool::BoxFuture;

/// Turns a panic of a handler or an executor into what it said. Needs `panic = "unwind"`.
pub(crate) fn catching<T>(mut future: BoxFuture<'_, T>) -> impl Future<Output = Result<T, String>> {
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Err(panic) => Poll::Ready(Err(message(&*panic))),
    })
}

/// Drops what may panic when it is dropped: what a handler holds is other people's code as well.
pub(crate) fn drop_caught<T>(value: T) {
    // What it says is not the outcome of the call.
    drop(catch_unwind(AssertUnwindSafe(|| drop(value))));
}

/// What a panic said, without where.
fn message(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    match text {
        Some(text) => format!("panicked: {text}"),
        None => "panicked".to_owned(),
    }
}
