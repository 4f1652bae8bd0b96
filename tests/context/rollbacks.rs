//! A rollback takes the last turns from what a model is shown, and nothing else.

use polyloop::{
    Budget, ContextFragment, Ending, Journal, JournalError, MemoryJournal, Reply, RunError, Summarizer,
    registry,
};

use crate::support::{
    Log, approved, builder, builder_of, environment, in_a_file, news, note, permissions, prefix, records,
    rules, seals, texts,
};

fn replies<const N: usize>(texts: [&str; N]) -> [Reply; N] {
    texts.map(Reply::text)
}

#[tokio::test]
async fn what_was_told_in_a_turn_that_is_gone_is_told_again_once_before_the_next_words() {
    let (agent, sent) = builder(replies(["one", "two", "three"]));
    let mut run = agent.build().unwrap().on(Log::default()).inject(rules()).goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().sync(permissions("B")).sync(environment("/b")).goal("T2").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    assert_eq!(run.items().len(), 3);
    run.follow_up().sync(permissions("B")).sync(environment("/b")).goal("T2 again").await.unwrap();
    run.finish().await.unwrap();
    let told = "<permissions>B</permissions>";
    let there = "<environment>/b</environment>";
    assert_eq!(sent.last(), ["be brief", "T1", "one", told, there, "T2 again"]);
}

#[tokio::test]
async fn context_before_the_cut_stays_and_so_does_what_its_type_keeps() {
    let (agent, sent) = builder(replies(["one", "two", "three", "four"]));
    let opening = agent.build().unwrap().on(Log::default()).inject(rules()).sync(environment("/a"));
    let mut run = opening.sync(approved(&["ls"])).goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up()
        .inject(note("kept"))
        .inject(news("gone"))
        .sync(environment("/b"))
        .goal("T2")
        .await
        .unwrap();
    run.finish().await.unwrap();
    run.follow_up().sync(approved(&["ls", "cat"])).goal("T3").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(2).await.unwrap();
    // What is known is not said; the second half of the list was never told now.
    run.follow_up().sync(environment("/a")).sync(approved(&["ls", "cat"])).goal("T4").await.unwrap();
    run.finish().await.unwrap();
    let expected = [
        "be brief",
        "<environment>/a</environment>",
        "<approved>ls</approved>",
        "T1",
        "one",
        "<note>kept</note>",
        "<approved>new: cat</approved>",
        "T4",
    ];
    assert_eq!(sent.last(), expected);
}

#[tokio::test]
async fn a_compaction_that_was_made_in_a_turn_that_is_gone_is_undone() {
    let long = "x".repeat(1_200);
    let (agent, sent) = builder(replies([&long, "a summary", "two", "three", "four"]));
    let budget = Budget::steps(9).prompt_chars(9_000).compaction_chars(1_000);
    let agent = agent.budget(budget).compactor(Summarizer::new().keep_exchanges(0)).build().unwrap();
    let mut run = agent.on(Log::default()).sync(environment("/a")).goal("T1").await.unwrap();
    run.finish().await.unwrap();
    let before: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    assert!(run.items().iter().any(|item| item.text().contains("a summary")));
    run.roll_back(1).await.unwrap();
    let now: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(now, before);
    assert!(sent.last().iter().all(|text| *text != long));
}

