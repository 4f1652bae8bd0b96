use polyloop::prelude::*;
use polyloop::ToolExecutor;

struct Desk;
struct Bench;

registry! { struct Orchestrator { state: Desk } }
registry! { struct Worker { state: Bench } }

fn act(_: &ToolExecutor<Desk>) {}

fn ask() {
    act(&Worker::tools().unwrap().executor(Bench).unwrap());
}

fn main() {}
