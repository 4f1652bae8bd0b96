//! What is durable before what.

use polyloop::{Ending, Reply};

use crate::support::{Log, Store, World, builder, rules, script, tally_reply};

/// A run over a store that writes down, into the log of the tools and the model, what becomes durable.
async fn lines_of(replies: Vec<Reply>) -> (Vec<String>, Ending) {
    let world = World::default();
    let agent = builder(&world, replies).journal(Store::logging(&world.log)).build().unwrap();
    let mut run = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap();
    world.log.add("started");
    let ending = run.finish().await.unwrap().ending;
    world.log.add("finished");
    (world.log.lines(), ending)
}

#[tokio::test]
async fn everything_is_durable_before_what_relies_on_it() {
    let (lines, ending) = lines_of(script()).await;
    assert_eq!(ending, Ending::FinalAnswer);
    assert_eq!(
        lines,
        [
            "durable: session.opened, lease.taken, run.started, fragment.recorded, input.recorded",
            "started",
            "durable: header.changed, prompt.sealed",
            "asked",
            "durable: model.replied, decision, action.intent",
            "peek call_1 1",
            "durable: action.outcome, stop.checked, prompt.sealed",
            "asked",
            "durable: model.replied, decision, action.intent",
            "tally a",
            "durable: action.outcome, stop.checked, prompt.sealed",
            "asked",
            "durable: model.replied, decision, stop.checked, prompt.sealed",
            "asked",
            "durable: model.replied, decision, stop.checked, run.ended",
            "finished",
        ]
    );
}

#[tokio::test]
async fn an_outcome_that_may_not_be_repeated_is_durable_before_the_next_action_starts() {
    let two = tally_reply("a").call("tally", r#"{"line":"b"}"#);
    let (lines, _) = lines_of(vec![two, Reply::text("done")]).await;
    let from = lines.iter().position(|line| line == "tally a").unwrap();
    assert_eq!(lines[from..from + 3], ["tally a", "durable: action.outcome, action.intent", "tally b"]);
}

#[tokio::test]
async fn side_by_side_each_outcome_that_may_not_be_repeated_is_durable_at_once() {
    let beside = |reply: Reply, line: &str| reply.call("tally_beside", format!(r#"{{"line":"{line}"}}"#));
    let two = beside(beside(Reply::default(), "a"), "bbbb");
    let (lines, _) = lines_of(vec![two, Reply::text("done")]).await;
    let from = lines.iter().position(|line| line.contains("action.intent")).unwrap();
    assert_eq!(
        lines[from..from + 5],
        [
            "durable: model.replied, decision, action.intent, action.intent",
            "tally a",
            "durable: action.outcome",
            "tally bbbb",
            "durable: action.outcome, stop.checked, prompt.sealed",
        ]
    );
}

#[tokio::test]
async fn an_outcome_is_durable_before_the_run_waits_for_a_person() {
    let two = tally_reply("a").call("tally_agreed", "{}");
    let (lines, ending) = lines_of(vec![two, Reply::text("done")]).await;
    assert_eq!(ending, Ending::AwaitingApproval);
    assert_eq!(
        lines[3..],
        [
            "asked",
            "durable: model.replied, decision, approval.asked, action.intent",
            "tally a",
            "durable: action.outcome, run.suspended",
            "finished",
        ]
    );
}

#[tokio::test]
async fn a_cancel_request_is_durable_before_a_handler_hears_of_it() {
    let world = World::default();
    let agent = builder(&world, vec![Reply::tool("waits", "{}")])
        .journal(Store::logging(&world.log))
        .build()
        .unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    let canceller = run.handle();
    let log: Log = world.log.clone();
    let cancel = async move {
        while log.count("waits") == 0 {
            tokio::task::yield_now().await;
        }
        canceller.cancel();
    };
    let (report, ()) = tokio::join!(run.finish(), cancel);
    assert_eq!(report.unwrap().ending, Ending::Cancelled);
    let lines = world.log.lines();
    let from = lines.iter().position(|line| line == "waits").unwrap();
    assert_eq!(
        lines[from..],
        ["waits", "durable: cancel.requested", "heard", "durable: action.outcome, stop.checked, run.ended"]
    );
}
