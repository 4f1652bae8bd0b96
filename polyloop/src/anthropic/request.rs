//! The body of a request: a pure function of the options and the prompt, with the messages last.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Messages;
use crate::dialect::LoweredTools;
use crate::message::{Image, ImageSource, Prompt, Role};
use crate::provider::{Asked, Options, Piece, Side, Turns, entry, turns};

/// The members that are written here.
pub(super) const OWN_MEMBERS: [&str; 9] = [
    "model",
    "max_tokens",
    "temperature",
    "thinking",
    "stream",
    "tools",
    "tool_choice",
    "system",
    "messages",
];

/// How many tokens a reply may have unless that is set; the interface has no default.
const MAX_TOKENS: u32 = 8_192;

pub(super) fn max_tokens(options: &Options) -> u32 {
    options.max_tokens.unwrap_or(MAX_TOKENS)
}

/// The bytes of the body.
pub(super) fn body(own: &Messages, options: &Options, asked: &Asked<'_>) -> Vec<u8> {
    let turns = turns(asked);
    // Texts, numbers and JSON that was read: there is nothing in it that cannot be written.
    serde_json::to_vec(&Body { own, options, asked, turns }).unwrap_or_default()
}

/// Everything that decides over a body beside the prompt and the model's name, as JSON text.
pub(super) fn parameters(own: &Messages, options: &Options) -> String {
    serde_json::to_string(&Parameters { own, options }).unwrap_or_default()
}

struct Parameters<'a> {
    own: &'a Messages,
    options: &'a Options,
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { own, options } = self;
        let mut map = serializer.serialize_map(None)?;
        members(options, own.thinking, &mut map)?;
        entry(&mut map, "parallel_tool_calls", options.parallel_tool_calls.as_ref())?;
        map.serialize_entry("cache", &own.cache)?;
        map.serialize_entry("schemas", &options.schemas)?;
        map.end()
    }
}

/// The members that do not depend on what is said.
fn members<M: SerializeMap>(options: &Options, thinking: Option<u32>, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("max_tokens", &max_tokens(options))?;
    entry(map, "temperature", options.temperature.as_ref())?;
    if let Some(budget_tokens) = thinking {
        map.serialize_entry("thinking", &Thinking { r#type: "enabled", budget_tokens })?;
    }
    map.serialize_entry("stream", &options.stream)?;
    options.own(map)
}

#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
    budget_tokens: u32,
}

struct Body<'a> {
    own: &'a Messages,
    options: &'a Options,
    asked: &'a Asked<'a>,
    turns: Turns<'a>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { own, options, asked, turns } = self;
        let marks = if own.cache { Marks::of(asked.prompt, turns) } else { Marks::default() };
        let thinking = own.thinking.filter(|_| may_think(turns));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &options.model)?;
        members(options, thinking, &mut map)?;
        if !asked.prompt.tools().is_empty() {
            let mark_last = own.cache && turns.system.is_empty();
            map.serialize_entry("tools", &tools(asked.tools, mark_last))?;
            if let Some(parallel) = options.parallel_tool_calls {
                let choice = ToolChoice { r#type: "auto", disable_parallel_tool_use: !parallel };
                map.serialize_entry("tool_choice", &choice)?;
            }
        }
        if !turns.system.is_empty() {
            let system: Vec<Block<'_>> = blocks(&turns.system, &marks);
            map.serialize_entry("system", &system)?;
        }
        let messages: Vec<WireMessage<'_>> = turns.turns.iter().map(|side| message(side, &marks)).collect();
        map.serialize_entry("messages", &messages)?;
        map.end()
    }
}

/// Whether the model may think: between a call and its result only if it thought before the call. A reply of another
/// provider has no thoughts that this one could read, and such a request is refused.
fn may_think(turns: &Turns<'_>) -> bool {
    let last = turns.turns.iter().rfind(|turn| turn.model);
    last.is_none_or(|turn| {
        let calls = turn.pieces.iter().any(|(_, piece)| matches!(piece, Piece::Call { .. }));
        !calls || matches!(turn.pieces.first(), Some((_, Piece::Opaque(_))))
    })
}

