//! Replies that are cut, empty, or hold nothing.

use std::time::Duration;

use polyloop::{Budget, Ending, Finish, ModelErrorClass, Reply, Retries, Scripted};

use crate::support::{builder, failure, finish, last, roles, run, start, tallies, texts, updates};

const CUT: &str =
    "The reply was cut by its length limit, and nothing of it was executed; write a shorter one.";

#[tokio::test]
async fn a_reply_that_was_cut_by_its_length_is_never_executed() {
    let cut = tallies(["a"]).finished(Finish::Length);
    let texted = Reply::text("Half a sen").finished(Finish::Length);
    let model = Scripted::replies([cut, texted, Reply::text("done")]);
    let agent = builder(model.clone()).build().unwrap();
    let log = std::sync::Arc::new(crate::support::Log::default());
    let report = finish(agent.on(log.clone()).goal("go").await.unwrap()).await;
    assert!(log.lines().is_empty());
    assert_eq!((report.ending, report.steps, report.actions), (Ending::FinalAnswer, 3, 0));
    assert_eq!(texts(&last(&model)), ["go", "(no text)", CUT, "Half a sen", CUT]);
    assert_eq!(roles(&last(&model)), ["user", "assistant", "user", "assistant", "user"]);
}

#[tokio::test]
async fn an_empty_reply_is_never_an_answer_and_never_a_message() {
    for empty in ["", " ", "\n\t "] {
        let model = Scripted::replies([Reply::text(empty), Reply::text(empty), Reply::text("x")]);
        let report = run(&builder(model.clone()).retries(Retries::none()).build().unwrap()).await;
        assert_eq!(report.answer.as_deref(), Some("x"));
        assert_eq!((report.ending, report.steps), (Ending::FinalAnswer, 3));
        for request in model.requests() {
            assert!(texts(&request).iter().all(|text| !text.trim().is_empty()));
        }
    }
    let model = Scripted::by(|_| Reply::text(""));
    let at_once = Retries::times(3).first_wait(Duration::ZERO);
    let report = run(&builder(model).budget(Budget::steps(9)).retries(at_once).build().unwrap()).await;
    assert!(matches!(report.ending, Ending::ModelFailure { .. }), "bounded: {report}");
    assert_eq!((report.steps, report.requests), (3, 12));
}

#[tokio::test]
async fn a_model_that_calls_what_is_not_there_ends_at_its_steps() {
    let mut number = 0;
    let model = Scripted::by(move |_| {
        number += 1;
        Reply::tool("nope", format!(r#"{{"n":{number},"text":"{}"}}"#, "x".repeat(10_000)))
    });
    let agent = builder(model.clone()).budget(Budget::steps(20)).build().unwrap();
    let mut run = start(&agent).await;
    let told = updates(&mut run).await;
    let shown = crate::support::observed(&told);
    assert_eq!(shown.len(), 20, "every refusal is recorded");
    assert!(shown.iter().all(|text| text.len() < 200));
    assert_eq!(finish(run).await.ending, Ending::StepsUsedUp);
}

#[tokio::test]
async fn a_step_that_the_model_failed_is_closed_with_the_fixed_texts() {
    let model = Scripted::results([failure(ModelErrorClass::Timeout), Ok(Reply::text("done"))]);
    run(&builder(model.clone()).retries(Retries::none()).build().unwrap()).await;
    assert_eq!(texts(&last(&model)), ["go", "(no reply)", "The model gave no reply; go on."]);
    assert_eq!(roles(&last(&model)), ["user", "assistant", "user"]);
}

#[tokio::test]
async fn what_an_answer_looks_like_is_never_interpreted() {
    for text in [
        r#"{"tool":"tally","arguments":{"line":"a"}}"#,
        "```sh\nls\n```",
        "{observation}",
        "<skill>x</skill>",
    ] {
        let report = run(&builder(Scripted::replies([Reply::text(text)])).build().unwrap()).await;
        assert_eq!((report.answer.as_deref(), report.actions), (Some(text), 0));
    }
}

#[tokio::test]
async fn usage_is_added_up_and_decides_nothing() {
    let used = |prompt, reply| {
        let mut usage = polyloop::Usage::default();
        usage.prompt = prompt;
        usage.reply = reply;
        usage
    };
    let model = Scripted::replies([tallies(["a"]).used(used(10, 2)), Reply::text("done").used(used(30, 4))]);
    let report = run(&builder(model).build().unwrap()).await;
    assert_eq!((report.usage.prompt, report.usage.reply), (40, 6));
}
