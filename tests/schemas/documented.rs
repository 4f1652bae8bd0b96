//! The tables of the guide are what the library does. `POLYLOOP_WRITE_SCHEMAS=1` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use polyloop::{Dialect, Registry, ToolSet, lower};
use serde_json::Value;

use crate::arguments::{Arguments, TYPES};

/// The tools whose schemas stand side by side.
const SIDE_BY_SIDE: [&str; 10] = [
    "optional_number",
    "defaulted",
    "lengthy",
    "map",
    "pair",
    "any",
    "documented_words",
    "numbers_by_name",
    "structure_with_a_flattened_enum",
    "tree",
];

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/18-schemas.md")
}

fn canonical(tools: &ToolSet<()>, tool: &str) -> Value {
    serde_json::from_str(&tools.schema(tool, Dialect::Canonical).unwrap()).unwrap()
}

fn dialects() -> impl Iterator<Item = Dialect> {
    Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Canonical)
}

/// The type as Rust writes it, on one line, fit for a table.
fn spelled(of: &str) -> String {
    let of = of.split_whitespace().collect::<Vec<_>>().join(" ");
    of.replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">")
        .replace("serde_json :: Map", "Map")
        .replace(" :: ", "::")
}

fn table() -> String {
    let tools = Arguments::tools().unwrap();
    let mut out = String::from("| type |");
    dialects().for_each(|dialect| write!(out, " {dialect} |").unwrap());
    out.push_str("\n|---|");
    dialects().for_each(|_| out.push_str("---|"));
    out.push('\n');
    let mut refusals: Vec<String> = Vec::new();
    for (tool, of, _) in TYPES {
        write!(out, "| {}: `{}` |", tool.replace('_', " "), spelled(of)).unwrap();
        for dialect in dialects() {
            let cell = match lower(&canonical(&tools, tool), dialect) {
                Ok(lowered) if lowered.decoder().is_identity() => "taken".to_owned(),
                Ok(_) => "decoded".to_owned(),
                Err(refusal) => {
                    let refusal = refusal.to_string();
                    let known = refusals.iter().position(|known| *known == refusal);
                    let number = known.unwrap_or_else(|| {
                        refusals.push(refusal);
                        refusals.len() - 1
                    });
                    format!("*{}*", number + 1)
                }
            };
            write!(out, " {cell} |").unwrap();
        }
        out.push('\n');
    }
    out.push('\n');
    for (at, refusal) in refusals.iter().enumerate() {
        writeln!(out, "{}. {refusal}", at + 1).unwrap();
    }
    out
}

/// What is said of the argument, and the definitions.
fn shown(schema: &Value) -> String {
    let value = schema["properties"].get("value").map_or_else(|| "(not shown)".to_owned(), Value::to_string);
    let presence = if schema["required"].as_array().is_some_and(|names| !names.is_empty()) {
        ""
    } else {
        "  // not required"
    };
    let definitions = schema.get("$defs").map_or_else(String::new, |all| format!("\n\"$defs\": {all}"));
    format!("{value}{presence}{definitions}")
}

fn side_by_side() -> String {
    let tools = Arguments::tools().unwrap();
    let mut out = String::new();
    for tool in SIDE_BY_SIDE {
        let (_, of, _) = TYPES.iter().find(|(name, ..)| *name == tool).unwrap();
        writeln!(out, "### `{}`\n", spelled(of)).unwrap();
        let mut forms: Vec<(String, Vec<&str>)> = Vec::new();
        for dialect in Dialect::ALL {
            let form = match lower(&canonical(&tools, tool), dialect) {
                Ok(lowered) => shown(lowered.schema()),
                Err(_) => continue,
            };
            match forms.iter_mut().find(|(known, _)| *known == form) {
                Some((_, names)) => names.push(dialect.name()),
                None => forms.push((form, vec![dialect.name()])),
            }
        }
        for (form, names) in forms {
            writeln!(out, "{}:\n\n```text\n{form}\n```\n", names.join(", ")).unwrap();
        }
    }
    out
}

/// The page with what stands between a mark and the next end written anew.
fn with(page: &str, mark: &str, block: &str) -> String {
    let (before, rest) = page.split_once(mark).expect("the page has the mark");
    let (_, behind) = rest.split_once("<!-- end -->").expect("the mark has an end");
    format!("{before}{mark}\n\n{}\n\n<!-- end -->{behind}", block.trim())
}

#[test]
fn the_tables_of_the_guide_are_what_the_library_does() {
    let written = fs::read_to_string(page()).unwrap();
    let right = with(&written, "<!-- side by side -->", &side_by_side());
    let right = with(&right, "<!-- table -->", &table());
    if std::env::var_os("POLYLOOP_WRITE_SCHEMAS").is_some() {
        fs::write(page(), right).unwrap();
        return;
    }
    assert!(
        written == right,
        "`docs/18-schemas.md` is out of date; run this test with `POLYLOOP_WRITE_SCHEMAS=1`"
    );
}

#[test]
fn every_value_of_every_type_is_read_by_its_handler_in_every_dialect() {
    let tools = Arguments::tools().unwrap();
    assert!(TYPES.len() >= 40);
    for (tool, _, value) in TYPES {
        let arguments = format!("{{\"value\":{value}}}");
        assert!(tools.validate(tool, &arguments).is_ok(), "{tool}: {arguments}");
        let schema = canonical(&tools, tool);
        for dialect in dialects() {
            let Ok(lowered) = lower(&schema, dialect) else { continue };
            let written = lowered.decoder().encode_text(&arguments);
            let read = lowered.decoder().decode_text(&written);
            let taken = tools.validate(tool, &read);
            assert!(taken.is_ok(), "{tool}, {dialect}: {written} became {read}: {}", taken.unwrap_err());
            if let Some(plain) =
                serde_json::from_str::<Value>(&written).ok().filter(|_| dialect != Dialect::GeminiOpenApi)
            {
                let check = jsonschema::validator_for(lowered.schema()).unwrap();
                assert!(check.is_valid(&plain), "{tool}, {dialect}: {written}");
            }
        }
    }
}
