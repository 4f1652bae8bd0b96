//! Where the runtime crate is: `::polyloop`, or what `crate = path` says.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;

/// Returns the path of the runtime crate, as expansions write it.
pub(crate) fn path(given: Option<&Path>) -> TokenStream {
    path_at(given, Span::call_site())
}

/// The same, at a place that is underlined when a bound on one of its traits fails.
pub(crate) fn path_at(given: Option<&Path>, span: Span) -> TokenStream {
    given.map_or_else(|| quote_spanned!(span=> ::polyloop), |path| quote!(#path))
}
