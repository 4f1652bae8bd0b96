//! What the unit tests of the macros share.

use proc_macro2::{TokenStream, TokenTree};
use syn::LitStr;

/// The messages of every `compile_error!` in an expansion, in order.
pub(crate) fn messages(expansion: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_error = false;
    for token in expansion {
        match token {
            TokenTree::Ident(word) => is_error = word == "compile_error",
            TokenTree::Group(group) if is_error => {
                found.extend(syn::parse2::<LitStr>(group.stream()).map(|text| text.value()));
                is_error = false;
            }
            TokenTree::Group(group) => found.extend(messages(group.stream())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    found
}
