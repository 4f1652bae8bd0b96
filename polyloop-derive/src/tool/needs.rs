//! What a tool needs of the state, and under which conditions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Meta};

use super::ast::{Home, Kind, Tool};

/// The types that the state must provide, each once.
pub(super) struct Needs {
    /// The distinct conditions of `#[cfg]`s on `#[state]` parameters.
    conditions: Vec<TokenStream>,
    types: Vec<Need>,
}

struct Need {
    ty: TokenStream,
    /// Which of the conditions must hold; none for a type that is needed in any case.
    condition: Option<usize>,
}

impl Needs {
    pub(super) fn of(tool: &Tool) -> Self {
        let mut needs = Self { conditions: Vec::new(), types: Vec::new() };
        if let Home::Toolbox(owner) = &tool.home {
            needs.add(owner.to_token_stream(), &[]);
        }
        for parameter in &tool.parameters {
            if let (Kind::State(_), Some(ty)) = (&parameter.kind, parameter.referent()) {
                needs.add(ty.to_token_stream(), &parameter.cfgs);
            }
        }
        needs
    }

    /// Every outcome of the conditions: the `#[cfg]`s that select it, and the types that it needs.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = (Vec<TokenStream>, Vec<&TokenStream>)> {
        (0..1_usize << self.conditions.len()).map(|outcome| {
            let holds = |condition: usize| outcome & (1 << condition) != 0;
            let cfgs = self.conditions.iter().enumerate().map(|(index, condition)| {
                if holds(index) { quote!(#[cfg(#condition)]) } else { quote!(#[cfg(not(#condition))]) }
            });
            let types = self.types.iter().filter(|need| need.condition.is_none_or(holds));
            (cfgs.collect(), types.map(|need| &need.ty).collect())
        })
    }

    fn add(&mut self, ty: TokenStream, cfgs: &[Attribute]) {
        let condition = (!cfgs.is_empty()).then(|| self.condition(cfgs));
        let known = |need: &Need| {
            let covers = need.condition.is_none() || need.condition == condition;
            covers && need.ty.to_string() == ty.to_string()
        };
        if !self.types.iter().any(known) {
            self.types.push(Need { ty, condition });
        }
    }

    /// The place of a condition among all.
    fn condition(&mut self, cfgs: &[Attribute]) -> usize {
        let predicates = cfgs.iter().filter_map(|cfg| match &cfg.meta {
            Meta::List(list) => Some(&list.tokens),
            Meta::Path(_) | Meta::NameValue(_) => None,
        });
        let condition = quote!(all(#(#predicates),*));
        let text = condition.to_string();
        let known = self.conditions.iter().position(|known| known.to_string() == text);
        known.unwrap_or_else(|| {
            self.conditions.push(condition);
            self.conditions.len() - 1
        })
    }
}