#[derive(Serialize)]
struct ToolChoice {
    r#type: &'static str,
    disable_parallel_tool_use: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

fn tools(tools: &LoweredTools, mark_last: bool) -> Vec<Tool<'_>> {
    let mut tools: Vec<Tool<'_>> = tools
        .iter()
        .map(|tool| Tool {
            name: tool.definition().name(),
            description: tool.definition().description(),
            input_schema: tool.schema(),
            strict: tool.is_strict().then_some(true),
            cache_control: None,
        })
        .collect();
    if let Some(last) = tools.last_mut().filter(|_| mark_last) {
        last.cache_control = Some(CacheControl::default());
    }
    tools
}

/// A mark up to which a cache is to hold the request.
#[derive(Clone, Copy, Serialize)]
struct CacheControl {
    r#type: &'static str,
}

impl Default for CacheControl {
    fn default() -> Self {
        Self { r#type: "ephemeral" }
    }
}

/// The messages behind which a mark stands, by number. The interface takes four marks, with the one of tools.
#[derive(Debug, Default)]
struct Marks(Vec<usize>);

impl Marks {
    fn of(prompt: &Prompt, turns: &Turns<'_>) -> Self {
        let last_of = |pieces: &[(usize, Piece<'_>)]| pieces.last().map(|(number, _)| *number);
        let before_reply = turns.turns.iter().rposition(|turn| turn.model).and_then(|at| at.checked_sub(1));
        let earlier = before_reply.and_then(|at| last_of(&turns.turns.get(at)?.pieces));
        let mut marks: Vec<usize> = [
            last_of(&turns.system),
            prompt.run_part().checked_sub(1),
            earlier,
            turns.turns.last().and_then(|turn| last_of(&turn.pieces)),
        ]
        .into_iter()
        .flatten()
        .collect();
        marks.sort_unstable();
        marks.dedup();
        Self(marks)
    }
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

fn message<'a>(side: &Side<'a>, marks: &Marks) -> WireMessage<'a> {
    let role = if side.model { Role::Assistant } else { Role::User };
    WireMessage { role: role.as_str(), content: blocks(&side.pieces, marks) }
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    said: Said<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source<'a>,
    },
    ToolUse {
        id: &'a str,
        name: Cow<'a, str>,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: Cow<'a, str>,
    },
    #[serde(untagged)]
    Opaque(Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
    Url { url: &'a str },
}

/// The blocks of a side, with a mark behind the last one of each message that has one.
fn blocks<'a>(pieces: &[(usize, Piece<'a>)], marks: &Marks) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::with_capacity(pieces.len());
    for (at, (number, piece)) in pieces.iter().enumerate() {
        let is_last = pieces.get(at + 1).is_none_or(|(next, _)| next != number);
        let marked = is_last && marks.0.contains(number) && !matches!(piece, Piece::Opaque(_));
        blocks.push(Block { said: said(piece), cache_control: marked.then(CacheControl::default) });
    }
    blocks
}

fn said<'a>(piece: &Piece<'a>) -> Said<'a> {
    match piece {
        Piece::Text { text, .. } => Said::Text { text: text.clone() },
        Piece::Image(image) => Said::Image { source: source(image) },
        Piece::Call { id, name, arguments, .. } => {
            // They are the text of a JSON object, always.
            let input = RawValue::from_string(arguments.to_string()).unwrap_or_default();
            Said::ToolUse { id, name: name.clone(), input }
        }
        Piece::Result { call, text, .. } => Said::ToolResult { tool_use_id: call, content: text.clone() },
        Piece::Opaque(value) => Said::Opaque(value.clone()),
    }
}

fn source(image: &Image) -> Source<'_> {
    match image.source() {
        ImageSource::Data { media_type, base64 } => Source::Base64 { media_type, data: base64 },
        ImageSource::Url(url) => Source::Url { url },
    }
}
