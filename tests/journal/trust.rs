//! What a host can hold against a journal: a key, and the place where a session ended.

use polyloop::{
    Agent, ChainKey, Erasure, Evidence, Head, Journal, JournalError, MemoryJournal, Record, Redaction,
    RunError, erase_session, redact_session, session_head, verify_session,
};

use crate::retention::{items, replies};
use crate::support::{App, World, builder, prefix};

fn key() -> ChainKey {
    ChainKey::new([7; 32])
}

/// A finished session that was written with the key, with its head.
async fn keyed() -> (Vec<Record>, Head) {
    let (journal, world) = (MemoryJournal::new(), World::default());
    let agent = builder(&world, replies()).journal(journal.clone()).chain_key(key()).build().unwrap();
    let mut run = agent.on(world).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let head = run.head();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    assert_eq!(session_head(&journal, run.session_id()).await.unwrap(), head);
    (records, head)
}

async fn opened(
    records: &[Record],
    count: usize,
    key: Option<ChainKey>,
    head: Option<Head>,
) -> Result<(), String> {
    let journal = prefix(records, count).await;
    let world = World::default();
    let mut agent = builder(&world, replies()).journal(journal.clone());
    if let Some(key) = key {
        agent = agent.chain_key(key);
    }
    let agent: Agent<App> = agent.build().unwrap();
    let resumed = agent.resume(world.clone(), records[0].session.clone());
    let resumed = match &head {
        Some(head) => resumed.expecting(head.clone()).await,
        None => resumed.await,
    };
    let asked = match head {
        Some(head) => agent.on(world).expecting(head).goal("On.").await,
        None => agent.on(world).session(records[0].session.clone()).goal("On.").await,
    };
    // A run that has not ended is no matter of trust.
    let asked = match asked {
        Err(RunError::Unfinished { .. } | RunError::Journal(JournalError::OutOfOrder { .. })) => Ok(()),
        asked => asked.map(drop),
    };
    let resumed = resumed.map(drop).map_err(|error| error.to_string());
    assert!(asked.is_ok() || resumed.is_err(), "one door is as good as the other: {asked:?}");
    resumed
}

#[tokio::test]
async fn with_a_key_nobody_else_can_edit_the_last_record_or_cut_into_an_append() {
    let (records, _) = keyed().await;
    let all = records.len();
    assert_eq!(opened(&records, all, Some(key()), None).await, Ok(()));
    assert_eq!(opened(&records, all, None, None).await, Ok(()), "the key is for whoever wants it");
    let other = ChainKey::new([8; 32]);
    assert!(
        opened(&records, all, Some(other), None)
            .await
            .unwrap_err()
            .contains("is not that of the chain's key")
    );
    for edit in [
        |last: &mut Record| last.at += 1,
        |last: &mut Record| {
            last.payload = last.payload.replace("final_answer", "steps_used_up").into();
        },
    ] {
        let mut edited = records.clone();
        edit(&mut edited[all - 1]);
        assert_ne!(edited, records);
        assert!(opened(&edited, all, Some(key()), None).await.is_err());
        assert_eq!(opened(&edited, all, None, None).await, Ok(()), "without the key it is not found");
    }
    // What was appended by somebody without the key.
    let mut appended = records.clone();
    let payload = records[all - 1].payload.split(r#","chain_mac""#).next().unwrap().to_owned() + "}";
    appended[all - 1].payload = payload.into();
    assert!(opened(&appended, all, Some(key()), None).await.unwrap_err().contains("carries no code"));
    assert_eq!(opened(&appended, all, Some(key().accept_unkeyed()), None).await, Ok(()));
    // Inside an append nothing is cut off unseen; behind one only a head shows it.
    let signed = |record: &Record| record.payload.contains("chain_mac");
    for count in 1..all {
        let opened = opened(&records, count, Some(key()), None).await;
        assert!(opened.is_ok() || !signed(&records[count - 1]), "{count}: {opened:?}");
        assert!(signed(&records[count - 1]) || opened.unwrap_err().contains("carries no code"));
    }
}

#[tokio::test]
async fn a_head_that_is_kept_elsewhere_shows_truncation_and_an_older_copy() {
    let (records, head) = keyed().await;
    for key in [None, Some(key())] {
        assert_eq!(opened(&records, records.len(), key.clone(), Some(head.clone())).await, Ok(()));
        for count in 1..records.len() {
            assert!(opened(&records, count, key.clone(), Some(head.clone())).await.is_err(), "{count}");
        }
    }
    let refused = opened(&records, 5, None, Some(head.clone())).await.unwrap_err();
    assert!(refused.contains("has 5 records now and does not hold the head"), "{refused}");
    let gone = MemoryJournal::new();
    let agent = builder(&World::default(), replies()).journal(gone).build().unwrap();
    let refused = agent.on(World::default()).expecting(head.clone()).goal("On.").await.unwrap_err();
    assert!(matches!(refused, RunError::Journal(JournalError::OtherHead { .. })), "{refused}");
    // Who went on from there is not refused.
    let journal = prefix(&records, records.len()).await;
    let world = World::default();
    let agent = builder(&world, replies()).journal(journal.clone()).chain_key(key()).build().unwrap();
    let mut run = agent.on(world.clone()).expecting(head.clone()).goal("On.").await.unwrap();
    run.finish().await.unwrap();
    let evidence = Evidence::none().key(key()).head(head.clone());
    let verified = verify_session(&journal, &head.session, &evidence).await.unwrap();
    assert!(verified.keyed && verified.covered == Some(head.records) && verified.head == run.head());
    let printed = verified.to_string();
    assert!(printed.contains("not proved: that none is missing after the last"), "{printed}");
    let bare = verify_session(&journal, &head.session, &Evidence::none()).await.unwrap().to_string();
    assert!(bare.contains("not proved: who wrote the records"), "{bare}");
}

#[tokio::test]
async fn a_session_with_a_key_is_redacted_with_the_key_only() {
    let (records, _) = keyed().await;
    let journal = prefix(&records, records.len()).await;
    let (session, item) = (&records[0].session, items(&journal, &records[0].session).await[0].id());
    let refused = redact_session(&journal, session, Redaction::new().item(item)).await.unwrap_err();
    assert_eq!(refused, JournalError::KeyNeeded { session: session.to_string() });
    redact_session(&journal, session, Redaction::new().item(item).chain_key(key())).await.unwrap();
    let records = journal.read(session, 0).await.unwrap();
    assert_eq!(opened(&records, records.len(), Some(key()), None).await, Ok(()));
    erase_session(&journal, session, Erasure::new()).await.unwrap();
    assert!(
        opened(&journal.read(session, 0).await.unwrap(), 1, Some(key()), None)
            .await
            .unwrap_err()
            .contains("erased")
    );
}
