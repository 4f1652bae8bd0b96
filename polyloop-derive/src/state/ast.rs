//! A state as written: the fields that it provides.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Generics, Index, Member, Type};

use super::attr::{read_field, read_type};
use crate::common::krate;
use crate::common::sink::Sink;

pub(crate) struct State {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) form: Form,
    /// The path of `polyloop::__private`.
    pub(crate) private: TokenStream,
    /// The fields that are not skipped, each type once.
    pub(crate) provided: Vec<Field>,
    /// Fields whose type an earlier one provides.
    pub(crate) repeated: Vec<Field>,
    /// Whether the item or a field of it is deprecated; naming it must not warn.
    pub(crate) is_deprecated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Struct,
    Enum,
    Union,
}

pub(crate) struct Field {
    pub(crate) member: Member,
    pub(crate) ty: Type,
}

impl State {
    pub(crate) fn read(input: DeriveInput, sink: &Sink) -> Self {
        let reading = read_type(&input.attrs, sink);
        let krate = krate::path(reading.get("crate").and_then(|setting| setting.path(sink)).as_ref());
        let mut state = Self {
            ident: input.ident,
            generics: input.generics,
            form: Form::Struct,
            private: quote!(#krate::__private),
            provided: Vec::new(),
            repeated: Vec::new(),
            is_deprecated: input.attrs.iter().any(|attribute| attribute.path().is_ident("deprecated")),
        };
        match input.data {
            Data::Struct(data) => state.fields(data.fields, sink),
            Data::Enum(_) => state.form = Form::Enum,
            Data::Union(_) => state.form = Form::Union,
        }
        state
    }

    fn fields(&mut self, fields: syn::Fields, sink: &Sink) {
        let mut types = BTreeSet::new();
        for (index, field) in fields.into_iter().enumerate() {
            let reading = read_field(&field.attrs, sink);
            // A misspelled `skip` is still meant as one.
            if !reading.lacks("skip") {
                continue;
            }
            self.is_deprecated |= field.attrs.iter().any(|attribute| attribute.path().is_ident("deprecated"));
            let member = field.ident.map_or_else(|| Member::Unnamed(Index::from(index)), Member::Named);
            let is_new = types.insert(field.ty.to_token_stream().to_string());
            let place = if is_new { &mut self.provided } else { &mut self.repeated };
            place.push(Field { member, ty: field.ty });
        }
    }
}
