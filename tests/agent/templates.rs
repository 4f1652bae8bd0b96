//! The observation template and the other fixed texts of a definition.

use polyloop::{BuildError, JsonAction, Reply, Scripted, Texts};

use crate::support::{builder, last, run, tallies, texts};

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
    let fields: [(&str, Field); 9] = [
        ("not_executed", |texts| &mut texts.not_executed),
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
