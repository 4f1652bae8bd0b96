//! The list of a server's tools, page by page, within limits.

use std::collections::HashSet;

use rmcp::model::{
    ClientRequest, ListToolsRequest, ListToolsResult, PaginatedRequestParams, ServerResult, Tool,
};
use rmcp::service::{Peer, RoleClient};

use super::error::McpError;

/// The greatest size of a list of tools, in bytes of JSON.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Returns the server's tools: at most `most` of them, else the error of `too_many`.
pub(super) async fn listed(
    peer: &Peer<RoleClient>,
    most: usize,
    too_many: impl FnOnce() -> McpError,
) -> Result<Vec<Tool>, McpError> {
    let refused = |reason: String| McpError::List { reason };
    let (mut tools, mut bytes, mut cursors) = (Vec::new(), 0_usize, HashSet::new());
    let mut cursor = None;
    loop {
        let page = page(peer, cursor).await?;
        for tool in &page.tools {
            bytes = bytes.saturating_add(serde_json::to_string(tool).map_or(usize::MAX, |text| text.len()));
        }
        tools.extend(page.tools);
        if tools.len() > most {
            return Err(too_many());
        }
        let Some(next) = page.next_cursor else { return Ok(tools) };
        bytes = bytes.saturating_add(next.len());
        if bytes > MAX_BYTES {
            return Err(refused(format!("it has more than {MAX_BYTES} bytes")));
        }
        if !cursors.insert(next.clone()) {
            return Err(refused("a page comes again, so that the list has no end".to_owned()));
        }
        // Even with one tool on a page there are no more pages.
        if cursors.len() > most {
            return Err(refused(format!("it has more than {most} pages")));
        }
        cursor = Some(next);
    }
}

/// Returns one page. The SDK's own function for it is not used: it answers from a memory, for as long as the server says.
async fn page(peer: &Peer<RoleClient>, cursor: Option<String>) -> Result<ListToolsResult, McpError> {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request = ListToolsRequest { params, ..ListToolsRequest::default() };
    let answer = peer.send_request(ClientRequest::ListToolsRequest(request)).await;
    match answer.map_err(McpError::connection)? {
        ServerResult::ListToolsResult(page) => Ok(page),
        _ => Err(McpError::List { reason: "the server answered something else".to_owned() }),
    }
}
