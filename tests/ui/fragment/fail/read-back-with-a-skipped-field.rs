use polyloop::{ContextFragment, ParseFragment};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: String,
    #[fragment(skip)]
    host: String,
}

fn read_back<T: ParseFragment>(text: &str) -> Option<T> {
    T::parse(text).ok()
}

fn main() {
    let _ = read_back::<WorkingDirectory>("<cwd>/srv</cwd>");
}
