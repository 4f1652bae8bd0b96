//! Where an error is shown: spans that underline what the user wrote.

use proc_macro2::Span;
use quote::ToTokens;

/// The place of the tokens, seen as code of ours, so that none of the user's lints looks at it.
pub(crate) fn located(tokens: &impl ToTokens) -> Span {
    Span::mixed_site().located_at(ends(tokens).0)
}

/// The places of the first and the last token; their join is not to be had on stable.
pub(crate) fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let mut places = tokens.to_token_stream().into_iter().map(|token| token.span());
    let first = places.next().unwrap_or_else(Span::call_site);
    (first, places.last().unwrap_or(first))
}
