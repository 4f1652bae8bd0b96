//! Writes the schemas of all argument types in all dialects, and a value in each, as one JSON document to the standard
//! output: `cargo run -p polyloop-tests --example lowered_schemas`.
//!
//! A list; each entry has `tool`, `type`, `dialect`, and either `schema`, `strict`, `decoded` and `arguments` (of a call,
//! as a model in that dialect writes them), or `refused`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for tests, whose output is what it is for"
)]

mod arguments;

use arguments::{Arguments, TYPES};
use polyloop::{Dialect, Registry, lower};
use serde_json::{Value, json};

fn main() {
    let tools = Arguments::tools().unwrap();
    let mut entries = Vec::new();
    for (tool, of, value) in TYPES {
        let schema: Value = serde_json::from_str(&tools.schema(tool, Dialect::Canonical).unwrap()).unwrap();
        for dialect in Dialect::ALL {
            let mut entry = json!({ "tool": tool, "type": of, "dialect": dialect.name() });
            match lower(&schema, dialect) {
                Ok(lowered) => {
                    let arguments =
                        lowered.decoder().encode_text(&format!("{{\"value\":{value}}}")).into_owned();
                    entry["schema"] = lowered.schema().clone();
                    entry["strict"] = json!(dialect.is_strict());
                    entry["decoded"] = json!(!lowered.decoder().is_identity());
                    entry["arguments"] = json!(arguments);
                }
                Err(error) => entry["refused"] = json!(error.to_string()),
            }
            entries.push(entry);
        }
    }
    println!("{}", Value::Array(entries));
}
