//! What a server answered to a call, as an observation.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::tool::{Observation, ToolError};

/// Takes the texts; of everything else it says what it was. A model is told of an error by the server's own words.
pub(super) fn observed(result: CallToolResult) -> Result<Observation, ToolError> {
    let mut texts: Vec<String> = result.content.into_iter().map(text).collect();
    if texts.is_empty() {
        // What is there as structure is there as text too, by the protocol; some servers forget that.
        texts.extend(result.structured_content.map(|value| value.to_string()));
    }
    if result.is_error == Some(true) {
        return Err(ToolError::failed(texts.join("\n")));
    }
    let mut texts = texts.into_iter();
    let first = Observation::text(texts.next().unwrap_or_default());
    Ok(texts.fold(first, Observation::and))
}

fn text(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => left_out("an image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => left_out("a sound", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => left_out(
                &format!("the resource `{uri}`"),
                mime_type.as_deref().unwrap_or("of no stated type"),
                &blob,
            ),
            _ => UNKNOWN.to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[a resource: `{}`, {}]", link.name, link.uri),
        _ => UNKNOWN.to_owned(),
    }
}

/// What a later protocol may bring.
const UNKNOWN: &str = "[something that is no text is not shown]";

/// A tool returns texts, so that nothing else passes for one.
fn left_out(what: &str, media_type: &str, base64: &str) -> String {
    format!("[{what}, {media_type}, {} characters of base64, is not shown]", base64.len())
}
