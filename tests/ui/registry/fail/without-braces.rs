use polyloop::registry;

registry! {
    struct App;
}

fn main() {}
