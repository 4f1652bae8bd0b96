use polyloop::mcp_tools;

mcp_tools!("../../../../tests/ui/mcp_tools/locks/like-the-server.json");

fn main() {}
