//! A fact in the system part of the layout `Turn`: it changes as a developer statement, and moves to its place where the prefix
//! breaks anyway.

use polyloop::{
    AgentBuilder, ContextFragment, MemoryJournal, Prompt, Reply, Role, Summarizer, Turn, registry,
};

use crate::compaction::{budget, busy};
use crate::support::{Log, Sent, builder_of, tally};

/// Who the agent is.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", max_chars = 50, body = "You are brief.")]
struct Persona;

/// What may be done, as part of the system message.
#[derive(ContextFragment)]
#[fragment(role = system, markers("<policy>", "</policy>"), lifetime = latest, max_chars = 50)]
#[fragment(absent = "none", body = "{text}")]
struct Policy {
    text: &'static str,
}

registry! {
    struct Chat { state: Log, fragments: [Persona, Policy], tools: [tally] }
}

fn chat(script: impl IntoIterator<Item = Reply>) -> (AgentBuilder<Chat>, Sent) {
    let (agent, sent) = builder_of(script);
    (agent.layout(Turn), sent)
}

fn policy(text: &'static str) -> Policy {
    Policy { text }
}

fn said(prompt: &Prompt) -> Vec<(Role, String)> {
    prompt.messages().map(|message| (message.role(), message.text())).collect()
}

fn last(sent: &Sent) -> Vec<(Role, String)> {
    sent.prompts().last().map(said).unwrap()
}

fn is(role: Role, text: &str) -> (Role, String) {
    (role, text.to_owned())
}

#[tokio::test]
async fn a_change_is_a_developer_statement_until_a_compaction_puts_it_into_the_system_part() {
    let journal = MemoryJournal::new();
    let (agent, sent) = chat([
        Reply::text("one"),
        busy("1", 600),
        busy("2", 600),
        Reply::text("short"),
        Reply::text("two"),
        Reply::text("three"),
    ]);
    let agent = agent.budget(budget()).compactor(Summarizer::new().keep_exchanges(0));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("s").inject(Persona).sync(policy("P1"));
    let mut run = opening.goal("first").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(last(&sent)[0], is(Role::System, "You are brief.<policy>P1</policy>"));
    run.follow_up().sync(policy("P2")).goal("second").await.unwrap();
    run.step().await.unwrap();
    let before = last(&sent);
    assert_eq!(before[0], is(Role::System, "You are brief.<policy>P1</policy>"), "the prefix stays");
    assert_eq!(before[3], is(Role::Developer, "<policy>P2</policy>"));
    run.finish().await.unwrap();
    let after = last(&sent);
    assert_eq!(after[0], is(Role::System, "You are brief.<policy>P2</policy>"));
    assert_eq!(after.iter().filter(|(_, text)| text.contains("<policy>")).count(), 1, "{after:?}");
    drop(run);
    let mut run = agent.on(Log::default()).session("s").retract::<Policy>().goal("third").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(last(&sent)[0].1, "You are brief.<policy>P2</policy>");
    assert!(last(&sent).contains(&is(Role::Developer, "<policy>none</policy>")));
}

#[tokio::test]
async fn a_fork_puts_the_present_value_into_the_system_part() {
    let journal = MemoryJournal::new();
    let (agent, sent) = chat(["one", "two", "three"].map(Reply::text));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("p").inject(Persona).sync(policy("P1"));
    let mut run = opening.goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().sync(policy("P2")).goal("second").await.unwrap();
    run.finish().await.unwrap();
    let mut child = agent.fork(Log::default(), "p").session("c").sync(policy("P3")).goal("on").await.unwrap();
    child.finish().await.unwrap();
    let all = last(&sent);
    assert_eq!(all[0], is(Role::System, "You are brief.<policy>P3</policy>"));
    assert_eq!(all[1..].iter().filter(|(_, text)| text.contains("<policy>")).count(), 0, "{all:?}");
    assert_eq!(agent.read("c").await.unwrap().items().len(), child.items().len());
}
