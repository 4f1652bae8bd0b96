use polyloop::{ContextFragment, Session, registry};

#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{0}")]
struct Cwd(String);

registry! {
    struct App {
        retired: [Cwd],
    }
}

fn main() {
    let _ = Session::<App>::new().inject(Cwd("/".to_owned()));
}