#[tokio::test]
async fn a_turn_that_is_not_there_or_not_over_is_not_rolled_back() {
    let journal = MemoryJournal::new();
    let (agent, _) = builder(replies(["one", "two", "three"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("T1").await.unwrap();
    let unfinished = RunError::Unfinished { session: "s".to_owned() };
    assert_eq!(run.roll_back(1).await, Err(unfinished.clone()));
    assert_eq!(agent.roll_back("s", 1).await, Err(unfinished));
    run.finish().await.unwrap();
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    let refused = |asked, live| Err(RunError::NoSuchTurns { asked, live });
    assert_eq!(run.roll_back(0).await, refused(0, 2));
    assert_eq!(run.roll_back(3).await, refused(3, 2));
    let message = run.roll_back(3).await.unwrap_err().to_string();
    assert!(message.contains("2 turns") && message.contains('3'), "{message}");
    run.roll_back(2).await.unwrap();
    assert_eq!(run.roll_back(1).await, refused(1, 0));
    assert_eq!(run.items().len(), 0);
    let none = JournalError::NoSuchSession { session: "nobody".to_owned() };
    assert_eq!(agent.roll_back("nobody", 1).await, Err(none.into()));
    let none = RunError::NoJournal { session: "s".to_owned() };
    assert_eq!(builder([]).0.build().unwrap().roll_back("s", 1).await, Err(none));
}

#[tokio::test]
async fn a_rollback_is_in_the_journal_when_it_returns() {
    let (_folder, journal) = in_a_file();
    let (agent, sent) = builder(replies(["one", "two", "three", "four"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    let known = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(texts(&agent.read("s").await.unwrap().prompt()), known(&["T1", "one"]));
    drop(run);
    let mut run = agent.on(Log::default()).session("s").goal("T3").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["T1", "one", "T3"]);
    drop(run);
    agent.roll_back("s", 2).await.unwrap();
    let records = records(&journal, &"s".into()).await;
    assert_eq!(journal.watermark(&"s".into()).await.unwrap(), records.len() as u64);
    assert_eq!(records.last().unwrap().kind, "history.rolled_back");
    let mut run = agent.on(Log::default()).session("s").goal("T4").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["T4"]);
    // The events of all turns are there.
    assert_eq!(records.iter().filter(|record| record.kind == "run.started").count(), 3);
}

#[tokio::test]
async fn what_was_done_stays_done_and_no_id_is_given_again() {
    let call = |line: &str| Reply::tool("tally", format!(r#"{{"line":"{line}"}}"#));
    let (agent, sent) = builder([call("a"), Reply::text("one"), call("b"), Reply::text("two")]);
    let (log, journal) = (Log::default(), MemoryJournal::new());
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(log.clone()).goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    assert_eq!(log.lines(), ["a"]);
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["T2", "", "wrote b"]);
    let decided: Vec<String> = records(&journal, run.session_id())
        .await
        .iter()
        .filter(|record| record.kind == "action.intent")
        .map(|record| serde_json::from_str::<serde_json::Value>(&record.payload).unwrap()["call"].to_string())
        .collect();
    assert_eq!(decided, ["\"call_1\"", "\"call_2\""]);
}

#[tokio::test]
async fn the_seal_behind_a_rollback_tells_where_the_prefix_broke() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(replies(["one", "two", "three"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    run.follow_up().goal("T3").await.unwrap();
    run.finish().await.unwrap();
    let seals = seals(&journal, run.session_id()).await;
    assert_eq!(sent.last(), ["T1", "one", "T3"]);
    let input = run.items()[2].id();
    assert_eq!(seals[2]["broken_at"], serde_json::to_value(input).unwrap());
    assert_eq!((&seals[1]["broken_at"], &seals[2]["shared_chars"]), (&serde_json::Value::Null, &5.into()));
}

#[tokio::test]
async fn a_session_of_which_all_is_gone_begins_anew_in_the_order_of_its_layout() {
    let (agent, sent) = builder(replies(["one", "two"]));
    let opening = agent.build().unwrap().on(Log::default()).inject(note("kept"));
    let mut run = opening.goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    run.follow_up().inject(news("now")).inject(rules()).goal("T2").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["<note>kept</note>", "be brief", "now", "T2"]);
}

#[tokio::test]
async fn a_turn_that_is_gone_does_not_count_against_what_a_turn_may_record() {
    /// Said once in a turn.
    #[derive(ContextFragment)]
    #[fragment(role = user, unmarked = "short", max_chars = 50, at_most = 1, body = "said once")]
    struct Once;

    registry! { struct Sparing { fragments: [Once] } }

    let (agent, sent) = builder_of::<Sparing>(replies(["one", "two"]));
    let agent = agent.build().unwrap();
    let mut run = agent.on(()).goal("T1").await.unwrap();
    run.step().await.unwrap();
    run.inject(Once).unwrap();
    run.finish().await.unwrap();
    assert_eq!(run.items().len(), 3);
    run.roll_back(1).await.unwrap();
    run.follow_up().inject(Once).goal("T2").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["said once", "T2"]);
}

#[tokio::test]
async fn whoever_is_killed_around_a_rollback_finds_all_of_it_or_nothing() {
    let journal = MemoryJournal::new();
    let (agent, _) = builder(replies(["one", "two", "three"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").sync(environment("/a")).goal("T1").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().sync(environment("/b")).goal("T2").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    run.follow_up().sync(environment("/b")).goal("T3").await.unwrap();
    run.finish().await.unwrap();
    let records = records(&journal, &"s".into()).await;
    let cut = records.iter().position(|record| record.kind == "history.rolled_back").unwrap();
    let said = records.iter().position(|record| record.payload.contains("T2")).unwrap();
    for count in 1..=records.len() {
        let (agent, sent) = builder(replies(["on", "and on"]));
        let agent = agent.journal(prefix(&records, count).await).build().unwrap();
        let Ok(mut run) = agent.resume(Log::default(), "s").await else {
            assert!(count < 3, "{count} records are enough to go on");
            continue;
        };
        run.finish().await.unwrap();
        run.follow_up().sync(environment("/b")).goal("last").await.unwrap();
        run.finish().await.unwrap();
        let last = sent.last();
        let told = |text: &str| last.iter().filter(|told| *told == text).count();
        assert_eq!(told("<environment>/b</environment>"), 1, "{count}: {last:?}");
        assert_eq!(told("T2"), usize::from((said + 1..=cut).contains(&count)), "{count}: {last:?}");
    }
}

#[tokio::test]
async fn who_went_on_elsewhere_is_not_stopped_by_a_rollback_that_comes_too_late() {
    let journal = MemoryJournal::new();
    let (agent, _) = builder(replies(["one", "two", "three"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("T1").await.unwrap();
    run.finish().await.unwrap();
    drop(run);
    let mut looking = agent.resume(Log::default(), "s").await.unwrap();
    let mut other = agent.on(Log::default()).session("s").goal("T2").await.unwrap();
    let late = looking.roll_back(1).await.unwrap_err();
    assert!(matches!(late, RunError::Journal(JournalError::OutOfOrder { .. })), "{late}");
    assert_eq!(other.finish().await.unwrap().ending, Ending::FinalAnswer);
}

#[tokio::test]
async fn a_turn_that_was_cancelled_leaves_one_word_and_no_new_turn() {
    let call = Reply::text("I write.").call("tally", r#"{"line":"a"}"#);
    let (agent, sent) = builder([call, Reply::text("two"), Reply::text("three")]);
    let agent = agent.journal(MemoryJournal::new()).build().unwrap();
    let mut run = agent.on(Log::default()).goal("T1").await.unwrap();
    run.step().await.unwrap();
    run.handle().cancel_now();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    let note = "This turn was cancelled; go on with it only if you are asked to.";
    let refused = "not executed: the run was cancelled";
    assert_eq!(sent.last(), ["T1", "I write.", refused, note, "T2"]);
    let inputs = run.items().iter().filter(|item| item.kind_name() == "polyloop.input").count();
    assert_eq!(inputs, 2, "two turns");
    // Another process tells it the same way, and a rollback takes it back with its turn.
    let mut other = agent.on(Log::default()).session(run.session_id().clone()).goal("T3").await.unwrap();
    other.finish().await.unwrap();
    assert_eq!(sent.last()[3..], [note, "T2", "two", "T3"]);
    other.roll_back(3).await.unwrap();
    assert!(other.items().is_empty());
}

#[tokio::test]
async fn whoever_names_the_turn_that_is_to_be_the_last_takes_no_other_also_where_a_request_was_never_recorded()
 {
    let (_folder, journal) = in_a_file();
    let (agent, sent) = builder(replies(["one", "two", "three", "four"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("T1").await.unwrap();
    run.finish().await.unwrap();
    let last = async || agent.read("s").await.unwrap().turns().last().map_or(0, |turn| turn.number);
    let before = last().await;
    assert_eq!(before, 1);
    // Given up before it was recorded: nothing is to be taken back, and nobody is disturbed.
    let given_up = agent.on(Log::default()).session("s").goal("T2").into_future();
    drop(given_up);
    let records = journal.read(&"s".into(), 0).await.unwrap();
    assert_eq!(agent.roll_back_to("s", before).await, Ok(0));
    assert_eq!(journal.read(&"s".into(), 0).await.unwrap(), records);
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("T3").await.unwrap();
    run.finish().await.unwrap();
    // Recorded: it is taken back, once.
    assert_eq!(run.roll_back_to(2).await, Ok(1));
    assert_eq!(run.roll_back_to(2).await, Ok(0));
    assert_eq!(agent.roll_back_to("s", before).await, Ok(1));
    assert_eq!(agent.roll_back_to("s", before).await, Ok(0));
    let gone = RunError::NoSuchTurn { turn: 3, live: vec![1] };
    assert_eq!(agent.roll_back_to("s", 3).await, Err(gone.clone()));
    let said = "the session has no turn 3 that was not rolled back; it has the turns 1, and 0 names what stands before the \
                first one";
    assert_eq!(gone.to_string(), said);
    let mut run = agent.on(Log::default()).session("s").goal("T4").await.unwrap();
    assert_eq!(agent.roll_back_to("s", 1).await, Err(RunError::Unfinished { session: "s".to_owned() }));
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["T1", "one", "T4"]);
    assert_eq!(last().await, 4, "a number is not given again");
    assert_eq!(agent.roll_back_to("s", 0).await, Ok(2));
    assert!(agent.read("s").await.unwrap().turns().is_empty());
}
