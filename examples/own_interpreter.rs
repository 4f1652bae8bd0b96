//! A project's own interpreter and executor: fenced blocks are scripts, or calls of tools that have only a schema.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use polyloop::prelude::*;
use polyloop::{Action, ActionOutcome, CodeFence, Decision, Executor};

/// Searches the notes.
#[tool(schema_only)]
async fn search(
    /// What to look for.
    #[arg(length(1..))]
    query: String,
) -> String;

registry! {
    /// What this example may show a model.
    struct App { tools: [search] }
}

/// Reads one fenced block: `sh` is a script, any other word the name of a tool with its arguments below.
struct Fences;

impl Interpreter for Fences {
    fn interpret(&self, reply: &Reply) -> Decision {
        match CodeFence::any().interpret(reply) {
            Decision::Act { history_text, actions } => {
                Decision::act(history_text, actions.into_iter().map(named).collect())
            }
            other => other,
        }
    }
}

fn named(action: Action) -> Action {
    match action {
        Action::Code { language, source } if language != "sh" => Action::tool(language, source),
        other => other,
    }
}

/// Carries out scripts and calls. A real one would start a container, or ask a service.
struct Sandbox;

impl Executor<()> for Sandbox {
    async fn execute(&self, action: &Action, _call: &CallContext, _state: &()) -> ActionOutcome {
        match action {
            Action::Tool { name, .. } if name == "search" => {
                ActionOutcome::executed("notes.txt: the door opens at nine")
            }
            Action::Code { source, .. } if source.trim() == "true" => {
                ActionOutcome::executed("exit code 0").completed()
            }
            other => ActionOutcome::not_executed(format!("nothing carries out `{}`", other.label())),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let model = Scripted::replies([
        Reply::text("Let me look.\n```search\n{\"query\": \"\"}\n```"),
        Reply::text("Again, with a word.\n```search\n{\"query\": \"door\"}\n```"),
        Reply::text("Now the check.\n```sh\ntrue\n```"),
    ]);
    let agent = Agent::<App>::builder(model.clone()).interpreter(Fences).executor(Sandbox).build()?;
    let mut run = agent.on(()).goal("When does the door open?").await?;
    while let Some(update) = run.next().await {
        if let Update::Observed { call, shown, .. } = update? {
            println!("{}: {shown}", call.action().label());
        }
    }
    let report = run.finish().await?;
    println!("{}", report.ending);
    println!("by evidence: {}, by a tool: {}", report.environment_completed, report.tool_completed);
    Ok(())
}
