//! A set is the same, byte for byte, in every process.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use std::collections::BTreeSet;
use std::env;
use std::process::Command;

use polyloop::{Dialect, Registry, registry, tool};
use schemars::JsonSchema;
use serde::Deserialize;

const CHILD: &str = "POLYLOOP_TESTS_PRINT_SET";

#[derive(Debug, Deserialize, JsonSchema)]
struct Node {
    zebra: Vec<Node>,
    apple: std::collections::HashMap<String, u32>,
    middle: Option<Box<Leaf>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Leaf {
    up: Option<Box<Node>>,
    name: String,
}

/// Takes what holds itself, in two ways.
#[tool(replay = safe, timeout = "3s")]
async fn both(
    /// Last in the alphabet, first in the source.
    zoo: Node,
    /// First in the alphabet.
    ant: Leaf,
    /// In the middle.
    #[arg(default = "m".to_owned(), example = "x", length(..=9))]
    mid: String,
) -> String {
    format!("{zoo:?} {ant:?} {mid}")
}

/// Does nothing.
#[tool(completes_run)]
async fn nothing() -> &'static str {
    ""
}

registry! { struct App { tools: [both, nothing] } }

fn set_as_text() -> String {
    let set = App::tools().unwrap();
    format!(
        "{} {} {}",
        set.schema_for_model(Dialect::Canonical).unwrap(),
        set.fingerprint(),
        App::fingerprint().unwrap()
    )
}

#[test]
fn a_set_has_the_same_bytes_in_20_fresh_processes() {
    if let Some(file) = env::var_os(CHILD) {
        std::fs::write(file, set_as_text()).unwrap();
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut texts = BTreeSet::from([set_as_text()]);
    for number in 0..20 {
        let file = directory.path().join(number.to_string());
        let ended = Command::new(env::current_exe().unwrap())
            .args(["--exact", "processes::a_set_has_the_same_bytes_in_20_fresh_processes"])
            .env(CHILD, &file)
            .output()
            .unwrap();
        assert!(ended.status.success());
        texts.insert(std::fs::read_to_string(file).unwrap());
    }
    assert_eq!(texts.len(), 1, "{texts:?}");
}

#[test]
fn properties_stand_in_the_order_of_the_source() {
    let text = set_as_text();
    let places: Vec<usize> =
        ["\"zoo\"", "\"ant\"", "\"mid\""].iter().map(|name| text.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    let places: Vec<usize> =
        ["\"zebra\"", "\"apple\"", "\"middle\""].iter().map(|name| text.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
}
