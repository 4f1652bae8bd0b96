//! Compaction: a summary in the place of what it was made of; what holds is told anew, once.

use std::time::Duration;

use polyloop::{
    Agent, Budget, Ending, FollowUp, MemoryJournal, Model, ModelError, Prompt, Reply, Role, RunError,
    Scripted, Summarizer, Update,
};

use crate::support::{
    App, Environment, Log, Sent, approved, builder, environment, kinds, news, note, permissions, prefix,
    records, rules, texts,
};

/// A reply that calls `tally`, with a text of this size beside it.
pub(crate) fn busy(line: &str, chars: usize) -> Reply {
    Reply::text("x".repeat(chars)).call("tally", format!(r#"{{"line": "{line}"}}"#))
}

/// Large enough for a prompt to be compacted, small enough for one to be sent.
pub(crate) fn budget() -> Budget {
    Budget::steps(20).prompt_chars(2_000).compaction_chars(1_000)
}

/// The request for the summary and the one behind it.
fn around_the_summary(sent: &Sent) -> (Vec<String>, Vec<String>) {
    let all = sent.texts();
    let at =
        all.iter().position(|texts| texts.last().is_some_and(|last| last.starts_with("Stop here"))).unwrap();
    (all[at].clone(), all[at + 1].clone())
}

pub(crate) const SUMMARY: &str =
    "What happened so far, as a summary; the rest of it is not shown any more:\n\n";

/// What stands in the place of what was replaced: a summary, and the lines that were written.
pub(crate) fn summary(text: &str, lines: &[&str]) -> String {
    let lines: Vec<_> =
        lines.iter().map(|line| format!("tally {{\"line\": \"{line}\"}} returned: wrote {line}")).collect();
    format!("{SUMMARY}{text}\n\nThese calls took effect; do not repeat them:\n{}", lines.join("\n"))
}

#[tokio::test]
async fn a_long_run_goes_on_behind_a_summary_of_what_it_did() {
    let journal = MemoryJournal::new();
    let script = [busy("1", 500), busy("2", 500), Reply::text("wrote 1 and 2"), Reply::text("done")];
    let (agent, sent) = builder(script);
    let agent = agent.budget(budget()).compactor(Summarizer::new().keep_exchanges(0));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let log = Log::default();
    let mut run = agent
        .on(log.clone())
        .inject(rules())
        .sync(environment("/a"))
        .inject(news("hello"))
        .goal("go")
        .await
        .unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    let (asked, next) = around_the_summary(&sent);
    let before = &sent.texts()[1];
    assert_eq!(asked[..before.len()], *before, "what the model knows stands first, byte for byte");
    let tools = |at: usize| format!("{:?}", sent.prompts()[at].tools());
    assert_eq!(tools(1), tools(2), "the header is the same");
    let summary = summary("wrote 1 and 2", &["1", "2"]);
    assert_eq!(next, ["be brief", "<environment>/a</environment>", "hello", "go", &summary]);
    assert_eq!(log.lines(), ["1", "2"]);
    let kinds = kinds(&journal, run.session_id()).await;
    let compacted: Vec<_> = kinds.iter().filter(|kind| kind.starts_with("compaction")).collect();
    assert_eq!(compacted, ["compaction.started", "compaction.applied"]);
}

#[tokio::test]
async fn the_last_exchanges_stay_word_for_word_and_calls_with_their_results() {
    let script = [busy("1", 500), busy("2", 300), busy("3", 300), Reply::text("one"), Reply::text("done")];
    let (agent, sent) = builder(script);
    let agent = agent.budget(budget()).compactor(Summarizer::new().keep_exchanges(1)).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let (_, next) = around_the_summary(&sent);
    assert_eq!(next, ["go", &summary("one", &["1", "2"]), &"x".repeat(300), "wrote 3"]);
}

#[tokio::test]
async fn each_kind_becomes_what_its_type_says() {
    let script = [busy("1", 500), busy("2", 500), Reply::text("short"), Reply::text("done")];
    let (agent, sent) = builder(script);
    let budget = budget().compaction_chars(1_100);
    let agent = agent.budget(budget).compactor(Summarizer::new().keep_exchanges(0)).build().unwrap();
    let opening = agent.on(Log::default()).inject(rules()).sync(environment("/a"));
    let opening = opening.sync(approved(&["ls"])).inject(news("hello"));
    let mut run = opening.inject(note("kept")).goal("go").await.unwrap();
    run.step().await.unwrap();
    run.handle().sync(permissions("P1")).unwrap();
    run.finish().await.unwrap();
    let (asked, next) = around_the_summary(&sent);
    let summary = summary("short", &["1", "2"]);
    let expected = [
        "be brief",
        "<note>kept</note>",
        "<environment>/a</environment>",
        "<approved>ls</approved>",
        "<permissions>P1</permissions>",
        "hello",
        "go",
        &summary,
    ];
    assert_eq!(next, expected);
    assert_eq!(asked.iter().filter(|text| text.contains("hello")).count(), 1, "it stays where it was sent");
}

/// Two turns: what the first did is compacted when the second begins.
async fn compacted_between_turns(second: impl FnOnce(FollowUp<'_, App>) -> FollowUp<'_, App>) -> Sent {
    let (agent, sent) =
        builder([busy("1", 1_200), Reply::text("one"), Reply::text("short"), Reply::text("two")]);
    let agent = agent.budget(budget().compaction_chars(1_300)).compactor(Summarizer::new().keep_exchanges(0));
    let agent = agent.build().unwrap();
    let opening = agent.on(Log::default()).sync(environment("/a")).sync(approved(&["ls"]));
    let mut run = opening.inject(news("hello")).goal("older").await.unwrap();
    run.finish().await.unwrap();
    second(run.follow_up()).goal("latest").await.unwrap();
    run.finish().await.unwrap();
    sent
}

#[tokio::test]
async fn what_a_turn_says_first_is_not_in_the_request_for_a_summary_and_stands_behind_it() {
    let sent = compacted_between_turns(|opening| opening.sync(environment("/b")).inject(news("again"))).await;
    let (asked, next) = around_the_summary(&sent);
    assert!(
        asked.iter().all(|text| !text.contains("/b") && !text.contains("latest") && !text.contains("again"))
    );
    let summary = summary("short", &["1"]);
    let expected =
        ["older", &summary, "<approved>ls</approved>", "<environment>/b</environment>", "again", "latest"];
    assert_eq!(next, expected, "of a kind that changed there is only what holds now");
}

#[tokio::test]
async fn what_said_only_a_change_is_told_in_full_behind_a_compaction() {
    let sent = compacted_between_turns(|opening| opening.sync(approved(&["ls", "cat"]))).await;
    let (_, next) = around_the_summary(&sent);
    let summary = summary("short", &["1"]);
    let expected =
        ["older", &summary, "<environment>/a</environment>", "<approved>ls\ncat</approved>", "latest"];
    assert_eq!(next, expected);
}

#[tokio::test]
async fn what_was_taken_back_is_gone_with_what_it_took_back() {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a path is for one lifetime only")]
    let sent = compacted_between_turns(|opening| opening.retract::<Environment>()).await;
    let (_, next) = around_the_summary(&sent);
    assert!(next.iter().all(|text| !text.contains("environment")), "{next:?}");
}

#[tokio::test]
async fn a_fact_that_a_compaction_told_anew_is_not_told_again() {
    let (agent, sent) = builder([
        busy("1", 1_200),
        Reply::text("one"),
        Reply::text("short"),
        Reply::text("two"),
        Reply::text("three"),
    ]);
    let agent = agent.budget(budget().compaction_chars(1_300)).compactor(Summarizer::new().keep_exchanges(0));
    let agent = agent.build().unwrap();
    let mut run = agent.on(Log::default()).sync(environment("/a")).goal("one").await.unwrap();
    run.finish().await.unwrap();
    for goal in ["two", "three"] {
        run.follow_up().sync(environment("/a")).goal(goal).await.unwrap();
        run.finish().await.unwrap();
    }
    let told = sent.last().iter().filter(|text| text.contains("/a")).count();
    assert_eq!(told, 1, "{:?}", sent.last());
    let [.., before, last] = &sent.texts()[..] else { panic!("five requests") };
    assert_eq!(last[..before.len()], *before, "behind a compaction requests share their prefix again");
}

#[tokio::test]
async fn a_summary_as_long_as_what_it_stands_for_is_abandoned_and_nothing_too_large_is_sent() {
    let script = [busy("1", 700), busy("2", 700), Reply::text("y".repeat(1_450)), busy("3", 400)];
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(script);
    let agent = agent.budget(budget().compaction_chars(1_400).prompt_chars(1_830).compaction_time(LONG));
    let agent = agent.compactor(Summarizer::new().instruction("Stop here").keep_exchanges(0));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    let report = run.finish().await.unwrap();
    assert!(matches!(report.ending, Ending::ContextOverflow { .. }), "{:?}", report.ending);
    assert_eq!(sent.texts().len(), 4, "one request for a summary, and nothing behind the step after it");
    let kinds = kinds(&journal, run.session_id()).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "compaction.abandoned").count(), 1);
    let items = run.items().len();
    assert_eq!(items, 7, "the session stays what it was");
}

const LONG: Duration = Duration::from_mins(10);

#[tokio::test]
async fn where_fragments_alone_are_over_the_limit_no_summary_is_asked_for() {
    let (agent, sent) = builder([]);
    let agent =
        agent.budget(Budget::steps(5).prompt_chars(100)).compactor(Summarizer::new()).build().unwrap();
    let opening = agent.on(Log::default()).inject(note(&"n".repeat(100))).inject(rules());
    let mut run = opening.goal("go").await.unwrap();
    let report = run.finish().await.unwrap();
    assert!(matches!(report.ending, Ending::ContextOverflow { .. }));
    assert!(sent.texts().is_empty());
}

#[tokio::test]
async fn an_outcome_that_nobody_knows_is_carried_over_word_for_word() {
    let replies =
        || [busy("1", 10), busy("2", 600), busy("3", 600), Reply::text("short"), Reply::text("done")];
    let journal = MemoryJournal::new();
    let (agent, _) = builder(replies());
    let agent = agent.journal(journal.clone()).build().unwrap();
    let log = Log::default();
    agent.on(log.clone()).session("s").goal("go").await.unwrap().finish().await.unwrap();
    let all = records(&journal, &"s".into()).await;
    let intent = all.iter().position(|record| record.kind == "action.intent").unwrap();
    let journal = prefix(&all, intent + 1).await;
    let (agent, sent) = builder(replies().into_iter().skip(1));
    let agent = agent.journal(journal).budget(budget()).compactor(Summarizer::new().keep_exchanges(0));
    let agent = agent.build().unwrap();
    let mut run = agent.resume(log, "s").accept_changes().await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    let (_, next) = around_the_summary(&sent);
    let unknown = "It is not known whether this action took effect; check before repeating it.";
    assert_eq!(next, ["go", &"x".repeat(10), unknown, &summary("short", &["2", "3"])]);
}

#[tokio::test]
async fn the_fact_that_a_tool_ran_is_still_there_behind_every_compaction() {
    let script = [
        busy("1", 1_000),
        Reply::text("short"),
        busy("2", 1_000).call("peek", "{}"),
        Reply::text("shorter"),
        Reply::text("done"),
    ];
    let (agent, sent) = builder(script);
    let agent = agent.budget(budget()).compactor(Summarizer::new()).build().unwrap();
    let log = Log::default();
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(log.lines(), ["1", "2"]);
    assert_eq!(sent.last(), ["go", &summary("shorter", &["1", "2"])], "what may be repeated is not named");
}

/// Never comes to the end of a summary.
struct Dreamer(Scripted);

impl Model for Dreamer {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        if texts(prompt).last().is_some_and(|last| last.starts_with("Stop here")) {
            std::future::pending::<()>().await;
        }
        self.0.ask(prompt).await
    }
}

