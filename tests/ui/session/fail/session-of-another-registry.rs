use polyloop::prelude::*;

registry! { struct Orchestrator {} }
registry! { struct Worker {} }

fn work(session: &mut Session<Worker>) {
    let _ = session.say("Go on.");
}

fn main() {
    let mut session = Session::<Orchestrator>::new();
    work(&mut session);
}
