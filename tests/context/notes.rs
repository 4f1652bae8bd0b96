//! Notes: what waits for a person's next words is told once, directly before them.

use polyloop::{JournalError, MemoryJournal, RecordErrorKind, Reply, Run, RunError, Session, Update};

use crate::support::{App, Log, builder, environment, news, note, records, texts};

/// The messages of a reply's kind, in their order.
fn replies(count: usize) -> Vec<Reply> {
    (1..=count).map(|number| Reply::text(format!("reply {number}"))).collect()
}

async fn left(run: &mut Run<App>) -> Vec<RecordErrorKind> {
    let mut left = Vec::new();
    while let Some(update) = run.next().await {
        if let Update::NotRecorded { error } = update.unwrap() {
            left.push(error.reason().clone());
        }
    }
    left
}

#[tokio::test]
async fn a_note_stands_before_the_next_words_and_is_told_once() {
    let (agent, sent) = builder(replies(3));
    let mut run = agent.build().unwrap().on(Log::default()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.queue(news("moved to the phone")).await.unwrap();
    assert_eq!(run.items().len(), 2, "it waits");
    for words in ["second", "third"] {
        run.follow_up().inject(note("of the run")).goal(words).await.unwrap();
        run.finish().await.unwrap();
    }
    let (again, last) = ("<note>of the run</note>", sent.last());
    assert_eq!(last[2..5], ["moved to the phone", again, "second"]);
    assert_eq!(last[5..], ["reply 2", again, "third"]);
}

#[tokio::test]
async fn a_note_queued_during_a_run_rides_with_the_next_words_whoever_brings_them() {
    let (agent, sent) = builder([Reply::tool("peek", ""), Reply::text("one"), Reply::text("two")]);
    let mut run = agent.build().unwrap().on(Log::default()).goal("first").await.unwrap();
    run.step().await.unwrap();
    run.handle().queue(news("with a remark")).unwrap();
    run.step().await.unwrap();
    run.say("hurry").unwrap();
    run.step().await.unwrap();
    run.handle().queue(news("with the next turn")).unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[3..], ["with a remark", "hurry"]);
    assert_eq!(run.handle().queue(news("too late")), Err(RunError::Ended));
    run.follow_up().goal("second").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[5..], ["one", "with the next turn", "second"]);
    assert_eq!(run.turn().unwrap().notes().map(|(kind, _)| kind).collect::<Vec<_>>(), ["news"]);
}

#[tokio::test]
async fn a_note_waits_in_the_journal_for_another_process_and_no_third_one_tells_it_again() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(replies(3));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut cached = agent.on(Log::default()).session("s").goal("first").await.unwrap();
    cached.finish().await.unwrap();
    agent.queue("s", news("good morning")).await.unwrap();
    agent.queue("s", news("a new phone")).await.unwrap();
    for words in ["second", "third"] {
        let mut run = agent.on(Log::default()).session("s").goal(words).await.unwrap();
        run.finish().await.unwrap();
    }
    assert_eq!(
        sent.last(),
        ["first", "reply 1", "good morning", "a new phone", "second", "reply 2", "third"]
    );
    // Whoever kept the session from before does not say it again: it can say nothing more.
    let stale = cached.follow_up().goal("again").await;
    assert!(matches!(stale, Err(RunError::Journal(JournalError::Fenced { .. }))), "{stale:?}");
    let records = records(&journal, cached.session_id()).await;
    let taken: Vec<usize> = records
        .iter()
        .enumerate()
        .filter(|(_, record)| record.kind == "note.taken")
        .map(|(at, _)| at)
        .collect();
    let input = taken[1] + 1;
    assert_eq!(taken, [input - 2, input - 1]);
    assert_eq!(records[input].kind, "input.recorded");
}

#[tokio::test]
async fn a_run_at_rest_writes_a_note_at_once_also_one_that_was_only_looked_at() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(replies(2));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("first").await.unwrap();
    run.finish().await.unwrap();
    let mut looked_at = agent.resume(Log::default(), "s").await.unwrap();
    looked_at.queue(news("from a look")).await.unwrap();
    drop(looked_at);
    drop(run);
    let mut run = agent.on(Log::default()).session("s").goal("second").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[2..], ["from a look", "second"]);
}

