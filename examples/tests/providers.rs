//! The example `providers`.

use crate::support::{command, run_example};

#[test]
fn without_a_provider_it_prints_the_request_of_each_and_sends_none() {
    let printed = run_example("providers", &[]);
    for name in ["openai", "responses", "anthropic", "gemini"] {
        let (_, behind) = printed.split_once(&format!("== {name}\n")).expect("each has a part");
        let body = behind.split("\n== ").next().unwrap_or(behind);
        for said in ["How warm is it in Oslo and in Rome?", "Oslo, 0 days ahead: 21 °C", "temperature"] {
            assert!(body.contains(said), "{name} lacks {said}: {body}");
        }
    }
    assert!(printed.contains("Nothing was sent."));
}

#[test]
fn a_provider_that_is_none_is_named_with_those_that_are() {
    let output = command("providers").env("PROVIDER", "acme").output().expect("a built example starts");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("no provider `acme`; set PROVIDER to openai, responses, anthropic or gemini"),
        "{said}"
    );
}
