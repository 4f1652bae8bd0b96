use polyloop::registry;

registry! {
    struct App {
        retired: ["old.kind", "old.kind"],
    }
}

fn main() {}
