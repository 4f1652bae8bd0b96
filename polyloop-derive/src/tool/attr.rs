//! The options of `#[tool(…)]` and `#[arg(…)]`: one table each, and what was given.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, Ident, LitInt, LitStr, Path};

use super::limit::{self, Limit};
use crate::common::options::{self, Given, Place, Row, Setting, Shape};
use crate::common::sink::Sink;

const TOOL: &[Row] = &[
    ("name", Shape::Value, "name = \"read_file\""),
    ("description", Shape::Value, "description = \"…\""),
    ("replay", Shape::Value, "replay = safe"),
    ("completes_run", Shape::Flag, "completes_run"),
    ("concurrent", Shape::Flag, "concurrent"),
    ("timeout", Shape::Value, "timeout = \"30s\""),
    ("approval", Shape::Flag, "approval"),
    ("read_only", Shape::Flag, "read_only"),
    ("destructive", Shape::Flag, "destructive"),
    ("idempotent", Shape::Flag, "idempotent"),
    ("open_world", Shape::Flag, "open_world"),
    ("hidden", Shape::Flag, "hidden"),
    ("lenient", Shape::Flag, "lenient"),
    ("schema_only", Shape::Flag, "schema_only"),
    ("max_chars", Shape::Value, "max_chars = 20_000"),
    ("keep_result", Shape::Flag, "keep_result"),
    ("type", Shape::Value, "type = ReadFile"),
    ("crate", Shape::Value, "crate = path::to::polyloop"),
];

const ARG: &[Row] = &[
    ("rename", Shape::Value, "rename = \"…\""),
    ("description", Shape::Value, "description = \"…\""),
    ("default", Shape::FlagOrValue, "default = 1"),
    ("example", Shape::Values, "example = \"…\""),
    ("range", Shape::List, "range(1..=7)"),
    ("length", Shape::List, "length(..=20)"),
    ("pattern", Shape::Value, "pattern = \"^[a-z]+$\""),
    ("flatten", Shape::Flag, "flatten"),
];

const A_TOOL: Place = Place { name: "a tool", table: TOOL };
const A_PARAMETER: Place = Place { name: "a parameter", table: ARG };

/// May a call be made again when its outcome is unknown?
#[derive(Clone, Copy)]
pub(crate) enum Replay {
    Safe,
    Never,
    Child,
}

/// What `#[tool(…)]` says.
pub(crate) struct ToolOptions {
    pub(crate) krate: Option<Path>,
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    /// Whether nobody tried to describe the tool here; a misspelled attempt counts as one.
    pub(crate) lacks_description: bool,
    pub(crate) type_name: Option<Ident>,
    pub(crate) replay: Option<Replay>,
    /// What `replay` says, as written.
    pub(crate) replay_word: Option<Ident>,
    /// In milliseconds.
    pub(crate) timeout: Option<u64>,
    /// How many characters of a result a model is shown.
    pub(crate) max_chars: Option<usize>,
    /// The flags as written; each is a method of the runtime's builder.
    pub(crate) flags: Vec<Ident>,
}

impl ToolOptions {
    pub(crate) fn read(tokens: TokenStream, sink: &Sink) -> Self {
        let reading = options::read_tokens_at(A_TOOL, &[A_PARAMETER], tokens, "tool", sink);
        let mut given = Self {
            krate: None,
            name: None,
            description: None,
            lacks_description: reading.lacks("description"),
            type_name: None,
            replay: None,
            replay_word: None,
            timeout: None,
            max_chars: None,
            flags: Vec::new(),
        };
        for setting in &reading.settings {
            given.take(setting, sink);
        }
        given
    }

