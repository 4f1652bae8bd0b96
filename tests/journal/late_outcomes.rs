//! The outcome of a call that arrives after another process has taken the run over.

use std::sync::Arc;

use futures_util::FutureExt;
use polyloop::{
    Agent, Ending, Journal, JournalError, MemoryJournal, Record, Reply, Run, RunError, Scripted, SessionId,
    SqliteJournal, Update, export_session, import_session, registry, tool,
};
use serde_json::Value;
use tokio::sync::Semaphore;

/// Lets payments through.
struct Bank(Semaphore);

/// Pays an amount.
#[tool]
async fn pay(
    #[state] bank: &Bank,
    /// The amount.
    amount: u32,
) -> String {
    bank.0.acquire().await.unwrap().forget();
    format!("receipt for {amount}")
}

registry! { struct App { state: Bank, tools: [pay] } }

const TWICE: RunError = RunError::Journal(JournalError::Fenced { held: 1, current: 2 });

fn agent<J: Journal + Clone>(journal: &J, replies: Vec<Reply>) -> (Scripted, Agent<App>) {
    let model = Scripted::replies(replies);
    let agent = Agent::<App>::builder(model.clone()).journal(journal.clone()).build().unwrap();
    (model, agent)
}

/// A run in the middle of a payment, and the bank that holds it up.
async fn paying<J: Journal + Clone>(journal: &J) -> (Run<App>, Arc<Bank>) {
    let (_, agent) = agent(journal, vec![Reply::tool("pay", r#"{"amount":5}"#)]);
    let bank = Arc::new(Bank(Semaphore::new(0)));
    let mut run = agent.on(bank.clone()).goal("Pay.").await.unwrap();
    while !matches!(run.next().await.unwrap().unwrap(), Update::Called { .. }) {}
    assert!(run.next().now_or_never().is_none(), "the payment is under way");
    (run, bank)
}

/// The payment comes through, in the run that has no lease any more.
async fn arrives(mut late: Run<App>, bank: &Bank) {
    bank.0.add_permits(1);
    assert_eq!(late.finish().await.unwrap_err(), TWICE);
    assert_eq!(late.finish().await.unwrap_err(), TWICE);
}

async fn records<J: Journal>(journal: &J, session: &SessionId) -> Vec<Record> {
    journal.read(session, 0).await.unwrap()
}

fn remarks(records: &[Record]) -> Vec<Value> {
    let remarks = records.iter().filter(|record| record.kind == "remark.recorded");
    remarks.map(|record| serde_json::from_str(&record.payload).unwrap()).collect()
}

/// Whoever takes the run over is at rest or in the middle of it when the outcome arrives; afterwards all doors work.
async fn is_remarked<J: Journal + Clone>(journal: J, ends_before: bool) {
    let (first, bank) = paying(&journal).await;
    let session = first.session_id().clone();
    let (model, second) =
        agent(&journal, vec![Reply::text("done"), Reply::text("more"), Reply::text("again")]);
    let mut run = second.resume(bank.clone(), session.clone()).await.unwrap();
    if ends_before {
        run.finish().await.unwrap();
    }
    arrives(first, &bank).await;
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer, "it keeps the lease");
    run.follow_up().goal("Go on.").await.unwrap();
    run.finish().await.unwrap();

    let kept = records(&journal, &session).await;
    let [remark] = &remarks(&kept)[..] else { panic!("{:?}", remarks(&kept)) };
    assert_eq!(remark["text"], "the outcome of `call_1` arrived after the run had been taken over");
    assert_eq!(remark["late"]["call"], "call_1");
    assert_eq!(remark["late"]["epoch"], 1);
    assert_eq!(remark["late"]["outcome"]["status"], "executed");
    assert_eq!(remark["late"]["outcome"]["observation"].to_string().matches("receipt for 5").count(), 1);

    // No prompt holds it, and every door reads the session.
    second.roll_back(session.clone(), 1).await.unwrap();
    let mut other = second.on(bank.clone()).session(session.clone()).goal("Again.").await.unwrap();
    other.finish().await.unwrap();
    for prompt in model.requests() {
        assert!(prompt.messages().all(|message| !message.text().contains("receipt")));
    }
    second.audit(session.clone()).await.unwrap();
    second.sessions().await.unwrap();
    drop(second.fork(bank.clone(), session.clone()).goal("Elsewhere.").await.unwrap());
    let lines = export_session(&journal, &session).await.unwrap();
    let copy = MemoryJournal::new();
    import_session(&copy, &lines).await.unwrap();
    assert_eq!(records(&copy, &session).await, records(&journal, &session).await);
}

#[tokio::test]
async fn a_late_outcome_is_a_remark_while_the_run_goes_on_elsewhere() {
    is_remarked(MemoryJournal::new(), false).await;
    let folder = tempfile::tempdir().unwrap();
    is_remarked(SqliteJournal::open(folder.path().join("runs.db")).unwrap(), false).await;
}

#[tokio::test]
async fn a_late_outcome_is_a_remark_after_the_run_has_ended_elsewhere() {
    is_remarked(MemoryJournal::new(), true).await;
    let folder = tempfile::tempdir().unwrap();
    is_remarked(SqliteJournal::open(folder.path().join("runs.db")).unwrap(), true).await;
}

#[tokio::test]
async fn whoever_only_looked_at_the_session_goes_on_after_a_late_outcome() {
    let journal = MemoryJournal::new();
    let (first, bank) = paying(&journal).await;
    let session = first.session_id().clone();
    let (_, second) = agent(&journal, vec![Reply::text("done"), Reply::text("more")]);
    second.resume(bank.clone(), session.clone()).await.unwrap().finish().await.unwrap();
    // A run that has ended is only looked at; the lease is taken with the next one.
    let mut looked_at = second.resume(bank.clone(), session.clone()).await.unwrap();
    arrives(first, &bank).await;
    looked_at.follow_up().goal("Go on.").await.unwrap();
    assert_eq!(looked_at.finish().await.unwrap().to_string(), "more");
    assert_eq!(remarks(&records(&journal, &session).await).len(), 1);
}

#[tokio::test]
async fn a_store_takes_nothing_but_remarks_without_a_lease() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    refuses(MemoryJournal::new()).await;
    refuses(sqlite).await;
}

async fn refuses<J: Journal + Clone>(journal: J) {
    let (run, _bank) = paying(&journal).await;
    let kept = records(&journal, run.session_id()).await;
    let last = kept.last().unwrap();
    let next = Record { seq: last.seq + 1, prev_hash: last.hash().into(), ..last.clone() };
    assert!(matches!(journal.append_remark(next.clone()).await, Err(JournalError::Store { .. })));
    let remark = Record { kind: "remark.recorded".into(), ..next };
    let early = Record { seq: last.seq, ..remark.clone() };
    let refused = journal.append_remark(early).await;
    assert_eq!(refused, Err(JournalError::OutOfOrder { seq: last.seq, next: last.seq + 1 }));
    assert_eq!(records(&journal, run.session_id()).await, kept);
    journal.append_remark(remark).await.unwrap();
    assert_eq!(records(&journal, run.session_id()).await.len(), kept.len() + 1);
}
