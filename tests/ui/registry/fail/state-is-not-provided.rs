use polyloop::{registry, tool};

struct Database;

/// Counts the rows.
#[tool]
async fn count(#[state] database: &Database) -> String {
    let _ = database;
    String::new()
}

registry! {
    struct App {
        tools: [count],
    }
}

fn main() {}
