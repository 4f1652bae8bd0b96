//! Descriptions: doc comments and the `description` option, as text or as constants that the compiler evaluates.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta};

use super::options::bare;
use super::place::located;

/// What the model reads about an item: parts that follow one another, a line break between two of them.
#[derive(Clone)]
pub(crate) struct Description {
    parts: Vec<Part>,
    span: Span,
}

/// One part of a description.
#[derive(Clone)]
enum Part {
    /// A text of the source.
    Text(String),
    /// An expression such as `concat!(…)` or `include_str!(…)`, which only the compiler can evaluate.
    Constant(Expr),
}

impl Description {
    /// Returns the description that an option gives: a string literal or a constant expression.
    pub(crate) fn given(value: &Expr, span: Span) -> Self {
        let part = match literal(value) {
            Some(text) => Part::Text(text.value()),
            None => Part::Constant(value.clone()),
        };
        Self { parts: vec![part], span }
    }

    /// Returns the description in the doc comments of an item.
    pub(crate) fn documented(attributes: &[Attribute], span: Span) -> Self {
        let mut parts = Vec::new();
        for value in attributes.iter().filter_map(value) {
            match (literal(value), parts.last_mut()) {
                (Some(text), Some(Part::Text(before))) => {
                    before.push('\n');
                    before.push_str(&unindented(&text.value()));
                }
                (Some(text), _) => parts.push(Part::Text(unindented(&text.value()))),
                (None, _) => parts.push(Part::Constant(value.clone())),
            }
        }
        Self { parts, span }
    }

    /// Returns `true` if nothing is described, as far as a macro can see.
    pub(crate) fn is_blank(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(text) if text.trim().is_empty()))
    }

    /// Returns the description as an expression of type `&'static str`. A constant that is blank is refused with the
    /// message. `p` is the path to the private module of the library.
    pub(crate) fn tokens(&self, p: &TokenStream, blank: &str) -> TokenStream {
        let constant = self.parts.iter().find_map(|part| match part {
            Part::Constant(constant) => Some(constant),
            Part::Text(_) => None,
        });
        let Some(constant) = constant else {
            let text: Vec<&str> = self.parts.iter().filter_map(Part::text).collect();
            let text = LitStr::new(trimmed(&text.join("\n")), self.span);
            return quote!(#text);
        };
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => quote!(#text),
            Part::Constant(value) => quote!(#value),
        });
        let check = quote_spanned! {located(constant)=>
            const _: () = ::core::assert!(__LENGTH > 0, #blank);
        };
        quote! {{
            const __PARTS: &[&::core::primitive::str] = &[#(#parts),*];
            const __LENGTH: ::core::primitive::usize = #p::description_length(__PARTS);
            const __BYTES: &[::core::primitive::u8] = &#p::description_bytes::<__LENGTH>(__PARTS);
            const __TEXT: &::core::primitive::str = #p::description(__BYTES);
            #check
            __TEXT
        }}
    }
}

impl Part {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Constant(_) => None,
        }
    }
}

/// Returns the first attribute under a condition that names one of the words: a macro sees the condition, not its outcome.
pub(crate) fn conditional<'a>(
    attributes: &'a [Attribute],
    words: &[&str],
) -> Option<(&'a Attribute, String)> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg_attr")).find_map(|attribute| {
        let Meta::List(list) = &attribute.meta else { return None };
        let parser = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
        let inner = list.parse_args_with(parser).ok()?;
        let word = inner.iter().skip(1).find_map(|meta| {
            words.iter().find(|word| meta.path().is_ident(*word)).map(|word| (*word).to_owned())
        });
        word.map(|word| (attribute, word))
    })
}

/// Returns the value of a `doc` attribute.
fn value(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if is_doc(attribute) => Some(bare(&pair.value)),
        _ => None,
    }
}

fn literal(value: &Expr) -> Option<&LitStr> {
    match bare(value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// Removes what belongs to the form of a comment: the space after `///`; in a block comment the stars, or the common
/// indentation, of the lines after the first.
fn unindented(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    let Some((first, rest)) = lines.split_first() else { return String::new() };
    let first = first.strip_prefix(' ').unwrap_or(first);
    if rest.is_empty() {
        return first.to_owned();
    }
    let written = || rest.iter().filter(|line| !line.is_empty());
    let is_decorated = written().all(|line| line.trim_start().starts_with('*'));
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let common = written().map(|line| indentation(line)).min().unwrap_or(0);
    let rest = rest.iter().map(|line| {
        if is_decorated {
            let line = line.trim_start();
            let line = line.strip_prefix('*').unwrap_or(line);
            return line.strip_prefix(' ').unwrap_or(line);
        }
        line.get(common..).unwrap_or_default()
    });
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n")
}

/// Removes blank lines at the start and white space at the end; the indentation of the first line stays.
fn trimmed(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let start = text.get(..blank).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or(text)
}

/// Returns `true` for a doc comment or `#[doc = …]`.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;
    use quote::quote;
    use syn::{Attribute, ItemFn, parse_quote};

    use super::Description;

    fn described(item: ItemFn) -> String {
        let attributes: Vec<Attribute> = item.attrs;
        Description::documented(&attributes, Span::call_site()).tokens(&quote!(p), "blank").to_string()
    }

    #[test]
    fn a_line_comment_is_taken_as_written() {
        let lists = described(parse_quote! {
            ///   * nested
            /// * first
            /// * 2 = product
            ///
            /// ```text
            /// * * *
            /// ```
            fn item() {}
        });
        assert_eq!(lists, r#""  * nested\n* first\n* 2 = product\n\n```text\n* * *\n```""#);
    }

    #[test]
    fn stars_are_decoration_only_where_each_line_of_a_block_comment_has_one() {
        let decorated = described(parse_quote! {
            /** One.
             *
             * * two
             */
            fn item() {}
        });
        assert_eq!(decorated, r#""One.\n\n* two""#);
        let plain = described(parse_quote! {
            /**
            One.

            * two
              three
            */
            fn item() {}
        });
        assert_eq!(plain, r#""One.\n\n* two\n  three""#);
    }
}
