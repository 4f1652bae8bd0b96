//! Dispatching a call, all checks included, against reading the arguments into a struct and awaiting the function.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use polyloop::{Agent, CallContext, Registry, Reply, Scripted, Status};
use serde::Deserialize;

use super::measure::ratio;
use super::table::{Goal, Table};
use super::tools::{Keeping, Kept, Many, One, OneLimited, read};

const ARGUMENTS: &str = r#"{"path": "src/agent/driver.rs", "from_line": 120, "numbered": true}"#;

/// Awaits what never waits, where it stands: as a function would that is itself awaited.
macro_rules! now {
    ($future:expr) => {
        match pin!($future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("nothing here waits"),
        }
    };
}

/// What is written by hand where there is no tool.
#[derive(Deserialize)]
struct Arguments {
    path: String,
    from_line: u32,
    numbered: bool,
}

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    let context = context();
    Table::group("dispatching a call of three arguments / `from_str` into a struct and awaiting");
    table.line("plain, 1 tool", ratio(call::<One>("read", &context), bare()), Goal::AtMost(3.0));
    table.line("plain, 200 tools", ratio(call::<Many>("read", &context), bare()), Goal::AtMost(3.0));
    let limited = ratio(call::<OneLimited>("read_limited", &context), bare());
    table.line("with a range and a pattern, 1 tool", limited, Goal::AtMost(6.0));
    let limited = ratio(call::<Many>("read_limited", &context), bare());
    table.line("with a range and a pattern, 200 tools", limited, Goal::AtMost(6.0));
    let grown = ratio(call::<Many>("read", &context), call::<One>("read", &context));
    table.line("plain, 200 tools / plain, 1 tool", grown, Goal::AtMost(1.5));
}

/// Checks a call and carries it out.
fn call<R: Registry<State = Kept>>(name: &'static str, context: &CallContext) -> impl FnMut() {
    let tools = R::tools().expect("the tools can be described");
    let executor = tools.executor(Kept::default()).expect("every tool has a handler");
    move || {
        let checked = tools.validate(black_box(name), black_box(ARGUMENTS)).expect("the arguments are right");
        let outcome = now!(executor.call(checked, context));
        assert_eq!(outcome.status, Status::Executed);
        black_box(outcome);
    }
}

fn bare() -> impl FnMut() {
    || {
        let Arguments { path, from_line, numbered } =
            serde_json::from_str(black_box(ARGUMENTS)).expect("the arguments are right");
        black_box(now!(read(path, from_line, numbered)));
    }
}

/// Only a run makes the context of a call; this is one of a run.
fn context() -> CallContext {
    let kept = Arc::new(Kept::default());
    let model = Scripted::replies([Reply::tool("keep", "{}")]);
    let agent = Agent::<Keeping>::builder(model).build().expect("the agent is complete");
    let mut run = now!(agent.on(kept.clone()).goal("Keep it.").start()).expect("the goal has words");
    now!(run.finish()).expect("the run goes on");
    kept.0.get().cloned().expect("the tool was called")
}
