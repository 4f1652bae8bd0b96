//! `#[derive(State)]`: a struct provides each of its fields to the tools that ask for it.

mod ast;
mod attr;
mod expand;
#[cfg(test)]
mod tests;
mod valid;

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
    let state = ast::State::read(input, &sink);
    valid::check(&state, &sink);
    let errors = sink.finish().err();
    // What is sound is provided in any case: one mistake must not make every tool miss its state.
    let implementations = expand::implementations(&state);
    quote!(#errors #implementations)
}
