//! `#[derive(ContextFragment)]`: a type becomes one kind of text that a model may be shown.

mod ast;
mod attr;
mod bounds;
mod expand;
mod fallback;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod valid;
mod value;
mod words;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::common::sink::Sink;

pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let sink = Sink::new();
    let fragment = ast::Fragment::read(input, &sink);
    valid::check(&fragment, &sink);
    match sink.finish() {
        Ok(()) => expand::implementations(&fragment),
        Err(errors) => {
            let stubs = fallback::stubs(&fragment);
            quote!(#errors #stubs)
        }
    }
}
