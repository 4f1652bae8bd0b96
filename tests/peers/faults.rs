//! One run with a tool that must not act twice, against a server that misbehaves.
//!
//! Takes the client, the server's address, `stream` or `whole`, and the words of the goal. It waits for a line of its standard
//! input before it begins and again while the tool acts, so that the script beside it can tell the server what to do; then it
//! prints what came of it as a JSON object.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a run that does not come about shall fail loudly"
)]
#![allow(clippy::print_stdout, reason = "what is printed is what the script reads")]

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use polyloop::prelude::*;
use polyloop::{
    Anthropic, ClientBuilder, Gemini, Journal, MemoryJournal, OpenAi, OpenAiResponses, Protocol, Record,
    Retries,
};
use serde_json::{Value, json};

/// What the tool did: the key of each call.
type Effects = Arc<Mutex<Vec<String>>>;

/// Sends money.
#[tool]
async fn send_money(
    #[state] effects: &Effects,
    #[call] call: &CallContext,
    /// To whom.
    recipient: String,
    /// How much.
    #[arg(range(1..=1_000))]
    amount: u32,
) -> String {
    effects.lock().unwrap_or_else(PoisonError::into_inner).push(call.idempotency_key());
    wait_for_the_script("acts");
    format!("sent {amount} to {recipient}")
}

registry! { struct Bank { state: Effects, tools: [send_money] } }

/// Says where the run is, and waits until the script has heard it.
fn wait_for_the_script(place: &str) {
    println!("{place}");
    std::io::stdout().flush().expect("the script listens");
    std::io::stdin().lock().read_line(&mut String::new()).expect("the script answers");
}

/// Holds the run with one client; quick in all that the server is waited for.
async fn held<P: Protocol>(client: ClientBuilder<P>, streaming: bool, goal: &str) -> Value {
    let client = client.key("sk-0123456789").streaming(streaming).max_tokens(200);
    let model = client.idle_timeout(Duration::from_secs(2)).timeout(Duration::from_secs(4)).build();
    let retries = Retries::times(4).first_wait(Duration::from_millis(100));
    let (journal, effects) = (MemoryJournal::new(), Effects::default());
    let builder = Agent::<Bank>::builder(model.expect("the client is built")).retries(retries);
    let agent =
        builder.budget(Budget::steps(5)).journal(journal.clone()).build().expect("the agent is built");
    wait_for_the_script("begins");
    let mut run = agent.on(effects.clone()).goal(goal).await.expect("the run begins");
    let mut failures = Vec::new();
    let mut observed = Vec::new();
    while let Some(update) = run.next().await {
        match update.expect("the run goes on") {
            Update::Failed { error, .. } => failures.push(error.to_string()),
            Update::Observed { shown, .. } => observed.push(shown),
            _ => {}
        }
    }
    let report = run.finish().await.expect("the run ends");
    let records = journal.read(run.session_id(), 0).await.expect("the journal is read");
    let effects = effects.lock().unwrap_or_else(PoisonError::into_inner).clone();
    json!({
        "ending": format!("{:?}", report.ending), "answer": report.answer, "failures": failures, "observed": observed,
        "effects": effects, "intents": count(&records, "action.intent"), "outcomes": count(&records, "action.outcome"),
    })
}

/// How many records of a kind there are for each call.
fn count(records: &[Record], kind: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record in records.iter().filter(|record| record.kind == kind) {
        let payload: Value = serde_json::from_str(&record.payload).expect("a payload is JSON");
        *counts.entry(payload["call"].to_string()).or_default() += 1;
    }
    counts
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [client, server, form, goal] = arguments.as_slice() else {
        panic!("client, server, `stream` or `whole`, goal");
    };
    let streaming = form == "stream";
    let said = match client.as_str() {
        "OpenAi" => held(OpenAi::builder(format!("{server}/v1"), "gpt-4o"), streaming, goal).await,
        "OpenAiResponses" => {
            held(OpenAiResponses::builder(format!("{server}/v1"), "gpt-4o"), streaming, goal).await
        }
        "Anthropic" => {
            held(Anthropic::builder(format!("{server}/anthropic"), "claude-sonnet-4-5"), streaming, goal)
                .await
        }
        "Gemini" => {
            held(Gemini::builder(format!("{server}/gemini/v1beta"), "gemini-2.5-pro"), streaming, goal).await
        }
        other => panic!("there is no client `{other}`"),
    };
    println!("{said}");
}
