use polyloop::registry;

registry! {
    enum App {}
}

fn main() {}
