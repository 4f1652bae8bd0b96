use polyloop::{Message, Role};



fn main() {
    let _ = Message::new(Role::User, "You are in /srv.");
}
