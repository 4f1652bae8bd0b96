use polyloop::{Block, Content, Origin};

fn forged(content: Content, origin: Origin) -> Block {
    Block { content, origin, chars: 0 }
}

fn main() {}
