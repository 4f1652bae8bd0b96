//! Every name that an expansion writes. Not part of the public interface.

pub use serde;
pub use serde_json::Value;

use serde::Serialize;

pub use crate::error::ParseError;
pub use crate::fragment::{
    Body, ChangedFragment, Channel, ContextFragment, Fields, FragmentSpec, FromText, IntoBody,
    LatestFragment, Legacy, Lifetime, MarkerKey, Memory, OnCompact, OnFork, OnRollback, Overflow,
    ParseFragment, Piece, Pin, Recorded, RetractableFragment, Shared, Slot, changed_since,
};
#[cfg(feature = "mcp")]
pub use crate::mcp::{Client as McpClient, PinnedServer, remote_call};
pub use crate::message::Role;
#[cfg(feature = "http")]
pub use crate::provider::{read_stream, read_whole};
pub use crate::registry::{
    Built, Finding, FragmentEntry, Listed, ListedTool, NONE, OnceBuilt, Registry, RegistrySpec, RetiredKind,
    assert_marker_lock, check_caps, check_kinds, check_markers, check_retired, check_specs, check_tools,
};
pub use crate::tool::described::{
    bytes as description_bytes, length as description_length, text as description,
};
pub use crate::tool::{
    Arguments, CallContext, Limit, Param, Prepared, Provide, Replay, Scalars, Tool, ToolArg, ToolEntry,
    ToolReturn, ToolSpec,
};

/// A default or an example, which the schema states as JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written into a schema",
    label = "cannot be written as JSON",
    note = "derive `polyloop::serde::Serialize` for it, with `#[serde(crate = \"polyloop::serde\")]`"
)]
pub trait ToJson {
    /// Writes the value. What cannot be written is null, which the check of the default then refuses.
    fn to_json(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToJson for T {
    fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// A list of examples.
#[must_use]
pub fn examples<const N: usize>(values: [Value; N]) -> Vec<Value> {
    Vec::from(values)
}
