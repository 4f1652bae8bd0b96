use polyloop::registry;

registry! {
    struct App {}
    struct Other {}
}

fn main() {}
