use polyloop::mcp_tools;

mcp_tools!("../../../../tests/ui/mcp_tools/locks/one-name-for-two.json");

fn main() {}
