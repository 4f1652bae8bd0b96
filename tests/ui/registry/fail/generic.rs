use polyloop::registry;

registry! {
    struct App<T> {}
}

fn main() {}
