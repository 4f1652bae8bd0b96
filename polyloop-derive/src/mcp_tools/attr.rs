//! The path of the lock file and the options behind it: one table, and what was given.

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Error, Ident, LitStr, Path, Token, Visibility};

use crate::common::options::{self, Given, Row, Setting, Shape};
use crate::common::sink::Sink;
use crate::tool::{max_chars, timeout};

const OPTIONS: &[Row] = &[
    ("module", Shape::Value, "module = notes"),
    ("prefix", Shape::Value, "prefix = \"notes_\""),
    ("rename", Shape::Lists, "rename(\"files.read\" = \"read_file\")"),
    ("except", Shape::List, "except(\"purge\")"),
    ("trusted", Shape::Flag, "trusted"),
    ("approval", Shape::FlagOrList, "approval(\"purge\")"),
    ("concurrent", Shape::Flag, "concurrent"),
    ("timeout", Shape::Value, "timeout = \"30s\""),
    ("max_chars", Shape::Value, "max_chars = 20_000"),
    ("crate", Shape::Value, "crate = path::to::polyloop"),
];

/// Which tools a person must agree to.
pub(super) enum Approval {
    /// Each of them, or none.
    All(bool),
    /// Those that are named.
    Some(Vec<LitStr>),
}

/// What the macro was given.
pub(super) struct Options {
    pub(super) visibility: Visibility,
    /// Relative to the package.
    pub(super) path: LitStr,
    pub(super) krate: Option<Path>,
    pub(super) module: Option<Ident>,
    pub(super) prefix: Option<LitStr>,
    /// The server's name for a tool, and the one that it has here.
    pub(super) renames: Vec<(LitStr, LitStr)>,
    pub(super) except: Vec<LitStr>,
    pub(super) trusted: bool,
    pub(super) approval: Approval,
    pub(super) concurrent: bool,
    /// In milliseconds.
    pub(super) timeout: Option<u64>,
    /// How many characters of a result a model is shown.
    pub(super) max_chars: Option<usize>,
}

/// Reads everything between the parentheses.
pub(super) fn read(input: ParseStream<'_>, sink: &Sink) -> syn::Result<Options> {
    let visibility: Visibility = input.parse()?;
    if !input.peek(LitStr) {
        return Err(Error::new(
            input.span(),
            "nothing says which tools are meant; write `mcp_tools!(\"mcp.lock.json\")`",
        ));
    }
    let path: LitStr = input.parse()?;
    if !input.is_empty() && input.parse::<Token![,]>().is_err() {
        sink.push(input.error("the options stand behind a `,`; put one in front of them"));
    }
    let tokens: TokenStream = input.parse()?;
    let mut given = Options {
        visibility,
        path,
        krate: None,
        module: None,
        prefix: None,
        renames: Vec::new(),
        except: Vec::new(),
        trusted: false,
        approval: Approval::All(false),
        concurrent: false,
        timeout: None,
        max_chars: None,
    };
    for setting in options::read_tokens(tokens, "mcp_tools!", OPTIONS, sink) {
        given.take(&setting, sink);
    }
    Ok(given)
}

impl Options {
    fn take(&mut self, setting: &Setting, sink: &Sink) {
        if setting.is("module") {
            self.module = setting.name(sink);
        } else if setting.is("prefix") {
            self.prefix = setting.string(sink);
        } else if setting.is("rename") {
            self.renames.extend(setting.list(sink, renames).into_iter().flatten());
        } else if setting.is("except") {
            self.except.extend(setting.list(sink, names).into_iter().flatten());
        } else if setting.is("trusted") {
            self.trusted = true;
        } else if setting.is("concurrent") {
            self.concurrent = true;
        } else if setting.is("timeout") {
            self.timeout = setting.string(sink).and_then(|text| timeout(&text, sink));
        } else if setting.is("max_chars") {
            self.max_chars = setting.integer(sink).and_then(|number| max_chars(&number, sink));
        } else if setting.is("crate") {
            self.krate = setting.path(sink);
        } else if matches!(setting.given, Given::Flag) {
            self.approval = Approval::All(true);
        } else {
            self.approval = Approval::Some(setting.list(sink, names).unwrap_or_default());
        }
    }
}

fn names(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    Punctuated::<LitStr, Token![,]>::parse_terminated(input).map(|names| names.into_iter().collect())
}

fn renames(input: ParseStream<'_>) -> syn::Result<Vec<(LitStr, LitStr)>> {
    let mut renames = Vec::new();
    while !input.is_empty() {
        let remote = input.parse()?;
        input.parse::<Token![=]>()?;
        renames.push((remote, input.parse()?));
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(renames)
}
