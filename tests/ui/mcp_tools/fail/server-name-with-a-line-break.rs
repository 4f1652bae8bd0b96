use polyloop::mcp_tools;

mcp_tools!("../../../../tests/ui/mcp_tools/locks/name-with-code.json");

fn main() {}
