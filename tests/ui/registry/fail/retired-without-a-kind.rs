use polyloop::registry;

registry! {
    struct App {
        retired: [7],
    }
}

fn main() {}
