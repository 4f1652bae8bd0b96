//! The tokens of a tool: a type, a table of its parameters, and one call.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprLit, ExprUnary, Lit, LitInt, UnOp, Visibility};

use super::ast::{Argument, Home, Kind, Parameter, Tool};
use super::attr::{DefaultValue, Replay};
use super::needs::Needs;
use super::tokens::bare_expression;
use crate::common::krate;
use crate::common::place::located;

/// The type that stands for the tool, with the visibility that is asked for.
pub(crate) fn declaration(tool: &Tool, visibility: &Visibility) -> TokenStream {
    let Tool { cfgs, type_name, name, .. } = tool;
    let doc = format!("The tool `{}`.", name.value());
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[allow(non_camel_case_types, dead_code, reason = "a tool's type has the name of its function")]
        #visibility struct #type_name {}
    }
}

/// The implementation of `Tool` for the type at `path`.
///
/// A bound cannot carry a `#[cfg]`, so a conditional `#[state]` makes two implementations, one for either outcome.
pub(crate) fn implementation(tool: &Tool, path: &TokenStream) -> TokenStream {
    let krate = krate::path(tool.krate.as_ref());
    let p = quote!(#krate::__private);
    let needs = Needs::of(tool);
    let cfgs = &tool.cfgs;
    let deprecated =
        tool.is_deprecated.then(|| quote!(#[allow(deprecated, reason = "the tool calls its own function")]));
    // A tool of the library itself is no example of what a user's type could be.
    let own = tool.krate.as_ref().is_some_and(|path| path.is_ident("crate"));
    let own = own.then(|| quote!(#[diagnostic::do_not_recommend]));
    let spec = spec(tool, &p);
    let prepare = prepare(tool, &p);
    let implementations = needs.outcomes().map(|(outcome, states)| {
        let stateless = states.is_empty().then(|| quote!(.stateless()));
        quote! {
            #(#cfgs)*
            #(#outcome)*
            #[automatically_derived]
            #own
            #deprecated
            impl<__S: ?::core::marker::Sized #(+ #p::Provide<#states>)*> #p::Tool<__S> for #path {
                const SPEC: #p::ToolSpec = #spec #stateless;
                fn prepare(
                    __arguments: &mut #p::Arguments<'_>,
                ) -> ::core::option::Option<#p::Prepared<__S>> {
                    #prepare
                }
            }
        }
    });
    quote!(#(#implementations)*)
}

fn spec(tool: &Tool, p: &TokenStream) -> TokenStream {
    let Tool { name, options, .. } = tool;
    let description = tool.description.tokens(p, "the description is empty; say what the tool does");
    let replay = options.replay.map(|replay| match replay {
        Replay::Safe => quote!(.replay(#p::Replay::Safe)),
        Replay::Never => quote!(.replay(#p::Replay::Never)),
        Replay::Child => quote!(.replay(#p::Replay::Child)),
    });
    let timeout = options.timeout.map(|milliseconds| quote!(.timeout(#milliseconds)));
    let max_chars = options.max_chars.map(|chars| quote!(.max_chars(#chars)));
    let flags = &options.flags;
    let rows: Vec<TokenStream> = tool.parameters.iter().filter_map(|parameter| row(parameter, p)).collect();
    let parameters = (!rows.is_empty()).then(|| quote!(.params(&[#(#rows),*])));
    quote! {
        #p::ToolSpec::new(#name, #description)
            .declared(::core::file!(), ::core::line!())
            #replay
            #timeout
            #max_chars
            #(.#flags())*
            #parameters
    }
}

/// One row of the parameter table.
fn row(parameter: &Parameter, p: &TokenStream) -> Option<TokenStream> {
    let argument = parameter.argument()?;
    let Parameter { ty, cfgs, .. } = parameter;
    // The only place with a bound on the argument's type; an error underlines the type. By trait path, so that no note
    // leads from there into our own source.
    let place = located(ty);
    let of = quote!(<#ty as #p::ToolArg>::TYPE);
    if argument.options.flatten().is_some() {
        return Some(quote!(#(#cfgs)* #p::Param::flattened(#of)));
    }
    let Argument { name, options, .. } = argument;
    let blank = format!("the description is empty; say what `{}` is", name.value());
    let description = argument.description.tokens(p, &blank);
    // In functions, so that they see none of our names; a value without `Serialize` is underlined itself.
    let json = |value: &Expr| {
        let (place, value) = (located(value), widest(value));
        quote_spanned!(place=> #p::ToJson::to_json(&(#value)))
    };
    let default = options.default.as_ref().map(|default| match default {
        DefaultValue::OfType => {
            let value = quote_spanned!(place=> &<#ty as ::core::default::Default>::default());
            quote_spanned!(place=> .default(|| #p::ToJson::to_json(#value)))
        }
        DefaultValue::Expression(value) => {
            let value = json(value);
            quote!(.default(|| #value))
        }
    });
    let examples = options.examples.iter().map(json);
    let examples =
        (!options.examples.is_empty()).then(|| quote!(.examples(|| #p::examples([#(#examples),*]))));
    let limits = options.limits.iter().map(|limit| limit.tokens(p));
    Some(quote!(#(#cfgs)* #p::Param::of(#of, #name, #description) #default #examples #(.limit(#limits))*))
}

/// A bare integer as the widest type: nothing else tells the compiler which one it is, and `i32` is too narrow for some.
fn widest(value: &Expr) -> TokenStream {
    match bare_expression(value) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.suffix().is_empty() => {
            LitInt::new(&format!("{number}_i128"), number.span()).into_token_stream()
        }
        Expr::Unary(ExprUnary { op: UnOp::Neg(minus), expr, .. }) => {
            let number = widest(expr);
            quote!(#minus #number)
        }
        other => other.to_token_stream(),
    }
}

fn prepare(tool: &Tool, p: &TokenStream) -> TokenStream {
    let arguments: Vec<&Parameter> = tool.parameters.iter().filter(|it| it.argument().is_some()).collect();
    let takes = arguments.iter().map(|Parameter { local, ty, cfgs, .. }| {
        let take = quote_spanned!(located(ty)=> take);
        quote!(#(#cfgs)* let #local = __arguments.#take::<#ty>();)
    });
    let takes = quote!(#(#takes)* __arguments.finish()?;);
    if tool.schema_only().is_some() {
        let unused = arguments.iter().map(|Parameter { local, cfgs, .. }| quote!(#(#cfgs)* let _ = #local;));
        return quote!(#takes #(#unused)* #p::Prepared::without_handler());
    }
    let unwraps =
        arguments.iter().map(|Parameter { local, cfgs, .. }| quote!(#(#cfgs)* let #local = #local?;));
    let handler = handler(tool, p);
    // A future that cannot be sent is underlined at the function's name; a note leads to its `await`.
    let future =
        quote_spanned!(located(&tool.signature.ident)=> ::std::boxed::Box::pin(async move { #handler }));
    quote! {
        #takes
        #(#unwraps)*
        #p::Prepared::new(move |__state, __call| #future)
    }
}

/// The call of the function and the conversion of what it returns.
fn handler(tool: &Tool, p: &TokenStream) -> TokenStream {
    let ident = &tool.signature.ident;
    let (function, receiver) = match &tool.home {
        Home::Module => (quote!(#ident), None),
        Home::Toolbox(owner) => {
            (quote!(<#owner>::#ident), Some(quote!(#p::Provide::<#owner>::provide(__state))))
        }
    };
    let passed = tool.parameters.iter().map(|parameter| passed(parameter, p));
    let passed = receiver.into_iter().chain(passed);
    let call = quote!(#function(#(#passed),*).await);
    // By trait path, so that a type which is no observation is underlined where it is written.
    let returned = tool.returns().map(|ty| quote!(<#ty as #p::ToolReturn>));
    let returned = returned.unwrap_or_else(|| quote!(#p::ToolReturn));
    quote!(#returned::into_returned(#call))
}

fn passed(parameter: &Parameter, p: &TokenStream) -> TokenStream {
    let Parameter { local, cfgs, .. } = parameter;
    let value = match (&parameter.kind, parameter.referent()) {
        (Kind::State(_), Some(ty)) => quote!(#p::Provide::<#ty>::provide(__state)),
        (Kind::Call(_), _) => quote!(__call),
        _ => local.to_token_stream(),
    };
    quote!(#(#cfgs)* #value)
}
