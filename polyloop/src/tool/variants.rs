//! The order of an enum's variants.
//!
//! A schema lists undocumented variants first. A type that is handed a word which it does not know lists its variants
//! in the order of the source; that order is taken where it names the same words.

use serde_json::Value;

use crate::dialect::canonical::Node;

/// A word that no variant has.
const NO_VARIANT: &str = r#""\u0001""#;

/// Puts the words of every enum in a schema in the order of the source. `complain` says why a JSON text does not read.
pub(super) fn in_source_order(node: &mut Node, complain: &dyn Fn(&str) -> String) {
    reorder(node, "", "", complain);
}

/// `before` and `behind` are what stands around this place in a JSON text.
fn reorder(node: &mut Node, before: &str, behind: &str, complain: &dyn Fn(&str) -> String) {
    if let Some(Value::Array(words)) = node.get_mut("enum")
        && words.len() > 1
        && let Some(sorted) = sorted(words, &complain(&[before, NO_VARIANT, behind].concat()))
    {
        *words = sorted;
    }
    if let Some(Value::Object(items)) = node.get_mut("items") {
        reorder(items, &format!("{before}["), &format!("]{behind}"), complain);
    }
    if let Some(Value::Object(values)) = node.get_mut("additionalProperties") {
        reorder(values, &format!("{before}{{\"\":"), &format!("}}{behind}"), complain);
    }
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        for (name, property) in properties {
            if let Value::Object(property) = property {
                let name = Value::from(name.as_str());
                reorder(property, &format!("{before}{{{name}:"), &format!("}}{behind}"), complain);
            }
        }
    }
}

/// The words in the order in which a complaint quotes them, if it quotes exactly these.
fn sorted(words: &[Value], complaint: &str) -> Option<Vec<Value>> {
    let (_, quoted) = complaint.rsplit_once("expected ")?;
    let quoted: Vec<Value> = quoted.split('`').skip(1).step_by(2).map(Value::from).collect();
    let same = quoted.len() == words.len() && words.iter().all(|word| quoted.contains(word));
    same.then_some(quoted)
}
