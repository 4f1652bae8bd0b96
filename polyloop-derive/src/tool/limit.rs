//! What a parameter's value must keep to: `range(…)`, `length(…)`, `pattern = "…"`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, ExprRange, ExprUnary, Lit, LitStr, RangeLimits, UnOp};

use super::tokens::bare_expression;
use crate::common::options::{Setting, given_tokens};
use crate::common::sink::Sink;

/// One limit, as the schema will state it.
pub(crate) enum Limit {
    /// A number as decimal text, so that no digit is lost.
    Minimum(String),
    Maximum(String),
    ExclusiveMaximum(String),
    MinLength(usize),
    MaxLength(usize),
    Pattern(LitStr),
}

impl Limit {
    /// The constructor call; `p` is the path of the runtime's private module.
    pub(crate) fn tokens(&self, p: &TokenStream) -> TokenStream {
        match self {
            Self::Minimum(number) => quote!(#p::Limit::Minimum(#number)),
            Self::Maximum(number) => quote!(#p::Limit::Maximum(#number)),
            Self::ExclusiveMaximum(number) => quote!(#p::Limit::ExclusiveMaximum(#number)),
            Self::MinLength(length) => quote!(#p::Limit::MinLength(#length)),
            Self::MaxLength(length) => quote!(#p::Limit::MaxLength(#length)),
            Self::Pattern(pattern) => quote!(#p::Limit::Pattern(#pattern)),
        }
    }
}

/// Reads one setting; gives nothing for one that states no limit.
pub(crate) fn read(setting: &Setting, sink: &Sink) -> Vec<Limit> {
    if setting.is("range") {
        bounds(setting, sink).map(|bounds| range(&bounds, sink)).unwrap_or_default()
    } else if setting.is("length") {
        bounds(setting, sink).map(|bounds| length(&bounds, sink)).unwrap_or_default()
    } else if setting.is("pattern") {
        setting.string(sink).and_then(|text| pattern(text, sink)).into_iter().collect()
    } else {
        Vec::new()
    }
}

/// The two ends of a range, each a number as decimal text.
struct Bounds {
    written: TokenStream,
    start: Option<String>,
    end: Option<String>,
    closed: bool,
}

fn bounds(setting: &Setting, sink: &Sink) -> Option<Bounds> {
    let key = &setting.key;
    let written = given_tokens(setting);
    let Some(range) = whole_range(setting) else {
        sink.error(
            written,
            format!("`{key}` takes one range; write `{key}(1..=7)`, `{key}(1..)` or `{key}(..=7)`"),
        );
        return None;
    };
    let mut clean = true;
    let mut end_of = |expression: &Option<Box<Expr>>| {
        let expression = expression.as_deref()?;
        let number = number(expression);
        if number.is_none() {
            sink.error(expression, format!("a bound of `{key}` is a number; write it out"));
            clean = false;
        }
        number
    };
    let (start, end) = (end_of(&range.start), end_of(&range.end));
    if range.start.is_none() && range.end.is_none() {
        sink.error(&written, format!("`{key}(..)` limits nothing; give a bound or leave it out"));
        clean = false;
    }
    let closed = matches!(range.limits, RangeLimits::Closed(_));
    clean.then_some(Bounds { written, start, end, closed })
}

fn whole_range(setting: &Setting) -> Option<ExprRange> {
    match syn::parse2(given_tokens(setting)) {
        Ok(Expr::Range(range)) => Some(range),
        _ => None,
    }
}

/// A literal, perhaps negative, as decimal text without underscores and suffix.
fn number(expression: &Expr) -> Option<String> {
    match bare_expression(expression) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.base10_digits().to_owned()),
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => Some(number.base10_digits().to_owned()),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => {
            number(expr).filter(|digits| !digits.starts_with('-')).map(|digits| format!("-{digits}"))
        }
        _ => None,
    }
}

fn range(bounds: &Bounds, sink: &Sink) -> Vec<Limit> {
    if let (Some(start), Some(end)) = (&bounds.start, &bounds.end)
        && is_empty(start, end, bounds.closed)
    {
        sink.error(&bounds.written, "no number is in this range; put the smaller bound first");
        return Vec::new();
    }
    let upper = if bounds.closed { Limit::Maximum } else { Limit::ExclusiveMaximum };
    let lower = bounds.start.clone().map(Limit::Minimum);
    lower.into_iter().chain(bounds.end.clone().map(upper)).collect()
}

/// Whole numbers are compared as such: a 64-bit bound does not survive the way through a float.
fn is_empty(start: &str, end: &str, closed: bool) -> bool {
    if let (Ok(start), Ok(end)) = (start.parse::<i128>(), end.parse::<i128>()) {
        return if closed { start > end } else { start >= end };
    }
    match (start.parse::<f64>(), end.parse::<f64>()) {
        (Ok(start), Ok(end)) => !(start < end || closed && start <= end),
        _ => false,
    }
}

fn length(bounds: &Bounds, sink: &Sink) -> Vec<Limit> {
    let whole = |text: &Option<String>| text.as_ref().map(|text| text.parse::<usize>()).transpose();
    let (Ok(start), Ok(end)) = (whole(&bounds.start), whole(&bounds.end)) else {
        sink.error(
            &bounds.written,
            "a length is a whole number that is not negative; write for example `length(1..=20)`",
        );
        return Vec::new();
    };
    // A half-open end becomes the last length inside; none is inside `..0`.
    let last = match end {
        Some(end) if !bounds.closed => end.checked_sub(1).map(Some),
        end => Some(end),
    };
    match last {
        Some(last) if last.is_none_or(|last| start.unwrap_or(0) <= last) => {
            start.map(Limit::MinLength).into_iter().chain(last.map(Limit::MaxLength)).collect()
        }
        _ => {
            sink.error(&bounds.written, "no length is in this range; put the smaller bound first");
            Vec::new()
        }
    }
}

fn pattern(text: LitStr, sink: &Sink) -> Option<Limit> {
    let fault = match regex_syntax::parse(&text.value()) {
        Ok(_) => return Some(Limit::Pattern(text)),
        Err(regex_syntax::Error::Parse(error)) => error.kind().to_string(),
        Err(regex_syntax::Error::Translate(error)) => error.kind().to_string(),
        Err(_) => "it cannot be read".to_owned(),
    };
    sink.error_at(text.span(), format!("this is no regular expression: {fault}; correct the pattern"));
    None
}
