//! The options of `#[fragment(…)]`: which there are, where each belongs, and what the type's say.

use syn::{Attribute, ExprPath, LitStr, Path};

use super::value::{Marker, Number, Pair, Rank, Slot, Template, read_function, read_overflow, read_reason};
use super::words::{Lifetime, Memory, OnCompact, OnFork, OnRollback, Overflow, Pin, Role, Word};
use crate::common::options::{Place, Reading, Row, Shape, read_at};
use crate::common::sink::Sink;

const TYPE: &[Row] = &[
    ("kind", Shape::Value, "kind = \"feature.name\""),
    ("was", Shape::Values, "was = \"old.kind\""),
    ("role", Shape::Value, "role = user"),
    ("markers", Shape::List, "markers(\"<begin>\", \"</end>\")"),
    ("unmarked", Shape::FlagOrValue, "unmarked = \"why\""),
    ("legacy", Shape::Lists, "legacy(\"<begin>\", \"</end>\")"),
    ("legacy_prefix", Shape::Values, "legacy_prefix = \"…\""),
    ("standalone", Shape::Flag, "standalone"),
    ("slot", Shape::Value, "slot = run"),
    ("rank", Shape::Value, "rank = 1"),
    ("pin", Shape::Value, "pin = top"),
    ("lifetime", Shape::Value, "lifetime = latest"),
    ("absent", Shape::Value, "absent = \"…\""),
    ("never_retracted", Shape::FlagOrValue, "never_retracted = \"why\""),
    ("visible", Shape::Flag, "visible"),
    ("on_compact", Shape::Value, "on_compact = keep"),
    ("on_fork", Shape::Value, "on_fork = keep"),
    ("change", Shape::Value, "change = path"),
    ("state", Shape::Flag, "state"),
    ("on_rollback", Shape::Value, "on_rollback = trim"),
    ("memory", Shape::Value, "memory = include"),
    ("max_chars", Shape::Value, "max_chars = 2_000"),
    ("large", Shape::FlagOrValue, "large = \"why\""),
    ("at_most", Shape::Value, "at_most = 8"),
    ("overflow", Shape::Value, "overflow = cut(tail)"),
    ("notice", Shape::Value, "notice = \"… {left_out} …\""),
    ("raw", Shape::Flag, "raw"),
    ("body", Shape::Value, "body = \"…\""),
    ("crate", Shape::Value, "crate = path"),
];

const VARIANT: &[Row] = &[("body", Shape::Value, "body = \"…\"")];

const FIELD: &[Row] = &[
    ("id", Shape::Flag, "id"),
    ("channel", Shape::Flag, "channel"),
    ("skip", Shape::Flag, "skip"),
    ("raw", Shape::Flag, "raw"),
];

const ON_TYPE: Place = Place { name: "the type", table: TYPE };
const ON_VARIANT: Place = Place { name: "a variant", table: VARIANT };
const ON_FIELD: Place = Place { name: "a field", table: FIELD };

/// What the attributes of the type say.
pub(crate) struct Options {
    /// As written; tells also what was not given at all.
    pub(crate) reading: Reading,
    pub(crate) krate: Option<Path>,
    pub(crate) kind: Option<LitStr>,
    pub(crate) was: Vec<LitStr>,
    pub(crate) role: Option<Word<Role>>,
    pub(crate) markers: Option<Pair>,
    pub(crate) unmarked: Option<LitStr>,
    pub(crate) legacy: Vec<Pair>,
    pub(crate) legacy_prefix: Vec<Marker>,
    pub(crate) slot: Option<Slot>,
    pub(crate) rank: Option<Rank>,
    pub(crate) pin: Option<Word<Pin>>,
    pub(crate) lifetime: Option<Word<Lifetime>>,
    pub(crate) absent: Option<LitStr>,
    pub(crate) never_retracted: Option<LitStr>,
    pub(crate) on_compact: Option<Word<OnCompact>>,
    pub(crate) on_fork: Option<Word<OnFork>>,
    pub(crate) change: Option<ExprPath>,
    pub(crate) on_rollback: Option<Word<OnRollback>>,
    pub(crate) memory: Option<Word<Memory>>,
    pub(crate) max_chars: Option<Number>,
    pub(crate) large: Option<LitStr>,
    pub(crate) at_most: Option<Number>,
    pub(crate) overflow: Option<Word<Overflow>>,
    pub(crate) notice: Option<Template>,
}

impl Options {
    pub(crate) fn read(attributes: &[Attribute], sink: &Sink) -> Self {
        let reading = read_at(ON_TYPE, &[ON_FIELD], attributes, "fragment", sink);
        let get = |name| reading.get(name);
        let string = |name| get(name).and_then(|setting| setting.string(sink));
        let reason = |name| get(name).and_then(|setting| read_reason(setting, sink));
        let number = |name| get(name).and_then(|setting| Number::read(setting, sink));
        Self {
            krate: get("crate").and_then(|setting| setting.path(sink)),
            kind: string("kind"),
            was: reading.all("was").filter_map(|setting| setting.string(sink)).collect(),
            role: get("role").and_then(|setting| Word::read(setting, sink)),
            markers: get("markers").and_then(|setting| Pair::read(setting, sink)),
            unmarked: reason("unmarked"),
            legacy: reading.all("legacy").filter_map(|setting| Pair::read(setting, sink)).collect(),
            legacy_prefix: reading
                .all("legacy_prefix")
                .filter_map(|setting| Some(Marker::read(setting.string(sink)?, sink)))
                .collect(),
            slot: get("slot").and_then(|setting| Slot::read(setting, sink)),
            rank: get("rank").and_then(|setting| Rank::read(setting, sink)),
            pin: get("pin").and_then(|setting| Word::read(setting, sink)),
            lifetime: get("lifetime").and_then(|setting| Word::read(setting, sink)),
            absent: string("absent"),
            never_retracted: reason("never_retracted"),
            on_compact: get("on_compact").and_then(|setting| Word::read(setting, sink)),
            on_fork: get("on_fork").and_then(|setting| Word::read(setting, sink)),
            change: get("change").and_then(|setting| read_function(setting, sink)),
            on_rollback: get("on_rollback").and_then(|setting| Word::read(setting, sink)),
            memory: get("memory").and_then(|setting| Word::read(setting, sink)),
            max_chars: number("max_chars"),
            large: reason("large"),
            at_most: number("at_most"),
            overflow: get("overflow").and_then(|setting| read_overflow(setting, sink)),
            notice: string("notice").map(|literal| Template::read(literal, sink)),
            reading,
        }
    }

    pub(crate) fn has(&self, flag: &str) -> bool {
        self.reading.has(flag)
    }

    pub(crate) fn is_latest(&self) -> bool {
        self.lifetime.as_ref().is_some_and(|lifetime| lifetime.value == Lifetime::Latest)
    }

    pub(crate) fn is_injection(&self) -> bool {
        matches!(self.slot, Some(Slot::Named(_) | Slot::ByField(_)))
    }
}

/// What the attributes of a variant say.
pub(crate) fn read_variant(attributes: &[Attribute], sink: &Sink) -> Reading {
    read_at(ON_VARIANT, &[ON_FIELD, ON_TYPE], attributes, "fragment", sink)
}

/// What the attributes of a field say.
pub(crate) fn read_field(attributes: &[Attribute], sink: &Sink) -> Reading {
    read_at(ON_FIELD, &[ON_TYPE], attributes, "fragment", sink)
}
