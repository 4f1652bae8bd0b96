use polyloop::prelude::*;

registry! { struct App {} }

fn main() {
    let agent = Agent::<App>::builder(Scripted::replies([])).build().unwrap();
    let _ = agent.on(()).inject("You are in /srv.");
}
