//! State that tools borrow.

use std::sync::Arc;

/// A state from which tools borrow a `T` with `#[state]`.
///
/// Every type provides itself. `#[derive(State)]` makes a struct provide each of its fields.
#[diagnostic::on_unimplemented(
    message = "the state `{Self}` does not provide `{T}`",
    label = "needs a `{T}` from the state",
    note = "name a `state` in `registry!` that is a `{T}`, or a struct with `#[derive(State)]` and a field of that type"
)]
pub trait Provide<T: ?Sized>: Send + Sync {
    /// Returns the value.
    fn provide(&self) -> &T;
}

/// The state that an agent's tools borrow from: the value itself, or an `Arc` of it, to look at it after a run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the state `{S}`",
    label = "not a `{S}`",
    note = "give what `registry!` names under `state`, or an `Arc` of it; `()` where it names nothing"
)]
pub trait IntoState<S> {
    /// Makes what the tools share.
    fn into_state(self) -> Arc<S>;
}

#[diagnostic::do_not_recommend]
impl<S> IntoState<S> for S {
    fn into_state(self) -> Arc<S> {
        Arc::new(self)
    }
}

#[diagnostic::do_not_recommend]
impl<S> IntoState<S> for Arc<S> {
    fn into_state(self) -> Self {
        self
    }
}

impl<T: Send + Sync + ?Sized> Provide<T> for T {
    fn provide(&self) -> &T {
        self
    }
}
