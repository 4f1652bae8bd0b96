//! One reader for all options: `flag`, `key = value`, `key(list)`, checked against a table.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Meta, Path, Token, parenthesized};

use super::nearest::nearest;
use super::sink::Sink;

/// How an option may be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// `flag`
    Flag,
    /// `key = value`
    Value,
    /// `key(list)`
    List,
    /// `flag` or `key = value`
    FlagOrValue,
    /// `key = value` or `key = name(list)`, any number of times
    Values,
    /// `key(list)`, any number of times
    Lists,
}

/// What stood behind the key.
#[derive(Clone)]
pub(crate) enum Given {
    Flag,
    Value(Expr),
    List(TokenStream),
}

/// One option as written.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) key: Ident,
    pub(crate) given: Given,
}

/// An option's name, shape and a sample that an error can show.
pub(crate) type Row = (&'static str, Shape, &'static str);

impl Setting {
    pub(crate) fn span(&self) -> Span {
        self.key.span()
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.key.unraw() == name
    }

    /// The value as a string literal.
    pub(crate) fn string(&self, sink: &Sink) -> Option<LitStr> {
        match &self.given {
            Given::Value(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Some(text.clone()),
            _ => self.wanted(sink, "a string in quotes"),
        }
    }

    /// The value as an integer literal.
    pub(crate) fn integer(&self, sink: &Sink) -> Option<LitInt> {
        match &self.given {
            Given::Value(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => Some(number.clone()),
            _ => self.wanted(sink, "an integer"),
        }
    }

    /// The value as a path.
    pub(crate) fn path(&self, sink: &Sink) -> Option<Path> {
        match &self.given {
            Given::Value(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
            _ => self.wanted(sink, "a path"),
        }
    }

    /// The value as one bare word.
    pub(crate) fn word(&self, sink: &Sink) -> Option<Ident> {
        match &self.given {
            Given::Value(Expr::Path(path)) if path.path.get_ident().is_some() => path.path.get_ident().cloned(),
            _ => self.wanted(sink, "one bare word"),
        }
    }

    /// The value as an expression.
    pub(crate) fn expression(&self) -> Option<&Expr> {
        match &self.given {
            Given::Value(expression) => Some(expression),
            _ => None,
        }
    }

    /// The list behind the key, parsed by `parser`.
    pub(crate) fn list<P: Parser>(&self, sink: &Sink, parser: P) -> Option<P::Output> {
        match &self.given {
            Given::List(tokens) => sink.take(parser.parse2(tokens.clone())),
            _ => None,
        }
    }

    fn wanted<T>(&self, sink: &Sink, what: &str) -> Option<T> {
        let message = format!("`{}` takes {what}", self.key.unraw());
        match &self.given {
            Given::Value(value) => sink.error(value, message),
            _ => sink.error(&self.key, message),
        }
        None
    }
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let given = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Given::Value(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let list;
            parenthesized!(list in input);
            Given::List(list.parse()?)
        } else {
            Given::Flag
        };
        Ok(Self { key, given })
    }
}

/// Reads every `#[name(…)]` among the attributes and checks it against the table.
pub(crate) fn read(attributes: &[Attribute], name: &str, table: &[Row], sink: &Sink) -> Vec<Setting> {
    let mut settings = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        match &attribute.meta {
            Meta::List(list) => settings.extend(parse(list.tokens.clone(), sink)),
            Meta::Path(_) => {}
            Meta::NameValue(pair) => sink.error(pair, format!("write `#[{name}(…)]`, options in parentheses")),
        }
    }
    checked(settings, name, table, sink)
}

/// Reads the options inside an attribute's own parentheses, as in `#[tool(…)]`.
pub(crate) fn read_tokens(tokens: TokenStream, name: &str, table: &[Row], sink: &Sink) -> Vec<Setting> {
    checked(parse(tokens, sink), name, table, sink)
}

fn parse(tokens: TokenStream, sink: &Sink) -> Vec<Setting> {
    let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
    sink.take(parser.parse2(tokens)).map(|list| list.into_iter().collect()).unwrap_or_default()
}

fn checked(settings: Vec<Setting>, name: &str, table: &[Row], sink: &Sink) -> Vec<Setting> {
    let mut kept: Vec<Setting> = Vec::new();
    for setting in settings {
        let key = setting.key.unraw().to_string();
        let Some((_, shape, sample)) = table.iter().find(|(known, ..)| *known == key) else {
            sink.error(&setting.key, unknown(&key, name, table));
            continue;
        };
        if !fits(*shape, &setting.given) {
            sink.error(&setting.key, format!("`{key}` is written `{sample}`"));
            continue;
        }
        let repeats = matches!(shape, Shape::Values | Shape::Lists);
        if !repeats && kept.iter().any(|other| other.is(&key)) {
            sink.error(&setting.key, format!("`{key}` is given twice; keep one of them"));
            continue;
        }
        kept.push(setting);
    }
    kept
}

fn fits(shape: Shape, given: &Given) -> bool {
    match shape {
        Shape::Flag => matches!(given, Given::Flag),
        Shape::Value | Shape::Values => matches!(given, Given::Value(_)),
        Shape::List | Shape::Lists => matches!(given, Given::List(_)),
        Shape::FlagOrValue => matches!(given, Given::Flag | Given::Value(_)),
    }
}

fn unknown(key: &str, name: &str, table: &[Row]) -> String {
    let names = table.iter().map(|(known, ..)| *known);
    match nearest(key, names.clone()) {
        Some(known) => format!("`{key}` is no option of `#[{name}]`; did you mean `{known}`?"),
        None => {
            let all: Vec<String> = names.map(|known| format!("`{known}`")).collect();
            format!("`{key}` is no option of `#[{name}]`; the options are {}", all.join(", "))
        }
    }
}

/// The tokens of what was given, to underline it.
pub(crate) fn given_tokens(setting: &Setting) -> TokenStream {
    match &setting.given {
        Given::Flag => setting.key.to_token_stream(),
        Given::Value(value) => value.to_token_stream(),
        Given::List(list) if list.is_empty() => setting.key.to_token_stream(),
        Given::List(list) => list.clone(),
    }
}
