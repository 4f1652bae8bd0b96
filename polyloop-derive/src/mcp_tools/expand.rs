//! The tokens: a module with a type for the server and one for each tool, and the implementations beside it.
//!
//! The implementations stand outside of the module, where `crate = path` resolves as it was written.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;
use syn::Visibility;

use super::ast::{Remote, Server};
use super::valid::SERVER;
use crate::common::krate;

pub(super) fn expand(server: &Server) -> TokenStream {
    let Some(module) = &server.module else { return TokenStream::new() };
    let krate = krate::path(server.options.krate.as_ref());
    let p = quote!(#krate::__private);
    let visibility = &server.options.visibility;
    let inner = inner(visibility);
    // Documentation is Markdown, and blocks of code in it are compiled and run: it holds fixed text and identifiers only,
    // never a text of the server.
    let doc = format!("The pinned tools of the server `{module}`.");
    let server_doc = format!("The pinned server `{module}`.");
    let name = format_ident!("{SERVER}");
    let types = distinct(server).map(|tool| {
        let (ident, doc) = (&tool.ident, format!("The pinned tool `{}`.", tool.ident));
        quote! {
            #[doc = #doc]
            #[allow(non_camel_case_types, dead_code, reason = "a tool's type has the name of its tool")]
            #inner struct #ident {}
        }
    });
    let implementations = distinct(server).map(|tool| implementation(server, tool, module, &p));
    let path = &server.options.path;
    quote! {
        #[doc = #doc]
        #[allow(unreachable_pub, reason = "a tool's type is as visible as the module")]
        #visibility mod #module {
            #[doc = #server_doc]
            #[allow(dead_code, reason = "it names a client")]
            #[derive(::core::fmt::Debug)]
            #inner struct #name {}
            #(#types)*
        }
        #[automatically_derived]
        impl #p::PinnedServer for #module::#name {
            // Read here too, so that the compiler looks again when the file changes.
            const LOCK: &'static str =
                ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", #path));
        }
        #(#implementations)*
    }
}

/// The tools whose types can stand beside each other.
fn distinct(server: &Server) -> impl Iterator<Item = &Remote> {
    let is_first = |(at, tool): &(usize, &Remote)| {
        tool.ident != SERVER && server.tools.iter().take(*at).all(|other| other.ident != tool.ident)
    };
    server.tools.iter().enumerate().filter(is_first).map(|(_, tool)| tool)
}

/// What is as visible inside the module as the module itself.
fn inner(visibility: &Visibility) -> TokenStream {
    match visibility {
        Visibility::Inherited => quote!(pub(super)),
        Visibility::Public(_) | Visibility::Restricted(_) => quote!(pub),
    }
}

fn implementation(server: &Server, tool: &Remote, module: &Ident, p: &TokenStream) -> TokenStream {
    let (ident, remote) = (&tool.ident, &tool.pinned.name);
    let spec = spec(server, tool, p);
    let server_name = format_ident!("{SERVER}");
    quote! {
        #[automatically_derived]
        impl<__S: ?::core::marker::Sized + #p::Provide<#p::McpClient<#module::#server_name>>> #p::Tool<__S>
            for #module::#ident
        {
            const SPEC: #p::ToolSpec = #spec;
            fn prepare(
                __arguments: &mut #p::Arguments<'_>,
            ) -> ::core::option::Option<#p::Prepared<__S>> {
                let __timeout = <Self as #p::Tool<__S>>::SPEC.timeout;
                #p::remote_call::<__S, #module::#server_name>(__arguments, #remote, __timeout)
            }
        }
    }
}

fn spec(server: &Server, tool: &Remote, p: &TokenStream) -> TokenStream {
    let (name, pinned) = (&tool.name, &tool.pinned);
    let said = pinned.description.as_deref().filter(|text| !text.trim().is_empty());
    let description = match said {
        Some(text) => text.to_owned(),
        None => format!("The tool `{}` of the server `{}`.", pinned.name, server.name),
    };
    let schema = Value::Object(pinned.schema.clone()).to_string();
    let options = &server.options;
    let timeout = options.timeout.map(|milliseconds| quote!(.timeout(#milliseconds)));
    let max_chars = options.max_chars.map(|chars| quote!(.max_chars(#chars)));
    let flag = |is_set: bool, name: &str| is_set.then(|| format_ident!("{name}"));
    // What makes a tool look harmless is believed of a trusted server only.
    let reads = options.trusted && pinned.hints("readOnlyHint");
    let repeats = options.trusted && pinned.hints("idempotentHint");
    let replay = (reads || repeats).then(|| quote!(.replay(#p::Replay::Safe)));
    let flags = [
        flag(options.concurrent, "concurrent"),
        flag(server.needs_approval(&pinned.name), "approval"),
        flag(reads, "read_only"),
        flag(pinned.hints("destructiveHint"), "destructive"),
        flag(repeats, "idempotent"),
        flag(pinned.hints("openWorldHint"), "open_world"),
        flag(is_open(&pinned.schema), "lenient"),
    ];
    let flags = flags.iter().flatten();
    quote! {
        #p::ToolSpec::new(#name, #description)
            .declared(::core::file!(), ::core::line!())
            #replay
            #timeout
            #max_chars
            #(.#flags())*
            .params(&[#p::Param::written(#schema)])
    }
}

/// Whether the schema says that it takes arguments which it does not name.
fn is_open(schema: &serde_json::Map<String, Value>) -> bool {
    let extra = schema.get("additionalProperties");
    let says = extra.is_some_and(|extra| extra.as_bool().unwrap_or(true));
    says || schema.contains_key("patternProperties")
}
