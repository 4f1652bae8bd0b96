//! The table of limits in `docs/19-threats.md`, against the code.
//!
//! A limit is a row of the table and an entry of `LIMITS`, under the same name.

use std::fs;
use std::path::Path;

use polyloop::{Budget, Retries};

const PAGE: &str = include_str!("../docs/19-threats.md");

/// Where the code states a default.
enum Stated {
    /// A field of the default budget.
    Budget(&'static str),
    /// A field of the default retries.
    Retries(&'static str),
    /// What follows a text in a file of the library, up to a comma or a semicolon.
    Code(&'static str, &'static str),
}

use Stated::Code;

const LIMITS: &[(&str, Stated)] = &[
    ("steps of a run", Stated::Budget("steps")),
    ("failures of the environment in a row", Stated::Budget("environment_errors")),
    ("failures of the model in a row", Stated::Budget("model_failures")),
    ("unknown outcomes", Stated::Budget("unknown_outcomes")),
    ("prompt, characters", Stated::Budget("prompt_chars")),
    ("request, bytes of texts and images", Stated::Budget("request_bytes")),
    ("observation shown, characters", Stated::Budget("observation_chars")),
    ("calls in one reply", Stated::Budget("calls_per_reply")),
    ("items before a compaction", Stated::Budget("compaction_items")),
    ("time of a compaction", Stated::Budget("compaction_time")),
    ("attempts after a failed request", Stated::Retries("times")),
    ("wait before an attempt", Stated::Retries("longest_wait")),
    ("advice of a provider to wait", Stated::Retries("longest_advice")),
    ("attempts of a `safe` call", Code("agent/recover.rs", "ATTEMPTS: u32 = ")),
    ("generations of forks", Code("agent/lineage.rs", "GENERATIONS: usize = ")),
    ("reply of a provider, bytes", Code("provider/transport.rs", "MOST_BYTES: usize = ")),
    ("error of a provider, bytes read", Code("provider/transport.rs", "MOST_ERROR_BYTES: usize = ")),
    ("message of a provider's error, characters", Code("provider/client.rs", "MOST_CHARS: usize = ")),
    ("connecting to a provider", Code("provider/builder.rs", "connect: ")),
    ("provider silent", Code("provider/builder.rs", "idle: ")),
    ("whole request to a provider", Code("provider/builder.rs", "whole: ")),
    ("another process that writes to the file", Code("sqlite/file.rs", "PATIENCE: Duration = ")),
    ("work of one statement in the file, instructions", Code("sqlite/work.rs", "MOST: u64 = ")),
    ("payload kept in its row, bytes", Code("sqlite/blobs.rs", "LARGE: usize = ")),
    ("write-ahead log, pages", Code("sqlite/log.rs", "LONG: u32 = ")),
    ("tools pinned of a server", Code("mcp/pinning.rs", "MAX_TOOLS: usize = ")),
    ("list of tools of a server, bytes", Code("mcp/pages.rs", "MAX_BYTES: usize = ")),
    ("name of a server or tool, characters", Code("mcp/lock.rs", "MAX_NAME: usize = ")),
    ("one message of the protocol, bytes", Code("mcp/lines.rs", "MAX_LINE: usize = ")),
    ("call of a server's tool", Code("mcp/client.rs", "CALL_TIMEOUT: Duration = ")),
    ("answer of a server to pinning", Code("mcp/pinning.rs", "ANSWER: Duration = ")),
    ("checks of changed tools before a call", Code("mcp/client.rs", "MAX_CHECKS: u32 = ")),
    ("answers that a server has not read", Code("mcp/answers.rs", "MAX_OPEN: usize = ")),
    ("server that does not read answers", Code("mcp/answers.rs", "PATIENCE: Duration = ")),
    ("progress reports of a call", Code("mcp/guard.rs", "MAX_REPORTS: u32 = ")),
    ("progress report, characters", Code("mcp/guard.rs", "MAX_REPORT: usize = ")),
    ("sessions of clients", Code("mcp/sessions.rs", "MAX_SESSIONS: usize = ")),
    ("requests of a client open at once", Code("mcp/busy.rs", "MAX_REQUESTS: usize = ")),
    ("what a client states of itself, bytes", Code("mcp/handler.rs", "MAX_INTRODUCTION: usize = ")),
    ("call of a client", Code("mcp/server.rs", "CALL_TIMEOUT: Duration = ")),
    ("body of a client's request", Code("mcp/http.rs", "PATIENCE: Duration = ")),
    ("schema with definitions in place, nodes", Code("dialect/prepare.rs", "MOST_NODES: usize = ")),
    ("nesting of a schema", Code("dialect/prepare.rs", "DEEPEST: usize = ")),
];

/// Constants with such a name that limit nothing from outside: texts of the library's own messages and of schemas.
const NO_LIMITS: &[(&str, &str)] = &[
    ("provider/tools.rs", "MOST_SETS"),
    ("registry/finding.rs", "MOST"),
    ("tool/given.rs", "MOST"),
    ("compact/effects.rs", "MOST_EFFECTS"),
    ("anthropic/request.rs", "MAX_TOKENS"),
    ("mcp/envelope.rs", "MAX_TOKEN"),
    ("tool/scalar.rs", "MOST_DIGITS"),
];

/// The rows of the table: name, option, default.
fn rows() -> Vec<(&'static str, &'static str, &'static str)> {
    let table = PAGE.split("| limit | option |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells.map(|cells| (cells[1], cells[2], cells[3])).collect()
}

/// Reads a number of the table, or a time in seconds.
fn written(cell: &str) -> u64 {
    let number: String = cell.trim_end_matches(" s").split(' ').collect();
    number.parse().unwrap_or_else(|_| panic!("`{cell}` is no number"))
}

/// Reads a number in the code: digits, products, shifts, and durations in seconds.
fn value(code: &str) -> u64 {
    let code = code.trim();
    let inside = |code: &'_ str, name: &str| {
        Some(value(code.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?))
    };
    if let Some(inside) = inside(code, "Some").or_else(|| inside(code, "Duration::from_secs")) {
        return inside;
    }
    if let Some(minutes) = inside(code, "Duration::from_mins") {
        return minutes * 60;
    }
    if let Some((left, right)) = code.split_once("<<") {
        return value(left) << value(right);
    }
    if code.contains('*') {
        return code.split('*').map(value).product();
    }
    // As `Debug` prints a duration.
    let digits = code.strip_suffix('s').unwrap_or(code).replace('_', "");
    digits.parse().unwrap_or_else(|_| panic!("`{code}` is no number that this test reads"))
}

/// What follows a text, up to a comma or a semicolon.
fn after(text: &str, before: &str) -> u64 {
    let behind = text.split(before).nth(1).unwrap_or_else(|| panic!("there is no `{before}`"));
    value(behind.split([',', ';', '}', '\n']).next().unwrap_or_default())
}

fn source(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../polyloop/src").join(file)).unwrap()
}

#[test]
fn every_default_of_the_table_is_the_one_of_the_code() {
    let rows = rows();
    for (name, stated) in LIMITS {
        let found: Vec<_> = rows.iter().filter(|(row, _, _)| row == name).collect();
        let [(_, _, default)] = *found else { panic!("the table has {} rows `{name}`", found.len()) };
        let code = match stated {
            Stated::Budget(field) => after(&format!("{:?}", Budget::default()), &format!(" {field}: ")),
            Stated::Retries(field) => after(&format!("{:?}", Retries::default()), &format!(" {field}: ")),
            Code(file, before) => after(&source(file), before),
        };
        assert_eq!(written(default), code, "{name}");
    }
    let unknown: Vec<_> =
        rows.iter().filter(|(row, _, _)| LIMITS.iter().all(|(name, _)| name != row)).collect();
    assert!(unknown.is_empty(), "`LIMITS` lacks {unknown:?}");
}

#[test]
fn every_option_of_the_table_is_there() {
    for (name, option, _) in rows().into_iter().filter(|(_, option, _)| *option != "fixed") {
        let (_, method) = option.trim_matches('`').rsplit_once("::").unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../polyloop/src");
        assert!(holds(&folder, &format!("fn {method}(")), "{name}: {option}");
    }
}

/// The constants of a file whose names say that they are limits.
fn named_limits(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split("const ").skip(1).filter_map(|rest| rest.split(':').next());
    names.filter(|name| name.starts_with("MAX_") || name.starts_with("MOST"))
}

#[test]
fn every_constant_that_is_named_as_a_limit_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../polyloop/src");
    let mut missing = Vec::new();
    for path in files(&folder) {
        let file = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
        let text = fs::read_to_string(&path).unwrap();
        for name in named_limits(&text) {
            let is_listed = LIMITS.iter().any(|(_, stated)| {
                matches!(stated, Code(known, before) if *known == file && before.starts_with(&format!("{name}:")))
            });
            if !is_listed && !NO_LIMITS.contains(&(&*file, name)) {
                missing.push(format!("{file}: {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "neither in the table nor in `NO_LIMITS`: {missing:?}");
}

fn holds(folder: &Path, text: &str) -> bool {
    files(folder).iter().any(|file| fs::read_to_string(file).unwrap().contains(text))
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
