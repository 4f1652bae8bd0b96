//! Tools: one definition gives the schema, the checks and the dispatch.

mod absent;
mod arguments;
mod call;
mod checked;
mod compiled;
mod complaint;
mod cut;
pub(crate) mod described;
mod effective;
mod given;
mod nearest;
mod normal;
mod param;
mod provide;
mod results;
mod returned;
mod scalar;
mod set;
mod shown;
mod spec;
mod straight;
mod validator;
mod variants;
#[cfg(feature = "mcp")]
mod written;

pub use arguments::Arguments;
pub use call::{CallContext, Prepared};
pub use checked::CheckedCall;
pub use param::{Limit, Param, ToolArg};
pub use provide::{IntoState, Provide};
pub use results::read_result;
pub use returned::{Json, Observation, Returned, ToolError, ToolFailure, ToolReturn};
pub use scalar::Scalars;
pub use set::{ToolEntry, ToolSet};
pub use spec::{Hints, Replay, ToolSpec};

pub(crate) use call::BoxFuture;
pub(crate) use cut::head_and_tail;
pub(crate) use normal::normal_form;
pub(crate) use results::Results;
#[cfg(feature = "mcp")]
pub(crate) use written::WrittenObject;

use std::any::TypeId;

/// A tool; `#[tool]` implements it for a type with the function's name.
///
/// `S` is the state of the registry. A tool that borrows state implements it for every state that
/// [provides](Provide) what it borrows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "annotate the `async fn` with `#[tool]`"
)]
pub trait Tool<S: ?Sized>: Sized + 'static {
    /// Describes the tool.
    const SPEC: ToolSpec;

    /// Takes the arguments; none if some are wrong, which `arguments` then knows.
    #[doc(hidden)]
    fn prepare(arguments: &mut Arguments<'_>) -> Option<Prepared<S>>;

    /// Returns the type itself, which tells tools apart that look the same to a model.
    #[doc(hidden)]
    #[must_use]
    fn identity() -> TypeId {
        TypeId::of::<Self>()
    }
}
