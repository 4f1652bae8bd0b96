use polyloop::ContextFragment;

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: std::rc::Rc<str>,
}

fn main() {}
