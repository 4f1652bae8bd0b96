//! Three steps with a real model, and what its server keeps of a request from one step to the next.
//!
//! Set `OPENAI_BASE_URL`, `OPENAI_MODEL` and `OPENAI_API_KEY`, which may be empty. The server must count cached tokens and
//! take a JSON schema as `response_format`, as llama.cpp does; `tests/peers/llama.py` starts one.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use anyhow::ensure;
use polyloop::prelude::*;
use polyloop::{JsonAction, OpenAi, ResponseFormat, Usage, serde_json::json};

/// How the model is to work.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", slot = run, max_chars = 1_000, body = "{text}")]
struct Rules {
    text: String,
}

/// Looks behind a door.
#[tool(replay = safe)]
async fn look(
    /// The number of the door.
    #[arg(range(1..=3))]
    door: u32,
) -> String {
    format!("Behind door {door} there is a long corridor with a carpet, two lamps and another door.")
}

registry! { struct App { fragments: [Rules], tools: [look] } }

/// What the server holds the model to: one call of the tool.
fn one_call() -> ResponseFormat {
    let door = json!({"type": "integer", "enum": [1, 2, 3]});
    let arguments = json!({
        "type": "object", "properties": {"door": door}, "required": ["door"], "additionalProperties": false
    });
    ResponseFormat::json_schema(
        "step",
        json!({
            "type": "object",
            "properties": {"tool": {"const": "look"}, "arguments": arguments},
            "required": ["tool", "arguments"],
            "additionalProperties": false
        }),
    )
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let model = OpenAi::builder_from_env()?
        .temperature(0.0)
        .seed(7)
        .max_tokens(100)
        .response_format(one_call())
        .build()?;
    let agent = Agent::<App>::builder(model).interpreter(JsonAction).budget(Budget::steps(3)).build()?;
    let rules = Rules {
        text: "You explore a house with three doors. Look behind one door after another, and behind none twice. To look, \
               write {\"tool\": \"look\", \"arguments\": {\"door\": …}} and nothing else; what is there is told to you then."
            .to_owned(),
    };
    let mut run = agent.on(()).inject(rules).goal("What is behind the doors?").await?;
    let mut steps: Vec<Usage> = Vec::new();
    while let Some(update) = run.next().await {
        match update? {
            Update::Replied { reply } => {
                let usage = reply.usage();
                steps.push(usage);
                println!(
                    "step {}: {} tokens of prompt, {} of them cached",
                    steps.len(),
                    usage.prompt,
                    usage.cached
                );
            }
            Update::Failed { error, again_in } => println!("failed: {error}; again in {again_in:?}"),
            Update::Observed { shown, .. } => println!("  {shown}"),
            _ => {}
        }
    }
    let report = run.finish().await?;
    ensure!(steps.len() == 3 && report.actions == 3, "three steps with an action each: {report:?}");
    for pair in steps.windows(2) {
        let [before, after] = pair else { continue };
        ensure!(after.cached > before.cached, "the server keeps more from step to step");
        // The request of a step begins with all of the one before, but the few tokens that ask for a reply.
        ensure!(after.cached * 10 >= before.prompt * 8, "the server keeps the shared beginning");
    }
    println!("each request began with the one before it");
    Ok(())
}
