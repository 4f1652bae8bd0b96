//! What may be wrong with the `impl` itself; its tools are checked like all tools.

use super::ast::Toolbox;
use crate::common::sink::Sink;
use crate::tool;

pub(super) fn check(toolbox: &Toolbox, sink: &Sink) {
    let block = &toolbox.block;
    if let Some((path, _)) = &block.trait_ {
        sink.error(
            path,
            "a toolbox holds methods of the type itself; move the tools to an `impl` without a trait",
        );
    }
    if !block.generics.params.is_empty() {
        sink.error(
            &block.generics.params,
            "a tool has one schema, so its `impl` cannot be generic; write concrete types",
        );
    }
    if let Some(clause) = &block.generics.where_clause {
        sink.error(clause, "a toolbox is not generic, so there is nothing to bound; leave out the `where`");
    }
    if let Some(unsafety) = &block.unsafety {
        sink.error(unsafety, "a toolbox is a plain `impl`; leave out `unsafe`");
    }
    sink.take(block.modifiers.require_empty());
    if toolbox.module.is_none() {
        sink.error(&toolbox.owner, "no module can be named after this type; write `#[toolbox(module = …)]`");
    }
    if toolbox.tools.is_empty() && sink.is_clean() {
        sink.error(&toolbox.owner, "this toolbox has no tool; mark a method with `#[tool]`");
    }
    for tool in &toolbox.tools {
        tool::check(tool, sink);
    }
}
