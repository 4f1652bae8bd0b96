//! What a reader does not take as a keyword, said in words.

use serde_json::Value;

use super::canonical::Node;
use super::rules::{Patterns, Rules};

/// Drops what the reader does not take of a node, and says in its description what the values are bound to.
pub(super) fn reduced(node: &mut Node, rules: &Rules) {
    let mut dropped: Vec<(String, Value)> = node
        .iter()
        .filter(|(keyword, value)| !is_taken(keyword, value, node, rules))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    // The least before the most.
    dropped.sort_by_key(|(keyword, _)| keyword.to_ascii_lowercase().contains("max"));
    let mut notes = Vec::new();
    for (keyword, value) in dropped {
        node.remove(&keyword);
        notes.extend(said(&keyword, &value));
    }
    note(node, &notes.join(" "));
}

/// Says in words what is an example or a default of another form than the reader sees.
pub(super) fn told(node: &mut Node) {
    let mut notes = Vec::new();
    for keyword in ["default", "examples"] {
        notes.extend(node.remove(keyword).and_then(|value| said(keyword, &value)));
    }
    note(node, &notes.join(" "));
}

/// Adds a line to a node's description, once.
pub(super) fn note(node: &mut Node, line: &str) {
    if line.is_empty() {
        return;
    }
    let text = match node.get("description").and_then(Value::as_str) {
        None | Some("") => line.to_owned(),
        Some(text) if text.lines().any(|there| there == line) => return,
        Some(text) => format!("{text}\n{line}"),
    };
    node.insert("description".to_owned(), text.into());
}

fn is_taken(keyword: &str, value: &Value, node: &Node, rules: &Rules) -> bool {
    if !rules.has(keyword) {
        return false;
    }
    match keyword {
        "format" => value.as_str().is_some_and(|format| rules.formats.contains(&format)),
        "pattern" => value.as_str().is_some_and(|pattern| is_taken_pattern(pattern, rules.patterns)),
        "minItems" => value.as_u64().is_some_and(|least| least <= rules.min_items),
        // The grammar of a pattern or format takes the place of that of a length.
        "minLength" | "maxLength" if rules.patterns == Patterns::Anchored => !["pattern", "format"]
            .iter()
            .any(|other| node.get(*other).is_some_and(|value| is_taken(other, value, node, rules))),
        _ => true,
    }
}

fn is_taken_pattern(pattern: &str, patterns: Patterns) -> bool {
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|group| pattern.contains(group));
    match patterns {
        Patterns::Any => true,
        Patterns::Regular => !looks_around,
        Patterns::Anchored => {
            let is_whole = pattern.starts_with('^') && pattern.ends_with('$') && !pattern.ends_with("\\$");
            let mut letters = pattern.chars();
            let mut is_plain = !pattern.contains("(?");
            while let Some(letter) = letters.next() {
                if letter == '\\' {
                    is_plain &=
                        letters.next().is_some_and(|next| !next.is_ascii_alphanumeric() || next == 'd');
                }
            }
            is_whole && is_plain
        }
    }
}

/// What a keyword binds values to, as a sentence.
fn said(keyword: &str, value: &Value) -> Option<String> {
    let sentence = match keyword {
        "minimum" => format!("At least {value}."),
        "maximum" => format!("At most {value}."),
        "exclusiveMinimum" => format!("More than {value}."),
        "exclusiveMaximum" => format!("Less than {value}."),
        "multipleOf" => format!("A multiple of {value}."),
        "minLength" => format!("At least {}.", counted(value, "character")),
        "maxLength" => format!("At most {}.", counted(value, "character")),
        "minItems" => format!("At least {}.", counted(value, "item")),
        "maxItems" => format!("At most {}.", counted(value, "item")),
        "minProperties" => format!("At least {}.", counted(value, "key")),
        "maxProperties" => format!("At most {}.", counted(value, "key")),
        "uniqueItems" if *value == Value::Bool(true) => "No item twice.".to_owned(),
        "pattern" => format!("Matches `{}`.", value.as_str()?),
        "format" => format!("Format: {}.", value.as_str()?),
        "default" => format!("Default: {value}."),
        "examples" => {
            let examples: Vec<String> = value.as_array()?.iter().map(ToString::to_string).collect();
            format!("For example: {}.", examples.join(", "))
        }
        _ => return None,
    };
    Some(sentence)
}

fn counted(value: &Value, unit: &str) -> String {
    let plural = if value.as_u64() == Some(1) { "" } else { "s" };
    format!("{value} {unit}{plural}")
}
