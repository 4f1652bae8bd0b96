//! The macros of [polyloop](https://docs.rs/polyloop); use them through that crate, where they are documented.
//!
//! One folder per macro, each cut in the same steps: `attr` reads the options, `ast` keeps the item with its
//! spans, `valid` finds every mistake, `expand` writes the tokens, `fallback` writes what is still emitted when
//! something is wrong.

mod common;
mod fragment;
#[cfg(feature = "mcp")]
mod mcp_tools;
mod registry;
#[cfg(test)]
mod snapshots;
mod state;
mod tool;
mod toolbox;
#[cfg(test)]
mod unreadable;

use proc_macro::TokenStream;

/// Derives `ContextFragment`; see `polyloop::ContextFragment`.
#[proc_macro_derive(ContextFragment, attributes(fragment))]
pub fn derive_context_fragment(input: TokenStream) -> TokenStream {
    fragment::derive(input.into()).into()
}

/// Derives `Provide<T>` for each field; see `polyloop::State`.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    state::derive(input.into()).into()
}

/// Turns an `async fn` into a tool; see `polyloop::tool`.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::attribute(options.into(), item.into()).into()
}

/// Turns the methods of an `impl` into tools; see `polyloop::toolbox`.
#[proc_macro_attribute]
pub fn toolbox(options: TokenStream, item: TokenStream) -> TokenStream {
    toolbox::attribute(options.into(), item.into()).into()
}

/// Closes the set of fragments and tools; see `polyloop::registry`.
#[proc_macro]
pub fn registry(input: TokenStream) -> TokenStream {
    registry::declare(input.into()).into()
}

/// Makes tools of those that a lock file pins; see `polyloop::mcp_tools`.
#[cfg(feature = "mcp")]
#[proc_macro]
pub fn mcp_tools(input: TokenStream) -> TokenStream {
    mcp_tools::declare(input.into()).into()
}
