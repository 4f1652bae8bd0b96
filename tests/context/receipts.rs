//! What a compaction keeps whatever it replaces: receipts, cancellations, the notes of the present turn.

use polyloop::{
    Agent, Budget, CallContext, Compaction, Compactor, ContextFragment, Ending, History, MemoryJournal,
    Reply, Scripted, Summarizer, ToolError, Verdict, Verifier, registry, tool,
};

use crate::compaction::SUMMARY;
use crate::support::{Sent, builder_of, prefix, records, texts};

/// Opens a pull request.
#[tool]
async fn open_pr(
    /// The title.
    title: String,
) -> Result<String, ToolError> {
    match title.as_str() {
        "broken" => Err(ToolError::failed("the branch is gone")),
        "panics" => panic!("no such branch"),
        _ => Ok(format!("created {title} as PR-1")),
    }
}

/// Opens a ticket; the service knows the key of the call.
#[tool(replay = safe)]
async fn open_ticket(#[call] call: &CallContext) -> String {
    format!("ticket T-7 under {}", call.idempotency_key())
}

/// Reads.
#[tool(replay = safe)]
async fn peek() -> String {
    "nothing new".to_owned()
}

/// Looks up an address that is needed later.
#[tool(replay = safe, keep_result)]
async fn look_up() -> String {
    format!("door 4711, {}", "x".repeat(1_000))
}

/// Asks another agent.
#[tool(replay = child)]
async fn delegate(#[call] call: &CallContext) -> String {
    format!("done in {}", call.child_session().unwrap_or_default())
}

/// News of one turn.
#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "news of one turn", slot = turn, lifetime = once, max_chars = 200)]
#[fragment(body = "{text}")]
struct News {
    text: String,
}

/// What the host says in each turn; nothing says what a compaction does with it.
#[derive(ContextFragment)]
#[fragment(role = developer, unmarked = "a notice of each turn", slot = turn, max_chars = 4_000, body = "{text}")]
struct Notice {
    text: String,
}

/// What the host says in each turn, and what always stays.
#[derive(ContextFragment)]
#[fragment(role = developer, unmarked = "a rule of each turn", slot = turn, max_chars = 200, on_compact = keep)]
#[fragment(body = "{text}")]
struct Rule {
    text: String,
}

registry! {
    struct Desk {
        fragments: [News, Notice, Rule],
        tools: [open_pr, open_ticket, peek, look_up, delegate],
    }
}

/// Replaces everything by a text of its own.
struct Forgetful;

impl Compactor for Forgetful {
    async fn compact(&self, history: &History) -> Option<Compaction> {
        Some(Compaction::summary("s").replacing_all(history.exchanges()))
    }
}

/// What the model is shown behind a compaction of these replies.
async fn behind_a_compaction(replies: Vec<Reply>) -> String {
    let large = Reply::text("x".repeat(9_000)).call("peek", "{}");
    let script = replies.into_iter().chain([large, Reply::text("done")]);
    let (agent, sent) = builder_of::<Desk>(script);
    let budget = Budget::steps(20).compaction_chars(8_000);
    let agent = agent.budget(budget).compactor(Forgetful).journal(MemoryJournal::new()).build().unwrap();
    let mut run = agent.on(()).session("s").goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let last = sent.last();
    let told = last.iter().find(|text| text.starts_with(SUMMARY)).unwrap();
    told.clone()
}

