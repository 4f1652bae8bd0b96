//! `#[tool]`: one `async fn` becomes a tool with a name, a schema, checks and a handler.

mod ast;
mod attr;
mod expand;
mod fallback;
mod function;
mod limit;
mod needs;
#[cfg(test)]
mod tests;
mod tokens;
mod valid;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

pub(crate) use ast::{Home, Tool};
#[cfg(feature = "mcp")]
pub(crate) use attr::{max_chars, timeout};
pub(crate) use expand::{declaration, implementation};
pub(crate) use fallback::stub;
pub(crate) use function::{Function, is_tool_attribute};
pub(crate) use tokens::{bare, spelled};
pub(crate) use valid::check;
#[cfg(feature = "mcp")]
pub(crate) use valid::is_tool_name;

use crate::common::sink::Sink;

/// Expands `#[tool(options)] item`.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let mut refused = error.to_compile_error();
            refused.extend(item);
            return refused;
        }
    };
    let sink = Sink::new();
    let tool = Tool::read(options, &function, Home::Module, None, &sink);
    check(&tool, &sink);
    function.strip();

    match sink.finish() {
        Ok(()) => {
            let function = function.has_body().then_some(&function);
            let declaration = declaration(&tool, &tool.visibility);
            let implementation = implementation(&tool, &tool.type_name.to_token_stream());
            quote!(#function #declaration #implementation)
        }
        Err(errors) => {
            let item = fallback::item(&tool, &function);
            quote!(#errors #item)
        }
    }
}
