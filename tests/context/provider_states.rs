//! What only a provider can read of its reply stands before that reply, as long as it stands and as it came.

use polyloop::{
    Action, Budget, Content, Decision, Interpreter, MemoryJournal, Prompt, ProviderState, Reply, Summarizer,
};

use crate::support::{Log, Sent, builder};

fn signed(reply: Reply) -> Reply {
    reply.with_provider_state(ProviderState::new("somebody", "c2lnbmVk"))
}

fn calling() -> Reply {
    signed(Reply::text("I look.").call("peek", "{}"))
}

/// What stands in the last prompt, message by message.
fn contents(sent: &Sent) -> Vec<Vec<String>> {
    let name = |content: &Content| match content {
        Content::ProviderState { state } => format!("{} {}", state.provider(), state.data()),
        Content::Text { text } => text.to_string(),
        Content::ToolCall { name, .. } => format!("call {name}"),
        _ => "result".to_owned(),
    };
    let prompt: Prompt = sent.prompts().pop().unwrap();
    let message = |blocks: &[polyloop::Block]| blocks.iter().map(|block| name(block.content())).collect();
    prompt.messages().map(|message_| message(message_.blocks())).collect()
}

fn has_state(sent: &Sent) -> bool {
    contents(sent).concat().iter().any(|content| content.contains("c2lnbmVk"))
}

#[tokio::test]
async fn it_stands_before_its_reply_and_counts() {
    let (agent, sent) = builder([calling(), Reply::text("done")]);
    agent.build().unwrap().on(Log::default()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!(
        contents(&sent),
        [vec!["go"], vec!["somebody c2lnbmVk", "I look.", "call peek"], vec!["result"]]
    );
    let prompt = sent.prompts().pop().unwrap();
    let reply = prompt.messages().nth(1).unwrap();
    assert_eq!(reply.chars(), "c2lnbmVk".len() + "I look.".len() + "peek".len() + "{}".len());
    assert_eq!(reply.text(), "I look.", "no text of it is shown");
}

/// Keeps less of a reply than it says.
struct Shortening;

impl Interpreter for Shortening {
    fn interpret(&self, reply: &Reply) -> Decision {
        if reply.calls().is_empty() {
            return Decision::answer(reply.as_text());
        }
        Decision::act("I.", vec![Action::tool("peek", "{}")])
    }

    fn reads_native_calls(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn it_goes_where_the_history_keeps_something_else() {
    let (agent, sent) = builder([calling(), Reply::text("done")]);
    let agent = agent.interpreter(Shortening).build().unwrap();
    agent.on(Log::default()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!(contents(&sent)[1], ["I.", "call peek"]);
    let other_call = signed(Reply::text("I.").call("peek", r#"{"left": 1}"#));
    let (agent, sent) = builder([other_call, Reply::text("done")]);
    let agent = agent.interpreter(Shortening).build().unwrap();
    agent.on(Log::default()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!(contents(&sent)[1], ["I.", "call peek"]);
}

#[tokio::test]
async fn a_branch_has_it_and_a_rollback_takes_it_away() {
    let texts = ["two", "three", "four"].map(Reply::text);
    let (agent, sent) = builder([signed(Reply::text("one"))].into_iter().chain(texts));
    let agent = agent.journal(MemoryJournal::new()).build().unwrap();
    let mut run = agent.on(Log::default()).session("parent").goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    assert!(has_state(&sent));
    let child = agent.fork(Log::default(), "parent").session("child").goal("T3");
    child.await.unwrap().finish().await.unwrap();
    assert!(has_state(&sent));
    run.roll_back(2).await.unwrap();
    run.follow_up().goal("T1 again").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(contents(&sent), [["T1 again"]]);
}

#[tokio::test]
async fn compaction_drops_it_with_its_reply() {
    let long = Reply::text("a long story ".repeat(80));
    let replies = [signed(long), Reply::text("short."), Reply::text("two"), Reply::text("three")];
    let (agent, sent) = builder(replies);
    let budget = Budget::steps(5).compaction_chars(900);
    let agent = agent.compactor(Summarizer::new().keep_exchanges(0)).budget(budget).build().unwrap();
    let mut run = agent.on(Log::default()).goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    let asked: Vec<bool> =
        sent.prompts().iter().map(|prompt| format!("{prompt:?}").contains("somebody")).collect();
    assert_eq!(asked, [false, true, false], "the summary is asked with it, and nothing else is");
}
