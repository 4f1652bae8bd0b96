//! A process that dies in the middle of a payment, and another one that goes on where it was.
//!
//! ```text
//! cargo run --example resume
//! ```
//!
//! The program starts itself a second time. That process pays, and is gone before it can say so: nobody knows then
//! whether the payment took effect. `pay` may not be repeated, so it is not. The model is told, looks, and goes on.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use polyloop::prelude::*;
use polyloop::{Journal, SqliteJournal};

/// The account book: a file with a line for each payment.
struct Book(PathBuf);

/// Lists the payments that were made.
#[tool(replay = safe)]
async fn payments(#[state] book: &Book) -> String {
    fs::read_to_string(&book.0).unwrap_or_else(|_| "none".to_owned())
}

/// Pays an amount in cents. What is paid is gone: it may not be done twice.
#[tool]
async fn pay(
    #[state] book: &Book,
    /// To whom.
    to: String,
    /// How much, in cents.
    cents: u32,
) -> std::io::Result<String> {
    let mut file = OpenOptions::new().append(true).create(true).open(&book.0)?;
    writeln!(file, "{cents} to {to}")?;
    file.sync_all()?;
    if env::args().nth(1).as_deref() == Some("die") {
        process::abort();
    }
    Ok(format!("paid {cents} to {to}"))
}

registry! {
    /// What this example may show a model.
    struct App {
        state: Book,
        tools: [payments, pay],
    }
}

/// A model of fixed rules: it says the same to the same prompt, in every process.
fn model() -> Scripted {
    Scripted::by(|prompt| {
        let last = prompt.messages().next_back().map(Message::text).unwrap_or_default();
        match last.trim() {
            "Pay the rent." => Reply::text("I pay it.").call("pay", r#"{"to": "landlord", "cents": 90000}"#),
            "90000 to landlord" => Reply::text("The rent is paid, once."),
            unknown if unknown.starts_with("It is not known") => {
                Reply::text("I look first.").call("payments", "{}")
            }
            other => Reply::text(format!("I did not expect `{other}`.")),
        }
    })
}

fn agent(folder: &Path) -> anyhow::Result<Agent<App>> {
    Ok(Agent::builder(model()).journal(SqliteJournal::open(folder.join("runs.db"))?).build()?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = env::args().skip(1);
    if let (Some("die"), Some(folder)) = (arguments.next().as_deref(), arguments.next()) {
        let folder = PathBuf::from(folder);
        let book = Book(folder.join("payments.txt"));
        agent(&folder)?.on(book).goal("Pay the rent.").await?.finish().await?;
        anyhow::bail!("it should have died");
    }

    let folder = tempfile::tempdir()?;
    let died = Command::new(env::current_exe()?).arg("die").arg(folder.path()).output()?;
    println!("The first process died: {}.", !died.status.success());

    let journal = SqliteJournal::open(folder.path().join("runs.db"))?;
    let session = journal.list().await?.pop().ok_or_else(|| anyhow::anyhow!("nothing was begun"))?;
    let book = Book(folder.path().join("payments.txt"));
    let mut run = agent(folder.path())?.resume(book, session).await?;
    let report = run.finish().await?;
    for item in run.items() {
        println!("  {:<22}{}", item.kind_name(), item.text().trim());
    }
    println!("{report}");
    print!("The book says: {}", fs::read_to_string(folder.path().join("payments.txt"))?);
    Ok(())
}
