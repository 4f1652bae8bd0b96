//! Everything that can be wrong with a lock file and the options beside it.

use std::collections::BTreeMap;

use serde_json::Value;
use syn::LitStr;
use syn::ext::IdentExt;

use super::ast::{Remote, Server};
use super::attr::Approval;
use crate::common::nearest::nearest;
use crate::common::sink::Sink;
use crate::tool::is_tool_name;

/// The type that stands for the server, beside those of its tools.
pub(super) const SERVER: &str = "Server";

pub(super) fn check(server: &Server, sink: &Sink) {
    if server.module.is_none() {
        let name = &server.name;
        sink.error(
            &server.options.path,
            format!("no module can be named after `{name}`; write `module = name`"),
        );
    }
    known(server, sink);
    for tool in &server.tools {
        entry(server, tool, sink);
    }
    collisions(server, sink);
}

/// Every name in the options is that of a tool.
fn known(server: &Server, sink: &Sink) {
    let options = &server.options;
    let approved = match &options.approval {
        Approval::All(_) => [].as_slice(),
        Approval::Some(names) => names,
    };
    let renamed = options.renames.iter().map(|(remote, _)| remote);
    for name in renamed.chain(&options.except).chain(approved) {
        let text = name.value();
        if server.names.contains(&text) {
            continue;
        }
        let names = || server.names.iter().map(String::as_str);
        let remedy = match nearest(&text, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "its tools are {}",
                names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        sink.error(name, format!("`{text}` is no tool of the server `{}`; {remedy}", server.name));
    }
}

fn entry(server: &Server, tool: &Remote, sink: &Sink) {
    let path = &server.options.path;
    let remote = &tool.pinned.name;
    if !tool.pinned.is_whole {
        let remedy = "pin the server again, in place of editing the file";
        sink.error(path, format!("`{remote}` is not as it was pinned in `{}`; {remedy}", path.value()));
    }
    if tool.pinned.schema.get("type").and_then(Value::as_str) != Some("object") {
        let remedy = format!("leave it out with `except({remote:?})`");
        sink.error(path, format!("the arguments of `{remote}` are no object; {remedy}"));
    }
    if !is_tool_name(&tool.name) {
        let remedy =
            format!("give it one of 1 to 64 letters, digits, `_` or `-` with `rename({remote:?} = \"…\")`");
        let message = format!("`{}` is no name that every provider takes; {remedy}", tool.name);
        sink.error(server.place(remote), message);
    }
}

/// No two tools have one name here, nor their types.
fn collisions(server: &Server, sink: &Sink) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let place = |name: &str| -> LitStr { server.place(name).clone() };
    for tool in &server.tools {
        let remote = &tool.pinned.name;
        let word = tool.ident.unraw().to_string();
        let remedy = format!("give one another name with `rename({remote:?} = \"…\")`");
        if word == SERVER {
            sink.error(
                place(remote),
                format!("`{remote}` would be named like the type of the server; {remedy}"),
            );
        } else if let Some(other) = seen.insert(word.clone(), remote) {
            sink.error(place(remote), format!("`{other}` and `{remote}` would both be `{word}`; {remedy}"));
        }
    }
}
