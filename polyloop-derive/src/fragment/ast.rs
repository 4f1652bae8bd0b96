//! A fragment as written: its options and its cases, which are the struct itself or the variants of an enum.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Index, Member, Type};

use super::attr::{Options, read_field, read_variant};
use super::template::Segment;
use super::value::Body;
use crate::common::krate;
use crate::common::options::Reading;
use crate::common::sink::Sink;

pub(crate) struct Fragment {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) options: Options,
    pub(crate) form: Form,
    pub(crate) cases: Vec<Case>,
    /// Whether the item or a part of it is deprecated; naming it must not warn.
    pub(crate) is_deprecated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Struct,
    Enum,
    Union,
}

/// The struct itself or one variant: fields and a body over them.
pub(crate) struct Case {
    /// The name of the type or of the variant.
    pub(crate) ident: Ident,
    /// How to construct and to match it.
    pub(crate) path: TokenStream,
    pub(crate) fields: Vec<Field>,
    pub(crate) body: Option<Body>,
    /// Whether nobody tried to give a body.
    pub(crate) lacks_body: bool,
}

pub(crate) struct Field {
    pub(crate) member: Member,
    /// As a placeholder names it: without `r#`, or the index.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) reading: Reading,
}

impl Fragment {
    pub(crate) fn read(input: DeriveInput, sink: &Sink) -> Self {
        let options = Options::read(&input.attrs, sink);
        let mut is_deprecated = deprecated(&input.attrs);
        let (form, cases) = match input.data {
            Data::Struct(data) => {
                is_deprecated |= data.fields.iter().any(|field| deprecated(&field.attrs));
                let case = Case::read(input.ident.clone(), quote!(Self), data.fields, &options.reading, sink);
                (Form::Struct, vec![case])
            }
            Data::Enum(data) => {
                let cases = data.variants.into_iter().map(|variant| {
                    is_deprecated |= deprecated(&variant.attrs);
                    is_deprecated |= variant.fields.iter().any(|field| deprecated(&field.attrs));
                    let reading = read_variant(&variant.attrs, sink);
                    let ident = variant.ident;
                    Case::read(ident.clone(), quote!(Self::#ident), variant.fields, &reading, sink)
                });
                (Form::Enum, cases.collect())
            }
            Data::Union(_) => (Form::Union, Vec::new()),
        };
        Self { ident: input.ident, generics: input.generics, options, form, cases, is_deprecated }
    }

    /// The path of `polyloop::__private`.
    pub(crate) fn private(&self) -> TokenStream {
        let krate = krate::path(self.options.krate.as_ref());
        quote!(#krate::__private)
    }

    /// What keeps an impl for a deprecated item from being warned about.
    pub(crate) fn allow_deprecated(&self) -> Option<TokenStream> {
        self.is_deprecated.then(
            || quote!(#[allow(deprecated, reason = "a deprecated item may have an impl; who uses it is warned")]),
        )
    }

    /// The kind as given, or the type's name in snake case.
    pub(crate) fn kind(&self) -> String {
        match &self.options.kind {
            Some(kind) => kind.value(),
            None => snake_case(&self.ident.unraw().to_string()),
        }
    }

    /// The name of the field that the markers' key stands for.
    pub(crate) fn key(&self) -> Option<&str> {
        self.options.markers.as_ref().and_then(|markers| markers.begin.key())
    }

    /// Whether every text can be split at its placeholders again: each field once, and text between any two.
    pub(crate) fn is_readable(&self) -> bool {
        let touch = |pair: &[Segment]| matches!(pair, [Segment::Placeholder(_), Segment::Placeholder(_)]);
        self.cases.iter().all(|case| {
            matches!(case.body, Some(Body::Template(_)))
                && !case.segments().windows(2).any(touch)
                && case.fields.iter().all(|field| {
                    let places = case.placed().filter(|placed| placed.name == field.name).count();
                    places + usize::from(self.key() == Some(&field.name)) == 1
                })
        })
    }
}

impl Case {
    fn read(ident: Ident, path: TokenStream, fields: Fields, reading: &Reading, sink: &Sink) -> Self {
        let fields =
            fields.into_iter().enumerate().map(|(index, field)| Field::read(index, field, sink)).collect();
        let body = reading.get("body").and_then(|setting| Body::read(setting, sink));
        Self { ident, path, fields, body, lacks_body: reading.lacks("body") }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The field with that flag.
    pub(crate) fn flagged(&self, flag: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.reading.has(flag))
    }

    /// What the body's template consists of; nothing when a function makes the body.
    pub(crate) fn segments(&self) -> &[Segment] {
        match &self.body {
            Some(Body::Template(template)) => &template.segments,
            _ => &[],
        }
    }

    /// The fields that the template names, in its order; one that is named twice comes twice.
    pub(crate) fn placed(&self) -> impl Iterator<Item = &Field> {
        self.segments().iter().filter_map(|segment| match segment {
            Segment::Placeholder(name) => self.field(name),
            Segment::Text(_) => None,
        })
    }
}

impl Field {
    fn read(index: usize, field: syn::Field, sink: &Sink) -> Self {
        let reading = read_field(&field.attrs, sink);
        let (name, member) = match field.ident {
            Some(ident) => (ident.unraw().to_string(), Member::Named(ident)),
            None => (index.to_string(), Member::Unnamed(Index::from(index))),
        };
        Self { member, name, ty: field.ty, reading }
    }

    /// What to underline: the name, or the type where there is none.
    pub(crate) fn tokens(&self) -> &dyn ToTokens {
        match &self.member {
            Member::Named(ident) => ident,
            Member::Unnamed(_) => &self.ty,
        }
    }
}

fn deprecated(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"))
}

/// `HttpContext` and `HTTPContext` are `http_context`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut letters = name.chars().peekable();
    let mut before = '_';
    while let Some(letter) = letters.next() {
        let ends_capitals = before.is_uppercase() && letters.peek().is_some_and(|next| next.is_lowercase());
        let starts_word = letter.is_uppercase() && (!before.is_uppercase() || ends_capitals);
        if starts_word && before != '_' {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        before = letter;
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn a_kind_is_the_name_in_snake_case() {
        let names = ["EnvironmentContext", "HTTPContext", "Http2Note", "Room_Left", "X"];
        let kinds = ["environment_context", "http_context", "http2_note", "room_left", "x"];
        assert_eq!(names.map(snake_case), kinds);
    }
}
