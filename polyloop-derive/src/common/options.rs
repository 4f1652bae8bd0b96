//! One reader for all options: `flag`, `key = value`, `key(list)`, checked against a table.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Meta, Path, Token};

use super::grammar::{self, Written};
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
    /// `flag` or `key(list)`; read by `mcp_tools!` only
    #[cfg_attr(
        not(feature = "mcp"),
        expect(dead_code, reason = "the macro that has such an option is left out")
    )]
    FlagOrList,
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
    /// No value could be read: a keyword, what no `=` stands in front of, or nothing.
    Unread(TokenStream),
    List(TokenStream),
}

/// One option as written.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) key: Ident,
    pub(crate) given: Given,
    /// What stands there in place of the `=`.
    pub(super) colon: Option<Token![:]>,
    /// How it may be written, for messages.
    pub(crate) sample: &'static str,
}

/// An option's name, shape and a sample that an error can show.
pub(crate) type Row = (&'static str, Shape, &'static str);

/// A place where an attribute may stand, and the options that belong there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// With its article: `a field`.
    pub(crate) name: &'static str,
    pub(crate) table: &'static [Row],
}

/// What all attributes of one name at one place said.
pub(crate) struct Reading {
    pub(crate) settings: Vec<Setting>,
    /// Options that were meant but refused; saying that they are missing as well would only be noise.
    refused: Vec<String>,
    /// Whether some attribute could not be parsed, so that anything may have been meant.
    broken: bool,
}

impl Reading {
    /// The option of that name, as written.
    pub(crate) fn get(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.is(name))
    }

    /// The key of the option of that name, to underline it.
    pub(crate) fn key(&self, name: &str) -> Option<&Ident> {
        self.get(name).map(|setting| &setting.key)
    }

    /// Every option of that name, for those that may be repeated.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Setting> {
        self.settings.iter().filter(move |setting| setting.is(name))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether nobody tried to give that option; a misspelled attempt counts as one.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        !self.broken && !self.has(name) && !self.refused.iter().any(|refused| refused == name)
    }
}

impl Setting {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.key.unraw() == name
    }

    /// The value as a string literal.
    pub(crate) fn string(&self, sink: &Sink) -> Option<LitStr> {
        match self.expression() {
            Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Some(text.clone()),
            _ => self.wanted(sink, "a string in quotes"),
        }
    }

    /// The value as a text that the compiler can evaluate: a string literal, a macro such as `concat!` or the path of a
    /// constant.
    pub(crate) fn text(&self, sink: &Sink) -> Option<Expr> {
        match self.expression() {
            Some(text @ (Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) | Expr::Macro(_) | Expr::Path(_))) => {
                Some(text.clone())
            }
            _ => self.wanted(sink, "a string in quotes, a macro such as `concat!`, or a constant"),
        }
    }

    /// The value as an integer literal.
    pub(crate) fn integer(&self, sink: &Sink) -> Option<LitInt> {
        match self.expression() {
            Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => Some(number.clone()),
            _ => self.wanted(sink, "an integer"),
        }
    }

    /// The value as a path.
    pub(crate) fn path(&self, sink: &Sink) -> Option<Path> {
        match self.expression() {
            Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
            _ => self.wanted(sink, "a path"),
        }
    }

    /// The value as one bare word.
    pub(crate) fn word(&self, sink: &Sink) -> Option<Ident> {
        self.as_word().or_else(|| self.wanted(sink, "one bare word"))
    }

    /// The value as one bare word, if it is one; a keyword counts, and is in no closed set.
    pub(crate) fn as_word(&self) -> Option<Ident> {
        let tokens = match &self.given {
            Given::Value(value) => bare(value).to_token_stream(),
            Given::Unread(tokens) => tokens.clone(),
            Given::Flag | Given::List(_) => return None,
        };
        Ident::parse_any.parse2(tokens).ok()
    }

    /// The value as the name of something that is declared.
    pub(crate) fn name(&self, sink: &Sink) -> Option<Ident> {
        let name = self.as_word().and_then(|word| syn::parse2(word.into_token_stream()).ok());
        name.or_else(|| self.wanted(sink, "a name"))
    }

    /// The value as an expression; nothing that could not be read is left out in silence.
    pub(crate) fn value(&self, sink: &Sink) -> Option<&Expr> {
        self.expression().or_else(|| self.wanted(sink, "a value"))
    }

    /// The value as an expression.
    pub(crate) fn expression(&self) -> Option<&Expr> {
        match &self.given {
            Given::Value(expression) => Some(bare(expression)),
            _ => None,
        }
    }

    /// The list of strings behind the key, parsed by `parser`.
    pub(crate) fn list<P: Parser>(&self, sink: &Sink, parser: P) -> Option<P::Output> {
        match &self.given {
            Given::List(tokens) => {
                let list = parser.parse2(tokens.clone()).ok();
                list.or_else(|| self.wanted(sink, "strings in quotes"))
            }
            _ => None,
        }
    }

    fn wanted<T>(&self, sink: &Sink, what: &str) -> Option<T> {
        let message = format!("`{}` takes {what}; write for example `{}`", self.key.unraw(), self.sample);
        sink.error(given_tokens(self), message);
        None
    }
}

