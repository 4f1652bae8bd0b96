use polyloop::mcp_tools;

mcp_tools!("../../../../tests/ui/mcp_tools/locks/list-of-arguments.json");

fn main() {}
