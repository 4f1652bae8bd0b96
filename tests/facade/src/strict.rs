//! What another crate can see of the macros' work, under the strictest lints.
#![deny(
    warnings,
    missing_docs,
    unreachable_pub,
    unnameable_types,
    missing_debug_implementations,
    missing_copy_implementations,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    trivial_casts,
    let_underscore_drop,
    deprecated,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::absolute_paths,
    clippy::missing_docs_in_private_items,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::min_ident_chars,
    clippy::missing_trait_methods,
    clippy::question_mark_used,
    clippy::pattern_type_mismatch,
    clippy::wildcard_enum_match_arm,
    clippy::as_conversions,
    clippy::default_numeric_fallback,
    clippy::std_instead_of_core,
    clippy::alloc_instead_of_core,
    clippy::panic,
    clippy::unreachable,
    clippy::redundant_pub_crate,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason
)]
use std::fmt;

use renamed::{CallContext, ContextFragment, Key, State, registry, tool, toolbox};

/// Where the work stands.
#[derive(Clone, Debug, ContextFragment, renamed::serde::Serialize, renamed::serde::Deserialize)]
#[serde(crate = "renamed::serde")]
#[fragment(crate = renamed, role = user, markers("<standing_{area}>", "</standing_{area}>"), max_chars = 100)]
#[fragment(lifetime = latest, absent = "Gone.", state, change = changed, body = "{done} of {all}{note}")]
pub struct Standing {
    /// Which area.
    #[serde(skip, default = "area")]
    pub area: Area,
    /// How much is done.
    pub done: u32,
    /// How much there is.
    pub all: u32,
    /// What there was.
    #[deprecated = "nobody reads it"]
    #[fragment(raw)]
    pub note: String,
}

/// The one area.
#[derive(Clone, Copy, Debug)]
pub struct Area;

impl renamed::MarkerKey for Area {
    fn as_key(&self) -> &'static str {
        "one"
    }
}

/// The area of a value that was read from its state.
const fn area() -> Area {
    Area
}

/// Says how far the work got, or nothing where it went back.
fn changed(earlier: &Standing, now: &Standing) -> Option<renamed::Body> {
    (now.done >= earlier.done).then(|| renamed::Body::new().value(now.done))
}

/// A fragment of another key.
#[derive(Debug, ContextFragment)]
#[fragment(crate = renamed, role = user, markers("<keyed_{key}>", "</keyed_{key}>"), max_chars = 100)]
#[fragment(body = "{value}")]
pub struct Keyed<T: Clone> {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: T,
}

/// What is new.
#[derive(Debug, ContextFragment)]
#[fragment(crate = renamed, role = developer, unmarked = "short", slot = turn, lifetime = once, max_chars = 50)]
pub enum News {
    /// Somebody came.
    #[fragment(body = "{who} came")]
    Came {
        /// The name.
        who: String,
    },
    /// Somebody left.
    #[deprecated = "nobody leaves"]
    #[fragment(body = "{0} left")]
    Left(String),
    /// Nothing is new.
    #[fragment(body = nothing)]
    Nothing,
}

/// Says that nothing happened.
fn nothing(_: &News) -> String {
    "nothing is new".to_owned()
}

/// Guidance from outside.
#[derive(Debug, ContextFragment)]
#[fragment(crate = renamed, slot = injection, max_chars = 100, body = "{text}")]
pub struct Guidance {
    /// The id.
    #[fragment(id)]
    pub id: u64,
    /// The channel.
    #[fragment(channel)]
    pub channel: String,
    /// Not shown.
    #[fragment(skip)]
    pub hidden: bool,
    /// The text.
    pub text: String,
}

/// What the tools borrow.
#[derive(Clone, Copy, Debug, State)]
#[state(crate = renamed)]
pub struct Office {
    /// The desk.
    pub desk: Desk,
    /// The number of the room.
    #[deprecated = "rooms have names"]
    pub room: u64,
}

/// A desk with drawers.
#[derive(Clone, Copy, Debug)]
pub struct Desk {
    /// How many drawers.
    pub drawers: u8,
}

/// Opens a drawer.
///
/// # Errors
///
/// When there is no such drawer.
#[tool(crate = renamed, replay = safe, concurrent, timeout = "1s", read_only, idempotent)]
pub async fn open(
    #[state] desk: &Desk,
    #[state] room: &u64,
    #[call] call: &CallContext,
    /// Which drawer.
    #[arg(range(1..=9), example = 1, default = 1)]
    drawer: u8,
    /// The language of the answer.
    language: Option<String>,
    /// The colour.
    #[arg(default, length(..=20), pattern = "^[a-z]*$")]
    colour: String,
) -> Result<String, fmt::Error> {
    call.progress("opening");
    if drawer > desk.drawers { Err(fmt::Error) } else { Ok(format!("{room} {language:?} {colour}")) }
}

/// Closes everything.
#[deprecated = "drawers close themselves"]
#[tool(crate = renamed, completes_run, approval, destructive, open_world, hidden, lenient)]
#[must_use]
pub async fn close() -> String {
    String::new()
}

/// Searches.
#[tool(crate = renamed, schema_only)]
pub async fn search(
    /// For what.
    query: String,
) -> String;

#[toolbox(crate = renamed)]
impl Desk {
    /// Counts the drawers.
    #[tool]
    pub async fn count(&self) -> String {
        self.drawers.to_string()
    }

    /// Looks below.
    #[tool(name = "look_below")]
    #[deprecated = "there is nothing"]
    pub async fn below(
        &self,
        /** How deep. */
        depth: u8,
    ) -> &'static str {
        if depth > self.drawers { "floor" } else { "nothing" }
    }

    /// Looks at it; only here.
    #[tool]
    async fn look(&self) -> &'static str {
        if self.drawers > 0 { "a desk" } else { "a table" }
    }
}

registry! {
    /// Everything of the office.
    #[derive(PartialEq, Eq)]
    pub struct Strict {
        crate: renamed,
        state: Office,
        fragments: [
            Standing, Keyed<String>, News,
            /// Has a doc comment of its own.
            Guidance as Advice,
        ],
        tools: [open, close, desk_tools::count, desk_tools::below, desk_tools::look],
        max_chars: 10_000,
    }
}

registry! {
    /// What an executor of one's own carries out.
    pub struct Searching {
        crate: renamed,
        tools: [search],
    }
}
