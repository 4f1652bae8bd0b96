//! Every mistake that can be seen in a tool's tokens. What only types know is left to the compiler.

mod function;
mod key;
mod names;
mod parameter;

pub(crate) use names::is_tool_name;

use super::ast::Tool;
use crate::common::sink::Sink;

/// Reports every mistake of the tool.
pub(crate) fn check(tool: &Tool, sink: &Sink) {
    function::check(tool, sink);
    names::check(tool, sink);
    parameter::check(tool, sink);
}
