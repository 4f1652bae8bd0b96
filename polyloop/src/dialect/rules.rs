//! What each reader accepts, as data.

use super::Dialect;

/// What a reader accepts.
#[derive(Debug)]
pub(super) struct Rules {
    /// Every keyword that may come out.
    pub(super) keywords: &'static [&'static str],
    /// The formats of texts that it knows.
    pub(super) formats: &'static [&'static str],
    pub(super) objects: Objects,
    pub(super) tuples: Tuples,
    pub(super) open: Open,
    /// Whether `enum` holds texts only.
    pub(super) words_only: bool,
    pub(super) types: Types,
    pub(super) cycles: Cycles,
    pub(super) keys: Keys,
    pub(super) patterns: Patterns,
    /// The largest `minItems`.
    pub(super) min_items: u64,
    /// How deep objects and lists may be nested.
    pub(super) levels: usize,
    /// Whether an object without properties can be shown.
    pub(super) empty_objects: bool,
    /// Whether something may stand beside `anyOf`.
    pub(super) beside_unions: bool,
}

/// What an object says of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objects {
    /// As its type has it.
    Open,
    /// That there are no others.
    Closed,
    /// That there are no others, and that each is there, so that `null` stands for absence.
    AllRequired,
}

impl Objects {
    pub(super) fn are_closed(self) -> bool {
        self != Self::Open
    }
}

/// Lists of fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tuples {
    /// `prefixItems`, and nothing beside.
    Kept,
    /// `prefixItems`, and `items` for those who look for it.
    KeptWithItems,
    /// An object with a name for each position.
    Named,
}

/// Places that hold any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// A schema that only describes.
    Described,
    /// A definition that lists the types of JSON.
    Spelled,
    /// A text that holds JSON.
    Text,
    Refused,
}

/// Places that hold one of several types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Types {
    /// `type` is a list.
    Listed,
    /// `anyOf`; lists only of scalars.
    Scalars,
    /// `anyOf`.
    One,
    /// `anyOf`, and `nullable` for null.
    Nullable,
}

/// Types that hold themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cycles {
    Kept,
    /// Only below properties that are not required.
    Optional,
    Refused,
}

/// The keys of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    Any,
    /// At the top `[a-zA-Z0-9_.-]{1,64}`.
    PortableTop,
    /// Everywhere `[a-zA-Z_][a-zA-Z0-9_]{0,63}`.
    Identifiers,
}

/// Patterns of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patterns {
    Any,
    /// Without look-around.
    Regular,
    /// From the start to the end, without groups that do not capture and without rare classes.
    Anchored,
}

impl Rules {
    pub(super) fn has(&self, keyword: &str) -> bool {
        self.keywords.contains(&keyword)
    }
}

/// What the drafts of 2020 name and a canonical schema may hold.
const DRAFT: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "contains",
    "default",
    "dependentRequired",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "prefixItems",
    "properties",
    "required",
    "type",
];

const TEXT_FORMATS: &[&str] = &["date", "date-time", "email", "time", "uri", "uuid"];

const PLAIN: Rules = Rules {
    keywords: DRAFT,
    formats: TEXT_FORMATS,
    objects: Objects::Open,
    tuples: Tuples::KeptWithItems,
    open: Open::Described,
    words_only: false,
    types: Types::Listed,
    cycles: Cycles::Kept,
    keys: Keys::Any,
    patterns: Patterns::Any,
    min_items: u64::MAX,
    levels: usize::MAX,
    empty_objects: true,
    beside_unions: true,
};

const MCP: Rules = PLAIN;

const ANTHROPIC: Rules = Rules { keys: Keys::PortableTop, ..PLAIN };

const OPENAI: Rules = Rules {
    keywords: &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "pattern",
        "prefixItems",
        "properties",
        "required",
        "type",
    ],
    ..PLAIN
};

const OPENAI_STRICT: Rules = Rules {
    keywords: &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "properties",
        "required",
        "type",
    ],
    formats: &["date", "date-time", "email", "time", "uuid"],
    objects: Objects::AllRequired,
    tuples: Tuples::Named,
    open: Open::Refused,
    types: Types::Scalars,
    patterns: Patterns::Regular,
    levels: 10,
    ..PLAIN
};

const ANTHROPIC_STRICT: Rules = Rules {
    keywords: &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "minItems",
        "pattern",
        "properties",
        "required",
        "type",
    ],
    objects: Objects::Closed,
    tuples: Tuples::Named,
    open: Open::Refused,
    types: Types::Scalars,
    cycles: Cycles::Refused,
    keys: Keys::PortableTop,
    patterns: Patterns::Regular,
    min_items: 1,
    ..PLAIN
};

const GEMINI: Rules = Rules {
    keywords: &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "properties",
        "required",
        "type",
    ],
    formats: &["date", "date-time", "time"],
    tuples: Tuples::Named,
    words_only: true,
    types: Types::One,
    cycles: Cycles::Optional,
    keys: Keys::Identifiers,
    ..PLAIN
};

const GEMINI_OPENAPI: Rules = Rules {
    keywords: &[
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "required",
        "type",
    ],
    formats: &["date-time"],
    open: Open::Text,
    types: Types::Nullable,
    cycles: Cycles::Refused,
    patterns: Patterns::Regular,
    empty_objects: false,
    beside_unions: false,
    ..GEMINI
};

const LLAMA_CPP: Rules = Rules {
    keywords: &[
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "minItems",
        "minLength",
        "pattern",
        "prefixItems",
        "properties",
        "required",
        "type",
    ],
    formats: &["date", "date-time", "time", "uuid"],
    tuples: Tuples::Kept,
    open: Open::Spelled,
    types: Types::One,
    patterns: Patterns::Anchored,
    ..PLAIN
};

/// The rules of a dialect; none for the canonical form.
pub(super) fn of(dialect: Dialect) -> Option<&'static Rules> {
    match dialect {
        Dialect::Canonical => None,
        Dialect::OpenAiStrict => Some(&OPENAI_STRICT),
        Dialect::OpenAi => Some(&OPENAI),
        Dialect::AnthropicStrict => Some(&ANTHROPIC_STRICT),
        Dialect::Anthropic => Some(&ANTHROPIC),
        Dialect::Gemini => Some(&GEMINI),
        Dialect::GeminiOpenApi => Some(&GEMINI_OPENAPI),
        Dialect::LlamaCpp => Some(&LLAMA_CPP),
        Dialect::Mcp => Some(&MCP),
    }
}
