//! Histories that two other programs recorded: what this one knows of them, and a turn that goes on behind each.
//!
//! ```text
//! cargo run --example import
//! ```
//!
//! The first is a list of messages as OpenAI takes it, the second a rollout of Codex. Both tell where the agent works. That is
//! known again, so it is not said a second time behind the first; in the second it stands in an old form, and is said anew.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use polyloop::prelude::*;
use polyloop::{ForeignHistory, ItemKind, MemoryJournal};

const MESSAGES: &str = include_str!("histories/messages.json");
const ROLLOUT: &str = include_str!("histories/rollout.jsonl");

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<environment>", "</environment>"), legacy("<workplace>", "</workplace>"))]
#[fragment(lifetime = latest, absent = "Where the agent works is not known any more.", max_chars = 500)]
#[fragment(body = "\n  <cwd>{cwd}</cwd>\n")]
struct Environment {
    cwd: String,
}

registry! {
    /// What this example may show a model.
    struct App { fragments: [Environment] }
}

/// A model of fixed rules: it says how much it sees.
fn model() -> Scripted {
    Scripted::by(|prompt| {
        let telling = prompt.messages().filter(|message| message.text().contains("/srv/sorter<")).count();
        Reply::text(format!(
            "I see {} messages; where I work stands in {telling} of them.",
            prompt.messages().len()
        ))
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let agent = Agent::<App>::builder(model()).journal(MemoryJournal::new()).build()?;
    let histories = [
        ("messages", ForeignHistory::open_ai(MESSAGES)?),
        ("rollout", ForeignHistory::codex_rollout(ROLLOUT)?),
    ];
    for (name, history) in histories {
        let report = agent.import(history).session(name).await?;
        println!("{name}\n{report}\n");

        let environment = Environment { cwd: "/srv/sorter".into() };
        let mut run = agent.on(()).session(name).sync(environment).goal("What do you see?").await?;
        println!("{}", run.finish().await?);
        for item in run.items().iter().filter(|item| item.has_forged_marker()) {
            let whose = if item.kind() == ItemKind::Input { "A person" } else { "Somebody" };
            println!("{whose} wrote a marker of this program: {}", item.text());
        }
        println!();
    }
    let unanswered = ROLLOUT.lines().filter(|line| !line.contains("08:00:04 UTC")).collect::<Vec<_>>();
    if let Err(error) = ForeignHistory::codex_rollout(&unanswered.join("\n")) {
        println!("with a result lost\n{error}");
    }
    Ok(())
}
