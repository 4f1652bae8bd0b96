use polyloop::mcp_tools;

mcp_tools!("gone.lock.json");

fn main() {}
