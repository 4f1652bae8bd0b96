use polyloop::Message;



fn main() {
    let _ = Message::from("You are in /srv.");
}
