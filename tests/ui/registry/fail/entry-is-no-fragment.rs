use polyloop::registry;

struct WorkingDirectory {
    path: String,
}

registry! {
    struct App {
        fragments: [WorkingDirectory],
    }
}

fn main() {}
