//! Replies with several calls.

use polyloop::{Agent, Budget, Reply, Scripted, Status, Update};

use crate::support::{App, Log, builder, call_ids, finish, last, observed, start, tallies, texts, updates};

/// Runs one reply on a log; what the model sees of each call, and what happened outside.
async fn outside(reply: Reply, budget: Budget) -> (Vec<String>, Vec<String>, Scripted) {
    let model = Scripted::replies([reply, Reply::text("done")]);
    let agent = builder(model.clone()).budget(budget).build().unwrap();
    let log = std::sync::Arc::new(Log::default());
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    let shown = observed(&updates(&mut run).await);
    finish(run).await;
    (shown, log.lines(), model)
}

#[tokio::test]
async fn calls_run_one_after_another_in_their_order() {
    let (shown, lines, model) = outside(tallies(["a", "b", "c"]), Budget::steps(9)).await;
    assert_eq!(lines, ["a", "b", "c"]);
    assert_eq!(shown, ["wrote a", "wrote b", "wrote c"]);
    let (calls, results) = call_ids(&last(&model));
    assert_eq!(calls, results);
    assert_eq!(calls.len(), 3);
}

#[tokio::test]
async fn a_call_starts_when_the_one_before_it_has_its_outcome() {
    let agent = builder(Scripted::replies([tallies(["a", "b"]), Reply::text("done")])).build().unwrap();
    let mut run = start(&agent).await;
    let steps: Vec<&str> = updates(&mut run)
        .await
        .iter()
        .map(|update| match update {
            Update::Asked { .. } => "asked",
            Update::Replied { .. } => "replied",
            Update::Called { .. } => "called",
            Update::Observed { .. } => "observed",
            Update::Ended { .. } => "ended",
            _ => "other",
        })
        .collect();
    let expected =
        ["asked", "replied", "called", "observed", "called", "observed", "asked", "replied", "ended"];
    assert_eq!(steps, expected);
}

#[tokio::test]
async fn all_calls_are_checked_before_the_first_one_runs() {
    let reply = tallies(["a"]).call("nope", "{}").call("tally", "{}").call("tally", r#"{"line":"b"}"#);
    let model = Scripted::replies([reply, Reply::text("done")]);
    let agent = builder(model.clone()).build().unwrap();
    let mut run = start(&agent).await;
    let updates = updates(&mut run).await;
    let order: Vec<String> = updates
        .iter()
        .filter_map(|update| match update {
            Update::Called { call } => Some(format!("called {}", call.action().payload())),
            Update::Observed { outcome, .. } if outcome.status == Status::NotExecuted => {
                Some("refused".into())
            }
            _ => None,
        })
        .collect();
    assert_eq!(order, ["refused", "refused", r#"called {"line":"a"}"#, r#"called {"line":"b"}"#]);
    let told = texts(&last(&model));
    assert_eq!(told[2], "wrote a", "the model sees the outcomes in the order of the calls");
    assert!(told[3].starts_with("not executed: there is no tool `nope`"), "{}", told[3]);
    assert!(told[4].ends_with("argument `line` is missing"), "{}", told[4]);
    assert_eq!(told[5], "wrote b");
}

#[tokio::test]
async fn a_batch_over_the_action_budget_executes_none_of_its_calls() {
    let (shown, lines, model) = outside(tallies(["a", "b", "c"]), Budget::steps(9).actions(2)).await;
    assert!(lines.is_empty(), "{lines:?}");
    let reason = "not executed: 2 actions are left and the reply asks for 3; ask for fewer";
    assert_eq!(shown, [reason; 3]);
    assert_eq!(model.requests().len(), 2, "the model may ask for fewer");
    let (shown, lines, _) = outside(tallies(["a", "b"]), Budget::steps(9).actions(2)).await;
    assert_eq!((lines.len(), shown.len()), (2, 2), "exactly as many as are left");
    let refused = tallies(["a", "b"]).call("nope", "");
    let (_, lines, _) = outside(refused, Budget::steps(9).actions(2)).await;
    assert_eq!(lines.len(), 2, "what is refused anyway takes no action");
}

#[tokio::test]
async fn calls_behind_a_completing_one_are_not_executed() {
    let reply = tallies(["before"]).call("submit", r#"{"answer":"a"}"#).call("tally", r#"{"line":"behind"}"#);
    let (shown, lines, model) = outside(reply, Budget::steps(9)).await;
    assert_eq!(lines, ["before", "submitted a"]);
    assert_eq!(shown, ["wrote before", "a", "not executed: `submit` completed the run before it"]);
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn calls_behind_a_completing_one_that_failed_are_executed() {
    let reply = Reply::tool("submit", r#"{"answer":""}"#).call("tally", r#"{"line":"behind"}"#);
    let (shown, lines, _) = outside(reply, Budget::steps(9)).await;
    assert_eq!(lines, ["submitted ", "behind"]);
    assert_eq!(shown, ["error: an empty answer", "wrote behind"]);
    let refused = Reply::tool("submit", "{}").call("tally", r#"{"line":"behind"}"#);
    assert_eq!(outside(refused, Budget::steps(9)).await.1, ["behind"]);
}

#[tokio::test]
async fn ids_of_the_provider_may_be_empty_or_repeated() {
    for ids in [["", ""], ["same", "same"], ["call_1", "call_2"], ["call_2", "call_1"]] {
        let reply = ids.iter().zip(["a", "b"]).fold(Reply::default(), |reply, (id, line)| {
            reply.call_with_id(*id, "tally", format!(r#"{{"line":"{line}"}}"#))
        });
        let model = Scripted::replies([reply.clone(), reply, Reply::text("done")]);
        let report = finish(start(&builder(model.clone()).build().unwrap()).await).await;
        assert_eq!(report.actions, 4);
        let (calls, results) = call_ids(&last(&model));
        assert_eq!(calls, results);
        let told_apart: std::collections::BTreeSet<&String> = calls.iter().collect();
        assert_eq!(told_apart.len(), 4, "{calls:?}");
    }
}

#[tokio::test]
async fn text_beside_calls_stays_and_white_space_makes_no_block() {
    let replies = [
        Reply::text("Let me look.").call("tally", r#"{"line":"a"}"#),
        Reply::text(" \n").call("tally", r#"{"line":"b"}"#),
        Reply::text("done"),
    ];
    let model = Scripted::replies(replies);
    finish(start(&builder(model.clone()).build().unwrap()).await).await;
    let prompt = last(&model);
    let messages: Vec<_> = prompt.messages().collect();
    assert_eq!((messages[1].blocks().len(), messages[1].text().as_str()), (2, "Let me look."));
    assert_eq!((messages[3].blocks().len(), messages[3].text().as_str()), (1, ""));
}

#[tokio::test]
async fn a_tool_that_is_not_in_the_narrowed_set_is_refused() {
    let model = Scripted::replies([tallies(["a"]), Reply::text("done")]);
    let agent: Agent<App> = builder(model.clone()).build().unwrap().without::<crate::support::tally>();
    finish(start(&agent).await).await;
    assert!(texts(&last(&model))[2].contains("there is no tool `tally`"));
    assert!(last(&model).tools().iter().all(|tool| tool.name() != "tally"));
}
