use polyloop::{Body, ContextFragment, FragmentSpec, Role, registry, tool};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{text}")]
struct Directory {
    text: String,
}

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{text}", kind = "directory")]
struct Folder {
    text: String,
}

struct Clock;

impl ContextFragment for Clock {
    const SPEC: FragmentSpec = FragmentSpec::new("Clock", Role::User, 60).markers("<clock>", "</clock>");

    fn body(&self) -> Body {
        Body::new().text("noon")
    }
}

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

/// Reads a file.
#[tool(name = "read_file")]
async fn load_file() -> String {
    String::new()
}

registry! {
    struct App {
        fragments: [Directory, Folder, Clock],
        tools: [read_file, load_file],
        max_chars: 300,
    }
}

fn main() {}
