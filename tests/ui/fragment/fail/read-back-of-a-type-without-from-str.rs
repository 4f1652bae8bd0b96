use polyloop::{ContextFragment, ParseFragment};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{error}")]
struct Failure {
    error: std::num::ParseIntError,
}

fn main() {
    let _ = <Failure as ParseFragment>::parse("<cwd>/srv</cwd>");
}
