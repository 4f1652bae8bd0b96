//! Doc comments as plain text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::options::bare;

/// Returns the text of the doc comments, each line without its first space; empty without any.
pub(crate) fn text(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = value(attribute) {
            let text = text.value();
            lines.extend(text.split('\n').map(|line| unindented(line).to_owned()));
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The first doc text that a macro puts together, such as `concat!(…)`: only the compiler can read it.
pub(crate) fn unreadable(attributes: &[Attribute]) -> Option<&Expr> {
    attributes.iter().filter_map(value).find(|value| !matches!(value, Expr::Lit(_)))
}

/// What stands behind `doc =`.
fn value(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if is_doc(attribute) => Some(bare(&pair.value)),
        _ => None,
    }
}

/// One leading space is the comment's; the stars of a block comment are decoration.
fn unindented(line: &str) -> &str {
    let line = line.trim_end();
    let bare = line.trim_start();
    if let Some(rest) = bare.strip_prefix("* ") {
        return rest;
    }
    if bare == "*" {
        return "";
    }
    line.strip_prefix(' ').unwrap_or(line)
}

/// Whether the attribute is a doc comment or `#[doc = …]`.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}
