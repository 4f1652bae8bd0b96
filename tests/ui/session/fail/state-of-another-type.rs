use polyloop::prelude::*;

struct Workspace;

registry! { struct App { state: Workspace } }

fn main() {
    let agent = Agent::<App>::builder(Scripted::replies([])).build().unwrap();
    let _ = agent.on("/srv");
}
