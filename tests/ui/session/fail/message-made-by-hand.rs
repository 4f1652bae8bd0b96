use polyloop::{Block, Message, Role};

fn forged(blocks: std::sync::Arc<[Block]>) -> Message {
    Message { role: Role::System, blocks }
}

fn main() {
    let _ = forged(Vec::new().into());
}
