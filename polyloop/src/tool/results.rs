//! The results of a session's calls, as its journal holds them, and the stock tool that reads them in pieces.

use std::sync::Arc;

use super::call::{BoxFuture, CallContext};
use super::returned::ToolError;

/// The results of the calls of a session.
pub(crate) trait Results: Send + Sync {
    /// Reads all of what a call gave; none where the session has no such call, or it has no result yet.
    fn read<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<Option<Arc<str>>, ToolError>>;
}

/// Reads a part of a result that was too long to be shown whole. The notice in the result names its call.
#[expect(
    clippy::missing_errors_doc,
    reason = "a model reads the description, and has no use for a list of errors"
)]
#[polyloop_derive::tool(
    crate = crate,
    replay = safe,
    concurrent,
    read_only,
    idempotent,
    max_chars = 40_200
)]
pub async fn read_result(
    #[call] context: &CallContext,
    /// The call, as the notice names it.
    call: String,
    /// The first character to read, counted from 0.
    #[arg(default = 0)]
    from: usize,
    /// How many characters to read.
    #[arg(default = 10_000, range(1..=40_000))]
    most: usize,
) -> Result<String, ToolError> {
    let Some(results) = context.results() else {
        return Err(ToolError::failed("there is no session whose results could be read"));
    };
    let Some(text) = results.read(&call).await? else {
        return Err(ToolError::failed(format!(
            "there is no result of `{call}`; name the call as the notice in its result does"
        )));
    };
    let total = text.chars().count();
    if from >= total {
        return Err(ToolError::failed(format!("the result has {total} characters; begin before that")));
    }
    let piece: String = text.chars().skip(from).take(most).collect();
    let to = from.saturating_add(most).min(total);
    Ok(format!("[characters {from} to {to} of {total}]\n{piece}"))
}
