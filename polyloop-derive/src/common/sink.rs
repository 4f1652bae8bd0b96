//! Where every mistake of an item is collected, so that one build reports them all.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects the mistakes of one item; [`Sink::finish`] must be called, or dropping it panics.
#[derive(Debug)]
pub(crate) struct Sink {
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Sink {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Records a mistake that underlines the given tokens.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records a mistake that underlines the given span.
    pub(crate) fn error_at(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Records what the parser said.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Returns the value, or records the parser's error.
    pub(crate) fn take<T>(&self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.push(error);
                None
            }
        }
    }

    /// Whether nothing went wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.errors.borrow().as_ref().is_none_or(Vec::is_empty)
    }

    /// Ends the collection; gives one `compile_error!` for each mistake.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        if errors.is_empty() {
            return Ok(());
        }
        Err(errors.iter().map(syn::Error::to_compile_error).collect())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.errors.borrow().is_some() {
            unreachable!("a sink was dropped without looking at its errors");
        }
    }
}
