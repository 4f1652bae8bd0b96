//! `#[toolbox]`: the methods of an `impl` become tools, with the receiver as the state.

mod ast;
mod attr;
mod expand;
#[cfg(test)]
mod tests;
mod valid;
mod visibility;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemImpl;

use ast::Toolbox;
pub(crate) use ast::module_of;

use crate::common::sink::Sink;

/// Expands `#[toolbox(options)] impl Owner { … }`.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let block = match syn::parse2::<ItemImpl>(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let mut refused = explained(error, &item).to_compile_error();
            refused.extend(item);
            return refused;
        }
    };
    let sink = Sink::new();
    let toolbox = Toolbox::read(options, block, &sink);
    valid::check(&toolbox, &sink);

    match sink.finish() {
        Ok(()) => expand::expand(&toolbox),
        Err(errors) => {
            let item = expand::fallback(&toolbox);
            quote!(#errors #item)
        }
    }
}

/// The parser's complaint, or a better one where the item is no `impl` at all.
fn explained(error: syn::Error, item: &TokenStream) -> syn::Error {
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Impl(_)) | Err(_) => error,
        Ok(syn::Item::Fn(function)) => syn::Error::new_spanned(
            function.sig,
            "`#[toolbox]` goes on an `impl`; put `#[tool]` on a function",
        ),
        Ok(other) => {
            syn::Error::new_spanned(other, "this is no `impl`; `#[toolbox]` goes on an `impl` with methods")
        }
    }
}
