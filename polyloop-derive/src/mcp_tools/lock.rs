//! The lock file, read.

use std::{env, fs};

use serde_json::{Map, Value};
use syn::LitStr;

/// The version of the file's form.
const VERSION: u64 = 1;

/// How a good file is come by.
const REMEDY: &str = "write it anew with `polyloop::mcp::pin`";

/// What the file pins.
pub(super) struct Lock {
    pub(super) server: String,
    pub(super) tools: Vec<Pinned>,
}

/// One tool of the server.
pub(super) struct Pinned {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) schema: Map<String, Value>,
    annotations: Map<String, Value>,
    /// Whether the entry is as it was written.
    pub(super) is_whole: bool,
}

impl Pinned {
    /// Whether the server hints at something.
    pub(super) fn hints(&self, hint: &str) -> bool {
        self.annotations.get(hint).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// Reads the file; else says why it is of no use.
pub(super) fn read(path: &LitStr) -> Result<Lock, String> {
    let path = path.value();
    let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let text = fs::read_to_string(format!("{folder}/{path}")).map_err(|error| {
        let remedy = "write it with `polyloop::mcp::pin`, and give the path from the folder of `Cargo.toml`";
        format!("`{path}` cannot be read: {error}; {remedy}")
    })?;
    lock(&text).map_err(|why| format!("`{path}` is no lock file of tools: {why}; {REMEDY}"))
}

fn lock(text: &str) -> Result<Lock, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match file.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(other) => return Err(format!("its version is {other}, and {VERSION} is known here")),
        None => return Err("it has no `version`".to_owned()),
    }
    let server = file.get("server").and_then(Value::as_str).ok_or("it names no `server`")?;
    let tools = file.get("tools").and_then(Value::as_array).ok_or("it lists no `tools`")?;
    let tools = tools.iter().map(|tool| pinned(tool).ok_or("an entry of `tools` lacks something"));
    Ok(Lock { server: server.to_owned(), tools: tools.collect::<Result<_, _>>()? })
}

fn pinned(tool: &Value) -> Option<Pinned> {
    let mut entry = tool.as_object()?.clone();
    let hash = entry.shift_remove("hash")?;
    let text = serde_json::to_string(&entry).ok()?;
    Some(Pinned {
        name: entry.get("name")?.as_str()?.to_owned(),
        description: entry.get("description").and_then(Value::as_str).map(str::to_owned),
        schema: entry.get("inputSchema")?.as_object()?.clone(),
        annotations: entry.get("annotations").and_then(Value::as_object).cloned().unwrap_or_default(),
        is_whole: hash == blake3::hash(text.as_bytes()).to_hex().as_str(),
    })
}
