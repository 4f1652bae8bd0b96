//! What a client is told: tools as it lists them, outcomes as results.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::agent::CheckedTexts;
use crate::dialect::LoweredTools;
use crate::event::ActionOutcome;
use crate::tool::{Hints, ToolSet, ToolSpec};

/// The tools, as clients list them.
pub(super) fn listed<S>(tools: &ToolSet<S>, lowered: &LoweredTools) -> Vec<Tool> {
    let tool = |(name, spec): (&str, &'static ToolSpec)| {
        let schema = lowered.get(name).map(|tool| tool.schema().get()).unwrap_or_default();
        let schema: JsonObject = serde_json::from_str(schema).unwrap_or_default();
        let tool = Tool::new(name.to_owned(), spec.description, schema);
        match annotations(spec.hints) {
            Some(annotations) => tool.with_annotations(annotations),
            None => tool,
        }
    };
    tools.tools().map(tool).collect()
}

/// What its author says of a tool. What is not said stays open: a client takes the worst for granted, and that is right.
fn annotations(hints: Hints) -> Option<ToolAnnotations> {
    if hints == Hints::default() {
        return None;
    }
    let said = |hint: bool| hint.then_some(true);
    Some(ToolAnnotations::from_raw(
        None,
        said(hints.read_only),
        said(hints.destructive),
        said(hints.idempotent),
        said(hints.open_world),
    ))
}

/// What became of a call: the texts that a model would see in an agent, and beside them the object, where a handler returned one
/// as [`Json`](crate::Json).
pub(super) fn result(texts: &CheckedTexts, outcome: &ActionOutcome, is_json: bool) -> CallToolResult {
    let shown: Arc<[Arc<str>]> = texts.shown(outcome, true);
    let content = shown.iter().map(|part| ContentBlock::text(&**part)).collect();
    if outcome.is_error {
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    if is_json {
        // A client expects an object here, and older ones refuse everything else.
        let value = serde_json::from_str(&outcome.observation.parts().concat()).ok();
        result.structured_content = value.filter(Value::is_object);
    }
    result
}

/// What a client is told of a call that a person refused.
pub(super) fn denied(texts: &CheckedTexts) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(&*texts.denied)])
}
