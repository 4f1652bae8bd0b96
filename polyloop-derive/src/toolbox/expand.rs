//! The tokens of a toolbox: the `impl`, a module with the types, and the implementations beside it.
//!
//! The implementations stand outside of the module, where the user's types resolve as they were written.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Path, PathArguments, Type};

use super::ast::Toolbox;
use super::visibility::{of_all, one_deeper};
use crate::tool::{Tool, declaration, implementation, stub};

pub(super) fn expand(toolbox: &Toolbox) -> TokenStream {
    emit(toolbox, implementation)
}

/// The same with stubs, so that the mistake is the only error.
pub(super) fn fallback(toolbox: &Toolbox) -> TokenStream {
    emit(toolbox, stub)
}

fn emit(toolbox: &Toolbox, implementation: fn(&Tool, &TokenStream) -> TokenStream) -> TokenStream {
    let Toolbox { block, owner, module, tools } = toolbox;
    let (Some(module), false) = (module, tools.is_empty()) else {
        return block.to_token_stream();
    };
    let doc = format!("The tools of `{}`.", display_name(owner));
    let visibility = of_all(tools.iter().map(|tool| &tool.visibility));
    let declarations = tools.iter().map(|tool| declaration(tool, &one_deeper(&tool.visibility)));
    let implementations = tools.iter().map(|tool| {
        let type_name = &tool.type_name;
        implementation(tool, &quote!(#module::#type_name))
    });
    quote! {
        #block
        #[doc = #doc]
        #[allow(unreachable_pub, reason = "a tool's type is as visible as its method")]
        #visibility mod #module {
            #(#declarations)*
        }
        #(#implementations)*
    }
}

/// The type as a reader would call it: without the path to it, and without spaces between its tokens.
fn display_name(owner: &Type) -> String {
    let last = |path: &Path| path.segments.last().cloned();
    match owner {
        Type::Path(path) => match last(&path.path) {
            Some(last) if matches!(last.arguments, PathArguments::None) => last.ident.to_string(),
            _ => owner.to_token_stream().to_string().replace(' ', ""),
        },
        _ => owner.to_token_stream().to_string(),
    }
}