#[tokio::test]
async fn notes_over_what_a_turn_may_record_wait_and_the_host_is_told() {
    let (agent, sent) = builder(replies(3));
    let mut run = agent.build().unwrap().on(Log::default()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    for number in 1..=9 {
        run.queue(news(&format!("news {number}"))).await.unwrap();
    }
    // What the run says itself has its place: whoever begins it knows nothing of the notes.
    run.follow_up().inject(news("its own")).goal("second").await.unwrap();
    let too_many = RecordErrorKind::TooMany { at_most: 8 };
    assert_eq!(left(&mut run).await, [too_many.clone(), too_many]);
    let last = sent.last();
    assert_eq!(last[2..4], ["news 1", "news 2"]);
    assert_eq!(last[8..], ["news 7", "its own", "second"]);
    run.follow_up().goal("third").await.unwrap();
    assert_eq!(left(&mut run).await, []);
    assert_eq!(sent.last()[11..], ["reply 2", "news 8", "news 9", "third"]);
}

#[tokio::test]
async fn a_run_that_is_refused_leaves_the_notes_where_they_were() {
    let (agent, sent) = builder(replies(2));
    let mut run = agent.build().unwrap().on(Log::default()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.queue(news("still there")).await.unwrap();
    let long = news(&"x".repeat(201));
    assert!(matches!(run.follow_up().inject(long).goal("no").await, Err(RunError::Record(_))));
    let mut opening = run.follow_up();
    for number in 0..9 {
        opening = opening.inject(news(&format!("too many {number}")));
    }
    let refused = opening.goal("no").await;
    assert!(matches!(refused, Err(RunError::Record(_))), "its own are too many: {refused:?}");
    run.follow_up().goal("second").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[2..], ["still there", "second"]);
}

#[tokio::test]
async fn a_run_without_words_takes_the_notes_as_well() {
    let (agent, sent) = builder(replies(2));
    let mut run = agent.build().unwrap().on(Log::default()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.queue(news("it is late")).await.unwrap();
    run.follow_up().inject(note("go on")).await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last()[2..], ["it is late", "<note>go on</note>"]);
}

#[tokio::test]
async fn no_note_waits_in_a_session_that_is_open_or_not_there() {
    let journal = MemoryJournal::new();
    let (agent, _) = builder(replies(1));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let new = RunError::NewSession { session: "s".to_owned() };
    assert_eq!(agent.queue("s", news("hello")).await, Err(new));
    drop(agent.on(Log::default()).session("s").goal("first").await.unwrap());
    let written = records(&journal, &"s".into()).await.len();
    let unfinished = RunError::Unfinished { session: "s".to_owned() };
    assert_eq!(agent.queue("s", news("hello")).await, Err(unfinished));
    assert!(matches!(agent.queue("s", news(" ")).await, Err(RunError::Record(_))));
    assert_eq!(records(&journal, &"s".into()).await.len(), written, "nothing is written");
    let (agent, _) = builder(replies(1));
    let no_journal = agent.build().unwrap().queue("s", news("hello")).await;
    assert_eq!(no_journal, Err(RunError::NoJournal { session: "s".to_owned() }));
}

#[test]
fn a_session_alone_has_notes_too() {
    let mut session = Session::<App>::new();
    session.say("first").unwrap();
    session.queue(news("late")).unwrap();
    session.queue(environment("/a")).unwrap();
    assert_eq!(session.next_turn("second").unwrap().notes().count(), 2);
    session.say("second").unwrap();
    session.say("third").unwrap();
    // A layout orders what is said before the first prompt: here it is looked at in the order of recording.
    let told: Vec<String> = session.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told, ["first", "late", "<environment>/a</environment>", "second", "third"]);
    assert_eq!(session.sync(environment("/a")).unwrap(), None, "the model knows it");
    assert_eq!(texts(&session.prompt()).len(), 5);
}

#[tokio::test]
async fn what_a_turn_says_is_not_counted_with_the_turn_before() {
    let (agent, _) = builder(replies(2));
    let mut run = agent.build().unwrap().on(Log::default()).goal("first").await.unwrap();
    for number in 0..8 {
        run.inject(news(&format!("of the first {number}"))).unwrap();
    }
    run.finish().await.unwrap();
    run.follow_up().inject(news("of the second")).await.unwrap();
    run.inject(news("and another one")).unwrap();
    assert_eq!(left(&mut run).await, []);
}

#[tokio::test]
async fn what_was_told_in_a_turn_that_is_rolled_back_is_gone_with_it_and_what_waits_waits_on() {
    let (agent, sent) = builder(replies(3));
    let mut run = agent.build().unwrap().on(Log::default()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.queue(news("told")).await.unwrap();
    run.follow_up().goal("second").await.unwrap();
    run.finish().await.unwrap();
    run.queue(news("waits")).await.unwrap();
    run.roll_back(1).await.unwrap();
    run.follow_up().goal("third").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["first", "reply 1", "waits", "third"]);
}

#[tokio::test]
async fn a_branch_has_what_its_parent_was_told_and_not_what_waits_there() {
    let (agent, sent) = builder(replies(4));
    let agent = agent.journal(MemoryJournal::new()).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.queue(news("told")).await.unwrap();
    run.follow_up().goal("second").await.unwrap();
    run.finish().await.unwrap();
    run.queue(news("waits")).await.unwrap();
    let mut child = agent.fork(Log::default(), "s").goal("third").await.unwrap();
    child.finish().await.unwrap();
    let inherited = ["first", "reply 1", "told", "second", "reply 2"];
    assert_eq!(sent.last(), [&inherited[..], &["third"]].concat());
    run.follow_up().goal("and here").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), [&inherited[..], &["waits", "and here"]].concat());
}
