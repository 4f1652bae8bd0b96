//! A model reads the last value of a fact, once: nothing that is superseded, queued, inherited or stated anew contradicts it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use polyloop::{
    Agent, AgentBuilder, ContextFragment, MemoryJournal, RecordErrorKind, Reply, RunError, Summarizer,
    registry,
};

use crate::compaction::{budget, busy};
use crate::support::{App, Log, Sent, builder, builder_of, environment, kinds, news, note, records, tally};

/// How many files are open.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<files>", "</files>"), lifetime = latest, max_chars = 50)]
#[fragment(absent = "none", pin = top, body = "{open}")]
struct Files {
    open: usize,
}

/// Over which channel a person speaks.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<channel>", "</channel>"), lifetime = latest, max_chars = 50)]
#[fragment(absent = "none", body = "{name}")]
struct Channel {
    name: &'static str,
}

/// What holds for the whole session.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<manual>", "</manual>"), pin = bottom, max_chars = 50, body = "{text}")]
struct Manual {
    text: &'static str,
}

/// What the run is for.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<task>", "</task>"), slot = goal, on_fork = drop, max_chars = 50, body = "{text}")]
struct Task {
    text: &'static str,
}

registry! {
    struct Desk { state: Log, fragments: [Files, Channel, Manual, Task], tools: [tally] }
}

fn desk(script: impl IntoIterator<Item = Reply>) -> (AgentBuilder<Desk>, Sent) {
    builder_of(script)
}

fn texts(replies: &[&str]) -> Vec<Reply> {
    replies.iter().map(|text| Reply::text(*text)).collect()
}

const fn files(open: usize) -> Files {
    Files { open }
}

const fn channel(name: &'static str) -> Channel {
    Channel { name }
}

#[tokio::test]
async fn a_fact_that_changes_again_in_a_turn_is_stated_with_its_last_value() {
    let journal = MemoryJournal::new();
    let (agent, sent) = desk([busy("1", 0), busy("2", 0), Reply::text("done")]);
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).sync(files(3)).goal("go").await.unwrap();
    run.sync(files(4)).unwrap();
    run.sync(files(5)).unwrap();
    run.step().await.unwrap();
    assert_eq!(sent.last(), ["<files>5</files>", "go"], "it is replaced at its place");
    for open in [6, 7] {
        run.sync(files(open)).unwrap();
    }
    while sent.prompts().len() < 2 {
        run.step().await.unwrap();
    }
    assert_eq!(sent.last()[4..], ["<files>7</files>"], "what was sent stays");
    run.sync(files(8)).unwrap();
    run.sync(files(7)).unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!(sent.last().iter().filter(|text| text.starts_with("<files>")).count(), 2);
    assert_eq!(report.not_recorded, []);
    let kinds = kinds(&journal, run.session_id()).await;
    assert_eq!(kinds.iter().filter(|kind| **kind == "fragment.retired").count(), 1);
    let session = agent.read(run.session_id().clone()).await.unwrap();
    assert_eq!(
        session.told::<Files>().map(|told| told.text().to_owned()),
        Some("<files>7</files>".to_owned())
    );
}

#[tokio::test]
async fn what_was_not_recorded_is_in_the_report() {
    let (agent, _) = builder(texts(&["one", "two"]));
    let mut run = agent.build().unwrap().on(Log::default()).goal("go").await.unwrap();
    for number in 1..=9 {
        run.inject(news(&format!("news {number}"))).unwrap();
    }
    let report = run.finish().await.unwrap();
    let reasons: Vec<_> = report.not_recorded.iter().map(|error| error.reason().clone()).collect();
    assert_eq!(reasons, [RecordErrorKind::TooMany { at_most: 8 }]);
    assert_eq!(run.report().not_recorded, report.not_recorded);
    assert!(serde_json::to_value(&report).unwrap()["not_recorded"][0].as_str().unwrap().contains("`news`"));
    run.follow_up().goal("again").await.unwrap();
    assert_eq!(run.finish().await.unwrap().not_recorded, [], "a report is that of one run");
}

