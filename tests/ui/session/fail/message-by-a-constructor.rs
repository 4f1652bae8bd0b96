use polyloop::Message;



fn main() {
    let _ = Message::user("You are in /srv.");
}
