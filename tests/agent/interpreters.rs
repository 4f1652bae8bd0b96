//! What reads a reply: native calls, a JSON action, a fence of code, or a project's own.

use polyloop::{
    Action, ActionOutcome, CallContext, CodeFence, Decision, Ending, Executor, Interpreter, JsonAction,
    Reply, Scripted, StopAtAction,
};

use crate::support::{builder, finish, last, roles, run, start, tallies, texts};

#[tokio::test]
async fn a_json_action_calls_a_tool_and_the_observation_is_a_persons_message() {
    let call = r#"I write. {"tool":"tally","arguments":{"line":"a"}}"#;
    let answer = r#"{"answer":"done"}"#;
    let model = Scripted::replies([Reply::text(call), Reply::text("what?"), Reply::text(answer)]);
    let report = run(&builder(model.clone()).interpreter(JsonAction).build().unwrap()).await;
    assert_eq!((report.answer.as_deref(), report.actions, report.steps), (Some("done"), 1, 3));
    let prompt = last(&model);
    assert_eq!(roles(&prompt), ["user", "assistant", "user", "assistant", "user"]);
    let told = texts(&prompt);
    assert_eq!(told[..4], ["go", call, "wrote a", "what?"]);
    assert!(told[4].starts_with("Reply with one JSON object"), "{}", told[4]);
}

