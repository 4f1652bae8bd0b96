use polyloop::registry;

registry! {
    struct App {
        fragments: [WorkingDirectory],
    }
}

fn main() {}
