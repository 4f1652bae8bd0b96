//! Small questions about tokens: is there a borrow in this type, what is `Self` here.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Type};

/// The type without the parentheses and the invisible groups that `macro_rules!` puts around it.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        _ => ty,
    }
}

/// The expression without the invisible groups that `macro_rules!` puts around it.
pub(crate) fn bare_expression(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => bare_expression(&group.expr),
        _ => expression,
    }
}

/// The tokens as a person would write them: with spaces between words and behind commas only.
pub(crate) fn spelled(tokens: impl ToTokens) -> String {
    let printed = tokens.into_token_stream().to_string();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut text = String::with_capacity(printed.len());
    for (place, letter) in printed.char_indices() {
        let before = text.chars().next_back().unwrap_or(' ');
        let after = printed.get(place + 1..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
        if letter != ' ' || before == ',' || (is_word(before) && is_word(after)) {
            text.push(letter);
        }
    }
    text
}

/// The first token, at any depth, for which the question is answered with yes.
pub(crate) fn find(tokens: TokenStream, wanted: &impl Fn(&TokenTree) -> bool) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match &token {
        TokenTree::Group(group) => find(group.stream(), wanted),
        _ => wanted(&token).then_some(token),
    })
}

/// Whether one of the words occurs, at any depth.
pub(crate) fn find_word(tokens: impl ToTokens, word: &str) -> Option<TokenTree> {
    find(tokens.into_token_stream(), &|token| matches!(token, TokenTree::Ident(ident) if ident == word))
}

/// Whether the type borrows: a reference or a lifetime (`'static` too) anywhere in it.
pub(crate) fn borrows(ty: &Type) -> bool {
    let borrow =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if matches!(mark.as_char(), '&' | '\''));
    find(ty.to_token_stream(), &borrow).is_some()
}

/// Writes the owner of an `impl` where its author wrote `Self`, because the expansion stands outside.
pub(crate) fn replace_self(tokens: TokenStream, owner: &Type) -> TokenStream {
    let mut replaced = TokenStream::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Ident(word) if word == "Self" => {
                let owner = located(owner.to_token_stream(), word.span());
                let in_path = matches!(rest.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
                replaced.extend(if in_path { quote::quote!(<#owner>) } else { owner });
            }
            TokenTree::Group(group) => {
                let inner = replace_self(group.stream(), owner);
                let mut outer = Group::new(group.delimiter(), inner);
                outer.set_span(group.span());
                replaced.extend([TokenTree::Group(outer)]);
            }
            token => replaced.extend([token]),
        }
    }
    replaced
}

/// The same tokens with the same names in scope, but errors about them underline `place`.
fn located(tokens: TokenStream, place: proc_macro2::Span) -> TokenStream {
    let relocate = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut moved = Group::new(group.delimiter(), located(group.stream(), place));
            moved.set_span(group.span().located_at(place));
            return TokenTree::Group(moved);
        }
        token.set_span(token.span().located_at(place));
        token
    };
    tokens.into_iter().map(relocate).collect()
}
