//! What goes back of the name of a tool that there is not.

use polyloop::prelude::*;
use polyloop::{Anthropic, Gemini, OpenAi, OpenAiResponses};
use serde_json::Value;

use crate::support::App;

/// Every text that stands under `name`, wherever that is.
fn names<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(members) => {
            for (member, inner) in members {
                found.extend(inner.as_str().filter(|_| member == "name"));
                names(inner, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn a_tool_that_there_is_not_goes_back_under_a_name_that_every_provider_takes() {
    let long = "long_".repeat(20);
    let calls = Reply::text("").call("größe.x y", "{}").call("", "{}").call("1st", "{}").call(&*long, "{}");
    let model = Scripted::replies([calls.call("clock", "{}"), Reply::text("I see.")]);
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(()).goal("Go.").await.unwrap();
    run.finish().await.unwrap();
    let prompt = model.requests().pop().unwrap();
    let told: Vec<String> = prompt.messages().map(Message::text).collect();
    assert!(
        told.iter().any(|text| text.contains("`größe.x y`")),
        "the model is told what it wrote: {told:?}"
    );
    let sent = ["gr__e_x_y", "_", "_1st", &long[..64], "clock"];
    for (body, member, is_repeated) in [
        (OpenAi::new("http://localhost/v1", "m").unwrap().body(&prompt), "messages", false),
        (OpenAiResponses::new("http://localhost/v1", "m").unwrap().body(&prompt), "input", false),
        (Anthropic::new("http://localhost", "m").unwrap().body(&prompt), "messages", false),
        (Gemini::new("http://localhost/v1beta", "m").unwrap().body(&prompt), "contents", true),
    ] {
        let body: Value = serde_json::from_slice(&body.unwrap()).unwrap();
        let mut found = Vec::new();
        names(&body[member], &mut found);
        let (calls, results) = found.split_at(sent.len());
        assert_eq!(calls, sent);
        assert_eq!(results, if is_repeated { &sent[..] } else { &[] }, "a result has the name of its call");
    }
}
