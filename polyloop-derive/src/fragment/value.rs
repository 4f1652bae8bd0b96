//! The values of options that are more than a word: templates, markers, slots, numbers, reasons.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprPath, Lit, LitInt, LitStr, Token, UnOp};

use super::template::{self, Segment, escaped};
use super::words::{Choice as _, Overflow, Word, as_word};
use crate::common::options::{Setting, bare, given_tokens};
use crate::common::sink::Sink;

/// The text between the markers.
pub(crate) enum Body {
    Template(Template),
    /// A function that makes it.
    Function(ExprPath),
}

impl Body {
    pub(crate) fn read(setting: &Setting, sink: &Sink) -> Option<Self> {
        match setting.expression() {
            Some(Expr::Lit(ExprLit { lit: Lit::Str(literal), .. })) => {
                Some(Self::Template(Template::read(literal.clone(), sink)))
            }
            Some(Expr::Path(path)) => Some(Self::Function(path.clone())),
            _ => {
                sink.error(
                    given_tokens(setting),
                    "`body` is a string in quotes or the path of a function; write for example `body = \"…\"`",
                );
                None
            }
        }
    }
}

/// A string literal and what its braces mean.
pub(crate) struct Template {
    pub(crate) literal: LitStr,
    /// What could be read of it.
    pub(crate) segments: Vec<Segment>,
    /// Whether all of it could be read; if not, that is already reported.
    pub(crate) is_sound: bool,
}

impl Template {
    pub(crate) fn read(literal: LitStr, sink: &Sink) -> Self {
        let (segments, mistakes) = template::parse(&literal.value());
        for mistake in &mistakes {
            sink.error(&literal, mistake);
        }
        Self { literal, segments, is_sound: mistakes.is_empty() }
    }

    pub(crate) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Placeholder(name) => Some(name.as_str()),
            Segment::Text(_) => None,
        })
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Text(text) => Some(text.as_str()),
            Segment::Placeholder(_) => None,
        })
    }
}

/// A begin or an end marker; it may hold a key.
pub(crate) type Marker = Template;

impl Marker {
    /// The field that the key stands for.
    pub(crate) fn key(&self) -> Option<&str> {
        self.placeholders().next()
    }

    /// How many characters it takes at least.
    pub(crate) fn least_chars(&self) -> usize {
        self.texts().map(|text| text.chars().count()).sum::<usize>() + self.placeholders().count()
    }

    /// As the runtime reads it: the key is called `key`, whatever the field's name.
    pub(crate) fn normal(&self) -> LitStr {
        let text: String = self.segments.iter().fold(String::new(), |text, segment| match segment {
            Segment::Text(part) => text + &escaped(part),
            Segment::Placeholder(_) => text + "{key}",
        });
        LitStr::new(&text, self.literal.span())
    }
}

/// A begin and an end marker.
pub(crate) struct Pair {
    pub(crate) begin: Marker,
    pub(crate) end: Marker,
    /// Both as written, to underline them.
    pub(crate) tokens: TokenStream,
}

impl Pair {
    pub(crate) fn read(setting: &Setting, sink: &Sink) -> Option<Self> {
        let tokens = given_tokens(setting);
        let strings = setting.list(sink, Punctuated::<LitStr, Token![,]>::parse_terminated)?;
        let mut strings = strings.into_iter();
        if let (Some(begin), Some(end), None) = (strings.next(), strings.next(), strings.next()) {
            let [begin, end] = [begin, end].map(|literal| Marker::read(literal, sink));
            return Some(Self { begin, end, tokens });
        }
        sink.error(
            tokens,
            format!("`{}` takes two strings; write the begin and the end marker", setting.key),
        );
        None
    }

    pub(crate) fn both(&self) -> [&Marker; 2] {
        [&self.begin, &self.end]
    }
}

/// Where a fragment stands.
pub(crate) enum Slot {
    Run,
    Goal,
    Turn,
    /// `injection("channel")`
    Named(LitStr),
    /// `injection`: a field holds the channel. The word, to underline it.
    ByField(Ident),
}

