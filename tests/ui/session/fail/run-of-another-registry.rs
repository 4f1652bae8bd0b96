use polyloop::prelude::*;
use polyloop::Run;

registry! { struct Orchestrator {} }
registry! { struct Worker {} }

fn watch(_: &mut Run<Orchestrator>) {}

fn ask(mut run: Run<Worker>) {
    watch(&mut run);
}

fn main() {}
