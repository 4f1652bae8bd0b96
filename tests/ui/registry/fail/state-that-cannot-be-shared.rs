use polyloop::registry;

struct Workspace {
    open: std::cell::Cell<u32>,
}

registry! {
    struct App {
        state: Workspace,
    }
}

fn main() {}
