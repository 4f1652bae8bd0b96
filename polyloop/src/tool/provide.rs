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

/// Is a state that all calls may share; what `registry!` asks of one.
///
/// Through the associated type a state that cannot be shared is reported once, at its name, and nowhere else.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of a registry",
    label = "cannot be shared by all calls",
    note = "a state is `Send` and `Sync`, and owns its data"
)]
pub trait SharedState {
    /// The state itself.
    type Same;
}

impl<T: Send + Sync + 'static> SharedState for T {
    type Same = T;
}

impl<T: Send + Sync + ?Sized> Provide<T> for T {
    fn provide(&self) -> &T {
        self
    }
}
