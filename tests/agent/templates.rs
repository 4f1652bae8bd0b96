//! The observation template and the other fixed texts of a definition.

use polyloop::{
    Action, ActionOutcome, Agent, BuildError, CallContext, CodeFence, Executor, Grouped, JsonAction, Layout,
    Observation, Reply, Scripted, Staged, Texts, Turn, registry, tool,
};

use crate::support::{builder, finish, last, run, tallies, texts};

fn built(change: impl FnOnce(&mut Texts)) -> Result<(), BuildError> {
    let mut texts = Texts::default();
    change(&mut texts);
    builder(Scripted::replies([])).texts(texts).build().map(drop)
}

fn with_template(template: &str) -> Result<(), BuildError> {
    built(|texts| template.clone_into(&mut texts.observation))
}

#[test]
fn a_template_that_is_wrong_is_refused_when_the_agent_is_built() {
    let wrong = [
        ("", "lacks `{observation}`"),
        ("Result:", "lacks `{observation}`"),
        ("{{observation}}", "lacks `{observation}`"),
        ("{other}", "only `{observation}` is known"),
        ("{observation} {other}", "only `{observation}` is known"),
        ("{observation!r}", "only `{observation}` is known"),
        ("{observation:>9}", "only `{observation}` is known"),
        ("{observation:?}", "only `{observation}` is known"),
        ("{ observation }", "only `{observation}` is known"),
        ("{}", "only `{observation}` is known"),
        ("{0}", "only `{observation}` is known"),
        ("{observation", "a brace without its partner"),
        ("observation}", "a brace without its partner"),
        ("{observation} }", "a brace without its partner"),
        ("{observation} {", "a brace without its partner"),
        ("{observation} {observation}", "more than once"),
    ];
    for (template, reason) in wrong {
        let error = with_template(template).unwrap_err();
        assert!(matches!(error, BuildError::Template { .. }), "{template}: {error}");
        assert!(error.to_string().contains(reason), "{template}: {error}");
    }
    for right in ["{observation}", "<{{{observation}}}>", "a\n{observation}\nb", "{{}}{observation}"] {
        assert_eq!(with_template(right), Ok(()), "{right}");
    }
}

