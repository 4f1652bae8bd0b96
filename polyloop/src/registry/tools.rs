//! Narrower sets, named by type.

use super::Registry;
use crate::error::{SetError, SetProblem};
use crate::tool::{Tool, ToolSet, ToolSpec};

/// A tool that is registered in `R`; `registry!` implements it for each entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool of `{R}`",
    label = "not registered in `{R}`",
    note = "list it under `tools` in `registry!`"
)]
pub trait RegisteredTool<R: Registry>: ListedTool<R> {}

/// An entry under `tools`; what `registry!` writes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not listed in `{R}`, and nothing else makes it a member; list it under `tools` in `registry!`",
    label = "not listed in `{R}`"
)]
pub trait ListedTool<R: Registry>: Tool<R::State> {}

#[diagnostic::do_not_recommend]
impl<R: Registry, T: ListedTool<R>> RegisteredTool<R> for T {}

/// A tuple of registered tools, such as `(read_file, submit)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tools of `{R}`",
    note = "write a tuple of registered tools, such as `(read_file, submit)` or `(submit,)`"
)]
pub trait ToolList<R: Registry> {
    /// Returns the descriptions.
    fn specs() -> Vec<ToolSpec>;
}

/// A tuple of registered tools.
///
/// Apart from [`ToolList`], so that a tool which is not registered is told so, without a list of all lengths.
#[doc(hidden)]
pub trait ToolTuple<R: Registry> {
    fn specs() -> Vec<ToolSpec>;
}

impl<R: Registry, L: ToolTuple<R>> ToolList<R> for L {
    fn specs() -> Vec<ToolSpec> {
        L::specs()
    }
}

macro_rules! tool_lists {
    ($($tool:ident)*) => {
        impl<R: Registry, $($tool: RegisteredTool<R>),*> ToolTuple<R> for ($($tool,)*) {
            fn specs() -> Vec<ToolSpec> {
                vec![$(<$tool as Tool<R::State>>::SPEC),*]
            }
        }
    };
}

tool_lists!(A);
tool_lists!(A B);
tool_lists!(A B C);
tool_lists!(A B C D);
tool_lists!(A B C D E);
tool_lists!(A B C D E F);
tool_lists!(A B C D E F G);
tool_lists!(A B C D E F G H);
tool_lists!(A B C D E F G H I);
tool_lists!(A B C D E F G H I J);
tool_lists!(A B C D E F G H I J K);
tool_lists!(A B C D E F G H I J K L);

impl<S: ?Sized> ToolSet<S> {
    /// Fails if a tool is not listed in a registry, naming them all. That the state is the same says nothing of that.
    pub(crate) fn all_are_listed<R: Registry<State = S>>(&self) -> Result<(), SetError>
    where
        S: Sized,
    {
        let listed = |spec: &ToolSpec| R::SPEC.tools.iter().any(|entry| entry.spec.is_same_tool(spec));
        let foreign = self.tools().filter(|(_, spec)| !listed(spec));
        let tools: Vec<String> = foreign.map(|(name, _)| name.to_owned()).collect();
        if tools.is_empty() {
            return Ok(());
        }
        Err(SetError::new(vec![SetProblem::NotListed { tools, registry: R::SPEC.name }]))
    }

    /// Returns the set of these tools only, in this set's order: `set.restrict_to::<App, (read_file, submit)>()`.
    #[must_use]
    pub fn restrict_to<R: Registry<State = S>, L: ToolList<R>>(&self) -> Self {
        let kept = L::specs();
        self.filtered(|_, spec| kept.iter().any(|kept| kept.is_same_tool(spec)))
    }

    /// Returns the set without one tool: `set.without::<App, submit>()`.
    #[must_use]
    pub fn without<R: Registry<State = S>, T: RegisteredTool<R>>(&self) -> Self {
        self.filtered(|_, spec| !T::SPEC.is_same_tool(spec))
    }
}
