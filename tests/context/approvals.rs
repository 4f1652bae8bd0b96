//! What a person agreed to for a session needs no second question there, and nothing else does without one.

use polyloop::{
    Agent, AgentBuilder, Budget, Ending, Journal, MemoryJournal, Reply, Run, Summarizer, registry, tool,
};

use crate::support::{Log, Sent, builder_of, in_a_file, prefix, records};

/// Deletes files.
#[tool(approval)]
async fn delete(
    #[state] log: &Log,
    /// Which.
    names: Vec<String>,
    /// Whether also those that are full.
    full: Option<bool>,
) -> String {
    log.add(format!("{} {}", names.join(","), full.unwrap_or_default()));
    "deleted".to_owned()
}

/// Moves files, also with a person's consent.
#[tool(approval)]
async fn shift(
    #[state] log: &Log,
    /// Which.
    names: Vec<String>,
) -> String {
    log.add(format!("moved {}", names.join(",")));
    "moved".to_owned()
}

registry! { struct Careful { state: Log, tools: [delete, shift] } }

const CALL: &str = r#"{"names":["a","b"],"full":true}"#;
/// The same in other words.
const AGAIN: &str = "{ \"full\": true,\n \"names\": [\"\\u0061\", \"b\"] }";

fn call(arguments: &str) -> Reply {
    Reply::tool("delete", arguments)
}

fn agent(script: impl IntoIterator<Item = Reply>, journal: impl Journal) -> Agent<Careful> {
    let (agent, _): (AgentBuilder<Careful>, Sent) = builder_of(script);
    agent.journal(journal).build().unwrap()
}

/// Goes on to the end; whoever is asked says no. How often somebody was asked.
async fn questions(run: &mut Run<Careful>) -> usize {
    let mut asked = 0;
    while run.finish().await.unwrap().ending == Ending::AwaitingApproval {
        for call in run.waiting() {
            asked += 1;
            run.deny(call.id()).await.unwrap();
        }
    }
    asked
}

/// A session in which a person agreed to a call for good; its first run has ended.
async fn agreed(log: &Log, journal: impl Journal) -> Run<Careful> {
    let mut run = agent([call(CALL), Reply::text("done")], journal)
        .on(log.clone())
        .session("s")
        .goal("go")
        .await
        .unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    run.approve_always(run.waiting()[0].id()).await.unwrap();
    assert_eq!(questions(&mut run).await, 0);
    run
}

#[tokio::test]
async fn the_same_call_is_asked_about_once_in_a_session_however_it_is_written() {
    let (log, journal) = (Log::default(), MemoryJournal::new());
    drop(agreed(&log, journal.clone()).await);
    let script = [call(AGAIN), call(CALL), Reply::text("done")];
    let mut run = agent(script, journal).on(log.clone()).session("s").goal("again").await.unwrap();
    assert_eq!(questions(&mut run).await, 0);
    assert_eq!(log.lines(), ["a,b true"; 3]);
}

