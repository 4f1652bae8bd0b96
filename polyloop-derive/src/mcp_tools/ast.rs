//! What the lock file and the options together say.

use proc_macro2::{Ident, Span};
use syn::LitStr;

use super::attr::{Approval, Options};
use super::lock::{Lock, Pinned};

/// A pinned server, and how its tools are known here.
pub(super) struct Server {
    pub(super) options: Options,
    pub(super) name: String,
    pub(super) module: Option<Ident>,
    /// All that are not left out.
    pub(super) tools: Vec<Remote>,
    /// The names of all, also of those that are left out.
    pub(super) names: Vec<String>,
}

/// A pinned tool, and how it is known here.
pub(super) struct Remote {
    pub(super) pinned: Pinned,
    /// What a model calls.
    pub(super) name: String,
    /// The name of the type.
    pub(super) ident: Ident,
}

impl Server {
    pub(super) fn new(options: Options, lock: Lock) -> Self {
        let names = lock.tools.iter().map(|pinned| pinned.name.clone()).collect();
        let is_kept = |pinned: &Pinned| !options.except.iter().any(|name| name.value() == pinned.name);
        let tools =
            lock.tools.into_iter().filter(is_kept).map(|pinned| Remote::new(pinned, &options)).collect();
        let module = options.module.clone().or_else(|| {
            let word = snake(&lock.server);
            word.starts_with(|first: char| first.is_ascii_alphabetic())
                .then(|| ident(&word, options.path.span()))
        });
        Self { options, name: lock.server, module, tools, names }
    }

    /// Where a name of a tool stands in the options, to underline it; else the path of the file.
    pub(super) fn place(&self, remote: &str) -> &LitStr {
        let renamed = self.options.renames.iter().find(|(name, _)| name.value() == remote);
        renamed.map_or(&self.options.path, |(_, name)| name)
    }

    pub(super) fn needs_approval(&self, remote: &str) -> bool {
        match &self.options.approval {
            Approval::All(all) => *all,
            Approval::Some(names) => names.iter().any(|name| name.value() == remote),
        }
    }
}

impl Remote {
    fn new(pinned: Pinned, options: &Options) -> Self {
        let renamed = options.renames.iter().find(|(name, _)| name.value() == pinned.name);
        let prefix = options.prefix.as_ref().map(LitStr::value).unwrap_or_default();
        let own = renamed.map_or_else(|| portable(&pinned.name), |(_, name)| name.value());
        let name = format!("{prefix}{own}");
        let ident = ident(&own.replace('-', "_"), options.path.span());
        Self { pinned, name, ident }
    }
}

/// A name of letters, digits, `_` and `-`, which every provider takes.
fn portable(name: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' }
    };
    let plain: String = name.chars().map(plain).collect();
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    if plain.starts_with(is_first) { plain } else { format!("_{plain}") }
}

/// The name of a module after that of a server.
fn snake(name: &str) -> String {
    let mut word = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && word.ends_with(|last: char| last.is_ascii_lowercase()) {
            word.push('_');
        }
        word.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' });
    }
    word
}

/// The word as an identifier; a keyword gets the mark, or the underscore, that makes it one.
fn ident(word: &str, span: Span) -> Ident {
    let words = [word.to_owned(), format!("r#{word}"), format!("{word}_")];
    let parsed = words.iter().find_map(|word| syn::parse_str::<Ident>(word).ok());
    let mut ident = parsed.unwrap_or_else(|| Ident::new("_unnamed", span));
    ident.set_span(span);
    ident
}
