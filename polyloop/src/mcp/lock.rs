//! The lock file: what a server says of its tools, kept for review; and how what it says later differs.

use rmcp::model::{JsonObject, Tool};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the file's form.
const VERSION: u32 = 1;

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
    pub(super) fn of(server: String, tools: Vec<Tool>) -> Result<Self, serde_json::Error> {
        let mut entries: Vec<Entry> = tools.into_iter().map(Entry::of).collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let pinned = entries.into_iter().map(|entry| {
            let hash = blake3::hash(serde_json::to_string(&entry)?.as_bytes()).to_hex().to_string();
            Ok(Pinned { entry, hash })
        });
        Ok(Self { version: VERSION, server, tools: pinned.collect::<Result<_, _>>()? })
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
                None => lines.push(format!("`{}` is gone", old.name)),
                Some(new) => differences(old, new, &mut lines),
            }
        }
        let new = now.tools.iter().filter(|tool| self.entry(&tool.entry.name).is_none());
        lines.extend(new.map(|tool| format!("`{}` is new", tool.entry.name)));
        lines
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.iter().map(|tool| &tool.entry).find(|entry| entry.name == name)
    }
}

fn differences(old: &Entry, new: &Entry, lines: &mut Vec<String>) {
    let (Ok(old_value), Ok(new_value)) = (serde_json::to_value(old), serde_json::to_value(new)) else {
        return;
    };
    compare(&format!("`{}`", old.name), Some(&old_value), Some(&new_value), lines);
}

/// Goes down where both are objects, so that a line shows what differs and not all around it.
fn compare(place: &str, old: Option<&Value>, new: Option<&Value>, lines: &mut Vec<String>) {
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                compare(&format!("{place} {key}"), old.get(key), new.get(key), lines);
            }
        }
        (old, new) if old == new => {}
        (Some(old), Some(new)) => lines.push(format!("{place}: was {old}, is {new}")),
        (Some(old), None) => lines.push(format!("{place}: was {old}, is gone")),
        (None, Some(new)) => lines.push(format!("{place}: is new, {new}")),
        (None, None) => {}
    }
}
