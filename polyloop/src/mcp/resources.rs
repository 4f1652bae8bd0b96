//! Fragments that a person may see, as resources.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

use rmcp::model::{ReadResourceResult, Resource, ResourceContents};

use super::error::McpError;
use crate::fragment::FragmentSpec;
use crate::registry::{Registered, Registry};

/// The fragments that a server shows as resources; clones are the same set.
///
/// A server has no session, so it does not know which fragments hold now: its host says so, by value. Each text is what a model
/// would be told, markers and all, and each type must be registered and `visible`.
///
/// The address of a resource is `polyloop://fragment/`, the fragment's kind and, where it has a key, `/` and the key. A value with
/// the same address replaces the one before.
pub struct Resources<R> {
    shown: Arc<RwLock<BTreeMap<String, Shown>>>,
    registry: PhantomData<fn() -> R>,
}

/// One resource.
struct Shown {
    name: String,
    text: Arc<str>,
}

impl<R: Registry> Resources<R> {
    pub(super) fn new() -> Self {
        Self { shown: Arc::default(), registry: PhantomData }
    }

    /// Shows a fragment, and returns its address.
    ///
    /// # Errors
    ///
    /// When its type is not `visible`, or it cannot be rendered.
    pub fn show<F: Registered<R>>(&self, fragment: &F) -> Result<String, McpError> {
        let rendered = R::render(fragment)?;
        let uri = address(&F::SPEC, rendered.id());
        self.put(uri.clone(), &F::SPEC, rendered.id(), rendered.text())?;
        Ok(uri)
    }

    /// Shows a fragment at an address of the host's own.
    ///
    /// # Errors
    ///
    /// When its type is not `visible`, or it cannot be rendered.
    pub fn show_at<F: Registered<R>>(&self, uri: impl Into<String>, fragment: &F) -> Result<(), McpError> {
        let rendered = R::render(fragment)?;
        self.put(uri.into(), &F::SPEC, rendered.id(), rendered.text())
    }

    /// Stops showing what stands at an address; tells whether something did.
    pub fn hide(&self, uri: &str) -> bool {
        self.shown.write().unwrap_or_else(PoisonError::into_inner).remove(uri).is_some()
    }

    fn put(&self, uri: String, spec: &FragmentSpec, id: Option<&str>, text: &str) -> Result<(), McpError> {
        if !spec.visible {
            return Err(McpError::NotVisible { kind: spec.kind, type_name: spec.type_name });
        }
        let name = id.map_or_else(|| spec.kind.to_owned(), |id| format!("{}/{id}", spec.kind));
        let shown = Shown { name, text: text.into() };
        self.shown.write().unwrap_or_else(PoisonError::into_inner).insert(uri, shown);
        Ok(())
    }

    /// All of them, by address.
    pub(super) fn list(&self) -> Vec<Resource> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        let resource = |(uri, shown): (&String, &Shown)| {
            Resource::new(uri, &shown.name)
                .with_mime_type(PLAIN)
                .with_size(u64::try_from(shown.text.len()).unwrap_or(u64::MAX))
        };
        shown.iter().map(resource).collect()
    }

    /// The text at an address.
    pub(super) fn read(&self, uri: &str) -> Option<ReadResourceResult> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        let text = shown.get(uri)?.text.to_string();
        Some(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
    }
}

/// The media type of every fragment.
const PLAIN: &str = "text/plain";

fn address(spec: &FragmentSpec, id: Option<&str>) -> String {
    let letter = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let key = id.map(|id| id.bytes().map(letter).collect::<String>());
    let key = key.map(|key| format!("/{key}")).unwrap_or_default();
    format!("polyloop://fragment/{}{key}", spec.kind)
}

impl<R> Clone for Resources<R> {
    fn clone(&self) -> Self {
        Self { shown: self.shown.clone(), registry: PhantomData }
    }
}

impl<R> fmt::Debug for Resources<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        formatter.debug_set().entries(shown.keys()).finish()
    }
}
