//! Asks a type what it makes of an absent argument.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Deserializes nothing: an option visits none, a wrapper asks what it wraps, everything else fails.
///
/// So an alias of `Option` or a newtype around one is as optional as the original; nothing is read from how a type
/// is spelled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Absent;

/// The error of a type that accepts no missing value.
#[derive(Debug)]
pub(crate) struct Missing;

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("missing")
    }
}

impl std::error::Error for Missing {}

impl de::Error for Missing {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl<'de> Deserializer<'de> for Absent {
    type Error = Missing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Missing> {
        Err(Missing)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Missing> {
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Missing> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}
