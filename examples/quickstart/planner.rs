//! The model: a rule-based planner, not a language model.
//!
//! It stands where a language model would, so that the example needs no key and gives the same result each time. It
//! implements [`Model`] and nothing else: it is shown the sealed prompt, reads the goal, the rules and what its calls
//! brought, and decides what to call next. It keeps nothing from one request to the next.

use std::collections::BTreeMap;

use polyloop::{Model, ModelError, Prompt, Reply};
use serde_json::{Value, json};

use super::report::Finding;
use super::seen::Memory;
use super::tools::{Blame, Listing, Match, Matches};

/// What the program says of its model.
pub(crate) const DESCRIPTION: &str = "a rule-based planner, not a language model";
/// How many remarks a page of a search holds.
const PAGE: usize = 100;
/// How many calls of one reply are made side by side.
const AT_ONCE: usize = 16;
/// How many lines are read from an unfinished remark on.
const AROUND: usize = 4;
/// A remark over this may have filled its line, in characters.
const ROOMY: usize = 40;
/// Words that do not end a sentence.
const OPEN_WORDS: [&str; 16] =
    ["a", "an", "and", "as", "at", "but", "by", "for", "from", "if", "in", "of", "on", "or", "the", "to"];

/// Decides by rules.
pub(crate) struct Planner;

impl Model for Planner {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        Ok(next(&Memory::of(prompt)?))
    }
}

/// The first rule that has something to do decides: look around, search, read, ask for owners, hand in.
fn next(memory: &Memory<'_>) -> Reply {
    let found = Found::of(memory);
    list(memory)
        .or_else(|| search(memory, &found))
        .or_else(|| read(memory, &found))
        .or_else(|| blame(memory, &found))
        .unwrap_or_else(|| submit(memory, &found))
}

/// Holds the remarks that the searches brought.
struct Found {
    remarks: Vec<Match>,
    total: usize,
    next: Option<usize>,
    left_out: Vec<String>,
}

impl Found {
    fn of(memory: &Memory<'_>) -> Self {
        let mut found = Self { remarks: Vec::new(), total: 0, next: None, left_out: Vec::new() };
        for page in memory.told::<Matches>("search") {
            found.remarks.extend(page.remarks);
            (found.total, found.next, found.left_out) = (page.total, page.next, page.left_out);
        }
        found.remarks.truncate(memory.rules.most_remarks);
        found
    }
}

fn list(memory: &Memory<'_>) -> Option<Reply> {
    let listed = memory.of_tool("list_files").next().is_some();
    (!listed && memory.may("list_files"))
        .then(|| Reply::text("First, what is here?").call("list_files", json!({"limit": 20}).to_string()))
}

fn search(memory: &Memory<'_>, found: &Found) -> Option<Reply> {
    let empty = memory.told::<Listing>("list_files").first().is_some_and(|listing| listing.total == 0);
    let searched = memory.of_tool("search").count();
    let from = match found.next {
        None if searched == 0 && !empty => 0,
        Some(next) if found.remarks.len() < memory.rules.most_remarks && memory.has_room() => next,
        _ => return None,
    };
    // A page that failed once would fail again.
    let failed = searched > memory.told::<Matches>("search").len();
    let arguments = json!({"words": memory.words, "from": from, "limit": PAGE});
    (!failed && memory.may("search")).then(|| Reply::tool("search", arguments.to_string()))
}

/// Reads on where a line does not say enough.
fn read(memory: &Memory<'_>, found: &Found) -> Option<Reply> {
    if !memory.has_room() || !memory.may("read_file") {
        return None;
    }
    let known = |remark: &Match| memory.of_tool("read_file").any(|call| is_about(&call.arguments, remark));
    let open = found.remarks.iter().filter(|remark| is_unfinished(&remark.text) && !known(remark));
    let calls = open.take(AT_ONCE).map(|remark| {
        ("read_file", json!({"path": remark.path, "lines": {"from": remark.line, "count": AROUND}}))
    });
    all("Some remarks do not end on their line.", calls)
}

/// Asks for owners, first in one file: where that shows no repository, no other file is asked for.
fn blame(memory: &Memory<'_>, found: &Found) -> Option<Reply> {
    let told = memory.told::<Blame>("blame");
    let asked = memory.of_tool("blame").count();
    if !memory.has_room() || !memory.may("blame") || told.iter().any(|blame| !blame.repository) {
        return None;
    }
    let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for remark in &found.remarks {
        lines.entry(&remark.path).or_default().push(remark.line);
    }
    let at_once = if asked == 0 { 1 } else { AT_ONCE };
    // The files are asked for in their order, so the number of calls says where to go on.
    let open = lines.into_iter().skip(asked).take(at_once);
    let why = if asked == 0 {
        "Is there a repository that knows who wrote this?"
    } else {
        "There is; who wrote the rest?"
    };
    all(why, open.map(|(path, lines)| ("blame", json!({"path": path, "lines": lines}))))
}

fn submit(memory: &Memory<'_>, found: &Found) -> Reply {
    let refusals: Vec<&str> =
        memory.of_tool("submit_report").filter_map(|call| call.observation.as_deref()).collect();
    let blames = memory.told::<Blame>("blame");
    let owner = |remark: &Match| {
        let file = blames.iter().find(|blame| blame.path == remark.path)?;
        file.owners.iter().find(|owner| owner.line as usize == remark.line).map(|owner| owner.name.clone())
    };
    let findings: Vec<Finding> = found
        .remarks
        .iter()
        // What was refused is not in the file any more.
        .filter(|remark| {
            !refusals.iter().any(|text| text.contains(&format!("`{}:{}`", remark.path, remark.line)))
        })
        .map(|remark| Finding {
            path: remark.path.clone(),
            line: remark.line,
            word: remark.word.clone(),
            text: whole(memory, remark),
            owner: owner(remark),
        })
        .collect();
    let arguments = json!({"findings": findings, "notes": notes(memory, found)}).to_string();
    if memory.may("submit_report") { Reply::tool("submit_report", arguments) } else { Reply::text(arguments) }
}

