use polyloop::prelude::*;
use polyloop::RunHandle;

registry! { struct Orchestrator {} }
registry! { struct Worker {} }

fn stop(_: &RunHandle<Orchestrator>) {}

fn ask(handle: &RunHandle<Worker>) {
    stop(handle);
}

fn main() {}
