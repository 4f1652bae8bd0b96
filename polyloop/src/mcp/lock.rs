//! The lock file: what a server says of its tools, kept for review; and how what it says later differs.

use rmcp::model::{JsonObject, Tool};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::McpError;

/// The version of the file's form.
const VERSION: u32 = 1;

/// The greatest length of a name of a server or a tool, in characters. The macro has the same limit.
const MAX_NAME: usize = 128;

/// What is pinned of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Lock {
    version: u32,
    pub(super) server: String,
    /// Sorted by name, so that the order in which a server lists them makes no difference.
    tools: Vec<Pinned>,
}

/// What is pinned of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pinned {
    #[serde(flatten)]
    entry: Entry,
    /// Of the entry, as compact JSON.
    hash: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    input_schema: JsonObject,
    #[serde(default)]
    annotations: Hints,
}

/// The annotations that say what a tool may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the protocol calls them that")]
struct Hints {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read_only_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

impl Entry {
    fn of(tool: Tool) -> Self {
        let said = tool.annotations.unwrap_or_default();
        Self {
            name: tool.name.into_owned(),
            description: tool.description.map(Into::into),
            input_schema: (*tool.input_schema).clone(),
            annotations: Hints {
                read_only_hint: said.read_only_hint,
                destructive_hint: said.destructive_hint,
                idempotent_hint: said.idempotent_hint,
                open_world_hint: said.open_world_hint,
            },
        }
    }
}

impl Lock {
    /// What is to be pinned of a server.
    pub(super) fn of(server: String, tools: Vec<Tool>) -> Result<Self, McpError> {
        let mut entries: Vec<Entry> = tools.into_iter().map(Entry::of).collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let pinned = entries.into_iter().map(|entry| {
            let text = serde_json::to_string(&entry).map_err(McpError::connection)?;
            let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
            Ok(Pinned { entry, hash })
        });
        Ok(Self { version: VERSION, server, tools: pinned.collect::<Result<_, McpError>>()? })
    }

    /// Returns how many tools are pinned.
    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// Refuses names that could leave the line or the quotes in which a person or a compiler is shown them.
    pub(super) fn check_names(&self) -> Result<(), McpError> {
        let tools = self.tools.iter().map(|tool| ("a tool", &tool.entry.name));
        for (what, name) in std::iter::once(("the server", &self.server)).chain(tools) {
            if let Some(why) = fault(name) {
                let start: String = name.chars().take(40).collect();
                let name = start.escape_default();
                return Err(McpError::List { reason: format!("the name \"{name}\" of {what} {why}") });
            }
        }
        Ok(())
    }

    /// The file's text.
    pub(super) fn text(&self) -> Result<String, serde_json::Error> {
        Ok(format!("{}\n", serde_json::to_string_pretty(self)?))
    }

    /// What differs in another one, a line for each place; none if nothing does.
    pub(super) fn differences(&self, now: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.server != now.server {
            lines.push(format!("the server is called {:?}, and was {:?}", now.server, self.server));
        }
        for Pinned { entry: old, .. } in &self.tools {
            match now.entry(&old.name) {
                None => lines.push(format!("`{}` is gone", quoted(&old.name))),
                Some(new) => differences(old, new, &mut lines),
            }
        }
        let new = now.tools.iter().filter(|tool| self.entry(&tool.entry.name).is_none());
        lines.extend(new.map(|tool| format!("`{}` is new", quoted(&tool.entry.name))));
        lines
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.iter().map(|tool| &tool.entry).find(|entry| entry.name == name)
    }
}

/// A name from outside within a line: nothing in it ends the line or reaches a terminal.
fn quoted(name: &str) -> String {
    let start: String = name.chars().take(MAX_NAME).collect();
    start.escape_debug().to_string()
}

/// Returns why a name is refused.
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

fn differences(old: &Entry, new: &Entry, lines: &mut Vec<String>) {
    let (Ok(old_value), Ok(new_value)) = (serde_json::to_value(old), serde_json::to_value(new)) else {
        return;
    };
    compare(&format!("`{}`", quoted(&old.name)), Some(&old_value), Some(&new_value), lines);
}

/// Goes down where both are objects, so that a line shows what differs and not all around it.
fn compare(place: &str, old: Option<&Value>, new: Option<&Value>, lines: &mut Vec<String>) {
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                compare(&format!("{place} {}", quoted(key)), old.get(key), new.get(key), lines);
            }
        }
        (old, new) if old == new => {}
        (Some(old), Some(new)) => lines.push(format!("{place}: was {old}, is {new}")),
        (Some(old), None) => lines.push(format!("{place}: was {old}, is gone")),
        (None, Some(new)) => lines.push(format!("{place}: is new, {new}")),
        (None, None) => {}
    }
}
