use polyloop::registry;

registry! {
    struct App {
        colour: red,
    }
}

fn main() {}
