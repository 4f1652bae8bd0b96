use polyloop::{ContextFragment, ParseFragment};

struct Path;

impl std::fmt::Display for Path {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("/srv")
    }
}

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: Path,
}

fn read_back<T: ParseFragment>(text: &str) -> Option<T> {
    T::parse(text).ok()
}

fn main() {
    let _ = read_back::<WorkingDirectory>("<cwd>/srv</cwd>");
}
