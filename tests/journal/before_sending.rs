//! Before a request leaves, the journal is read back: what is at fault is found before the model sees a byte.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{
    Durability, Item, ItemId, Journal, JournalError, Layout, Lease, MemoryJournal, Record, RunError,
    SessionId,
};

use crate::support::{World, builder, kinds, rules, script};

/// What a store does wrong.
#[derive(Clone, Copy)]
enum Wrong {
    /// It acknowledges an append and loses its last record.
    Loses,
    /// It gives back another text.
    Changes(&'static str, &'static str),
    /// It gives back another last record, which no later one contradicts.
    ChangesLast,
    /// It does not answer.
    Fails,
    /// Another process takes the run over, between the seal and its reading.
    IsTakenOver,
    /// It says less is on stable storage.
    Lags,
}

/// A store that is at fault from the second request on.
#[derive(Clone)]
struct Faulty {
    memory: MemoryJournal,
    wrong: Wrong,
    seals: Arc<AtomicUsize>,
}

impl Faulty {
    fn is_wrong(&self) -> bool {
        self.seals.load(Ordering::SeqCst) >= 2
    }
}

impl Journal for Faulty {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.memory.lease(session).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        mut records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        let seals = records.iter().filter(|record| record.kind == "prompt.sealed").count();
        self.seals.fetch_add(seals, Ordering::SeqCst);
        if self.is_wrong() && matches!(self.wrong, Wrong::Loses) {
            records.pop();
        }
        self.memory.append(lease, seq, records, durability).await
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        let mut records = self.memory.read(session, from).await?;
        if self.is_wrong() {
            match self.wrong {
                Wrong::Fails => return Err(JournalError::Store { message: "no answer".to_owned() }),
                Wrong::IsTakenOver => {
                    let lease = self.memory.lease(session).await?;
                    let last = records.last().unwrap();
                    let taken = Record {
                        seq: last.seq + 1,
                        epoch: lease.epoch,
                        kind: "lease.taken".into(),
                        prev_hash: last.hash().into(),
                        payload: "{}".into(),
                        ..last.clone()
                    };
                    let (seq, appended) = (taken.seq, vec![taken]);
                    self.memory.append(&lease, seq, appended.clone(), Durability::Barrier).await?;
                    records.extend(appended);
                }
                Wrong::Changes(was, is) => {
                    for record in &mut records {
                        record.payload = record.payload.replace(was, is).into();
                    }
                }
                Wrong::ChangesLast => records.last_mut().unwrap().at += 1,
                Wrong::Loses | Wrong::Lags => {}
            }
        }
        Ok(records)
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.memory.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        let durable = self.memory.watermark(session).await?;
        Ok(if self.is_wrong() && matches!(self.wrong, Wrong::Lags) { durable - 1 } else { durable })
    }
}

async fn fault_of(wrong: Wrong) -> String {
    fault_and_kinds(wrong).await.0
}

/// The fault, and what the journal says behind the second seal.
async fn fault_and_kinds(wrong: Wrong) -> (String, Vec<String>) {
    let world = World::default();
    let memory = MemoryJournal::new();
    let store = Faulty { memory: memory.clone(), wrong, seals: Arc::default() };
    let agent = builder(&world, script()).journal(store).build().unwrap();
    let mut run = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap();
    let fault = run.finish().await.unwrap_err();
    assert_eq!(world.log.count("asked"), 1, "only the request before");
    let mut kinds = kinds(&memory, run.session_id()).await;
    let behind = kinds.len().min(13);
    (fault.to_string(), kinds.split_off(behind))
}

#[tokio::test]
async fn what_may_be_better_later_does_not_stop_a_run_for_good() {
    assert_eq!(fault_and_kinds(Wrong::Fails).await, ("the store failed: no answer".to_owned(), Vec::new()));
    let taken_over = "event 13 cannot be appended, the next one is 14; read the session again".to_owned();
    assert_eq!(fault_and_kinds(Wrong::IsTakenOver).await, (taken_over, vec!["lease.taken".to_owned()]));
    assert_eq!(fault_and_kinds(Wrong::Lags).await.1, ["run.faulted"]);
}

#[tokio::test]
async fn a_store_that_loses_or_changes_an_event_is_found_before_the_model_is_asked() {
    // The second request's seal is event 12.
    assert_eq!(
        fault_of(Wrong::Loses).await,
        "the store acknowledged event 12 and does not have it; nothing is sent"
    );
    assert_eq!(
        fault_of(Wrong::Lags).await,
        "the store acknowledged event 12 and does not have it; nothing is sent"
    );
    assert_eq!(
        fault_of(Wrong::ChangesLast).await,
        "event 12 is not what was written; the session cannot be trusted and is not opened"
    );
    assert_eq!(
        fault_of(Wrong::Changes("nothing new", "nothing old")).await,
        "event 10 is not what was written; the session cannot be trusted and is not opened"
    );
}

/// Orders differently every time.
#[derive(Default)]
struct Fickle(AtomicUsize);

impl Layout for Fickle {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        let mut order: Vec<Vec<ItemId>> = items.iter().map(|item| vec![item.id()]).collect();
        if self.0.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
            order.reverse();
        }
        order
    }
}

#[tokio::test]
async fn a_layout_that_is_not_pure_is_found_before_the_model_is_asked() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).layout(Fickle::default()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap();
    let fault = run.finish().await.unwrap_err();
    assert_eq!(fault, RunError::PromptDiffers { message: 1, byte: 0 });
    assert!(world.log.lines().is_empty(), "nothing was asked");
    assert_eq!(
        kinds(&journal, run.session_id()).await[5..],
        ["header.changed", "prompt.sealed", "run.faulted"]
    );
    assert_eq!(run.finish().await.unwrap_err(), fault, "it does not go on");
    let again = agent.resume(world, run.session_id().clone()).await.unwrap_err();
    assert_eq!(again, RunError::Faulted { message: fault.to_string() });
}

#[tokio::test]
async fn the_check_reads_only_what_is_new() {
    #[derive(Clone, Default)]
    struct Counting(MemoryJournal, Arc<AtomicUsize>);

    impl Journal for Counting {
        async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
            self.0.lease(session).await
        }

        async fn append(
            &self,
            lease: &Lease,
            seq: u64,
            records: Vec<Record>,
            durability: Durability,
        ) -> Result<(), JournalError> {
            self.0.append(lease, seq, records, durability).await
        }

        async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
            let records = self.0.read(session, from).await?;
            self.1.fetch_add(records.len(), Ordering::SeqCst);
            Ok(records)
        }

        async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
            self.0.list().await
        }

        async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
            self.0.watermark(session).await
        }
    }

    let world = World::default();
    let journal = Counting::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let all = kinds(&journal.0, run.session_id()).await;
    let last_seal = all.iter().rposition(|kind| kind == "prompt.sealed").unwrap();
    assert_eq!(journal.1.load(Ordering::SeqCst), last_seal + 1, "each event once");
}
