//! What is the same for every run of an agent.

use std::sync::Arc;

use super::budget::Budget;
use super::texts::CheckedTexts;
use crate::execute::DynExecutor;
use crate::interpret::Interpreter;
use crate::layout::Layout;
use crate::message::ToolDefinition;
use crate::model::DynModel;
use crate::registry::Registry;
use crate::tool::ToolSet;

/// What is the same for every run.
pub(crate) struct Definition<R: Registry> {
    pub(crate) model: Arc<dyn DynModel>,
    pub(crate) interpreter: Arc<dyn Interpreter>,
    pub(crate) executor: Option<Arc<dyn DynExecutor>>,
    pub(crate) layout: Arc<dyn Layout>,
    pub(crate) tools: ToolSet<R::State>,
    /// The tools in the header of a request; none unless the interpreter reads native calls.
    pub(crate) header: Arc<[ToolDefinition]>,
    pub(crate) texts: CheckedTexts,
    pub(crate) budget: Budget,
}

/// Tools are never put into text, and into the header only for an interpreter that reads native calls.
pub(super) fn header<S>(interpreter: &dyn Interpreter, tools: &ToolSet<S>) -> Arc<[ToolDefinition]> {
    if interpreter.reads_native_calls() { tools.definitions() } else { Arc::from([]) }
}
