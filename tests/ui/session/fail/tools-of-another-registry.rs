use polyloop::prelude::*;

struct Desk;
struct Bench;

registry! { struct Orchestrator { state: Desk } }
registry! { struct Worker { state: Bench } }

fn build() {
    let _ = Agent::<Orchestrator>::builder(Scripted::replies([])).tools(Worker::tools().unwrap());
}

fn main() {}
