//! An agent that looks through a directory for remarks such as `TODO` and `FIXME`, and says who should look at them.
//!
//! ```text
//! cargo run --example quickstart [DIR]
//! ```
//!
//! The model is a planner of fixed rules, or a real one where the environment names it: set `OPENAI_API_KEY` and
//! `OPENAI_MODEL`, and `OPENAI_BASE_URL` unless it is that of OpenAI.
//!
//! Read the files in this order: `context.rs` says what the model is told, `tools.rs` what it may do, `planner.rs` is
//! the model, and [`look`] below puts them together. The others are what any such program needs: `workspace.rs`
//! keeps paths inside the directory, `comments.rs` finds comments, `git.rs` asks git, `progress.rs`, `text.rs` and
//! `context_bar.rs` draw.

mod comments;
mod context;
mod context_bar;
mod git;
mod planner;
mod progress;
mod report;
mod seen;
mod text;
mod tools;
mod workspace;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;
use polyloop::{Agent, AgentBuilder, Budget, Ending, OpenAi, ProviderError, SqliteJournal, Update};

use context::{App, Environment, Rules};
use planner::Planner;
use progress::Progress;
use report::{Called, Kept, Outcome, Report};
use workspace::Workspace;

/// The agent stops to look further when the context has this many characters.
const MOST_CHARS: usize = 100_000;
/// More remarks than these are counted, but not looked at.
const MOST_REMARKS: usize = 200;

/// Where the journal is unless somebody names another file; and how it is called then.
const DEFAULT_JOURNAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/quickstart.db");
const DEFAULT_JOURNAL_NAME: &str = "target/quickstart.db";

/// Finds remarks such as `TODO` and `FIXME` in the comments of a directory, and says who wrote them.
///
/// Asks a language model if `OPENAI_API_KEY` and `OPENAI_MODEL` are set, else a planner of fixed rules.
#[derive(Parser)]
#[command(name = "quickstart")]
struct Arguments {
    /// The directory; a small sample project unless given.
    #[arg(value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/sample"), hide_default_value = true)]
    directory: PathBuf,
    /// A word to look for, in capitals; may be given several times.
    #[arg(long = "word", value_name = "WORD", value_parser = capitals, default_values = ["TODO", "FIXME", "XXX", "HACK"])]
    words: Vec<String>,
    /// The file that keeps every event of the run; `target/quickstart.db` unless given.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_JOURNAL, hide_default_value = true)]
    journal: PathBuf,
    /// Prints the report as JSON, and nothing else.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody may be left to read it.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let workspace = Workspace::open(&arguments.directory)?;
    let outcome = look(workspace, &arguments.words, &arguments.journal).await?;
    let text = if arguments.json { serde_json::to_string_pretty(&outcome)? + "\n" } else { draw(&outcome) };
    match io::stdout().write_all(text.as_bytes()) {
        // Whoever reads may stop early, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("the report cannot be written"),
    }
}

/// What the model is, and an agent of it: the real one that the environment names, else the planner.
fn model() -> anyhow::Result<(String, AgentBuilder<App>)> {
    match OpenAi::from_env() {
        Ok(model) => {
            let description = format!("`{}`, a language model", model.model());
            Ok((description, Agent::builder(model)))
        }
        Err(ProviderError::Missing { .. }) => Ok((planner::DESCRIPTION.to_owned(), Agent::builder(Planner))),
        Err(error) => Err(error.into()),
    }
}

/// Runs the agent: this is all that it takes.
async fn look(workspace: Workspace, words: &[String], journal: &Path) -> anyhow::Result<Outcome> {
    let (model, builder) = model()?;
    let agent = builder
        .journal(open(journal)?)
        .budget(Budget::steps(100).actions(600).prompt_chars(2 * MOST_CHARS))
        .build()?;
    let directory = workspace.root().display().to_string();
    let goal = format!("Find every {} in the comments here, and say who wrote it.", words.join(", "));
    let mut run = agent
        .on(workspace)
        .inject(Rules { most_remarks: MOST_REMARKS, most_chars: MOST_CHARS })
        .inject(Environment { cwd: directory.clone(), system: std::env::consts::OS })
        .goal(goal)
        .await?;

    let progress = Progress::new(2 * MOST_CHARS);
    let mut calls = Vec::new();
    while let Some(update) = run.next().await {
        let update = update?;
        progress.show(&update);
        if let Update::Called { call } = &update {
            calls.push(Called::new(call));
        }
    }
    progress.finish();

    let ended = run.finish().await?;
    let Ending::ToolCompleted { .. } = ended.ending else {
        anyhow::bail!("the agent handed in no report: {}", ended.ending);
    };
    let answer = ended.answer.as_deref().unwrap_or_default();
    let report: Report = serde_json::from_str(answer).context("the report cannot be read")?;
    let kept = Kept { file: name_of(journal), session: run.session_id().to_string() };
    Ok(Outcome::new(model, directory, report, calls, &ended, kept))
}

fn open(journal: &Path) -> anyhow::Result<SqliteJournal> {
    if let Some(folder) = journal.parent() {
        fs::create_dir_all(folder).with_context(|| format!("`{}` cannot be made", folder.display()))?;
    }
    SqliteJournal::open(journal).with_context(|| format!("`{}` cannot be opened", journal.display()))
}

fn name_of(journal: &Path) -> String {
    if journal == Path::new(DEFAULT_JOURNAL) {
        DEFAULT_JOURNAL_NAME.to_owned()
    } else {
        journal.display().to_string()
    }
}

fn draw(outcome: &Outcome) -> String {
    let width = width();
    format!(
        "{}\n{}\n\n{}\n{}\n\n{}\n\nEvery event of the run is in {}\n(session {}).\n",
        text::wrapped(&format!("The model is {}.", outcome.model), width).join("\n"),
        console::style(text::plain(&outcome.directory)).dim(),
        text::report(&outcome.report, width),
        text::calls(&outcome.calls, width),
        context_bar::draw(&outcome.context, width).trim_end(),
        text::plain(&outcome.journal.file),
        outcome.journal.session,
    )
}

/// The width of the terminal, or of a page where there is none.
fn width() -> usize {
    let terminal = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    terminal.unwrap_or(80).clamp(40, 110)
}

fn capitals(word: &str) -> Result<String, String> {
    let is_word = word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase());
    if is_word {
        Ok(word.to_owned())
    } else {
        Err("a word has two capital letters or more, and nothing else".into())
    }
}
