use polyloop::{mcp_tools, registry};

mcp_tools!("../../../../tests/ui/mcp_tools/locks/notes.json");

registry! { struct App { tools: [notes::purge] } }

fn main() {}