fn notes(memory: &Memory<'_>, found: &Found) -> Vec<String> {
    let mut notes = found.left_out.clone();
    if found.total > found.remarks.len() {
        notes.push(format!("{} of {} remarks are in this report", found.remarks.len(), found.total));
    }
    if !memory.has_room() {
        notes.push("the context was full before everything was looked at".to_owned());
    }
    let is_error = |text: &&str| serde_json::from_str::<Matches>(text).is_err();
    let failed = memory.of_tool("search").filter_map(|call| call.observation.as_deref()).find(is_error);
    notes.extend(failed.map(|text| format!("a search failed: {text}")));
    notes
}

/// The remark with what was read of it beyond its line.
fn whole(memory: &Memory<'_>, remark: &Match) -> String {
    let reading = memory.of_tool("read_file").find(|call| is_about(&call.arguments, remark));
    let text = reading.and_then(|call| call.observation.as_deref()).unwrap_or_default();
    // An error of the tool has no numbered lines, and so adds nothing.
    let numbered = (remark.line..).zip(text.lines());
    let lines: Vec<&str> =
        numbered.map_while(|(number, line)| line.strip_prefix(&format!("{number}: "))).collect();
    let Some((first, below)) = lines.split_first() else { return remark.text.clone() };
    let before = first.split(&remark.word).next().unwrap_or_default();
    let mut whole = remark.text.clone();
    let mut read = 1;
    for more in below.iter().map_while(|line| in_comment(line, before)) {
        let is_next = memory.words.iter().any(|word| more.starts_with(word.as_str()));
        if is_next || !goes_on(&whole, more) {
            break;
        }
        whole = if whole.is_empty() { more.to_owned() } else { format!("{whole} {more}") };
        read += 1;
    }
    match said(&whole) {
        "" if whole.is_empty() => subject(before, below),
        "" => format!("{whole} {}", subject(before, below)),
        _ if read == AROUND && is_unfinished(&whole) => format!("{whole} …"),
        _ => whole,
    }
}

/// What a remark is about that says nothing itself: the code beside it, or the code below it.
fn subject(before: &str, below: &[&str]) -> String {
    let beside =
        before.trim_end_matches(|letter: char| letter.is_whitespace() || "/#*-<!;%".contains(letter));
    let is_code = |line: &&&str| in_comment(line, before).is_none() && !line.trim().is_empty();
    let code = if beside.is_empty() { below.iter().find(is_code).copied() } else { Some(beside) };
    code.map_or_else(|| "(says nothing)".to_owned(), |code| format!("about `{}`", code.trim()))
}

/// What a line says that is a comment as a whole, with the mark of the comment that begins with `before`.
fn in_comment<'l>(line: &'l str, before: &str) -> Option<&'l str> {
    let before = before.trim();
    let marks = ["///", "//!", "//", "/*", "*", "--", "#", ";", "%"];
    let mark = marks.into_iter().find(|mark| before.starts_with(mark) || before.ends_with(mark))?;
    // Behind the first line such a comment has a star before each.
    let mark = if mark == "/*" { "*" } else { mark };
    let text = line.trim().strip_prefix(mark)?;
    Some(text.trim_end_matches("*/").trim())
}

/// What a remark says behind the name of a person, as in `(name): text`.
fn said(text: &str) -> &str {
    let behind_name = text.strip_prefix('(').and_then(|text| text.split_once(')')).map(|(_, behind)| behind);
    behind_name.unwrap_or(text).trim_start_matches(':').trim()
}

/// Whether a remark seems to go on behind its line: hardly a word, or a line that ends no sentence.
fn is_unfinished(text: &str) -> bool {
    let said = said(text);
    let is_over = said.ends_with(['.', '!', '?', '…']);
    !is_over && (said.split_whitespace().count() < 3 || said.chars().count() > ROOMY || is_open(said))
}

/// Whether a text ends where no sentence does.
fn is_open(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    text.is_empty() || text.ends_with([',', ':', ';', '-', '(']) || OPEN_WORDS.contains(&last)
}

/// Whether the next line of a comment belongs to the remark, rather than beginning a sentence of its own.
fn goes_on(whole: &str, more: &str) -> bool {
    let begins_small = more.starts_with(|letter: char| !letter.is_uppercase());
    is_unfinished(whole) && !more.is_empty() && (begins_small || is_open(said(whole)))
}

/// Whether a call reads this very place.
fn is_about(arguments: &Value, remark: &Match) -> bool {
    let line = arguments.pointer("/lines/from").and_then(Value::as_u64);
    arguments.get("path").and_then(Value::as_str) == Some(&remark.path) && line == Some(remark.line as u64)
}

/// One reply with all of the calls; none without any.
fn all<'n>(why: &str, calls: impl Iterator<Item = (&'n str, Value)>) -> Option<Reply> {
    let mut calls = calls.peekable();
    calls.peek()?;
    Some(calls.fold(Reply::text(why), |reply, (name, arguments)| reply.call(name, arguments.to_string())))
}
