//! The function as written. Its body is never looked at, so it is kept as tokens.

use std::slice;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, FnArg, Signature, Token, Type, Visibility, token};

use super::ast::UNCONDITIONAL;
use super::tokens::{find_word, replace_self};
use crate::common::docs;

/// A function with a body, or without one for `schema_only`.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    body: Option<TokenStream>,
}

impl Function {
    pub(crate) fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// The head of the function with its owner's name for `Self`.
    pub(crate) fn for_owner(&self, owner: &Type) -> syn::Result<Self> {
        let Self { attributes, visibility, signature, body } = self;
        let head = replace_self(quote!(#(#attributes)* #visibility #signature ;), owner);
        Ok(Self { body: body.clone(), ..syn::parse2(head)? })
    }

    /// Takes away what only we understand; the rest is the user's function, unchanged.
    ///
    /// We ask for `async`, so we also answer the lint that would have it away where nothing is awaited.
    pub(crate) fn strip(&mut self) {
        self.attributes.retain(|attribute| !is_tool_attribute(attribute));
        if self.has_body() {
            let reason = "a tool is async, whether it waits for something or not";
            self.attributes.insert(0, syn::parse_quote!(#[allow(clippy::unused_async, reason = #reason)]));
        }
        for input in &mut self.signature.inputs {
            match input {
                FnArg::Receiver(receiver) => receiver.attrs.retain(|attribute| !is_ours(attribute)),
                FnArg::Typed(parameter) => parameter.attrs.retain(|attribute| !is_ours(attribute)),
            }
        }
    }

    /// A function that Rust itself takes, out of one that it would refuse with an error of its own.
    pub(crate) fn legal(&self) -> Self {
        let Self { attributes, visibility, signature, body } = self;
        let stub = || quote!({ ::core::unimplemented!() });
        let mut attributes = attributes.clone();
        let mut signature = Signature { variadic: None, constness: None, ..signature.clone() };
        let mut body = body.clone();
        for input in &mut signature.inputs {
            if let FnArg::Typed(parameter) = input
                && find_word(&parameter.ty, "_").is_some()
            {
                parameter.ty = syn::parse_quote!(());
                body = None;
            }
        }
        if body.is_none() {
            attributes.push(syn::parse_quote!(#[allow(unused_variables, reason = "the body is missing")]));
        }
        let body = body.or_else(|| Some(stub()));
        Self { attributes, visibility: visibility.clone(), signature, body }
    }
}

/// Whether this is `#[tool]`, also written `#[polyloop::tool]`.
pub(crate) fn is_tool_attribute(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "tool")
}

/// Whether a parameter's attribute is for us: its documentation and our own three.
fn is_ours(attribute: &Attribute) -> bool {
    UNCONDITIONAL.iter().any(|name| attribute.path().is_ident(name))
        || docs::conditional(slice::from_ref(attribute), &UNCONDITIONAL).is_some()
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        if input.peek(Token![impl]) || input.peek(Token![unsafe]) && input.peek2(Token![impl]) {
            return Err(input.error("`#[tool]` goes on a method; put `#[toolbox]` on the `impl`"));
        }
        if is_other_item(input) {
            return Err(input.error("this is no function; `#[tool]` goes on an `async fn`"));
        }
        let signature: Signature = input.parse()?;
        let body = if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            None
        } else if input.peek(token::Brace) {
            // A whole tree: in `macro_rules!` the block stands in an invisible group.
            Some(input.parse::<TokenTree>()?.into_token_stream())
        } else {
            return Err(input.error("expected the function's body in braces, or `;`"));
        };
        if !input.is_empty() {
            return Err(Error::new(
                input.span(),
                "something follows the function; `#[tool]` goes on one `async fn`",
            ));
        }
        Ok(Self { attributes, visibility, signature, body })
    }
}

fn is_other_item(input: ParseStream<'_>) -> bool {
    let keyword = input.peek(Token![struct])
        || input.peek(Token![enum])
        || input.peek(Token![trait])
        || input.peek(Token![mod])
        || input.peek(Token![static])
        || input.peek(Token![type])
        || input.peek(Token![use]);
    keyword || input.peek(Token![const]) && !input.peek2(Token![async]) && !input.peek2(Token![fn])
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attributes, visibility, signature, body } = self;
        tokens.extend(quote!(#(#attributes)* #visibility #signature));
        match body {
            Some(body) => body.to_tokens(tokens),
            None => tokens.extend(quote!(;)),
        }
    }
}
