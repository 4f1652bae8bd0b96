//! Journals whose chain is right, with events that no run writes in this order, or that nobody knows.

use polyloop::{Durability, Ending, Journal, JournalError, MemoryJournal, Record, RunError};

use crate::support::{World, builder, prefix, rules, script};

async fn records() -> Vec<Record> {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world).inject(rules()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    journal.read(run.session_id(), 0).await.unwrap()
}

/// Numbers and chains records anew.
fn chained(mut records: Vec<Record>) -> Vec<Record> {
    let mut hash = records[0].prev_hash.clone();
    for (seq, record) in (0..).zip(&mut records) {
        (record.seq, record.prev_hash) = (seq, hash);
        hash = record.hash().into();
    }
    records
}

/// What is said of a journal that somebody changed and chained anew.
async fn refusal(forge: impl FnOnce(&mut Vec<Record>)) -> String {
    let mut records = records().await;
    forge(&mut records);
    let records = chained(records);
    let journal = prefix(&records, records.len()).await;
    let world = World::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let refused: RunError = agent.resume(world, records[0].session.clone()).await.unwrap_err();
    assert_eq!(journal.read(&records[0].session, 0).await.unwrap(), records, "nothing is written");
    refused.to_string()
}

fn place(records: &[Record], kind: &str) -> usize {
    records.iter().position(|record| record.kind == kind).unwrap()
}

#[tokio::test]
async fn a_journal_that_seals_a_prompt_before_the_result_of_a_call_is_refused_with_the_place() {
    let mut seal = 0;
    let refused = refusal(|records| {
        let outcome = place(records, "action.outcome");
        records.remove(outcome);
        seal = outcome + place(&records[outcome..], "prompt.sealed");
    })
    .await;
    assert_eq!(
        refused,
        format!(
            "event {seal} seals a prompt between a call and its result; the session cannot be trusted and is not opened"
        )
    );
}

#[tokio::test]
async fn a_journal_with_an_id_that_stands_twice_is_refused_with_the_place() {
    let refused = refusal(|records| {
        let input = place(records, "input.recorded");
        records[input].payload = records[input].payload.replace(r#""item":2"#, r#""item":1"#).into();
    })
    .await;
    assert_eq!(
        refused,
        "event 4 gives an item the id of another one; the session cannot be trusted and is not opened"
    );
    let refused = refusal(|records| {
        for record in records {
            record.payload = record.payload.replace("call_2", "call_1").into();
        }
    })
    .await;
    assert!(refused.contains("gives a call the id of another one"));
}

/// An event of a version that is still to come, in front of the first request.
fn from_the_future(records: &mut Vec<Record>, ignorable: bool) {
    let seal = place(records, "prompt.sealed");
    let kind = "thought.recorded".into();
    records.insert(seal, Record { kind, ignorable, ..records[seal].clone() });
}

#[tokio::test]
async fn an_event_that_nobody_knows_is_refused_with_its_kind_and_place() {
    assert_eq!(
        refusal(|records| from_the_future(records, false)).await,
        "event 6 of the kind `thought.recorded` cannot be read: \
         this version of the library does not know the kind; use a newer one"
    );
    assert_eq!(
        refusal(|records| records[4].v = 3).await,
        "event 4 of the kind `input.recorded` cannot be read: \
         its version is 3, and 2 is the last known; use a newer library"
    );
}

#[tokio::test]
async fn an_event_that_nobody_knows_is_passed_over_if_it_says_so() {
    let mut records = records().await;
    from_the_future(&mut records, true);
    let records = chained(records);
    let (world, journal) = (World::default(), prefix(&records, records.len()).await);
    let agent = builder(&world, script()).journal(journal).build().unwrap();
    let mut run = agent.resume(world, records[0].session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
}

#[tokio::test]
async fn memory_takes_records_at_their_place_only() {
    let records = records().await;
    let (journal, session) = (MemoryJournal::new(), &records[0].session);
    let lease = journal.lease(session).await.unwrap();
    journal.append(&lease, 0, records[..2].to_vec(), Durability::Barrier).await.unwrap();
    for place in [0, 1, 3] {
        let refused = journal.append(&lease, place, records[2..].to_vec(), Durability::Barrier).await;
        assert_eq!(refused, Err(JournalError::OutOfOrder { seq: place, next: 2 }));
    }
    assert_eq!(journal.read(session, 0).await.unwrap(), records[..2], "nothing of it is there");
}

#[tokio::test]
async fn a_journal_that_is_chained_anew_without_a_change_is_opened() {
    let records = records().await;
    assert_eq!(chained(records.clone()), records);
}

#[tokio::test]
async fn a_journal_that_rolls_back_turns_that_are_not_there_is_refused_with_the_place() {
    for turns in [0, 2] {
        let refused = refusal(|records| {
            let kind = "history.rolled_back".into();
            let payload = format!(r#"{{"turns":{turns}}}"#).into();
            records.push(Record { kind, payload, ..records[0].clone() });
        })
        .await;
        assert!(refused.contains("rolls back turns that are not there"), "{refused}");
    }
}

#[tokio::test]
async fn a_journal_that_replaces_what_was_not_inherited_is_refused_with_the_place() {
    let refused = refusal(|records| {
        let said = place(records, "fragment.recorded");
        let again = records[said].payload.replace(r#""item":1"#, r#""instead_of":1,"item":2"#);
        let input = records[said + 1].payload.replace(r#""item":2"#, r#""item":3"#);
        let kind = records[said].kind.clone();
        records[said + 1].payload = input.into();
        records.insert(said + 1, Record { kind, payload: again.into(), ..records[said].clone() });
    })
    .await;
    assert_eq!(
        refused,
        "event 4 replaces a statement that was not inherited and that a request contained; the session cannot be trusted and is not opened"
    );
}
