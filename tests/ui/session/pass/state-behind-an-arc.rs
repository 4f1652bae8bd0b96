//! A state is given by value or shared.

use std::sync::Arc;

use polyloop::prelude::*;

struct Workspace;

registry! { struct App { state: Workspace } }

pub(crate) fn main() {
    let agent = Agent::<App>::builder(Scripted::replies([])).build().unwrap();
    drop(agent.on(Workspace));
    drop(agent.on(Arc::new(Workspace)));
}
