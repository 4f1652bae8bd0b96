use polyloop::{registry, tool};

struct Database;

/// Counts the rows.
#[tool]
async fn count(#[state] database: &Database) -> String {
    let _ = database;
    String::new()
}

struct Workspace;

registry! {
    struct App {
        state: Workspace,
        tools: [count],
    }
}

fn main() {}
