use polyloop::mcp_tools;

mcp_tools!(trusted);

fn main() {}
