use polyloop::mcp_tools;

mcp_tools!("../../../../tests/ui/mcp_tools/locks/notes.json" approval);

fn main() {}
