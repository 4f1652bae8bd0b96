//! What is still emitted when something is wrong, so that the mistake is the only error.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::ast::Tool;
use super::expand::declaration;
use super::function::Function;
use super::valid::is_tool_name;
use crate::common::krate;

/// The function, its type and a stub.
pub(super) fn item(tool: &Tool, function: &Function) -> TokenStream {
    // Between the braces of an `impl` a type cannot be declared.
    if tool.receiver().is_some() || tool.self_word.is_some() {
        return function.to_token_stream();
    }
    let legal = function.legal();
    let declaration = declaration(tool, &tool.visibility);
    let stub = stub(tool, &tool.type_name.to_token_stream());
    quote!(#legal #declaration #stub)
}

/// An implementation without content, so that `registry!` has nothing to add.
pub(crate) fn stub(tool: &Tool, path: &TokenStream) -> TokenStream {
    let krate = krate::path(tool.krate.as_ref());
    let p = quote!(#krate::__private);
    let cfgs = &tool.cfgs;
    let name = legal_name(&tool.name.value());
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl<__S: ?::core::marker::Sized> #p::Tool<__S> for #path {
            const SPEC: #p::ToolSpec = #p::ToolSpec::new(#name, #NO_DESCRIPTION);
            fn prepare(_: &mut #p::Arguments<'_>) -> ::core::option::Option<#p::Prepared<__S>> {
                ::core::option::Option::None
            }
        }
    }
}

/// Something that no check of the registry has an objection to.
const NO_DESCRIPTION: &str = "refused";

/// The name, or one made of it to which no check of the registry objects.
fn legal_name(name: &str) -> String {
    if is_tool_name(name) {
        return name.to_owned();
    }
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter } else { '_' }
    };
    format!("_{}", name.chars().map(plain).take(60).collect::<String>())
}
