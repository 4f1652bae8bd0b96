//! State that tools borrow.

/// Provides a value that tools borrow with `#[state]`.
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

impl<T: Send + Sync + ?Sized> Provide<T> for T {
    fn provide(&self) -> &T {
        self
    }
}