impl Slot {
    pub(crate) fn read(setting: &Setting, sink: &Sink) -> Option<Self> {
        let slot = setting.expression().and_then(|expression| {
            if let Expr::Call(call) = expression {
                let channel =
                    match (as_word(bare(&call.func))?, call.args.len(), call.args.first().map(bare)?) {
                        (word, 1, Expr::Lit(ExprLit { lit: Lit::Str(channel), .. }))
                            if word == "injection" =>
                        {
                            channel
                        }
                        _ => return None,
                    };
                return Some(Self::Named(channel.clone()));
            }
            let word = as_word(expression)?;
            match word.to_string().as_str() {
                "run" => Some(Self::Run),
                "goal" => Some(Self::Goal),
                "turn" => Some(Self::Turn),
                "injection" => Some(Self::ByField(word)),
                _ => None,
            }
        });
        if slot.is_none() {
            let message =
                "there is no such slot; write `run`, `injection(\"channel\")`, `injection`, `goal` or `turn`";
            sink.error(given_tokens(setting), message);
        }
        slot
    }
}

/// A number of characters or of items.
pub(crate) struct Number {
    pub(crate) value: usize,
    pub(crate) literal: LitInt,
}

impl Number {
    pub(crate) fn read(setting: &Setting, sink: &Sink) -> Option<Self> {
        let literal = setting.integer(sink)?;
        let value = sink.take(literal.base10_parse())?;
        Some(Self { value, literal })
    }
}

/// A possibly negative `i32`.
pub(crate) struct Rank(TokenStream);

impl Rank {
    pub(crate) fn read(setting: &Setting, sink: &Sink) -> Option<Self> {
        let given = setting.expression();
        let (sign, number) = match given {
            Some(Expr::Unary(unary)) if matches!(unary.op, UnOp::Neg(_)) => ("-", Some(bare(&unary.expr))),
            _ => ("", given),
        };
        if let Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) = number
            && format!("{sign}{}", number.base10_digits()).parse::<i32>().is_ok()
        {
            return Some(Self(quote!(#given)));
        }
        sink.error(
            given_tokens(setting),
            "`rank` takes an integer that fits into an `i32`; write for example `rank = 1`",
        );
        None
    }
}

impl ToTokens for Rank {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

/// `refuse` or `cut(where)`.
pub(crate) fn read_overflow(setting: &Setting, sink: &Sink) -> Option<Word<Overflow>> {
    let word = setting.expression().and_then(|expression| match expression {
        Expr::Call(call) if call.args.len() == 1 && as_word(bare(&call.func))? == "cut" => {
            as_word(bare(call.args.first()?)).filter(|word| word != "refuse")
        }
        _ => as_word(expression).filter(|word| word == "refuse"),
    });
    let known = word.and_then(|ident| {
        let (_, value) = Overflow::WORDS.iter().find(|(word, _)| ident == word)?;
        Some(Word { value: *value, ident })
    });
    if known.is_none() {
        let message =
            "there is no such `overflow`; write `refuse`, `cut(head)`, `cut(tail)` or `cut(middle)`";
        sink.error(given_tokens(setting), message);
    }
    known
}

/// `key = "why"`: the reason is the point.
pub(crate) fn read_reason(setting: &Setting, sink: &Sink) -> Option<LitStr> {
    let key = &setting.key;
    let reason = match setting.expression() {
        Some(_) => Some(setting.string(sink)?),
        None => None,
    };
    if let Some(reason) = reason.filter(|reason| !reason.value().trim().is_empty()) {
        return Some(reason);
    }
    sink.error(given_tokens(setting), format!("`{key}` stands without its reason; write `{key} = \"why\"`"));
    None
}

/// `key = path`, of a function.
pub(crate) fn read_function(setting: &Setting, sink: &Sink) -> Option<ExprPath> {
    if let Some(Expr::Path(path)) = setting.expression() {
        return Some(path.clone());
    }
    sink.error(
        given_tokens(setting),
        format!("`{}` takes the path of a function; write for example `{}`", setting.key, setting.sample),
    );
    None
}
