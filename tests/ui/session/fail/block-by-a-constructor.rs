use polyloop::Block;



fn main() {
    let _ = Block::new("You are in /srv.");
}
