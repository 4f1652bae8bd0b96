use polyloop::registry;

registry! { struct App { fragments: ["note"] } }

fn main() {}
