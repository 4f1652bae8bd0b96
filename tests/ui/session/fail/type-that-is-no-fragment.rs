use polyloop::prelude::*;

struct Plan {
    text: String,
}

registry! { struct App {} }

fn main() {
    let mut session = Session::<App>::new();
    let _ = session.inject(Plan { text: "test".into() });
}
