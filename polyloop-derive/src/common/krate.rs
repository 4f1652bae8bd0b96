//! Where the runtime crate is: `::polyloop`, or what `crate = path` says.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// Returns the path of the runtime crate, as expansions write it.
pub(crate) fn path(given: Option<&Path>) -> TokenStream {
    given.map_or_else(|| quote!(::polyloop), |path| quote!(#path))
}
