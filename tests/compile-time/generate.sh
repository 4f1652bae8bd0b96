#!/usr/bin/env bash
# Writes the crates that run.sh measures: generate.sh DIRECTORY REPOSITORY
set -euo pipefail
directory=$1
repository=$2
tools=50

# The names of the crates; their sources are written by the functions of the same names.
crates=(empty tools_polyloop tools_by_hand kinds_400_derives kinds_400_unchecked kinds_400 kinds_500_unchecked kinds_500)

empty() {
    echo '//! Nothing but the dependencies.'
}

tools_polyloop() {
    local name list=""
    echo '//! Fifty tools and a registry.'
    echo 'use polyloop::{registry, tool};'
    for name in $(seq -f 'tool_%03g' "$tools"); do
        list+="$name, "
        cat <<RUST
/// Does what $name is for.
#[tool(replay = safe)]
pub async fn $name(
    /// Path relative to the workspace root.
    path: String,
    /// First line, counted from 1.
    from_line: u32,
    /// Whether to number the lines.
    numbered: Option<bool>,
) -> String {
    format!("{path} {from_line} {numbered:?}")
}
RUST
    done
    echo "registry! { /** All of them. */ pub struct App { tools: [$list] } }"
}

tools_by_hand() {
    local name number arms=""
    echo '//! The same fifty tools, written by hand.'
    echo 'use schemars::JsonSchema;'
    echo 'use serde::Deserialize;'
    for number in $(seq -f '%03g' "$tools"); do
        name=tool_$number
        arms+="\"$name\" => Ok($name(serde_json::from_str(arguments)?).await), "
        cat <<RUST
/// Does what $name is for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool$number {
    /// Path relative to the workspace root.
    path: String,
    /// First line, counted from 1.
    from_line: u32,
    /// Whether to number the lines.
    numbered: Option<bool>,
}
/// Does what $name is for.
pub async fn $name(arguments: Tool$number) -> String {
    let Tool$number { path, from_line, numbered } = arguments;
    format!("{path} {from_line} {numbered:?}")
}
RUST
    done
    cat <<RUST
/// Carries a call out.
pub async fn dispatch(name: &str, arguments: &str) -> Result<String, serde_json::Error> {
    match name { $arms _ => Ok(String::new()) }
}
RUST
}

# Marked fragments with a body of two fields.
derives() {
    local number
    echo '//! Many kinds.'
    echo 'use polyloop::ContextFragment;'
    for number in $(seq -f '%03g' "$1"); do
        cat <<RUST
/// Tells of matter $number.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<matter_of_fact_$number>", "</matter_of_fact_$number>"), max_chars = 2_000)]
#[fragment(body = "\n  <path>{path}</path>\n  <size>{size}</size>\n")]
pub struct Kind$number { path: String, size: u64 }
RUST
    done
}

# The registry of so many kinds; the second argument is for its option `crate`.
registered() {
    echo "polyloop::registry! { /** All of them. */ pub struct App {"
    echo "    fragments: [$(seq -f 'Kind%03g,' "$1" | tr '\n' ' ')],"
    echo "    max_chars: 100_000_000,"
    echo "    ${2:-}"
    echo "} }"
}

# The same expansion, with checks that look at nothing: their names hide those of polyloop.
unchecked() {
    registered "$1" 'crate: crate::unchecked,'
    cat <<'RUST'
/// What the expansion takes from polyloop.
#[doc(hidden)]
pub mod unchecked {
    pub mod __private {
        pub use polyloop::__private::*;
        pub struct Finding { pub culprit: usize }
        impl Finding {
            pub const fn text(&self) -> &str { "" }
        }
        const NOTHING: Finding = Finding { culprit: NONE };
        pub const fn check_kinds<K>(_: &[FragmentEntry<K>]) -> Finding { NOTHING }
        pub const fn check_markers<K>(_: &[FragmentEntry<K>]) -> Finding { NOTHING }
        pub const fn check_specs<K>(_: &[FragmentEntry<K>]) -> Finding { NOTHING }
        pub const fn check_caps<K>(_: &str, _: &[FragmentEntry<K>], _: usize) -> Finding { NOTHING }
    }
}
RUST
}

kinds_400_derives() { derives 400; }
kinds_400_unchecked() { derives 400; unchecked 400; }
kinds_400() { derives 400; registered 400; }
kinds_500_unchecked() { derives 500; unchecked 500; }
kinds_500() { derives 500; registered 500; }

mkdir -p "$directory"
cp "$repository/Cargo.lock" "$directory/Cargo.lock"
cat >"$directory/Cargo.toml" <<TOML
[workspace]
resolver = "3"
members = [$(printf '"%s", ' "${crates[@]}")]
TOML
for crate in "${crates[@]}"; do
    mkdir -p "$directory/$crate/src"
    cat >"$directory/$crate/Cargo.toml" <<TOML
[package]
name = "$crate"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
polyloop = { path = "$repository/polyloop" }
schemars = { version = "1.2", features = ["preserve_order"] }
serde = { version = "1.0", features = ["derive", "rc"] }
serde_json = { version = "1.0", features = ["raw_value", "preserve_order"] }
TOML
    "$crate" >"$directory/$crate/src/lib.rs"
done
