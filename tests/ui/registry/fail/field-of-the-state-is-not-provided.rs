use polyloop::{State, registry, tool};

struct Database;

/// Counts the rows.
#[tool]
async fn count(#[state] database: &Database) -> String {
    let _ = database;
    String::new()
}

#[derive(State)]
struct Workspace {
    path: String,
}

registry! {
    struct App {
        state: Workspace,
        tools: [count],
    }
}

fn main() {}
