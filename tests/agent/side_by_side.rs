//! Concurrent calls: they overlap, and the model sees their outcomes in the order of the calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{Agent, Reply, Scripted, Update, registry, tool};
use tokio::sync::{Barrier, Semaphore};

use crate::support::{call_ids, finish, last, observed, texts, updates};

struct Gates {
    /// Opens when three calls have come.
    all: Barrier,
    /// Lets the first and the second call go on.
    turns: [Semaphore; 2],
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Gates {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            all: Barrier::new(3),
            turns: [Semaphore::new(0), Semaphore::new(0)],
            inside: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        })
    }
}

/// Comes back when three calls are on their way, the last one first.
#[tool(concurrent, replay = safe)]
async fn meet(
    #[state] gates: &Gates,
    /// Which one.
    number: usize,
) -> String {
    gates.all.wait().await;
    // The third leaves at once and lets the second go, which lets the first go.
    if let Some(turn) = gates.turns.get(number - 1) {
        turn.acquire().await.unwrap().forget();
    }
    if let Some(turn) = number.checked_sub(2).and_then(|before| gates.turns.get(before)) {
        turn.add_permits(1);
    }
    number.to_string()
}

/// Counts how many are inside.
#[tool]
async fn alone(#[state] gates: &Gates) -> String {
    count(gates).await
}

/// Counts how many are inside, and may be beside others.
#[tool(concurrent)]
async fn beside(#[state] gates: &Gates) -> String {
    count(gates).await
}

async fn count(gates: &Gates) -> String {
    let inside = gates.inside.fetch_add(1, Ordering::SeqCst) + 1;
    gates.most.fetch_max(inside, Ordering::SeqCst);
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    gates.inside.fetch_sub(1, Ordering::SeqCst);
    String::from("counted")
}

/// Panics beside others.
#[tool(concurrent)]
async fn breaks() -> String {
    panic!("broke")
}

registry! { struct App { state: Gates, tools: [meet, alone, beside, breaks] } }

fn meetings() -> Reply {
    (1..=3).fold(Reply::default(), |reply, number| reply.call("meet", format!(r#"{{"number":{number}}}"#)))
}

#[tokio::test]
async fn concurrent_calls_overlap_and_are_shown_in_the_order_of_the_calls() {
    let model = Scripted::replies([meetings(), Reply::text("done")]);
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(Gates::new()).goal("go").await.unwrap();
    // One after another, the first would wait at the barrier for ever.
    let updates = updates(&mut run).await;
    assert_eq!(observed(&updates), ["3", "2", "1"], "recorded as they arrive");
    finish(run).await;
    assert_eq!(texts(&last(&model))[2..], ["1", "2", "3"]);
    let (calls, results) = call_ids(&last(&model));
    assert_eq!(calls, results);
}

#[tokio::test]
async fn all_calls_are_recorded_as_started_before_one_of_them_has_an_outcome() {
    let agent = Agent::<App>::builder(Scripted::replies([meetings(), Reply::text("done")])).build().unwrap();
    let mut run = agent.on(Gates::new()).goal("go").await.unwrap();
    let updates = updates(&mut run).await;
    let first = updates.iter().position(|update| matches!(update, Update::Observed { .. })).unwrap();
    let started = updates[..first].iter().filter(|update| matches!(update, Update::Called { .. })).count();
    assert_eq!(started, 3);
}

async fn most_inside(reply: Reply) -> usize {
    let gates = Gates::new();
    let agent = Agent::<App>::builder(Scripted::replies([reply, Reply::text("done")])).build().unwrap();
    finish(agent.on(gates.clone()).goal("go").await.unwrap()).await;
    gates.most.load(Ordering::SeqCst)
}

#[tokio::test]
async fn one_call_that_is_not_concurrent_makes_all_of_them_run_one_after_another() {
    let beside = || Reply::tool("beside", "").call("beside", "");
    assert_eq!(most_inside(beside()).await, 2);
    assert_eq!(most_inside(beside().call("alone", "")).await, 1);
    assert_eq!(most_inside(Reply::tool("alone", "").call("alone", "")).await, 1);
    assert_eq!(most_inside(beside().call("nope", "")).await, 2, "what is refused runs beside nothing");
}

#[tokio::test]
async fn a_panic_beside_others_fails_its_call_alone() {
    let reply = Reply::tool("beside", "").call("breaks", "").call("beside", "");
    let model = Scripted::replies([reply, Reply::text("done")]);
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    let report = finish(agent.on(Gates::new()).goal("go").await.unwrap()).await;
    assert_eq!(texts(&last(&model))[2..], ["counted", "panicked: broke", "counted"]);
    assert_eq!(report.actions, 3);
}
