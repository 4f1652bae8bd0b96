//! Names of tools from elsewhere, as every reader takes them.

use std::collections::BTreeMap;

use super::keys::portable_key;
use crate::error::NameCollision;

/// The names of another program's tools and those under which a model calls them: `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`.
///
/// ```
/// let names = polyloop::ToolNames::new(["files.read", "list"])?;
/// assert_eq!(names.portable("files.read"), Some("files_read"));
/// assert_eq!(names.original("files_read"), Some("files.read"));
/// # Ok::<(), polyloop::NameCollision>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolNames {
    originals: BTreeMap<String, String>,
    portables: BTreeMap<String, String>,
}

impl ToolNames {
    /// Maps names both ways; a name that every reader takes stays as it is.
    ///
    /// # Errors
    ///
    /// When two names would become the same.
    pub fn new<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<Self, NameCollision> {
        let mut mapped = Self::default();
        for name in names {
            let name = name.as_ref();
            let portable = portable_key(name, b"_-", true);
            if let Some(other) = mapped.originals.insert(portable.clone(), name.to_owned())
                && other != name
            {
                return Err(NameCollision::new(&other, name, &portable));
            }
            mapped.portables.insert(name.to_owned(), portable);
        }
        Ok(mapped)
    }

    /// Returns the name under which a model calls a tool.
    #[must_use]
    pub fn portable(&self, original: &str) -> Option<&str> {
        self.portables.get(original).map(String::as_str)
    }

    /// Returns the tool's own name.
    #[must_use]
    pub fn original(&self, portable: &str) -> Option<&str> {
        self.originals.get(portable).map(String::as_str)
    }
}