#[tokio::test]
async fn a_call_that_failed_or_panicked_is_not_listed_as_having_taken_effect() {
    let titles = ["fix", "broken", "panics"];
    let calls = titles.map(|title| Reply::tool("open_pr", format!(r#"{{"title":"{title}"}}"#)));
    let told = behind_a_compaction(calls.into()).await;
    assert!(told.contains("take effect") || told.contains("took effect"), "{told}");
    assert!(told.contains(r#"open_pr {"title":"fix"} returned: created fix as PR-1"#), "{told}");
    assert!(!told.contains("broken") && !told.contains("panics"), "{told}");
}

#[tokio::test]
async fn the_result_of_what_must_not_be_repeated_stays_beside_the_call() {
    let told = behind_a_compaction(vec![
        Reply::tool("open_ticket", "{}"),
        Reply::tool("peek", "{}"),
        Reply::tool("look_up", "{}"),
        Reply::tool("delegate", "{}"),
    ])
    .await;
    assert!(told.contains("open_ticket {} returned: ticket T-7 under s/call_1"), "{told}");
    assert!(
        told.contains("look_up {} returned: door 4711, x"),
        "a tool may say that its results stay: {told}"
    );
    assert!(told.contains(&"x".repeat(1_000)), "{told}");
    assert!(told.contains("delegate {} returned: done in s/call_4"), "{told}");
    assert!(!told.contains("peek"), "what may be repeated is not listed: {told}");
}

/// Knows what became of every call.
struct Looks;

impl Verifier<()> for Looks {
    async fn verify(&self, _: &polyloop::Call, _: &CallContext, (): &()) -> Verdict {
        Verdict::Happened("found as PR-9".into())
    }
}

#[tokio::test]
async fn what_a_verifier_found_stays_beside_the_call() {
    let journal = MemoryJournal::new();
    let script = || [Reply::tool("open_pr", r#"{"title":"fix"}"#), Reply::text("done")];
    let (agent, _) = builder_of::<Desk>(script());
    let agent = agent.journal(journal.clone()).build().unwrap();
    agent.on(()).session("s").goal("go").await.unwrap().finish().await.unwrap();
    let all = records(&journal, &"s".into()).await;
    let intent = all.iter().position(|record| record.kind == "action.intent").unwrap();
    let large = Reply::text("x".repeat(2_000)).call("peek", "{}");
    let (agent, sent) = builder_of::<Desk>([large, Reply::text("done")]);
    let agent = agent.journal(prefix(&all, intent + 1).await).verifier(Looks);
    let agent = agent.budget(Budget::steps(20).compaction_chars(2_000)).compactor(Forgetful).build().unwrap();
    agent.resume((), "s").accept_changes().await.unwrap().finish().await.unwrap();
    let told = sent.last().join("\n");
    assert!(told.contains(r#"open_pr {"title":"fix"} returned: found as PR-9"#), "{told}");
}

#[tokio::test]
async fn a_strategy_can_keep_exchanges_and_cut_the_results_in_them() {
    struct Keeps;
    impl Compactor for Keeps {
        async fn compact(&self, history: &History) -> Option<Compaction> {
            let [first, rest @ ..] = history.exchanges() else { return None };
            Some(Compaction::summary("s").shortening(first, 100).replacing_all(rest))
        }
    }
    let journal = MemoryJournal::new();
    let large = Reply::text("x".repeat(2_000)).call("peek", "{}");
    let (agent, sent) = builder_of::<Desk>([Reply::tool("look_up", "{}"), large, Reply::text("done")]);
    let agent = agent.budget(Budget::steps(20).compaction_chars(2_000)).compactor(Keeps);
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(()).session("s").goal("go").await.unwrap();
    run.finish().await.unwrap();
    let last = sent.last();
    let kept = last.iter().find(|text| text.starts_with("door 4711")).unwrap();
    assert!(kept.chars().count() <= 100 && kept.contains("characters are not shown"), "{kept}");
    assert!(last.iter().any(|text| text.starts_with(SUMMARY)));
    let whole = records(&journal, &"s".into()).await;
    assert!(
        whole.iter().any(|record| record.payload.contains(&"x".repeat(1_000))),
        "the journal keeps all of it"
    );
    let read = agent.read("s").await.unwrap().prompt();
    assert_eq!(texts(&read)[..last.len()], last, "it is made again from the journal");
}

/// Three turns: the first is cancelled, and what was done in the second makes the third compact.
async fn after_a_cancelled_turn(compactor: impl Compactor) -> Sent {
    let first = Reply::text("x".repeat(50)).call("peek", "{}");
    let (agent, sent) = builder_of::<Desk>([
        first,
        Reply::text("y".repeat(3_000)),
        Reply::text("a summary"),
        Reply::text("done"),
        Reply::text("done"),
    ]);
    let agent = agent.budget(Budget::steps(20).compaction_chars(2_000)).compactor(compactor).build().unwrap();
    let mut run = agent.on(()).goal("delete everything").await.unwrap();
    run.step().await.unwrap();
    run.handle().cancel();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    for goal in ["what is here?", "and there?"] {
        run.follow_up().goal(goal).await.unwrap();
        run.finish().await.unwrap();
    }
    sent
}

#[tokio::test]
async fn the_remark_that_a_turn_was_cancelled_stays_as_long_as_its_words() {
    let sent = after_a_cancelled_turn(Summarizer::new().keep_exchanges(0)).await;
    let last = sent.last();
    let words = last.iter().position(|text| text == "delete everything").unwrap();
    assert_eq!(
        last[words + 1],
        "This turn was cancelled; go on with it only if you are asked to.",
        "{last:?}"
    );
    assert!(last.iter().any(|text| text.starts_with(SUMMARY)), "{last:?}");
}

#[tokio::test]
async fn words_that_are_replaced_take_the_remark_with_them_and_nothing_else_does() {
    let sent = after_a_cancelled_turn(Forgetful).await;
    let last = sent.last();
    assert!(
        !last.iter().any(|text| text == "delete everything" || text.contains("was cancelled")),
        "{last:?}"
    );
}

#[tokio::test]
async fn a_note_of_the_present_turn_stays_in_a_compaction_in_the_middle_of_it_and_goes_behind_it() {
    let large = || Reply::text("x".repeat(2_500)).call("peek", "{}");
    let journal = MemoryJournal::new();
    let (agent, sent) = builder_of::<Desk>([
        large(),
        Reply::text("done"),
        Reply::text("z".repeat(3_000)),
        Reply::text("done"),
    ]);
    let agent = agent.budget(Budget::steps(20).compaction_chars(2_000)).compactor(Forgetful);
    let agent = agent.journal(journal).build().unwrap();
    let mut run = agent.on(()).inject(News { text: "it rains".into() }).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let last = sent.last();
    assert!(last.iter().any(|text| text.starts_with(SUMMARY)), "{last:?}");
    let note = last.iter().position(|text| text == "it rains");
    assert_eq!(note.map(|at| last[at + 1].as_str()), Some("go"), "{last:?}");
    for goal in ["more", "and more"] {
        run.follow_up().goal(goal).await.unwrap();
        run.finish().await.unwrap();
    }
    assert!(!sent.last().iter().any(|text| text == "it rains"), "{:?}", sent.last());
    let told = texts(&agent.read(run.session_id().clone()).await.unwrap().prompt());
    assert!(!told.iter().any(|text| text == "it rains"));
}

#[tokio::test]
async fn notices_that_later_turns_made_out_of_date_go_and_what_is_said_to_stay_stays() {
    let turns = 104;
    let replies = Scripted::by(|_| Reply::text("done"));
    let agent = Agent::<Desk>::builder(replies.clone()).compactor(Summarizer::new()).build().unwrap();
    let notice = |turn: usize| Notice { text: format!("{turn} {}", "n".repeat(3_790)) };
    let rule = |turn: usize| Rule { text: format!("rule {turn}") };
    let mut run = agent.on(()).inject(notice(0)).inject(rule(0)).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    for turn in 1..turns {
        run.follow_up().inject(notice(turn)).inject(rule(turn)).goal("go").await.unwrap();
        assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer, "turn {turn}");
    }
    let last = texts(&replies.requests().pop().unwrap());
    assert!(last.iter().any(|text| text.starts_with("103 n")));
    assert_eq!(last.iter().filter(|text| text.starts_with("rule ")).count(), turns);
    assert!(last.iter().map(String::len).sum::<usize>() < 400_000);
    assert_eq!(run.report().summaries.requests, 0, "no summary was paid for that");
}