#[tokio::test]
async fn any_other_call_is_asked_about() {
    let others = [
        call(r#"{"names":["b","a"],"full":true}"#),
        call(r#"{"names":["a","b"]}"#),
        call(r#"{"names":["a","b"],"full":false}"#),
        call(r#"{"names":["a","b","c"],"full":true}"#),
        Reply::tool("shift", r#"{"names":["a","b"]}"#),
    ];
    let (log, journal, count) = (Log::default(), MemoryJournal::new(), others.len());
    drop(agreed(&log, journal.clone()).await);
    let script = others.into_iter().chain([Reply::text("done")]);
    let mut run = agent(script, journal).on(log.clone()).session("s").goal("others").await.unwrap();
    assert_eq!(questions(&mut run).await, count);
    assert_eq!(log.lines(), ["a,b true"], "the one that was agreed to");
}

#[tokio::test]
async fn who_agrees_to_one_call_is_asked_about_the_next() {
    let log = Log::default();
    let script = [call(CALL), call(CALL), Reply::text("done")];
    let mut run = agent(script, MemoryJournal::new()).on(log.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    run.approve(run.waiting()[0].id()).await.unwrap();
    assert_eq!(questions(&mut run).await, 1);
    assert_eq!(log.lines().len(), 1);
}

#[tokio::test]
async fn the_same_call_in_one_reply_needs_one_answer() {
    let log = Log::default();
    let reply = call(CALL).call("delete", AGAIN).call("delete", r#"{"names":[]}"#);
    let mut run =
        agent([reply, Reply::text("done")], MemoryJournal::new()).on(log.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(run.waiting().len(), 3);
    run.approve_always(run.waiting()[0].id()).await.unwrap();
    assert_eq!(run.waiting().len(), 1, "the other call waits");
    assert_eq!(questions(&mut run).await, 1);
    assert_eq!(log.lines().len(), 2);
}

#[tokio::test]
async fn what_a_person_agreed_to_outlives_a_compaction_a_rollback_and_the_process() {
    let (_folder, journal) = in_a_file();
    let log = Log::default();
    let mut run = agreed(&log, journal.clone()).await;
    run.roll_back(1).await.unwrap();
    drop(run);
    let lengthy = Reply::text("x".repeat(2_000));
    let (definition, sent): (AgentBuilder<Careful>, Sent) =
        builder_of([lengthy, Reply::text("a summary"), Reply::text("done")]);
    let budget = Budget::steps(9).prompt_chars(3_000).compaction_chars(1_000);
    let strategy = Summarizer::new().keep_exchanges(0);
    let compacting = definition.budget(budget).compactor(strategy).journal(journal.clone()).build().unwrap();
    for words in ["write much", "and on"] {
        let mut run = compacting.on(log.clone()).session("s").goal(words).await.unwrap();
        run.finish().await.unwrap();
    }
    assert!(sent.last().iter().any(|text| text.contains("a summary")), "{:?}", sent.last());
    let script = [call(AGAIN), Reply::text("done")];
    let mut run = agent(script, journal).on(log.clone()).session("s").goal("again").await.unwrap();
    assert_eq!(questions(&mut run).await, 0);
    assert_eq!(log.lines(), ["a,b true"; 2]);
}

#[tokio::test]
async fn a_branch_knows_what_was_agreed_to_before_it_branched_off() {
    let (log, journal) = (Log::default(), MemoryJournal::new());
    drop(agreed(&log, journal.clone()).await);
    let again = || [call(CALL), Reply::text("done")];
    let mut run = agent(again(), journal.clone()).fork(log.clone(), "s").goal("again").await.unwrap();
    assert_eq!(questions(&mut run).await, 0);
    // Another session is another matter.
    let mut run = agent(again(), journal).on(log.clone()).goal("again").await.unwrap();
    assert_eq!(questions(&mut run).await, 1);
    assert_eq!(log.lines().len(), 2);
}

#[tokio::test]
async fn whoever_is_killed_behind_the_answer_asks_nobody_again() {
    let (log, journal) = (Log::default(), MemoryJournal::new());
    let session = agreed(&log, journal.clone()).await.session_id().clone();
    let records = records(&journal, &session).await;
    let answered = records.iter().position(|record| record.kind == "approval.given").unwrap();
    for count in answered + 1..=records.len() {
        let journal = prefix(&records, count).await;
        // The run goes on where it was, and then the call comes once more.
        let agent = agent([call(AGAIN), Reply::text("done")], journal);
        let mut run = agent.resume(log.clone(), session.clone()).await.unwrap();
        assert_eq!(questions(&mut run).await, 0, "killed behind {count} records");
        if count == records.len() {
            run.follow_up().goal("again").await.unwrap();
            assert_eq!(questions(&mut run).await, 0);
        }
    }
}
