//! Random types as Rust has them: the schema that a derive gives for each, and values of it.

use serde_json::{Map, Value, json};

use crate::shapes::{alternatives, calculated, expression, grown, nullable, tree, variant};

/// Choices, taken one after the other; when they are used up, the first one is always taken.
pub(crate) struct Tape<'t> {
    bytes: std::slice::Iter<'t, u8>,
}

impl<'t> Tape<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    /// A number below `count`.
    pub(crate) fn choose(&mut self, count: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or_default()) % count
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.choose(all.len())]
    }
}

/// How an enum with data is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tagging {
    External,
    Internal,
    Adjacent,
    Untagged,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    name: &'static str,
    of: Type,
    /// `#[serde(default)]`
    has_default: bool,
    doc: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub(crate) enum Payload {
    Unit,
    One(Type),
    Fields(Vec<Field>),
}

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Bool,
    Byte,
    Signed,
    Float,
    Text,
    Word {
        least: u64,
        most: u64,
    },
    Unit,
    Any,
    Option(Box<Type>),
    List(Box<Type>),
    Set,
    Tuple(Vec<Type>),
    Map(Box<Type>),
    /// Keys are integers.
    Numbered(Box<Type>),
    Units {
        documented: bool,
    },
    Numbers,
    Struct(Vec<Field>),
    /// A struct with a flattened map.
    Further(Vec<Field>, Box<Type>),
    /// A struct with a flattened enum.
    Beside(Vec<Field>, Vec<(&'static str, Payload)>),
    Enum(Tagging, Vec<(&'static str, Payload)>),
    /// A type that holds itself.
    Tree,
    /// A type that must hold itself.
    Expression,
}

const NAMES: [&str; 19] = [
    "a",
    "b",
    "c",
    "key",
    "value",
    "kind",
    "type",
    "properties",
    "required",
    "enum",
    "format",
    "title",
    "$ref",
    "entries",
    "item_1",
    "$top",
    "filter[id]",
    "with space",
    "a_key_of_more_than_sixty_four_characters_which_not_every_reader_takes_as_it_is",
];
const VARIANTS: [&str; 4] = ["First", "Second", "Third", "Fourth"];
const WORDS: [&str; 6] = ["", "x", "key", "true", "1", "two words"];
const DOCS: [Option<&str>; 3] = [None, Some("A thing."), Some("Another.\nIn two lines.")];

impl Type {
    pub(crate) fn random(tape: &mut Tape<'_>, depth: usize) -> Self {
        let inner = |tape: &mut Tape<'_>| Box::new(Self::random(tape, depth - 1));
        let kinds = if depth == 0 { 10 } else { 23 };
        match tape.choose(kinds) {
            0 => Self::Bool,
            1 => Self::Byte,
            2 => Self::Signed,
            3 => Self::Float,
            4 => Self::Text,
            5 => Self::Word { least: 1, most: 9 },
            6 => Self::Units { documented: tape.choose(2) == 1 },
            7 => Self::Numbers,
            8 => Self::Unit,
            9 => Self::Set,
            10 => Self::Option(inner(tape)),
            11 => Self::List(inner(tape)),
            12 => Self::Tuple((0..=tape.choose(3)).map(|_| Self::random(tape, depth - 1)).collect()),
            13 => Self::Map(inner(tape)),
            14 => Self::Numbered(inner(tape)),
            15 | 16 => Self::Struct(fields(tape, depth)),
            17 => Self::Further(fields(tape, depth), inner(tape)),
            18 => {
                let fields = fields(tape, depth);
                let mut variants = variants(tape, depth, Tagging::Internal);
                for (_, payload) in &mut variants {
                    payload.drop_names(&fields);
                }
                Self::Beside(fields, variants)
            }
            19 | 20 => {
                let tagging =
                    tape.pick(&[Tagging::External, Tagging::Internal, Tagging::Adjacent, Tagging::Untagged]);
                Self::Enum(tagging, variants(tape, depth, tagging))
            }
            21 => tape.pick(&[&Self::Tree, &Self::Tree, &Self::Expression]).clone(),
            _ => Self::Any,
        }
    }

    /// The arguments of a tool.
    pub(crate) fn arguments(tape: &mut Tape<'_>) -> Self {
        Self::Struct(fields(tape, 3))
    }

    /// The schema of a tool with these arguments, as the macros make it of what a derive gives.
    pub(crate) fn root(&self) -> Value {
        let mut root = self.schema();
        root["additionalProperties"] = json!(false);
        let text = root.to_string();
        if text.contains("#/$defs/") {
            root["$defs"] = json!({ "Tree": tree(), "Expression": expression() });
        }
        root
    }

    fn schema(&self) -> Value {
        match self {
            Self::Bool => json!({ "type": "boolean" }),
            Self::Byte => json!({ "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255 }),
            Self::Signed => json!({ "type": "integer", "format": "int64" }),
            Self::Float => json!({ "type": "number", "format": "double" }),
            Self::Text => json!({ "type": "string" }),
            Self::Word { least, most } => json!({ "type": "string", "minLength": least, "maxLength": most }),
            Self::Unit => json!({ "type": "null" }),
            Self::Any => json!(true),
            Self::Option(inner) => nullable(inner.schema()),
            Self::List(inner) => json!({ "type": "array", "items": inner.schema() }),
            Self::Set => json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }),
            Self::Tuple(positions) => json!({
                "type": "array", "prefixItems": positions.iter().map(Self::schema).collect::<Vec<_>>(),
                "minItems": positions.len(), "maxItems": positions.len(),
            }),
            Self::Map(inner) => json!({ "type": "object", "additionalProperties": inner.schema() }),
            Self::Numbered(inner) => json!({
                "type": "object", "additionalProperties": false, "patternProperties": { r"^\d+$": inner.schema() },
            }),
            Self::Units { documented: false } => json!({ "type": "string", "enum": VARIANTS }),
            Self::Units { documented: true } => json!({ "oneOf": [
                { "type": "string", "enum": ["First", "Second"] },
                { "type": "string", "const": "Third", "description": "The third." },
            ] }),
            Self::Numbers => json!({ "type": "integer", "enum": [1, 2, 30] }),
            Self::Struct(fields) => object(fields, None),
            Self::Further(fields, inner) => {
                let mut schema = object(fields, None);
                schema["additionalProperties"] = inner.schema();
                schema
            }
            Self::Beside(fields, variants) => {
                let mut schema = object(fields, None);
                schema["oneOf"] = variants.iter().map(internal).collect();
                schema
            }
            Self::Enum(tagging, variants) => alternatives(*tagging, variants),
            Self::Tree => json!({ "$ref": "#/$defs/Tree" }),
            Self::Expression => json!({ "$ref": "#/$defs/Expression" }),
        }
    }

    /// A value of the type.
    pub(crate) fn value(&self, tape: &mut Tape<'_>) -> Value {
        match self {
            Self::Bool => json!(tape.choose(2) == 1),
            Self::Byte => json!(tape.choose(256)),
            Self::Signed => {
                tape.pick(&[json!(0), json!(-1), json!(i64::MIN), json!(i64::MAX)].each_ref()).clone()
            }
            Self::Float => tape.pick(&[json!(0.5), json!(-1e300), json!(3), json!(0.1)].each_ref()).clone(),
            Self::Text => json!(tape.pick(&WORDS)),
            Self::Word { .. } => json!(tape.pick(&["x", "äöü", "123456789"])),
            Self::Any => tape
                .pick(&[json!(null), json!(1), json!("[1]"), json!([{}]), json!({ "key": "a" })].each_ref())
                .clone(),
            Self::Option(inner) if tape.choose(2) == 1 => inner.value(tape),
            Self::Unit | Self::Option(_) => Value::Null,
            Self::List(inner) => (0..tape.choose(3)).map(|_| inner.value(tape)).collect(),
            Self::Set => WORDS.iter().take(tape.choose(4)).copied().map(Value::from).collect(),
            Self::Tuple(positions) => positions.iter().map(|position| position.value(tape)).collect(),
            Self::Map(inner) => {
                (0..tape.choose(3)).map(|_| (tape.pick(&NAMES).to_owned(), inner.value(tape))).collect()
            }
            Self::Numbered(inner) => {
                (0..tape.choose(3)).map(|at| (at.to_string(), inner.value(tape))).collect()
            }
            Self::Units { documented } => json!(VARIANTS[tape.choose(if *documented { 3 } else { 4 })]),
            Self::Numbers => json!(tape.pick(&[1, 2, 30])),
            Self::Struct(fields) => Value::Object(members(fields, tape)),
            Self::Further(fields, inner) => {
                let mut all = members(fields, tape);
                for _ in 0..tape.choose(3) {
                    let name = tape.pick(&NAMES);
                    let value = inner.value(tape);
                    if !fields.iter().any(|field| field.name == name) {
                        all.insert(name.to_owned(), value);
                    }
                }
                Value::Object(all)
            }
            Self::Beside(fields, variants) => {
                let mut all = members(fields, tape);
                let (name, payload) = &variants[tape.choose(variants.len())];
                all.insert("tag".to_owned(), json!(name));
                all.extend(payload.members(tape));
                Value::Object(all)
            }
            Self::Enum(tagging, variants) => {
                let (name, payload) = &variants[tape.choose(variants.len())];
                variant(*tagging, name, payload, tape)
            }
            Self::Tree => grown(tape, 3),
            Self::Expression => calculated(tape, 3),
        }
    }
}

impl Payload {
    pub(crate) fn value(&self, tape: &mut Tape<'_>) -> Value {
        match self {
            Self::Unit => Value::Null,
            Self::One(inner) => inner.value(tape),
            Self::Fields(fields) => Value::Object(members(fields, tape)),
        }
    }

    pub(crate) fn schema(&self) -> Value {
        match self {
            Self::Unit => json!({ "type": "null" }),
            Self::One(inner) => inner.schema(),
            Self::Fields(fields) => object(fields, None),
        }
    }

    /// No two fields of one object have the same name.
    fn drop_names(&mut self, taken: &[Field]) {
        if let Self::Fields(fields) = self {
            fields.retain(|field| !taken.iter().any(|other| other.name == field.name));
        }
    }

    pub(crate) fn members(&self, tape: &mut Tape<'_>) -> Map<String, Value> {
        match self {
            Self::Fields(fields) => members(fields, tape),
            Self::Unit | Self::One(_) => Map::new(),
        }
    }
}

fn fields(tape: &mut Tape<'_>, depth: usize) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for _ in 0..tape.choose(5) {
        let name = tape.pick(&NAMES);
        let of = Type::random(tape, depth - 1);
        let (has_default, doc) = (tape.choose(4) == 1, tape.pick(&DOCS));
        if !fields.iter().any(|field| field.name == name) {
            fields.push(Field { name, of, has_default, doc });
        }
    }
    fields
}

fn variants(tape: &mut Tape<'_>, depth: usize, tagging: Tagging) -> Vec<(&'static str, Payload)> {
    let count = 1 + tape.choose(VARIANTS.len());
    let payload = |tape: &mut Tape<'_>| match tape.choose(3) {
        0 => Payload::Unit,
        // The inside of a newtype stands beside the tag, so it must be a struct.
        1 if !matches!(tagging, Tagging::Internal) => Payload::One(Type::random(tape, depth - 1)),
        _ => Payload::Fields(fields(tape, depth)),
    };
    VARIANTS.into_iter().take(count).map(|name| (name, payload(tape))).collect()
}

/// An object with these fields, and a tag before them.
pub(crate) fn object(fields: &[Field], tag: Option<(&str, &str)>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some((name, value)) = tag {
        properties.insert(name.to_owned(), json!({ "type": "string", "const": value }));
        required.push(json!(name));
    }
    for field in fields {
        let mut schema = field.of.schema();
        if let (Some(doc), Some(node)) = (field.doc, schema.as_object_mut()) {
            node.insert("description".to_owned(), json!(doc));
        }
        properties.insert(field.name.to_owned(), schema);
        if !field.is_optional() {
            required.push(json!(field.name));
        }
    }
    let mut schema = json!({ "type": "object" });
    if !properties.is_empty() {
        schema["properties"] = Value::Object(properties);
    }
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    schema
}

impl Field {
    fn is_optional(&self) -> bool {
        self.has_default || matches!(self.of, Type::Option(_))
    }
}

fn members(fields: &[Field], tape: &mut Tape<'_>) -> Map<String, Value> {
    let mut members = Map::new();
    for field in fields {
        let is_left_out = field.is_optional() && tape.choose(2) == 1;
        let value = field.of.value(tape);
        // What may be absent is never null in the canonical form.
        if !(field.is_optional() && (is_left_out || value.is_null())) {
            members.insert(field.name.to_owned(), value);
        }
    }
    members
}

pub(crate) fn internal((name, payload): &(&str, Payload)) -> Value {
    let none = Vec::new();
    let fields = if let Payload::Fields(fields) = payload { fields } else { &none };
    object(fields, Some(("tag", name)))
}
