//! The `impl` as written, without our attributes, and its tools.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, ImplItem, ItemImpl, Meta, Path, Type};

use super::attr::ToolboxOptions;
use crate::common::sink::Sink;
use crate::tool::{Function, Home, Tool, bare, is_tool_attribute};

/// One `impl` with tools in it.
pub(super) struct Toolbox {
    /// The block, cleaned of our attributes.
    pub(super) block: ItemImpl,
    pub(super) owner: Type,
    /// The name of the generated module, if one is given or follows from the owner.
    pub(super) module: Option<Ident>,
    pub(super) tools: Vec<Tool>,
}

impl Toolbox {
    pub(super) fn read(options: TokenStream, mut block: ItemImpl, sink: &Sink) -> Self {
        let options = ToolboxOptions::read(options, sink);
        let owner = bare(&block.self_ty).clone();
        let mut tools = Vec::new();
        for item in &mut block.items {
            if !has_tool_attribute(item) {
                continue;
            }
            // A method without a body is no item to the parser, so both kinds go through one of our own.
            let Some(mut function) = sink.take(syn::parse2::<Function>(item.to_token_stream())) else {
                strip(item);
                continue;
            };
            let tool = tool(&mut function, &owner, options.krate.as_ref(), sink);
            let is_schema = tool.as_ref().is_some_and(|tool| tool.schema_only().is_some());
            tools.extend(tool);
            function.strip();
            *item = ImplItem::Verbatim(match function.has_body() {
                true => quote!(#function),
                // Only the schema was wanted, so there is no method to call.
                false if is_schema => TokenStream::new(),
                false => function.legal().into_token_stream(),
            });
        }
        let module = options.module.or_else(|| named_after(&owner));
        Self { block, owner, module, tools }
    }
}

/// Reads one method; the first `#[tool]` is the one that counts, a second is a mistake.
fn tool(function: &mut Function, owner: &Type, krate: Option<&Path>, sink: &Sink) -> Option<Tool> {
    let first = function.attributes.iter().position(is_tool_attribute)?;
    let attribute = function.attributes.remove(first);
    let options = match attribute.meta {
        Meta::List(list) => list.tokens,
        Meta::Path(_) => TokenStream::new(),
        Meta::NameValue(pair) => {
            sink.error(pair, "the options stand in parentheses; write `#[tool(…)]`");
            TokenStream::new()
        }
    };
    let outside = sink.take(function.for_owner(owner))?;
    Some(Tool::read(options, &outside, Home::Toolbox(Box::new(owner.clone())), krate, sink))
}

/// Takes `#[tool]` from what is no method; it would complain once more.
fn strip(item: &mut ImplItem) {
    match item {
        ImplItem::Const(constant) => constant.attrs.retain(|attribute| !is_tool_attribute(attribute)),
        ImplItem::Type(alias) => alias.attrs.retain(|attribute| !is_tool_attribute(attribute)),
        other => *other = ImplItem::Verbatim(TokenStream::new()),
    }
}

fn has_tool_attribute(item: &ImplItem) -> bool {
    match item {
        ImplItem::Fn(function) => function.attrs.iter().any(is_tool_attribute),
        ImplItem::Const(constant) => constant.attrs.iter().any(is_tool_attribute),
        ImplItem::Type(alias) => alias.attrs.iter().any(is_tool_attribute),
        ImplItem::Verbatim(tokens) => {
            let attributes = |input: syn::parse::ParseStream<'_>| {
                let attributes = input.call(Attribute::parse_outer)?;
                input.parse::<TokenStream>()?;
                Ok(attributes)
            };
            let attributes = syn::parse::Parser::parse2(attributes, tokens.clone()).unwrap_or_default();
            attributes.iter().any(is_tool_attribute)
        }
        _ => false,
    }
}

/// `workspace_tools` for `Workspace`.
fn named_after(owner: &Type) -> Option<Ident> {
    let Type::Path(path) = owner else {
        return None;
    };
    Some(module_of(&path.path.segments.last()?.ident))
}

/// The name of the module, unless one is given, for the tools of a type.
pub(crate) fn module_of(owner: &Ident) -> Ident {
    format_ident!("{}_tools", snake_case(&owner.unraw().to_string()), span = owner.span())
}

/// `HttpClient` is `http_client`, `HTTPClient` too.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(place + 1);
        let starts_word = before.is_some_and(|before| !before.is_uppercase() && *before != '_')
            || before.is_some_and(|before| before.is_uppercase())
                && after.is_some_and(|after| after.is_lowercase());
        if letter.is_uppercase() && starts_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
