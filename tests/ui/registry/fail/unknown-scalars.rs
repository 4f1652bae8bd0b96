use polyloop::registry;

registry! {
    struct App {
        scalars: loose,
    }
}

fn main() {}
