use polyloop::prelude::*;

registry! { struct App {} }

fn main() {
    let mut session = Session::<App>::new();
    let _ = session.inject(String::from("You are in /srv."));
}