/// The expression without the invisible groups that `macro_rules!` puts around what it matched.
pub(crate) fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => bare(&group.expr),
        _ => expression,
    }
}

/// Reads every `#[name(…)]` at a place; an option that belongs elsewhere is told where.
pub(crate) fn read_at(
    here: Place,
    elsewhere: &[Place],
    attributes: &[Attribute],
    name: &str,
    sink: &Sink,
) -> Reading {
    let mut settings = Vec::new();
    let mut broken = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        match &attribute.meta {
            Meta::List(list) => {
                let written = written(list.tokens.clone(), here.table, sink);
                settings.extend(written.settings);
                broken |= written.broken;
            }
            Meta::Path(_) => {}
            Meta::NameValue(pair) => {
                sink.error(pair, format!("the options stand in parentheses; write `#[{name}(…)]`"));
                broken = true;
            }
        }
    }
    let mut reading = checked(settings, name, here, elsewhere, sink);
    reading.broken = broken;
    reading
}

/// Reads the options inside an attribute's own parentheses, as in `#[tool(…)]`.
pub(crate) fn read_tokens(
    tokens: TokenStream,
    name: &str,
    table: &'static [Row],
    sink: &Sink,
) -> Vec<Setting> {
    read_tokens_at(Place { name: "this place", table }, &[], tokens, name, sink).settings
}

/// The same at a place; an option that belongs elsewhere is told where.
pub(crate) fn read_tokens_at(
    here: Place,
    elsewhere: &[Place],
    tokens: TokenStream,
    name: &str,
    sink: &Sink,
) -> Reading {
    let Written { settings, broken } = written(tokens, here.table, sink);
    Reading { broken, ..checked(settings, name, here, elsewhere, sink) }
}

fn written(tokens: TokenStream, table: &[Row], sink: &Sink) -> Written {
    let parser = |input: ParseStream<'_>| grammar::written(input, table, sink);
    sink.take(parser.parse2(tokens)).unwrap_or(Written { settings: Vec::new(), broken: true })
}

fn checked(settings: Vec<Setting>, name: &str, here: Place, elsewhere: &[Place], sink: &Sink) -> Reading {
    let mut reading = Reading { settings: Vec::new(), refused: Vec::new(), broken: false };
    for mut setting in settings {
        let key = setting.key.unraw().to_string();
        let Some((_, shape, sample)) = here.table.iter().find(|(known, ..)| *known == key) else {
            let home = elsewhere.iter().find(|place| place.table.iter().any(|(known, ..)| *known == key));
            match home {
                Some(home) => sink.error(
                    &setting.key,
                    format!("`{key}` is an option of {}, not of {}; move it there", home.name, here.name),
                ),
                None => sink.error(&setting.key, unknown(&key, name, here.table)),
            }
            let meant = nearest(&key, here.table.iter().map(|(known, ..)| *known));
            reading.refused.extend(meant.map(str::to_owned));
            continue;
        };
        if !fits(*shape, &setting.given) {
            let what = match shape {
                Shape::Flag | Shape::FlagOrList => "takes no value",
                Shape::Value | Shape::Values => "takes a value",
                Shape::List | Shape::Lists => "takes its values in parentheses",
                Shape::FlagOrValue => "takes no parentheses",
            };
            sink.error(&setting.key, format!("`{key}` {what}; write for example `{sample}`"));
            reading.refused.push(key);
            continue;
        }
        let repeats = matches!(shape, Shape::Values | Shape::Lists);
        if !repeats && reading.has(&key) {
            sink.error(&setting.key, format!("`{key}` is given twice; keep one of them"));
            continue;
        }
        if let Some(colon) = setting.colon {
            sink.error(
                colon,
                format!("the value of `{key}` stands behind `=`; write for example `{sample}`"),
            );
        }
        setting.sample = sample;
        reading.settings.push(setting);
    }
    reading
}

fn fits(shape: Shape, given: &Given) -> bool {
    match shape {
        Shape::Flag => matches!(given, Given::Flag),
        Shape::Value | Shape::Values => matches!(given, Given::Value(_) | Given::Unread(_)),
        Shape::List | Shape::Lists => matches!(given, Given::List(_)),
        Shape::FlagOrValue => !matches!(given, Given::List(_)),
        Shape::FlagOrList => matches!(given, Given::Flag | Given::List(_)),
    }
}

fn unknown(key: &str, name: &str, table: &[Row]) -> String {
    let names = table.iter().map(|(known, ..)| *known);
    // Of an attribute the name alone is given.
    let name = if name.ends_with('!') { name.to_owned() } else { format!("#[{name}]") };
    if let Some(known) = nearest(key, names.clone()) {
        return format!("`{key}` is no option of `{name}`; did you mean `{known}`?");
    }
    let all: Vec<String> = names.map(|known| format!("`{known}`")).collect();
    format!("`{key}` is no option of `{name}`; the options are {}", all.join(", "))
}

/// The tokens of what was given, to underline it.
pub(crate) fn given_tokens(setting: &Setting) -> TokenStream {
    match &setting.given {
        Given::Flag => setting.key.to_token_stream(),
        Given::Value(value) => value.to_token_stream(),
        Given::Unread(list) | Given::List(list) if list.is_empty() => setting.key.to_token_stream(),
        Given::Unread(list) | Given::List(list) => list.clone(),
    }
}
