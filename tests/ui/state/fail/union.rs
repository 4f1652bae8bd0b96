use polyloop::State;

#[derive(State)]
union Workspace {
    local: u8,
}

fn main() {}
