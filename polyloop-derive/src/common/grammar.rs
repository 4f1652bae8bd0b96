//! How a list of options is written. One that cannot be read does not hide the others.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseBuffer, ParseStream};
use syn::{Expr, Ident, Token, parenthesized, token};

use super::options::{Given, Row, Setting};
use super::sink::Sink;

/// The options as written, and whether there was something that may have been any of them.
pub(super) struct Written {
    pub(super) settings: Vec<Setting>,
    pub(super) broken: bool,
}

/// Parses all of the input; a sample of the table shows what an option looks like.
pub(super) fn written(input: ParseStream<'_>, table: &[Row], sink: &Sink) -> syn::Result<Written> {
    let mut written = Written { settings: Vec::new(), broken: false };
    while !input.is_empty() {
        if input.peek(Token![,]) {
            sink.push(input.error("no option stands in front of this `,`; leave it out"));
        } else if input.peek(Ident::peek_any) {
            written.settings.push(setting(input)?);
        } else {
            let sample = table.first().map_or("", |(.., sample)| sample);
            let message = format!("an option begins with its name; write for example `{sample}`");
            sink.push(input.error(message));
            until_comma(input)?;
            written.broken = true;
        }
        if !input.is_empty() && !input.peek(Token![,]) {
            sink.push(input.error("two options stand side by side; put a `,` between them"));
            if !input.peek(Ident::peek_any) {
                until_comma(input)?;
            }
        }
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(written)
}

/// Parses `flag`, `key = value` or `key(list)`. Whatever else stands behind the key is kept for the message.
fn setting(input: ParseStream<'_>) -> syn::Result<Setting> {
    let key = input.call(Ident::parse_any)?;
    let mut colon = None;
    let given = if input.peek(token::Paren) {
        let list;
        parenthesized!(list in input);
        Given::List(list.parse()?)
    } else if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        value(input)?
    } else if input.peek(Token![:]) {
        colon = Some(input.parse()?);
        value(input)?
    } else if ends(input) {
        Given::Flag
    } else {
        Given::Unread(until_comma(input)?)
    };
    Ok(Setting { key, given, colon, sample: "" })
}

fn value(input: ParseStream<'_>) -> syn::Result<Given> {
    let ahead = input.fork();
    if let Ok(value) = ahead.parse::<Expr>()
        && ends(&ahead)
    {
        input.advance_to(&ahead);
        return Ok(Given::Value(value));
    }
    Ok(Given::Unread(until_comma(input)?))
}

/// Whether an option may end here: before a comma, or before the next option if the comma was forgotten.
fn ends(input: &ParseBuffer<'_>) -> bool {
    input.is_empty() || input.peek(Token![,]) || input.peek(Ident::peek_any)
}

fn until_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}
