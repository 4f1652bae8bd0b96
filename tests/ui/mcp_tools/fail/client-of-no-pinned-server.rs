use polyloop::mcp::Client;

fn close(_: Client<String>) {}

fn main() {
    let _ = close;
}