    fn take(&mut self, setting: &Setting, sink: &Sink) {
        if setting.is("name") {
            self.name = setting.string(sink);
        } else if setting.is("description") {
            self.description = setting.text(sink);
        } else if setting.is("type") {
            self.type_name = setting.name(sink);
        } else if setting.is("crate") {
            self.krate = setting.path(sink);
        } else if setting.is("replay") {
            self.replay_word = setting.word(sink);
            self.replay = self.replay_word.as_ref().and_then(|word| replay(word, sink));
        } else if setting.is("timeout") {
            self.timeout = setting.string(sink).and_then(|text| timeout(&text, sink));
        } else if setting.is("max_chars") {
            self.max_chars = setting.integer(sink).and_then(|number| max_chars(&number, sink));
        } else {
            self.flags.push(setting.key.clone());
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Option<&Ident> {
        self.flags.iter().find(|flag| *flag == name)
    }
}

fn replay(word: &Ident, sink: &Sink) -> Option<Replay> {
    if word == "safe" {
        return Some(Replay::Safe);
    }
    if word == "never" {
        return Some(Replay::Never);
    }
    if word == "child" {
        return Some(Replay::Child);
    }
    sink.error(word, format!("`{word}` is no value of `replay`; write `safe`, `never` or `child`"));
    None
}

/// Reads a duration, in milliseconds.
pub(crate) fn timeout(text: &LitStr, sink: &Sink) -> Option<u64> {
    let value = text.value();
    match milliseconds(&value) {
        None => sink.error(text, format!("`{value}` is no duration; write `500ms`, `30s` or `2m`")),
        Some(0) => sink.error(text, "a timeout of nothing ends every call; leave `timeout` out for none"),
        Some(milliseconds) => return Some(milliseconds),
    }
    None
}

/// Reads how many characters of a result a model is shown.
pub(crate) fn max_chars(number: &LitInt, sink: &Sink) -> Option<usize> {
    match number.base10_parse::<usize>() {
        Ok(0) => sink.error(
            number,
            "`max_chars = 0` shows nothing of a result; write how many characters a model may see of one",
        ),
        Ok(chars) => return Some(chars),
        Err(_) => sink
            .error(number, "`max_chars` is a number of characters; write for example `max_chars = 20_000`"),
    }
    None
}

fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit())?);
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// The value of a parameter that the model left out.
pub(crate) enum DefaultValue {
    /// `Default::default()` of the parameter's type.
    OfType,
    Expression(Box<Expr>),
}

/// What `#[arg(…)]` says.
pub(crate) struct ArgOptions {
    /// Every option as written, for messages.
    pub(crate) keys: Vec<Ident>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    /// Whether nobody tried to describe the argument here; a misspelled attempt counts as one.
    pub(crate) lacks_description: bool,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) examples: Vec<Expr>,
    pub(crate) limits: Vec<Limit>,
}

impl ArgOptions {
    pub(crate) fn read(attributes: &[Attribute], sink: &Sink) -> Self {
        let reading = options::read_at(A_PARAMETER, &[A_TOOL], attributes, "arg", sink);
        let mut given = Self {
            keys: Vec::new(),
            rename: None,
            description: None,
            lacks_description: reading.lacks("description"),
            default: None,
            examples: Vec::new(),
            limits: Vec::new(),
        };
        for setting in reading.settings {
            given.take(&setting, sink);
            given.keys.push(setting.key);
        }
        given
    }

    fn take(&mut self, setting: &Setting, sink: &Sink) {
        if setting.is("rename") {
            self.rename = setting.string(sink);
        } else if setting.is("description") {
            self.description = setting.text(sink);
        } else if setting.is("default") {
            self.default = match setting.given {
                Given::Flag => Some(DefaultValue::OfType),
                _ => setting.value(sink).map(|value| DefaultValue::Expression(Box::new(value.clone()))),
            };
        } else if setting.is("example") {
            self.examples.extend(setting.value(sink).cloned());
        } else {
            self.limits.extend(limit::read(setting, sink));
        }
    }

    pub(crate) fn flatten(&self) -> Option<&Ident> {
        self.keys.iter().find(|key| *key == "flatten")
    }
}
