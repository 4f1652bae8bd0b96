//! A run that waits for a person, and the person answers in another process.
//!
//! ```text
//! cargo run --example approval                        # asks, and ends
//! cargo run --example approval -- approve SESSION     # agrees, and goes on
//! cargo run --example approval -- deny SESSION        # does not, and goes on
//! ```
//!
//! The journal, `target/approval.db`, is all that the processes share. `-- --journal FILE` in front names another.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use polyloop::SqliteJournal;
use polyloop::prelude::*;

/// Deletes a branch.
#[tool(approval, destructive)]
async fn delete_branch(
    /// The branch's name.
    name: String,
) -> String {
    format!("{name} is gone")
}

registry! {
    /// What this example may show a model.
    struct App {
        tools: [delete_branch],
    }
}

#[derive(Parser)]
struct Arguments {
    /// Where the journal is.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/approval.db"), hide_default_value = true)]
    journal: PathBuf,
    #[command(subcommand)]
    answer: Option<Answer>,
}

#[derive(Subcommand)]
enum Answer {
    /// Agrees to what a session waits for.
    Approve { session: String },
    /// Refuses it.
    Deny { session: String },
}

/// A model of fixed rules: it says the same to the same prompt, in every process.
fn model() -> Scripted {
    Scripted::by(|prompt| {
        let last = prompt.messages().next_back().map(Message::text).unwrap_or_default();
        match last.as_str() {
            "Tidy up." => Reply::text("This one is old.").call("delete_branch", r#"{"name": "draft"}"#),
            "draft is gone" => Reply::text("I deleted `draft`."),
            _ => Reply::text("Then I leave `draft` alone."),
        }
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(folder) = arguments.journal.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let agent = Agent::<App>::builder(model()).journal(SqliteJournal::open(&arguments.journal)?).build()?;
    let mut run = match arguments.answer {
        None => agent.on(()).goal("Tidy up.").await?,
        Some(Answer::Approve { session }) => {
            let mut run = agent.resume((), session).await?;
            for call in run.waiting() {
                run.approve(call.id()).await?;
            }
            run
        }
        Some(Answer::Deny { session }) => {
            let mut run = agent.resume((), session).await?;
            for call in run.waiting() {
                run.deny(call.id()).await?;
            }
            run
        }
    };
    let report = run.finish().await?;
    if report.ending == Ending::AwaitingApproval {
        for call in run.waiting() {
            println!("It wants to {} {}.", call.action().label(), call.action().payload());
        }
        println!("Answer with: cargo run --example approval -- approve {}", run.session_id());
    } else {
        println!("{report}");
    }
    Ok(())
}
