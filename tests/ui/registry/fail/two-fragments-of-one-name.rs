use polyloop::{ContextFragment, registry};

mod old {
    use polyloop::ContextFragment;

    /// Where the agent works.
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<old>", "</old>"), kind = "old", max_chars = 200, body = "{path}")]
    pub struct WorkingDirectory {
        path: String,
    }
}

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: String,
}

registry! {
    struct App {
        fragments: [old::WorkingDirectory, WorkingDirectory],
    }
}

fn main() {}
