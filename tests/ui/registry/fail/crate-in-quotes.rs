use polyloop::registry;

registry! { struct App { crate: "polyloop" } }

fn main() {}