#[tokio::test]
async fn tools_are_in_the_header_for_native_calls_alone_and_never_in_the_text() {
    let json = Scripted::replies([Reply::text(r#"{"answer":"done"}"#)]);
    run(&builder(json.clone()).interpreter(JsonAction).build().unwrap()).await;
    let native = Scripted::replies([Reply::text("done")]);
    run(&builder(native.clone()).build().unwrap()).await;
    assert!(last(&json).tools().is_empty());
    let names: Vec<String> = last(&native).tools().iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["tally", "outage", "vanish", "submit"]);
    for prompt in [last(&json), last(&native)] {
        assert!(texts(&prompt).iter().all(|text| !text.contains("tally")));
    }
}

/// Runs code by saying what it would run.
struct Shell;

impl<S: Send + Sync> Executor<S> for Shell {
    async fn execute(&self, action: &Action, call: &CallContext, _: &S) -> ActionOutcome {
        match action {
            Action::Code { language, source } => {
                ActionOutcome::executed(format!("{} {language}: {source}", call.id()))
            }
            other => ActionOutcome::not_executed(format!("no code in {}", other.label())),
        }
    }
}

#[tokio::test]
async fn a_fence_of_code_goes_to_the_projects_own_executor() {
    let replies = ["Look:\n```sh\nls -l\n```", "```sh\na\n```\n```sh\nb\n```", "```py\nprint()\n```"];
    let model = Scripted::replies(replies.map(Reply::text));
    let agent = builder(model.clone()).interpreter(CodeFence::of("sh")).executor(Shell).build().unwrap();
    let report = run(&agent).await;
    assert_eq!(report.answer.as_deref(), Some(replies[2]), "another language is prose");
    assert_eq!((report.actions, report.steps), (1, 3));
    let told = texts(&last(&model));
    assert!(told[2].ends_with(" sh: ls -l\n"), "{}", told[2]);
    assert_eq!(told[4], "The reply holds several blocks of code; write exactly one.");
    let shares: Vec<Option<String>> = report.shares.iter().map(|share| share.tool.clone()).collect();
    assert!(shares.contains(&Some("sh".to_owned())), "{shares:?}");
}

/// Keeps another text than the model wrote.
struct Shortening;

impl Interpreter for Shortening {
    fn interpret(&self, reply: &Reply) -> Decision {
        match reply.as_text().split_once(':') {
            Some(("act", line)) => {
                Decision::act("I act.", vec![Action::tool("tally", format!(r#"{{"line":"{line}"}}"#))])
            }
            Some(("none", _)) => Decision::act("", Vec::new()),
            Some(("blank", _)) => Decision::act(" ", vec![Action::tool("tally", r#"{"line":"b"}"#)]),
            Some(("bad", _)) => Decision::invalid("", ""),
            Some(("final", answer)) => Decision::answer(answer),
            _ => Decision::invalid("Hm.", "Say act or final."),
        }
    }
}

#[tokio::test]
async fn the_history_keeps_what_the_interpreter_says() {
    let model = Scripted::replies(["act:a", "x", "final:done"].map(Reply::text));
    let report = run(&builder(model.clone()).interpreter(Shortening).build().unwrap()).await;
    assert_eq!(report.answer.as_deref(), Some("done"));
    assert_eq!(texts(&last(&model)), ["go", "I act.", "wrote a", "Hm.", "Say act or final."]);
}

#[tokio::test]
async fn an_interpreter_cannot_make_an_empty_message_or_an_empty_answer() {
    let model = Scripted::replies(["none:", "blank:", "bad:", "final:", "final:done"].map(Reply::text));
    let report = run(&builder(model.clone()).interpreter(Shortening).build().unwrap()).await;
    assert_eq!((report.ending, report.answer.as_deref()), (Ending::FinalAnswer, Some("done")));
    let expected = [
        "go",
        "(no text)",
        "the reply asks for nothing; name an action",
        "(no text)",
        "wrote b",
        "(no text)",
        "(no output)",
        "(no text)",
        "the answer is empty; write it",
    ];
    assert_eq!(texts(&last(&model)), expected);
}

#[tokio::test]
async fn native_calls_beside_another_interpreter_are_prose() {
    let model = Scripted::replies([tallies(["a"]), Reply::text(r#"{"answer":"done"}"#)]);
    let agent = builder(model.clone()).interpreter(JsonAction).build().unwrap();
    let report = finish(start(&agent).await).await;
    assert_eq!((report.actions, report.steps), (0, 2));
}

#[test]
fn what_a_model_made_up_after_its_action_is_left_out_where_that_is_asked_for() {
    let made_up = "I look.\n```sh\nls\n```\nOutput:\n```\na\n```\n```sh\nrm a\n```\nGone.";
    let whole = CodeFence::of("sh").interpret(&Reply::text(made_up));
    assert!(matches!(whole, Decision::Invalid { .. }), "two blocks: {whole:?}");
    let action = Action::Code { language: "sh".into(), source: "ls\n".into() };
    let stopped = StopAtAction(CodeFence::of("sh")).interpret(&Reply::text(made_up));
    assert_eq!(stopped, Decision::act("I look.\n```sh\nls\n```", vec![action]));

    let call = r#"{"tool":"tally","arguments":{"line":"a"}}"#;
    let action = Action::tool("tally", r#"{"line":"a"}"#);
    for (written, kept) in [
        (format!("I write. {call}\nwrote a\n{{\"answer\":\"done\"}}"), format!("I write. {call}")),
        (format!("```json\n{call}\n```\nwrote a"), format!("```json\n{call}\n```")),
        (
            format!("Plan: {{\"n\":2}}\n```json\n{call}\n```\nwrote a"),
            format!("Plan: {{\"n\":2}}\n```json\n{call}\n```"),
        ),
        (format!("{call}\n```json\n{{\"tool\":\"submit\"}}\n```"), call.to_owned()),
    ] {
        let decision = StopAtAction(JsonAction).interpret(&Reply::text(&written));
        assert_eq!(decision, Decision::act(kept, vec![action.clone()]));
    }
    for whole in [r#"{"answer":"done"} That is all."#, "Nothing to do.", "```py\nprint()\n```\nSo."] {
        let reply = Reply::text(whole);
        assert_eq!(StopAtAction(JsonAction).interpret(&reply), JsonAction.interpret(&reply));
        let fence = CodeFence::of("sh");
        assert_eq!(StopAtAction(fence.clone()).interpret(&reply), fence.interpret(&reply));
    }
}
