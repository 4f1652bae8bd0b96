use polyloop::{ContextFragment, registry};

#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{0}", was = "place")]
struct Cwd(String);

registry! {
    struct App {
        fragments: [Cwd],
        retired: ["old.kind", "place"],
    }
}

fn main() {}