#[tokio::test]
async fn a_statement_is_newer_than_a_note_that_was_queued_before() {
    let journal = MemoryJournal::new();
    let (agent, sent) = desk(texts(&["1", "2", "3", "4", "5"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").sync(channel("text")).goal("a").await.unwrap();
    run.finish().await.unwrap();
    run.queue(channel("voice")).await.unwrap();
    run.follow_up().sync(channel("text")).goal("b").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[2..], ["1", "b"], "it is text, as the model knows");
    run.queue(channel("voice")).await.unwrap();
    run.follow_up().sync(channel("post")).goal("c").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[5..], ["<channel>post</channel>", "c"]);
    for name in ["voice", "fax"] {
        run.queue(channel(name)).await.unwrap();
    }
    run.follow_up().goal("d").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[8..], ["<channel>fax</channel>", "d"], "the last of two notes");
    run.follow_up().goal("e").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[11..], ["e"], "no withdrawn note comes later");
    let all = records(&journal, run.session_id()).await;
    let withdrawn = all.iter().filter(|record| record.kind == "note.withdrawn");
    assert_eq!(withdrawn.filter(|record| record.payload.contains("superseded")).count(), 3);
}

#[tokio::test]
async fn a_note_can_be_withdrawn_and_expires() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(texts(&["1", "2", "3"]));
    let now = || UNIX_EPOCH + Duration::from_secs(1_000);
    let agent = agent.journal(journal.clone()).clock(now).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("a").await.unwrap();
    run.finish().await.unwrap();
    let after = |seconds| -> SystemTime { UNIX_EPOCH + Duration::from_secs(seconds) };
    run.queue(news("withdrawn")).await.unwrap();
    run.queue(note("stays")).await.unwrap();
    run.withdraw_notes::<crate::support::News>().await.unwrap();
    run.queue_until(news("too old"), after(999)).await.unwrap();
    run.queue_until(news("in time"), after(1_001)).await.unwrap();
    run.follow_up().goal("b").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[2..], ["<note>stays</note>", "in time", "b"]);
    drop(run);
    agent.queue("s", news("one")).await.unwrap();
    agent.queue_until("s", news("another"), after(2_000)).await.unwrap();
    assert_eq!(agent.withdraw_notes::<crate::support::News>("s").await.unwrap(), 2);
    let mut run = agent.on(Log::default()).session("s").goal("c").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[6..], ["c"]);
    let all = records(&journal, run.session_id()).await;
    let why: Vec<_> = all.iter().filter(|record| record.kind == "note.withdrawn").collect();
    let ends = ["withdrawn", "expired", "withdrawn", "withdrawn"];
    assert_eq!(why.len(), ends.len());
    assert!(why.iter().zip(ends).all(|(record, end)| record.payload.contains(end)), "{why:?}");
}

#[tokio::test]
async fn sticky_context_from_before_the_first_input_stays_when_the_first_turn_is_rolled_back() {
    let journal = MemoryJournal::new();
    let (agent, sent) = desk([busy("1", 0), Reply::text("one"), Reply::text("two")]);
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("s").inject(Manual { text: "M" }).sync(files(3));
    let mut run = opening.goal("first").await.unwrap();
    run.step().await.unwrap();
    run.inject(Manual { text: "later" }).unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    run.follow_up().sync(files(3)).goal("again").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["<files>3</files>", "<manual>M</manual>", "again"]);
    let session = agent.read("s").await.unwrap();
    assert_eq!(session.items().len(), 4, "another process yields the same");
}

