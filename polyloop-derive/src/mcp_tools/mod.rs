//! `mcp_tools!`: each tool that a lock file pins becomes a tool of this program.

mod ast;
mod attr;
mod expand;
mod lock;
#[cfg(test)]
mod tests;
mod valid;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser};

use crate::common::sink::Sink;

/// Expands `mcp_tools!("mcp.lock.json", options)`.
pub(crate) fn declare(input: TokenStream) -> TokenStream {
    let sink = Sink::new();
    let parser = |input: ParseStream<'_>| attr::read(input, &sink);
    let declared = sink.take(parser.parse2(input)).and_then(|options| {
        let lock = lock::read(&options.path).map_err(|why| sink.error(&options.path, why)).ok()?;
        Some(ast::Server::new(options, lock))
    });
    if let Some(server) = &declared {
        valid::check(server, &sink);
    }
    match (sink.finish(), &declared) {
        (Ok(()), Some(server)) => expand::expand(server),
        // What is sound is still there, so that nothing else is reported as missing.
        (Err(errors), Some(server)) => {
            let items = expand::expand(server);
            quote!(#errors #items)
        }
        (Err(errors), None) => errors,
        (Ok(()), None) => TokenStream::new(),
    }
}
