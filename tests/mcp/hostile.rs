//! Clients over HTTP that are broken, or mean no good: they harm nobody but themselves.

#[cfg(unix)]
use std::env;
use std::net::SocketAddr;
#[cfg(unix)]
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use polyloop::CallContext;
use polyloop::mcp::{McpError, Server};
use polyloop::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::support::LONG;

/// What the tools share with a test.
#[derive(Default)]
struct Seen {
    calls: AtomicUsize,
    begun: Notify,
}

/// Reports more than there are buffers for.
#[tool]
async fn chatter(#[state] seen: &Seen, #[call] call: &CallContext) -> String {
    for _ in 0..100 {
        call.progress("x".repeat(100_000));
        tokio::task::yield_now().await;
    }
    seen.begun.notify_one();
    "said".to_owned()
}

/// Counts.
#[tool]
async fn count(#[state] seen: &Seen) -> String {
    format!("call {}", seen.calls.fetch_add(1, Ordering::SeqCst) + 1)
}

registry! {
    struct App { state: Seen, tools: [chatter, count] }
}

struct Listening {
    address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<Result<(), McpError>>,
}

impl Listening {
    async fn new() -> Self {
        let seen = Arc::new(Seen::default());
        let server = Server::<App>::new(seen.clone()).unwrap().http();
        let server = server.listen(([127, 0, 0, 1], 0).into()).await.unwrap();
        Self { address: server.address(), seen, task: tokio::spawn(server.serve()) }
    }

    /// Sends a request, and reads nothing of what comes back.
    async fn send(&self, session: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = head(session, body.len());
        // It may be refused before its end.
        drop(stream.write_all(format!("{head}{body}").as_bytes()).await);
        stream
    }

    /// Sends a request, and returns what comes back until something is among it.
    async fn ask(&self, session: &str, body: &str, awaited: &str) -> String {
        let mut stream = self.send(session, body).await;
        timeout(LONG, read_until(&mut stream, awaited)).await.unwrap()
    }

    async fn session(&self) -> String {
        let client_info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info});
        let told = self.ask("", &request("initialize", &params), "serverInfo").await;
        let id = told.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.ask(&id, &begun.to_string(), "202 Accepted").await;
        id
    }
}

fn head(session: &str, length: usize) -> String {
    let session = if session.is_empty() { String::new() } else { format!("mcp-session-id: {session}\r\n") };
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\n{session}content-length: {length}\r\n\r\n"
    )
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn call(name: &str) -> String {
    request("tools/call", &json!({"name": name, "arguments": {}, "_meta": {"progressToken": 1}}))
}

async fn read_until(stream: &mut TcpStream, awaited: &str) -> String {
    let (mut read, mut piece) = (String::new(), [0; 4_096]);
    while !read.contains(awaited) {
        let length = stream.read(&mut piece).await.unwrap();
        assert!(length > 0, "it ends with {read}");
        read.push_str(&String::from_utf8_lossy(&piece[..length]));
    }
    read
}

#[tokio::test]
async fn who_reads_nothing_of_what_a_call_reports_holds_up_nobody_else() {
    let listening = Listening::new().await;
    let (one, other) = (listening.session().await, listening.session().await);
    let _unread = listening.send(&one, &call("chatter")).await;
    timeout(LONG, listening.seen.begun.notified()).await.unwrap();
    listening.ask(&other, &call("count"), "call 1").await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_end_is_left() {
    let listening = Listening::new().await;
    let mut stream = std::net::TcpStream::connect(listening.address).unwrap();
    std::io::Write::write_all(&mut stream, format!("{}{{", head("", 10)).as_bytes()).unwrap();
    stream.set_nonblocking(true).unwrap();
    let mut stream = TcpStream::from_std(stream).unwrap();
    let mut told = String::new();
    // An hour of a clock that jumps.
    timeout(Duration::from_hours(1), stream.read_to_string(&mut told)).await.unwrap().unwrap();
    assert!(told.ends_with("it takes too long"), "{told}");
}

#[tokio::test]
async fn a_body_that_says_nothing_useful_is_refused_and_runs_nothing() {
    let listening = Listening::new().await;
    let session = listening.session().await;
    let one = call("count");
    let deep = request("tools/call", &json!({"name": "count"})).replace('}', "");
    let twice = one.replacen("\"method\"", "\"method\":\"ping\",\"method\"", 1);
    let bodies = [
        String::new(),
        "}{".to_owned(),
        format!("[{one},{one}]"),
        format!("{one}{one}"),
        format!("{deep},\"arguments\":{}", "[".repeat(1_000_000)),
        one.replace("\"id\":1", "\"id\":null"),
        one.replace("\"id\":1", "\"id\":1.5"),
        one.replace("\"jsonrpc\":\"2.0\",", ""),
        twice,
    ];
    for body in bodies {
        let shown: String = body.chars().take(100).collect();
        let told = listening.ask(&session, &body, "\r\n\r\n").await;
        assert!(told.starts_with("HTTP/1.1 415 "), "{shown}: {told}");
    }
    let large = format!("{one}{}", " ".repeat(5 << 20));
    listening.ask(&session, &large, "HTTP/1.1 413 ").await;
    let invented = "0d9a2d3e-7b3f-4c55-9c1e-2f6f0a3b8c7d";
    listening.ask(invented, &one, "HTTP/1.1 404 ").await;
    listening.ask(&session, &one, "call 1").await;
}

#[cfg(unix)]
/// Says to this process that it is the one with few files.
const FEW: &str = "POLYLOOP_TEST_FEW_FILES";

#[cfg(unix)]
#[test]
fn more_connections_than_there_may_be_end_nothing() {
    let name = "hostile::more_connections_than_there_may_be_end_nothing";
    if env::var_os(FEW).is_none() {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -n 64 && exec \"$0\" --exact \"$1\" --nocapture"]);
        limited.arg(env::current_exe().unwrap()).arg(name).env(FEW, "1");
        assert!(limited.status().unwrap().success());
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listening = Listening::new().await;
        let session = listening.session().await;
        let mut idle = Vec::new();
        // Both ends are in this process: the last one is connected, and cannot be taken.
        while let Ok(stream) = TcpStream::connect(listening.address).await {
            idle.push(stream);
            tokio::task::yield_now().await;
        }
        assert!(idle.len() > 20, "there were {}", idle.len());
        while !listening.task.is_finished() && idle.len() > 4 {
            drop(idle.pop());
        }
        listening.ask(&session, &call("count"), "call 1").await;
    });
}
