//! A session that lives long: its world changes, it is compacted, and another session branches off. A model is told each
//! fact once, in its present form.
//!
//! ```text
//! cargo run --example long_session
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use polyloop::prelude::*;
use polyloop::{Body, MemoryJournal, Run, Summarizer, Update};
use serde::{Deserialize, Serialize};

/// Where the agent works. A branch is told its own place instead.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<place>", "</place>"), lifetime = latest, max_chars = 200)]
#[fragment(absent = "You work nowhere in particular.", body = "{path}")]
struct Place {
    path: String,
}

/// The commands that a person agreed to. While they only grow, only the new one is said.
#[derive(ContextFragment, Serialize, Deserialize)]
#[fragment(role = developer, markers("<approved>", "</approved>"), lifetime = latest, max_chars = 500)]
#[fragment(absent = "No command is approved any more.", state, change = newly, body = listed)]
struct Approved {
    commands: Vec<String>,
}

fn listed(approved: &Approved) -> String {
    approved.commands.join(", ")
}

fn newly(earlier: &Approved, now: &Approved) -> Option<Body> {
    let new = now.commands.strip_prefix(earlier.commands.as_slice())?;
    Some(Body::new().text("also ").value(new.join(", ")))
}

/// News of one turn.
#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "news of one turn", slot = turn, lifetime = once, max_chars = 200)]
#[fragment(body = "({text})")]
struct News {
    text: String,
}

registry! {
    /// What this example may show a model.
    struct App {
        fragments: [Place, Approved, News],
    }
}

/// A model that says what it was asked; asked for a summary, it writes one.
fn model() -> Scripted {
    Scripted::by(|prompt| {
        let last = prompt.messages().last().map(Message::text).unwrap_or_default();
        Reply::text(match &*last {
            "Sum up." => "Two questions were asked and answered.".to_owned(),
            question => format!("You asked: {question} Here is a long answer. {}", "It goes on. ".repeat(20)),
        })
    })
}

fn place(path: &str) -> Place {
    Place { path: path.to_owned() }
}

fn approved(commands: &[&str]) -> Approved {
    Approved { commands: commands.iter().map(|command| (*command).to_owned()).collect() }
}

/// Goes on to the end, and shows the last request.
async fn show(title: &str, run: &mut Run<App>) -> anyhow::Result<()> {
    println!("{title}");
    while let Some(update) = run.next().await {
        if let Update::Compacted { chars } = update? {
            println!("  [compacted; the request now has {chars} characters]");
        }
    }
    for message in run.prompt().into_iter().flat_map(Prompt::messages) {
        let text = message.text().replace('\n', " ");
        let shown: String = text.chars().take(70).collect();
        println!("  {:9} {shown}{}", message.role().as_str(), if shown == text { "" } else { "…" });
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let agent = Agent::<App>::builder(model())
        .journal(MemoryJournal::new())
        .budget(Budget::steps(20).compaction_chars(700))
        .compactor(Summarizer::new().instruction("Sum up.").keep_exchanges(0))
        .build()?;

    let opening = agent.on(()).session("monday").sync(place("/srv")).sync(approved(&["ls"]));
    let mut run = opening.goal("What is here?").await?;
    show("1. Everything is said once.", &mut run).await?;

    let news = News { text: "the channel is quiet".to_owned() };
    run.follow_up().sync(place("/srv")).sync(approved(&["ls", "cat"])).inject(news).goal("And now?").await?;
    show("2. What is known is not said again, and of what grew only the new part.", &mut run).await?;

    run.follow_up().sync(place("/tmp")).goal("Go on.").await?;
    show("3. A summary stands for what was said, and what holds is told anew.", &mut run).await?;

    let mut branch =
        agent.fork((), "monday").session("tuesday").sync(place("/home")).goal("Elsewhere?").await?;
    show("4. A branch is told its own place in place of the other one.", &mut branch).await?;

    run.follow_up().retract::<Place>().goal("Done?").await?;
    show("5. What holds no longer is taken back.", &mut run).await?;
    Ok(())
}
