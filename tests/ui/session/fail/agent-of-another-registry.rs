use polyloop::prelude::*;

registry! { struct Orchestrator {} }
registry! { struct Worker {} }

fn delegate(_: &Agent<Orchestrator>) {}

fn ask(worker: &Agent<Worker>) {
    delegate(worker);
}

fn main() {}
