//! A registry that most tests share, and ways to look at what was sent.

use std::sync::Mutex;

use polyloop::{
    Agent, AgentBuilder, Content, ContextFragment, Ending, Message, Model, ModelError, ModelErrorClass,
    Prompt, Registry, Reply, Report, Run, Scripted, ToolError, Update, registry, tool,
};

/// What happened outside, in order.
#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<String>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Writes a line.
#[tool]
pub(crate) async fn tally(
    #[state] log: &Log,
    /// What to write.
    line: String,
) -> String {
    log.add(&*line);
    format!("wrote {line}")
}

/// Fails with the environment.
#[tool(replay = safe)]
pub(crate) async fn outage() -> Result<String, ToolError> {
    Err(ToolError::Environment("no network".to_owned()))
}

/// Never comes back.
#[tool(timeout = "5ms")]
pub(crate) async fn vanish() -> String {
    std::future::pending().await
}

/// Hands in the answer.
#[tool(completes_run)]
pub(crate) async fn submit(
    #[state] log: &Log,
    /// The answer.
    answer: String,
) -> Result<String, String> {
    log.add(format!("submitted {answer}"));
    if answer.is_empty() { Err("an empty answer".to_owned()) } else { Ok(answer) }
}

/// What is the same for all runs.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", slot = run, max_chars = 500, body = "{text}")]
pub(crate) struct Rules {
    pub(crate) text: String,
}

/// Extra guidance.
#[derive(ContextFragment)]
#[fragment(slot = injection, max_chars = 500, body = "{content}")]
pub(crate) struct Skill {
    #[fragment(channel)]
    pub(crate) channel: String,
    pub(crate) content: String,
}

registry! {
    pub(crate) struct App {
        state: Log,
        fragments: [Rules, Skill],
        tools: [tally, outage, vanish, submit],
    }
}

pub(crate) fn rules() -> Rules {
    Rules { text: "Be brief.".to_owned() }
}

pub(crate) fn skill(channel: &str, content: &str) -> Skill {
    Skill { channel: channel.to_owned(), content: content.to_owned() }
}

/// A reply that writes lines.
pub(crate) fn tallies<const N: usize>(lines: [&str; N]) -> Reply {
    lines.iter().fold(Reply::default(), |reply, line| reply.call("tally", format!(r#"{{"line":"{line}"}}"#)))
}

pub(crate) fn failure(class: ModelErrorClass) -> Result<Reply, ModelError> {
    Err(ModelError::new(class, "told so"))
}

pub(crate) fn builder(model: impl Model) -> AgentBuilder<App> {
    Agent::<App>::builder(model)
}

/// Starts a run on an empty log, with a goal.
pub(crate) async fn start(agent: &Agent<App>) -> Run<App> {
    agent.on(Log::default()).goal("go").await.unwrap()
}

/// Runs to the end. The scripted model checks each request as a strict provider does; a violation fails here.
pub(crate) async fn finish<R: Registry>(mut run: Run<R>) -> Report {
    let report = run.finish().await.unwrap();
    if let Ending::ModelFailure { message } = &report.ending {
        assert!(!message.contains("bad request: message "), "a strict provider refused: {message}");
    }
    report
}

pub(crate) async fn run(agent: &Agent<App>) -> Report {
    finish(start(agent).await).await
}

/// Goes on until the run ends or rests; what was told.
pub(crate) async fn updates<R: Registry>(run: &mut Run<R>) -> Vec<Update> {
    let mut updates = Vec::new();
    while let Some(update) = run.next().await {
        updates.push(update.unwrap());
    }
    updates
}

/// What the model sees of each call, in the order in which outcomes were recorded.
pub(crate) fn observed(updates: &[Update]) -> Vec<String> {
    let shown = |update: &Update| match update {
        Update::Observed { shown, .. } => Some(shown.clone()),
        _ => None,
    };
    updates.iter().filter_map(shown).collect()
}

/// The texts of all messages.
pub(crate) fn texts(prompt: &Prompt) -> Vec<String> {
    prompt.messages().map(Message::text).collect()
}

/// The roles of all messages.
pub(crate) fn roles(prompt: &Prompt) -> Vec<&'static str> {
    prompt.messages().map(|message| message.role().as_str()).collect()
}

/// The ids of the calls and of the results of a prompt, in order.
pub(crate) fn call_ids(prompt: &Prompt) -> (Vec<String>, Vec<String>) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for block in prompt.messages().flat_map(Message::blocks) {
        match block.content() {
            Content::ToolCall { id, .. } => calls.push(id.to_string()),
            Content::ToolResult { call, .. } => results.push(call.to_string()),
            _ => {}
        }
    }
    (calls, results)
}

/// The last request.
pub(crate) fn last(model: &Scripted) -> Prompt {
    model.requests().pop().unwrap()
}

/// The bytes of a prompt: its messages as JSON, one behind another.
pub(crate) fn bytes(prompt: &Prompt) -> String {
    prompt.messages().map(|message| serde_json::to_string(message).unwrap()).collect()
}
