//! Every name that an expansion writes. Not part of the public interface.

pub use serde;
pub use serde_json::Value;

use serde::Serialize;

pub use crate::error::ParseError;
pub use crate::fragment::{
    Body, ChangedFragment, Channel, ContextFragment, Fields, FragmentSpec, FromText, IntoBody, Legacy,
    Lifetime, MarkerKey, Memory, OnCompact, OnFork, OnRollback, Overflow, ParseFragment, Piece, Pin, Slot,
};
pub use crate::message::Role;
pub use crate::registry::{
    Built, Finding, FragmentEntry, NONE, OnceBuilt, Registered, RegisteredTool, Registry, RegistrySpec,
    assert_marker_lock, check_caps, check_kinds, check_markers, check_specs, check_tools,
};
pub use crate::tool::{
    Arguments, CallContext, Limit, Param, Prepared, Provide, Replay, Scalars, Tool, ToolEntry, ToolReturn,
    ToolSpec,
};

/// A default or example as JSON. What cannot be written is null, which the check of the default then refuses.
#[must_use]
pub fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// A list of examples.
#[must_use]
pub fn examples<const N: usize>(values: [Value; N]) -> Vec<Value> {
    Vec::from(values)
}