/// What the model sees of an observation.
async fn framed(template: &str, line: &str) -> String {
    let mut texts_of = Texts::default();
    template.clone_into(&mut texts_of.observation);
    let call = serde_json::json!({"tool": "tally", "arguments": {"line": line}}).to_string();
    let model = Scripted::replies([Reply::text(call), Reply::text(r#"{"answer":"done"}"#)]);
    let agent = builder(model.clone()).interpreter(JsonAction).texts(texts_of).build().unwrap();
    run(&agent).await;
    texts(&last(&model))[2].clone()
}

#[tokio::test]
async fn doubled_braces_are_literal_and_an_observation_is_not_scanned_again() {
    assert_eq!(framed("{observation}", "a").await, "wrote a");
    assert_eq!(framed("{{{observation}}}", "a").await, "{wrote a}");
    assert_eq!(framed("<r>{observation}</r>{{}}", "a").await, "<r>wrote a</r>{}");
    for line in ["{observation}", "{", "}}", "{{x}}", "{reason}", "{0:?}", "%s $1 \\1"] {
        assert_eq!(framed("[{observation}]", line).await, format!("[wrote {line}]"));
    }
}

#[tokio::test]
async fn results_of_native_calls_are_not_framed_and_explanations_are() {
    let mut texts_of = Texts::default();
    "<r>{observation}</r>".clone_into(&mut texts_of.observation);
    let cut = Reply::text("cut").finished(polyloop::Finish::Length);
    let model = Scripted::replies([tallies(["a"]), cut, Reply::text("done")]);
    run(&builder(model.clone()).texts(texts_of).build().unwrap()).await;
    let told = texts(&last(&model));
    assert_eq!(told[2], "wrote a");
    assert!(told[4].starts_with("<r>The reply was cut") && told[4].ends_with("</r>"), "{}", told[4]);
}

#[test]
fn the_reason_of_a_refusal_is_the_only_placeholder_of_its_text() {
    assert_eq!(built(|texts| "no".clone_into(&mut texts.not_executed)), Ok(()));
    assert_eq!(built(|texts| "{{no}} {reason}".clone_into(&mut texts.not_executed)), Ok(()));
    for wrong in ["{observation}", "{reason:?}", "{reason} {reason}", "{", "{reason"] {
        let error = built(|texts| wrong.clone_into(&mut texts.not_executed)).unwrap_err();
        assert!(matches!(error, BuildError::Template { .. }), "{wrong}: {error}");
    }
}

#[test]
fn no_fixed_text_may_be_empty() {
    type Field = fn(&mut Texts) -> &mut String;
    let fields: [(&str, Field); 10] = [
        ("not_executed", |texts| &mut texts.not_executed),
        ("refused_by_executor", |texts| &mut texts.refused_by_executor),
        ("environment_error", |texts| &mut texts.environment_error),
        ("unknown", |texts| &mut texts.unknown),
        ("denied", |texts| &mut texts.denied),
        ("empty_observation", |texts| &mut texts.empty_observation),
        ("failed_reply", |texts| &mut texts.failed_reply),
        ("failed_observation", |texts| &mut texts.failed_observation),
        ("cut_reply", |texts| &mut texts.cut_reply),
        ("no_text", |texts| &mut texts.no_text),
    ];
    for (name, field) in fields {
        for empty in ["", " \n"] {
            let error = built(|texts| empty.clone_into(field(texts))).unwrap_err();
            assert_eq!(error, BuildError::EmptyText { name });
        }
    }
}

/// Runs scripts that print exactly this.
struct Prints(&'static str);

impl<S: Send + Sync> Executor<S> for Prints {
    async fn execute(&self, _: &Action, _: &CallContext, _: &S) -> ActionOutcome {
        ActionOutcome::executed(self.0)
    }
}

/// The message after a script that printed something.
async fn printed(layout: impl Layout, template: &str, output: &'static str) -> String {
    let mut texts_of = Texts::default();
    template.clone_into(&mut texts_of.observation);
    let model = Scripted::replies([Reply::text("```sh\nmkdir a\n```"), Reply::text("done")]);
    let agent = builder(model.clone())
        .interpreter(CodeFence::any())
        .executor(Prints(output))
        .layout(layout)
        .texts(texts_of)
        .build()
        .unwrap();
    run(&agent).await;
    texts(&last(&model))[2].clone()
}

#[tokio::test]
async fn an_observation_is_put_into_its_template_as_it_was_in_every_layout() {
    let shell = "Output:\n```\n{observation}\n```\n\n";
    for output in ["", "\n", " ", "a\n"] {
        let expected = format!("Output:\n```\n{output}\n```\n\n");
        assert_eq!(printed(Staged, shell, output).await, expected);
        assert_eq!(printed(Grouped, shell, output).await, expected);
        assert_eq!(printed(Turn, shell, output).await, expected);
    }
}

#[tokio::test]
async fn the_text_for_an_empty_observation_replaces_only_what_would_leave_a_message_blank() {
    for output in ["", "\n"] {
        assert_eq!(printed(Staged, "{observation}", output).await, "(no output)");
        assert_eq!(printed(Staged, "\n{observation}\n", output).await, "\n(no output)\n");
        assert_eq!(printed(Staged, "> {observation}", output).await, format!("> {output}"));
    }
    assert_eq!(printed(Staged, "{observation}", "a\n").await, "a\n");
}

/// Says nothing, in two blocks.
#[tool(replay = safe)]
async fn nothing() -> Observation {
    Observation::text("").and("\n")
}

/// Says something in the second of two blocks.
#[tool(replay = safe)]
async fn something() -> Observation {
    Observation::text("").and("here\n")
}

registry! { struct Quiet { tools: [nothing, something] } }

#[tokio::test]
async fn the_result_of_a_native_call_is_replaced_only_where_all_of_it_is_blank() {
    let mut texts_of = Texts::default();
    "Output: {observation}".clone_into(&mut texts_of.observation);
    let model = Scripted::replies([Reply::tool("nothing", "").call("something", ""), Reply::text("done")]);
    let agent = Agent::<Quiet>::builder(model.clone()).texts(texts_of).build().unwrap();
    finish(agent.on(()).goal("go").await.unwrap()).await;
    assert_eq!(texts(&last(&model))[2..], ["(no output)", "here\n"]);
}

#[tokio::test]
async fn a_blank_observation_stays_a_message_under_another_template() {
    let journal = polyloop::MemoryJournal::new();
    let mut texts_of = Texts::default();
    "Output: {observation}".clone_into(&mut texts_of.observation);
    let model =
        Scripted::replies([Reply::text("```sh\nmkdir a\n```"), Reply::text("done"), Reply::text("yes")]);
    let agent = || {
        let builder = builder(model.clone()).interpreter(CodeFence::any()).executor(Prints(""));
        builder.journal(journal.clone())
    };
    let first = agent().texts(texts_of).build().unwrap();
    finish(first.on(crate::support::Log::default()).session("s").goal("go").await.unwrap()).await;
    assert_eq!(texts(&last(&model))[2], "Output: ");
    let second = agent().build().unwrap();
    finish(second.on(crate::support::Log::default()).session("s").goal("sure?").await.unwrap()).await;
    assert_eq!(texts(&last(&model))[2], "(no output)");
}
