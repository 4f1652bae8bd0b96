//! A call whose arguments are right.

use std::fmt;

use super::call::Prepared;
use super::spec::ToolSpec;

/// A call whose arguments are right.
pub struct CheckedCall<S: ?Sized> {
    pub(super) spec: &'static ToolSpec,
    pub(super) prepared: Prepared<S>,
    pub(super) arguments: String,
}

impl<S: ?Sized> fmt::Debug for CheckedCall<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CheckedCall").field(&self.spec.name).finish()
    }
}

impl<S: ?Sized> CheckedCall<S> {
    /// Returns the tool's description.
    #[must_use]
    pub fn spec(&self) -> &'static ToolSpec {
        self.spec
    }

    /// Returns the effective arguments, as the text of a JSON object: in the order of the parameters, with the default of each
    /// argument that is missing, and with near misses in the form that the handler takes (`"3"` for an integer is `3`).
    /// An optional argument without a value is left out.
    ///
    /// ```
    /// # use polyloop::prelude::*;
    /// /// Lists some lines.
    /// #[tool(replay = safe)]
    /// async fn lines(
    ///     /// How many.
    ///     count: u32,
    ///     /// The first one.
    ///     #[arg(default = 1)]
    ///     first: u32,
    /// ) -> String {
    ///     format!("{count} from {first}")
    /// }
    ///
    /// registry! { struct App { tools: [lines] } }
    ///
    /// let tools = App::tools()?;
    /// assert_eq!(tools.validate("lines", r#"{"count": "3"}"#)?.arguments(), r#"{"count":3,"first":1}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    pub(crate) fn into_prepared(self) -> Prepared<S> {
        self.prepared
    }
}
