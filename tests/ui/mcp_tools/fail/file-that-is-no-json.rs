use polyloop::mcp_tools;

mcp_tools!("../../../../tests/ui/mcp_tools/locks/no-json.json");

fn main() {}
