//! The same model under five budgets: how each run ends, and what it had used up by then.
//!
//! ```text
//! cargo run --example budget
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::time::Duration;

use polyloop::Report;
use polyloop::prelude::*;

/// Looks behind a door, which takes a moment.
#[tool(replay = safe)]
async fn look(
    /// The number of the door.
    door: u32,
) -> String {
    tokio::time::sleep(Duration::from_millis(5)).await;
    format!("Behind door {door} there is another door.")
}

registry! {
    /// What this example may show a model.
    struct App {
        tools: [look],
    }
}

/// A model that never has enough: two doors at a time, for ever.
fn model() -> Scripted {
    Scripted::by(|prompt| {
        let seen = prompt.messages().filter(|message| message.role() == Role::Tool).count();
        let look = |reply: Reply, door: usize| reply.call("look", format!(r#"{{"door": {door}}}"#));
        look(look(Reply::text("There may be more."), seen + 1), seen + 2)
    })
}

async fn under(budget: Budget) -> anyhow::Result<Report> {
    let agent = Agent::<App>::builder(model()).budget(budget).build()?;
    Ok(agent.on(()).goal("Look behind every door.").await?.finish().await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let budgets = [
        ("three steps", Budget::steps(3).actions(100)),
        ("four actions", Budget::steps(100).actions(4)),
        ("five actions", Budget::steps(100).actions(5)),
        ("300 characters", Budget::steps(100).actions(100).prompt_chars(300)),
        ("a fifth of a second", Budget::steps(1_000).actions(2_000).time(Duration::from_millis(200))),
    ];
    for (name, budget) in budgets {
        let report = under(budget).await?;
        // How many steps go into a time is the machine's affair.
        let used = match report.ending {
            Ending::TimeUsedUp => "some steps".to_owned(),
            _ => format!(
                "{} steps, {} actions, {} characters",
                report.steps, report.actions, report.prompt_chars
            ),
        };
        println!("{name:<20} {}\n{:20} {used}", report.ending, "");
    }
    Ok(())
}
