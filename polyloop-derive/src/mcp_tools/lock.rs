//! The lock file, read.

use std::{env, fs};

use serde_json::{Map, Value};
use syn::LitStr;

/// The version of the file's form.
const VERSION: u64 = 1;

/// How a good file is come by.
const REMEDY: &str = "write it anew with `polyloop::mcp::pin`";

/// The greatest length of a name of a server or a tool, in characters. `polyloop::mcp::pin` has the same limit.
const MAX_NAME: usize = 128;

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
    let lock = Lock { server: server.to_owned(), tools: tools.collect::<Result<_, _>>()? };
    let names = lock.tools.iter().map(|tool| ("tool", &tool.name));
    for (what, name) in std::iter::once(("server", &lock.server)).chain(names) {
        if let Some(why) = fault(name) {
            return Err(format!("the name {} of a {what} {why}", shown(name)));
        }
    }
    Ok(lock)
}

/// Returns why a name from a server is refused. A name is shown in messages of the compiler, so it must not be able to
/// leave its line or its quotes.
fn fault(name: &str) -> Option<String> {
    // The second half are separators of lines and the characters that change the direction of a text.
    let is_hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if name.chars().any(is_hidden) {
        Some("has a control character or a line break".to_owned())
    } else if name.contains('`') {
        Some("has a backtick".to_owned())
    } else {
        (name.chars().count() > MAX_NAME).then(|| format!("has more than {MAX_NAME} characters"))
    }
}

/// Returns the beginning of a name, with everything escaped that is not plain.
fn shown(name: &str) -> String {
    let start: String = name.chars().take(40).collect();
    format!("\"{}\"", start.escape_default())
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
