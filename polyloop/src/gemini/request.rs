//! The body of a request: a pure function of the options and the prompt, with the contents last.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::GenerateContent;
use crate::dialect::{Dialect, LoweredTools};
use crate::message::{Image, ImageSource};
use crate::provider::{Asked, Options, Piece, Side, Turns, turns};

/// The members that are written here.
pub(super) const OWN_MEMBERS: [&str; 4] = ["systemInstruction", "tools", "generationConfig", "contents"];

/// Where a signature stands in a part.
const SIGNATURE: &str = "thoughtSignature";

/// What the interface takes for the signature of a call that this model did not make, or whose reply the history keeps in other
/// words.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The bytes of the body.
pub(super) fn body(own: &GenerateContent, options: &Options, asked: &Asked<'_>) -> Vec<u8> {
    let turns = turns(asked);
    // Texts, numbers and JSON that was read: there is nothing in it that cannot be written.
    serde_json::to_vec(&Body { own, options, asked, turns }).unwrap_or_default()
}

/// Everything that decides over a body beside the prompt and the model's name, as JSON text.
pub(super) fn parameters(own: &GenerateContent, options: &Options) -> String {
    #[derive(Serialize)]
    struct Parameters<'a> {
        generation: Map<String, Value>,
        own: &'a [(String, Value)],
        stream: bool,
        schemas: crate::dialect::SchemaReader,
    }
    let generation = generation(own, options);
    let (own, stream, schemas) = (options.parameters.as_slice(), options.stream, options.schemas);
    serde_json::to_string(&Parameters { generation, own, stream, schemas }).unwrap_or_default()
}

/// The configuration of the reply.
fn generation(own: &GenerateContent, options: &Options) -> Map<String, Value> {
    let mut members = own.generation.clone();
    members.extend(options.temperature.map(|temperature| ("temperature".to_owned(), temperature.into())));
    members.extend(options.max_tokens.map(|most| ("maxOutputTokens".to_owned(), most.into())));
    members
}

struct Body<'a> {
    own: &'a GenerateContent,
    options: &'a Options,
    asked: &'a Asked<'a>,
    turns: Turns<'a>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { own, options, asked, turns } = self;
        let mut map = serializer.serialize_map(None)?;
        let generation = generation(own, options);
        if !generation.is_empty() {
            map.serialize_entry("generationConfig", &generation)?;
        }
        options.own(&mut map)?;
        if !asked.prompt.tools().is_empty() {
            let declarations = Tools { function_declarations: declarations(asked.tools) };
            map.serialize_entry("tools", &[declarations])?;
        }
        if !turns.system.is_empty() {
            let parts = turns.system.iter().map(|(_, piece)| part(piece)).collect();
            map.serialize_entry("systemInstruction", &Instruction { parts })?;
        }
        let checked = checks_signatures(&options.model);
        let contents: Vec<Content<'_>> = turns.turns.iter().map(|side| content(side, checked)).collect();
        map.serialize_entry("contents", &contents)?;
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'a RawValue>,
}

fn declarations(tools: &LoweredTools) -> Vec<Declaration<'_>> {
    let declaration = tools.iter().map(|tool| {
        let (schema, is_open_api) = (tool.schema(), tool.dialect() == Dialect::GeminiOpenApi);
        Declaration {
            name: tool.definition().name(),
            description: tool.definition().description(),
            parameters: is_open_api.then_some(schema),
            parameters_json_schema: (!is_open_api).then_some(schema),
        }
    });
    declaration.collect()
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
}

fn content<'a>(side: &Side<'a>, checked: bool) -> Content<'a> {
    let role = if side.model { "model" } else { "user" };
    let mut parts: Vec<Part<'a>> = side.pieces.iter().map(|(_, piece)| part(piece)).collect();
    let mut calls = parts.iter_mut().filter(|part| matches!(part.said, Said::FunctionCall(_)));
    if let Some(call) = calls.next().filter(|_| checked) {
        call.with.entry(SIGNATURE).or_insert_with(|| UNSIGNED.into());
    }
    Content { role, parts }
}

/// Whether a model refuses a request in which the first call of a reply has no signature: those before Gemini 3 do not.
fn checks_signatures(model: &str) -> bool {
    model.contains("gemini-") && !["gemini-1.", "gemini-2."].iter().any(|earlier| model.contains(earlier))
}

#[derive(Serialize)]
struct Part<'a> {
    #[serde(flatten)]
    said: Said<'a>,
    /// What the provider added to its own part.
    #[serde(flatten)]
    with: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Said<'a> {
    Text(Cow<'a, str>),
    FunctionCall(FunctionCall<'a>),
    FunctionResponse(FunctionResponse<'a>),
    InlineData(InlineData<'a>),
    FileData(FileData<'a>),
    #[serde(untagged)]
    Opaque(Map<String, Value>),
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    id: &'a str,
    name: Cow<'a, str>,
    args: Box<RawValue>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    id: &'a str,
    name: Cow<'a, str>,
    response: Output<'a>,
}

/// The result: an object, in which the interface looks for `output`.
#[derive(Serialize)]
struct Output<'a> {
    output: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InlineData<'a> {
    mime_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileData<'a> {
    file_uri: &'a str,
}

fn part<'a>(piece: &Piece<'a>) -> Part<'a> {
    let (said, with) = match piece {
        Piece::Text { text, with } => (Said::Text(text.clone()), with.clone()),
        Piece::Image(image) => (said_image(image), Map::new()),
        Piece::Call { id, name, arguments, with } => {
            // They are the text of a JSON object, always.
            let args = RawValue::from_string(arguments.to_string()).unwrap_or_default();
            (Said::FunctionCall(FunctionCall { id, name: name.clone(), args }), with.clone())
        }
        Piece::Result { call: id, tool: name, text } => {
            let response = Output { output: text.clone() };
            (Said::FunctionResponse(FunctionResponse { id, name: name.clone(), response }), Map::new())
        }
        Piece::Opaque(value) => (Said::Opaque(value.as_object().cloned().unwrap_or_default()), Map::new()),
    };
    Part { said, with }
}

fn said_image(image: &Image) -> Said<'_> {
    match image.source() {
        ImageSource::Data { media_type, base64 } => {
            Said::InlineData(InlineData { mime_type: media_type, data: base64 })
        }
        ImageSource::Url(url) => Said::FileData(FileData { file_uri: url }),
    }
}
