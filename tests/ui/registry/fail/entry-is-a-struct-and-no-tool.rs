use polyloop::registry;

struct ReadFile;

registry! {
    struct App {
        tools: [ReadFile],
    }
}

fn main() {}
