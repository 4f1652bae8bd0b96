//! The closed sets of words that options take; each prints itself as the runtime's enum of the same name.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use crate::common::nearest::nearest;
use crate::common::options::{Setting, given_tokens};
use crate::common::sink::Sink;

/// One of a closed set of words.
pub(crate) trait Choice: Copy + 'static {
    const WORDS: &'static [(&'static str, Self)];
}

/// A word as written.
pub(crate) struct Word<T> {
    pub(crate) value: T,
    pub(crate) ident: Ident,
}

impl<T: Choice> Word<T> {
    /// Reads `key = word`.
    pub(crate) fn read(setting: &Setting, sink: &Sink) -> Option<Self> {
        let key = &setting.key;
        let Some(ident) = setting.as_word() else {
            sink.error(given_tokens(setting), format!("`{key}` takes a bare word; write {}", listed::<T>()));
            return None;
        };
        let written = ident.to_string();
        let Some((_, value)) = T::WORDS.iter().find(|(word, _)| *word == written) else {
            let message = match nearest(&written, T::WORDS.iter().map(|(word, _)| *word)) {
                Some(word) => format!("`{key}` cannot be `{written}`; did you mean `{word}`?"),
                None => format!("`{key}` cannot be `{written}`; write {}", listed::<T>()),
            };
            sink.error(&ident, message);
            return None;
        };
        Some(Self { value: *value, ident })
    }
}

/// The expression as one bare word.
pub(crate) fn as_word(expression: &syn::Expr) -> Option<Ident> {
    match expression {
        syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident().cloned(),
        _ => None,
    }
}

/// "`user`, `developer` or `system`".
fn listed<T: Choice>() -> String {
    let words: Vec<String> = T::WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($word:literal => $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name {
            $($variant),+
        }

        impl Choice for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
        }

        impl ToTokens for $name {
            fn to_tokens(&self, tokens: &mut TokenStream) {
                let variant = match self {
                    $(Self::$variant => stringify!($variant)),+
                };
                let variant = Ident::new(variant, Span::call_site());
                tokens.extend(quote!($name::#variant));
            }
        }
    };
}

words! {
    /// Who speaks.
    Role { "user" => User, "developer" => Developer, "system" => System, "assistant" => Assistant }
}
words! {
    /// How long a fragment holds.
    Lifetime { "sticky" => Sticky, "latest" => Latest, "once" => Once }
}
words! {
    /// Where a fragment stands in its group.
    Pin { "top" => Top, "bottom" => Bottom }
}
words! {
    /// What compaction does.
    OnCompact { "keep" => Keep, "restate" => Restate, "drop" => Drop }
}
words! {
    /// What a fork does.
    OnFork { "keep" => Keep, "refresh" => Refresh, "drop" => Drop }
}
words! {
    /// What a rollback does.
    OnRollback { "trim" => Trim, "keep" => Keep }
}
words! {
    /// Whether long-term memory may read it.
    Memory { "exclude" => Exclude, "include" => Include }
}
words! {
    /// What happens over the cap.
    Overflow { "refuse" => Refuse, "head" => CutHead, "tail" => CutTail, "middle" => CutMiddle }
}
