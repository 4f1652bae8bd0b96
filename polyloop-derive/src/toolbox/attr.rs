//! The options of `#[toolbox(…)]`.

use proc_macro2::TokenStream;
use syn::{Ident, Path};

use crate::common::options::{self, Row, Shape};
use crate::common::sink::Sink;

const TOOLBOX: &[Row] = &[
    ("module", Shape::Value, "module = workspace_tools"),
    ("crate", Shape::Value, "crate = path::to::polyloop"),
];

/// What `#[toolbox(…)]` says.
#[derive(Default)]
pub(super) struct ToolboxOptions {
    pub(super) module: Option<Ident>,
    pub(super) krate: Option<Path>,
}

impl ToolboxOptions {
    pub(super) fn read(tokens: TokenStream, sink: &Sink) -> Self {
        let mut given = Self::default();
        for setting in options::read_tokens(tokens, "toolbox", TOOLBOX, sink) {
            if setting.is("module") {
                given.module = setting.name(sink);
            } else {
                given.krate = setting.path(sink);
            }
        }
        given
    }
}
