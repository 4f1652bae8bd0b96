//! One agent, four providers.
//!
//! `PROVIDER=openai`, `responses`, `anthropic` or `gemini` asks that one, with the key and the model's name in
//! `OPENAI_API_KEY` and `OPENAI_MODEL`, `ANTHROPIC_…` or `GEMINI_…`. Without it nothing is sent: the example prints the second
//! request of a run as each of the four would get it.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use anyhow::{Context, bail};
use polyloop::prelude::*;
use polyloop::{Anthropic, Gemini, OpenAi, OpenAiResponses, serde_json};

/// How the model is to work.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", slot = run, max_chars = 1_000, body = "{text}")]
struct Rules {
    text: String,
}

/// Looks up how warm it is.
#[tool(replay = safe, concurrent)]
async fn temperature(
    /// The city.
    city: String,
    /// How many days ahead; today unless given.
    #[arg(range(0..=7))]
    days_ahead: Option<u32>,
) -> String {
    format!("{city}, {} days ahead: 21 °C", days_ahead.unwrap_or(0))
}

registry! { struct App { fragments: [Rules], tools: [temperature] } }

/// Asks a model, and prints what it answers.
async fn ask(model: impl Model) -> anyhow::Result<()> {
    let agent = Agent::<App>::builder(model).budget(Budget::steps(5)).build()?;
    let rules = Rules { text: "Use the tool. Answer in one sentence.".to_owned() };
    let mut run = agent.on(()).inject(rules).goal("How warm is it in Oslo and in Rome?").await?;
    while let Some(update) = run.next().await {
        if let Update::Delta { text } = update? {
            print!("{text}");
        }
    }
    println!("\n{}", run.finish().await?);
    Ok(())
}

/// Prints the second request of a run, with two calls and their results, as each provider gets it.
async fn dry_run() -> anyhow::Result<()> {
    let calls = Reply::text("Let me look.")
        .call("temperature", r#"{"city":"Oslo"}"#)
        .call("temperature", r#"{"city":"Rome","days_ahead":1}"#);
    let script = Scripted::replies([calls, Reply::text("Both have 21 °C.")]);
    ask(script.clone()).await?;
    let prompt = script.requests().pop().context("the script was asked twice")?;
    for (name, body) in [
        ("openai", OpenAi::new("http://localhost/v1", "some-model")?.body(&prompt)?),
        ("responses", OpenAiResponses::new("http://localhost/v1", "some-model")?.body(&prompt)?),
        ("anthropic", Anthropic::new("http://localhost", "some-model")?.body(&prompt)?),
        ("gemini", Gemini::new("http://localhost/v1beta", "some-model")?.body(&prompt)?),
    ] {
        let body: serde_json::Value = serde_json::from_slice(&body)?;
        println!("\n== {name}\n{body:#}");
    }
    println!("\nNothing was sent. Set PROVIDER, and the variables of that provider, to ask a model.");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    match std::env::var("PROVIDER").as_deref() {
        Ok("openai") => ask(OpenAi::from_env()?).await,
        Ok("responses") => ask(OpenAiResponses::from_env()?).await,
        Ok("anthropic") => ask(Anthropic::from_env()?).await,
        Ok("gemini") => ask(Gemini::from_env()?).await,
        Ok(other) => {
            bail!("there is no provider `{other}`; set PROVIDER to openai, responses, anthropic or gemini")
        }
        Err(_) => dry_run().await,
    }
}
