use polyloop::prelude::*;

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

/// Hands in the answer.
#[tool(completes_run)]
async fn submit() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {
    let agent = Agent::<App>::builder(Scripted::replies([])).build().unwrap();
    let _ = agent.only::<(submit,)>();
}
