//! Journals whose chain is right and whose events no run writes in this order.

use polyloop::{Journal, MemoryJournal, Record, RunError};

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

#[tokio::test]
async fn a_journal_that_is_chained_anew_without_a_change_is_opened() {
    let records = records().await;
    assert_eq!(chained(records.clone()), records);
}
