//! Three turns with a small model of a local server, through each of the interfaces that it speaks.
//!
//! Takes the server's address. What the model says is of no account; what is asserted is the shape of it, and that whatever it does is
//! handled: it may call nothing although it must, and several tools although it may call one.

#![allow(clippy::expect_used, clippy::panic, reason = "a run that does not come about shall fail loudly")]
#![allow(clippy::print_stdout, reason = "what is printed is what somebody looks at")]

use polyloop::prelude::*;
use polyloop::{
    Anthropic, ClientBuilder, MemoryJournal, OpenAi, OpenAiResponses, Protocol, Retries, SchemaReader,
};
use serde_json::json;

/// The end of what somebody says, in the server's template.
const STOP: &str = "<end_of_turn>";
/// How many tokens a reply may have: enough for a call, and few, since a grammar makes each of them slow.
const MAX_TOKENS: u32 = 32;

/// Looks behind a door.
#[tool(replay = safe)]
async fn look(
    /// The number of the door.
    #[arg(range(1..=9))]
    door: u32,
) -> String {
    format!("Behind door {door} there is a long corridor with a carpet and {door} lamps.")
}

registry! { struct House { tools: [look] } }

/// What happened in the turns with one client.
#[derive(Debug, Default)]
struct Seen {
    requests: usize,
    without_a_call: usize,
    with_several_calls: usize,
    called: usize,
    settled: usize,
    cached: u64,
}

impl Seen {
    fn take(&mut self, update: &Update) {
        match update {
            Update::Replied { reply } => {
                let usage = reply.usage();
                assert!(usage.prompt > 0 && usage.reply > 0, "the server says what it cost: {usage:?}");
                assert!(usage.reply <= u64::from(MAX_TOKENS), "a reply has its limit: {usage:?}");
                assert!(!reply.as_text().contains(STOP), "the reply ends before the stop word");
                assert!(
                    self.requests == 0 || usage.cached > 0,
                    "the server keeps the shared beginning: {usage:?}"
                );
                self.requests += 1;
                self.cached += usage.cached;
                self.without_a_call += usize::from(reply.calls().is_empty());
                self.with_several_calls += usize::from(reply.calls().len() > 1);
            }
            Update::Called { .. } => self.called += 1,
            Update::Observed { .. } => self.settled += 1,
            Update::Failed { error, .. } => panic!("the server cannot be understood: {error}"),
            _ => {}
        }
    }
}

/// Two turns in which everything goes well: what the model is to imitate. A session may go on with another model.
async fn examples(journal: &MemoryJournal) {
    let look = |door: u32| Reply::tool("look", json!({ "door": door }).to_string());
    let model = Scripted::replies([look(1), Reply::text("One lamp."), look(4), Reply::text("Four lamps.")]);
    let agent = Agent::<House>::builder(model).journal(journal.clone()).build().expect("the agent is built");
    for goal in ["What is behind door 1?", "What is behind door 4?"] {
        let mut run = agent.on(()).session("house").goal(goal).await.expect("the run begins");
        run.finish().await.expect("the run ends");
    }
}

/// Three turns with a client.
async fn held<P: Protocol>(name: &str, client: ClientBuilder<P>) -> Seen {
    let journal = MemoryJournal::new();
    examples(&journal).await;
    let client = client.schemas(SchemaReader::LlamaCpp).temperature(0.0).max_tokens(MAX_TOKENS);
    let model = client.build().expect("the client is built");
    let agent = Agent::<House>::builder(model).retries(Retries::none()).budget(Budget::steps(1));
    let agent = agent.journal(journal.clone()).build().expect("the agent is built");
    let mut seen = Seen::default();
    for goal in ["What is behind door 2?", "What is behind door 5?", "What is behind doors 3 and 6?"] {
        let mut run = agent.on(()).session("house").goal(goal).await.expect("the run begins");
        while let Some(update) = run.next().await {
            seen.take(&update.expect("the run goes on"));
        }
        let report = run.finish().await.expect("the run ends");
        println!("{name}: {:?} after {} steps", report.ending, report.steps);
    }
    assert!(seen.requests >= 3, "three turns: {seen:?}");
    assert!(seen.settled >= seen.called, "no call is left without an outcome: {seen:?}");
    println!("{name}: {seen:?}");
    seen
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = std::env::args().nth(1).expect("the server's address");
    let chat = || OpenAi::builder(format!("{server}/v1"), "gemma").seed(7).parameter("stop", json!([STOP]));
    let must_call = chat().streaming(false).parameter("tool_choice", "required").parallel_tool_calls(false);
    let responses = OpenAiResponses::builder(format!("{server}/v1"), "gemma");
    let anthropic = Anthropic::builder(&server, "gemma").parameter("stop_sequences", json!([STOP]));
    let all = [
        held("OpenAi", chat()).await,
        held("OpenAi, must call", must_call).await,
        held("OpenAiResponses", responses.parameter("stop", json!([STOP]))).await,
        held("Anthropic", anthropic.parallel_tool_calls(false)).await,
    ];
    let called: usize = all.iter().map(|seen| seen.called).sum();
    assert!(called > 0, "whatever the model says, somewhere it calls the tool");
}