fn dreaming(journal: &MemoryJournal, time: Duration) -> Agent<App> {
    let model = Dreamer(Scripted::replies([busy("1", 1_500), Reply::text("done")]));
    let budget = Budget::steps(9).prompt_chars(2_400).compaction_chars(1_000).compaction_time(time);
    let agent = Agent::builder(model).budget(budget).compactor(Summarizer::new().keep_exchanges(0));
    agent.journal(journal.clone()).build().unwrap()
}

#[tokio::test]
async fn a_summary_that_takes_too_long_is_abandoned_and_what_was_said_is_kept() {
    let journal = MemoryJournal::new();
    let mut run = dreaming(&journal, Duration::from_millis(1)).on(Log::default()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    let kinds = kinds(&journal, run.session_id()).await;
    let from = kinds.iter().position(|kind| kind == "compaction.started").unwrap();
    assert_eq!(
        kinds[from..from + 4],
        ["compaction.started", "prompt.sealed", "model.abandoned", "compaction.abandoned"]
    );
    let longer = "x".repeat(900);
    run.follow_up().goal(longer.as_str()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert!(matches!(report.ending, Ending::ContextOverflow { .. }), "{:?}", report.ending);
    assert_eq!(run.items().last().unwrap().text(), longer, "nothing too large is sent, and nothing is lost");
}

#[tokio::test]
async fn cancelling_ends_a_compaction() {
    let journal = MemoryJournal::new();
    let mut run = dreaming(&journal, LONG).on(Log::default()).goal("go").await.unwrap();
    let handle = run.handle();
    while let Some(update) = run.next().await {
        if matches!(update.unwrap(), Update::Compacting { .. }) {
            handle.cancel();
        }
    }
    assert_eq!(run.report().ending, Ending::Cancelled);
    let kinds = kinds(&journal, run.session_id()).await;
    assert!(kinds.contains(&"compaction.abandoned".to_owned()), "{kinds:?}");
}

#[tokio::test]
async fn a_host_can_ask_for_a_compaction() {
    let script = [busy("1", 300), Reply::text("one"), Reply::text("short"), Reply::text("two")];
    let (agent, sent) = builder(script);
    let agent =
        agent.compactor(Summarizer::new().keep_exchanges(0).instruction("Stop here")).build().unwrap();
    let mut run = agent.on(Log::default()).goal("older").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("latest").await.unwrap();
    run.handle().compact().unwrap();
    run.finish().await.unwrap();
    let (asked, next) = around_the_summary(&sent);
    assert_eq!(asked.last().map(String::as_str), Some("Stop here"));
    assert_eq!(next, ["older", &summary("short", &["1"]), "latest"]);
}

#[tokio::test]
async fn a_host_that_asks_where_nothing_is_to_be_gained_is_told_so() {
    let (agent, sent) = builder([Reply::text("one")]);
    let agent = agent.compactor(Summarizer::new()).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    run.handle().compact().unwrap();
    let mut told = Vec::new();
    while let Some(update) = run.next().await {
        told.push(update.unwrap());
    }
    let abandoned = |update: &&Update| matches!(update, Update::CompactionAbandoned { .. });
    assert_eq!(told.iter().filter(abandoned).count(), 1, "{told:?}");
    assert_eq!(sent.texts(), [["go"]]);
}

#[tokio::test]
async fn every_prompt_around_a_compaction_is_made_again_from_the_journal_wherever_the_process_ends() {
    let journal = MemoryJournal::new();
    let script =
        || [busy("1", 400), busy("2", 400), Reply::text("short"), busy("3", 10), Reply::text("done")].map(Ok);
    let summarizer = || Summarizer::new().keep_exchanges(0);
    let whole = Scripted::results(script());
    let agent = Agent::<App>::builder(whole.clone()).budget(budget()).compactor(summarizer());
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("s").inject(rules()).sync(environment("/a"));
    let mut run = opening.sync(approved(&["ls"])).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let all = records(&journal, run.session_id()).await;
    let mut compacted = 0;
    for length in 1..=all.len() {
        let copy = prefix(&all, length).await;
        // The model says what it said to a prompt of this shape.
        let model = Scripted::by(|prompt| {
            let last = texts(prompt).pop().unwrap_or_default();
            let summary = texts(prompt).iter().any(|text| text.starts_with(SUMMARY));
            let results = prompt.messages().filter(|message| message.role() == Role::Tool).count();
            match (last.starts_with("Stop here"), summary, results) {
                (true, ..) => Reply::text("short"),
                (_, false, done) => busy(&(done + 1).to_string(), 400),
                (_, true, 0) => busy("3", 10),
                (_, true, _) => Reply::text("done"),
            }
        });
        let agent = Agent::<App>::builder(model).budget(budget()).compactor(summarizer());
        let agent = agent.journal(copy.clone()).build().unwrap();
        let resumed = agent.resume(Log::default(), "s").await;
        let mut run = match resumed {
            Err(RunError::Journal(_) | RunError::NoRun { .. }) => continue,
            resumed => resumed.unwrap(),
        };
        run.finish().await.unwrap();
        // That every seal is made again is a part of reading.
        let told = texts(&agent.read("s").await.unwrap().prompt());
        let known = all[..length].iter().filter(|record| record.payload.contains("<environment>")).count();
        assert_eq!(
            told.iter().filter(|text| text.contains("<environment>")).count(),
            known,
            "{length}: {told:?}"
        );
        compacted += 1;
    }
    assert!(compacted > 10, "{compacted}");
}
