use polyloop::prelude::*;

registry! { struct App {} }

fn main() {
    let _ = Agent::<App>::builder("gpt");
}
