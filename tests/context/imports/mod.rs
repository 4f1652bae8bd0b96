//! Histories that other programs recorded: what is recognised in them is known, everything else stays what it was.

mod lists;
mod malformed;
mod properties;
mod rollouts;
mod sessions;

use polyloop::{
    Agent, Content, ContextFragment, ForeignHistory, HistoryError, HistoryImport, ImportReport, Item,
    Journal, MemoryJournal, Message, Reply, Role, Scripted, Session, registry,
};
use serde_json::Value;

/// What a person wrote down for every agent.
#[derive(ContextFragment)]
#[fragment(role = user, markers("# AGENTS.md instructions", "</INSTRUCTIONS>"), max_chars = 1_000)]
#[fragment(body = " for {folder}\n\n<INSTRUCTIONS>\n{text}\n")]
struct Instructions {
    folder: String,
    text: String,
}

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<environment_context>", "</environment_context>"), max_chars = 80)]
#[fragment(legacy("<env>", "</env>"), body = "{cwd}")]
#[fragment(lifetime = latest, absent = "It no longer applies.")]
struct EnvironmentContext {
    cwd: String,
}

/// What the agent may do.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<skills>", "</skills>"), max_chars = 500, body = "{names}")]
struct Skills {
    names: String,
}

/// A warning; early versions wrote it without markers.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<warning>", "</warning>"), legacy_prefix = "Warning: ", max_chars = 200)]
#[fragment(body = "{text}")]
struct Warning {
    text: String,
}

/// What the runtime says in the model's place.
#[derive(ContextFragment)]
#[fragment(role = assistant, markers("<noted>", "</noted>"), max_chars = 200, body = "{text}")]
struct Noted {
    text: String,
}

/// News that nobody knows again.
#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "news of one turn", max_chars = 200, body = "{text}")]
struct News {
    text: String,
}

registry! {
    /// What the other program told its model as well.
    struct Known { fragments: [Instructions, EnvironmentContext, Skills, Warning, Noted, News] }
}

/// An agent that says what is given, with its journal.
fn agent(replies: &[&str]) -> (Agent<Known>, MemoryJournal) {
    let journal = MemoryJournal::new();
    let model = Scripted::replies(replies.iter().map(|reply| Reply::text(*reply)));
    (Agent::<Known>::builder(model).journal(journal.clone()).build().unwrap(), journal)
}

/// A history, imported: what the report says, and the session as the journal gives it back.
async fn imported(history: ForeignHistory) -> (ImportReport, Session<Known>) {
    let (agent, journal) = agent(&["so"]);
    let import = agent.import(history);
    checked(&agent, &journal, import).await
}

/// The same, with images, which count 10 characters each.
async fn imported_with_images(history: ForeignHistory) -> (ImportReport, Session<Known>) {
    let (agent, journal) = agent(&["so"]);
    let import = agent.import(history).image_chars(10);
    checked(&agent, &journal, import).await
}

async fn checked(
    agent: &Agent<Known>,
    journal: &MemoryJournal,
    import: HistoryImport<Known>,
) -> (ImportReport, Session<Known>) {
    let report = import.await.unwrap();
    let session = agent.read(report.session.clone()).await.unwrap();
    // A model that refuses what a strict provider does is asked behind it.
    let mut run = agent.on(()).session(report.session.clone()).goal("go on").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(journal.list().await.unwrap(), std::slice::from_ref(&report.session));
    (report, session)
}

fn open_ai(list: &Value) -> Result<ForeignHistory, HistoryError> {
    ForeignHistory::open_ai(&list.to_string())
}

async fn from_list(list: Value) -> (ImportReport, Session<Known>) {
    imported(open_ai(&list).unwrap()).await
}

/// A rollout of lines.
fn rollout(lines: &[Value]) -> Result<ForeignHistory, HistoryError> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    ForeignHistory::codex_rollout(&lines.join("\n"))
}

async fn from_rollout(lines: &[Value]) -> (ImportReport, Session<Known>) {
    imported(rollout(lines).unwrap()).await
}

/// Each item: its kind's name and its text.
fn items(session: &Session<Known>) -> Vec<(&str, String)> {
    session.items().iter().map(|item| (item.kind_name(), item.text().into_owned())).collect()
}

fn item<'s>(session: &'s Session<Known>, text: &str) -> &'s Item {
    session.items().iter().find(|item| item.text() == text).unwrap()
}

/// Each message of the prompt: who speaks, and its blocks.
fn messages(session: &mut Session<Known>) -> Vec<(Role, Vec<String>)> {
    session.prompt().messages().map(|message| (message.role(), blocks(message))).collect()
}

fn blocks(message: &Message) -> Vec<String> {
    let block = |content: &Content| match content {
        Content::Text { text } => text.to_string(),
        Content::ToolCall { id, name, arguments } => format!("{id} {name} {arguments}"),
        Content::ToolResult { call, parts } => format!("{call}: {}", parts.join("|")),
        Content::Image { image } => format!("{} of {} characters", image.to_url(), image.chars()),
        _ => panic!("no other content is imported"),
    };
    message.blocks().iter().map(|the| block(the.content())).collect()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
