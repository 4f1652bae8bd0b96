//! The options of `#[state(…)]`.

use syn::Attribute;

use crate::common::options::{Place, Reading, Row, Shape, read_at};
use crate::common::sink::Sink;

const TYPE: &[Row] = &[("crate", Shape::Value, "crate = path")];
const FIELD: &[Row] = &[("skip", Shape::Flag, "skip")];

const ON_TYPE: Place = Place { name: "the type", table: TYPE };
const ON_FIELD: Place = Place { name: "a field", table: FIELD };

/// What the attributes of the type say.
pub(crate) fn read_type(attributes: &[Attribute], sink: &Sink) -> Reading {
    read_at(ON_TYPE, &[ON_FIELD], attributes, "state", sink)
}

/// What the attributes of a field say.
pub(crate) fn read_field(attributes: &[Attribute], sink: &Sink) -> Reading {
    read_at(ON_FIELD, &[ON_TYPE], attributes, "state", sink)
}