#[tokio::test]
async fn a_fork_that_takes_a_fact_back_is_told_nothing_of_it() {
    let journal = MemoryJournal::new();
    let (agent, sent) = desk(texts(&["one", "two", "three"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut parent =
        agent.on(Log::default()).session("p").sync(files(3)).sync(channel("text")).goal("go").await.unwrap();
    parent.finish().await.unwrap();
    let fork = agent.fork(Log::default(), "p").session("c");
    let mut child = fork.retract::<Files>().sync(channel("voice")).goal("on").await.unwrap();
    child.finish().await.unwrap();
    assert_eq!(sent.last(), ["<channel>voice</channel>", "go", "one", "on"]);
    child.follow_up().sync(files(4)).goal("more").await.unwrap();
    child.finish().await.unwrap();
    assert_eq!(sent.last()[5..], ["<files>4</files>", "more"]);
    assert_eq!(agent.read("c").await.unwrap().items().len(), child.items().len());
}

#[tokio::test]
async fn a_fork_in_a_run_whose_goal_it_drops_is_refused() {
    let journal = MemoryJournal::new();
    let (agent, _) = desk([busy("1", 0), Reply::text("one"), Reply::text("two")]);
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut parent = agent.on(Log::default()).session("p").inject(Task { text: "T" }).await.unwrap();
    parent.step().await.unwrap();
    parent.finish().await.unwrap();
    let all = records(&journal, parent.session_id()).await;
    let settled = all.iter().find(|record| record.kind == "stop.checked").unwrap().seq + 1;
    for words in [None, Some("on")] {
        let fork = agent.fork(Log::default(), "p").at(settled).session("c");
        let fork = words.into_iter().fold(fork, polyloop::ForkRequest::goal);
        let error = fork.await.map(drop).unwrap_err();
        assert_eq!(error, RunError::ForkWithoutGoal { session: "p".to_owned() });
    }
    assert!(agent.read("c").await.is_err(), "nothing was written");
}

/// A run that is compacted once, after the fact changed.
async fn compacted(agent: AgentBuilder<Desk>, sent: &Sent) -> Vec<String> {
    let agent = agent.budget(budget()).compactor(Summarizer::new().keep_exchanges(0)).build().unwrap();
    let opening = agent.on(Log::default()).inject(Manual { text: "M" }).sync(files(3)).sync(channel("text"));
    let mut run = opening.goal("go").await.unwrap();
    run.finish().await.unwrap();
    sent.last()
}

fn long_script() -> [Reply; 4] {
    [busy("1", 500), busy("2", 500), Reply::text("short"), Reply::text("done")]
}

#[tokio::test]
async fn what_a_compaction_states_anew_is_ordered_with_the_context_that_stayed() {
    let (agent, sent) = desk(long_script());
    let last = compacted(agent, &sent).await;
    let first = sent.texts()[0].clone();
    assert_eq!(first, ["<files>3</files>", "<channel>text</channel>", "<manual>M</manual>", "go"]);
    assert_eq!(last[..4], first, "the pins decide, as in the first request");
}

#[tokio::test]
async fn a_hook_supplies_the_present_values_of_what_a_compaction_states_anew() {
    let (agent, sent) = desk(long_script());
    let agent = agent.restate_with(|now| {
        now.sync(files(9));
        now.retract::<Channel>();
    });
    let last = compacted(agent, &sent).await;
    assert_eq!(last[..3], ["<files>9</files>", "<manual>M</manual>", "go"]);
    assert!(!last.concat().contains("channel"), "{last:?}");
}

#[tokio::test]
async fn a_value_that_is_stated_after_a_compaction_replaces_the_one_that_it_stated_anew() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(long_script());
    let agent = agent.budget(budget()).compactor(Summarizer::new().keep_exchanges(0));
    let agent: Agent<App> = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).sync(environment("/a")).goal("go").await.unwrap();
    while let Some(update) = run.next().await {
        if let polyloop::Update::Compacted { .. } = update.unwrap() {
            run.sync(environment("/b")).unwrap();
        }
    }
    let last = sent.last();
    assert_eq!(last[..2], ["<environment>/b</environment>", "go"], "{last:?}");
    assert!(!last.concat().contains("/a"));
    assert_eq!(agent.read(run.session_id().clone()).await.unwrap().items().len(), run.items().len());
}
