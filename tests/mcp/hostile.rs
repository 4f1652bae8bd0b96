//! Clients that are broken, or mean no good: they harm nobody but themselves.

#[cfg(unix)]
use std::env;
use std::net::SocketAddr;
#[cfg(unix)]
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use polyloop::CallContext;
use polyloop::mcp::{HttpServer, McpError, Server};
use polyloop::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
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
    gone: Notify,
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

/// Waits until it is dropped.
#[tool]
async fn hold(#[state] seen: &Seen) -> String {
    struct Gone<'s>(&'s Seen);
    impl Drop for Gone<'_> {
        fn drop(&mut self) {
            self.0.gone.notify_one();
        }
    }
    let _gone = Gone(seen);
    seen.begun.notify_one();
    std::future::pending().await
}

/// Waits until it is dropped, and may take its time.
#[tool(timeout = "10m")]
async fn patient(#[state] seen: &Seen) -> String {
    seen.begun.notify_one();
    std::future::pending().await
}

/// Set once `endless` has begun: it has no state that could tell.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Does not end.
#[tool]
async fn endless() -> String {
    BEGUN.store(true, Ordering::SeqCst);
    std::future::pending().await
}

/// Ends.
#[tool]
async fn quick() -> String {
    "quickly".to_owned()
}

registry! {
    struct App { state: Seen, tools: [chatter, count, hold, patient, endless, quick] }
}

struct Listening {
    address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<Result<(), McpError>>,
}

impl Listening {
    async fn new() -> Self {
        Self::with(|server| server).await
    }

    async fn with(change: impl FnOnce(HttpServer<App>) -> HttpServer<App>) -> Self {
        let seen = Arc::new(Seen::default());
        let server = change(Server::<App>::new(seen.clone()).unwrap().http());
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
        let told = self.ask("", &introduction("test"), "serverInfo").await;
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

/// What a client of this name begins with.
fn introduction(name: &str) -> String {
    let client_info = json!({"name": name, "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info});
    request("initialize", &params)
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

#[tokio::test]
async fn there_are_no_more_sessions_than_the_host_allows() {
    let listening = Listening::with(|server| server.max_sessions(2)).await;
    let (one, _other) = (listening.session().await, listening.session().await);
    let refused = listening.ask("", &introduction("test"), "\r\n\r\n").await;
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 60"), "{refused}");
    // Those that there are go on, and one that ends makes room.
    listening.ask(&one, &call("count"), "call 1").await;
    let mut stream = TcpStream::connect(listening.address).await.unwrap();
    let end = format!("DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-session-id: {one}\r\n\r\n");
    stream.write_all(end.as_bytes()).await.unwrap();
    timeout(LONG, read_until(&mut stream, "\r\n\r\n")).await.unwrap();
    let next = listening.session().await;
    listening.ask(&next, &call("count"), "call 2").await;
}

#[tokio::test]
async fn a_long_introduction_makes_no_session() {
    let listening = Listening::with(|server| server.max_sessions(1)).await;
    let long = introduction(&"x".repeat(1 << 20));
    listening.ask("", &long, "HTTP/1.1 413 ").await;
    // A client of the revision without sessions may send more, but not begin a session with it.
    let head =
        head("", long.len()).replace("content-type", "mcp-protocol-version: 2026-07-28\r\ncontent-type");
    let long = long.replace("2025-06-18", "2026-07-28");
    let mut stream = TcpStream::connect(listening.address).await.unwrap();
    stream.write_all(format!("{head}{long}").as_bytes()).await.unwrap();
    let refused = timeout(LONG, read_until(&mut stream, "65536 bytes")).await.unwrap();
    assert!(!refused.contains("serverInfo"), "{refused}");
    let session = listening.session().await;
    listening.ask(&session, &call("count"), "call 1").await;
}

#[tokio::test]
async fn a_client_waits_for_another_one_only_where_the_tool_or_the_state_is_the_same() {
    let listening = Listening::new().await;
    let (one, other) = (listening.session().await, listening.session().await);
    // Neither borrows from the state, and neither is concurrent.
    let _held = listening.send(&one, &call("endless")).await;
    timeout(LONG, async {
        while !BEGUN.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    listening.ask(&other, &call("quick"), "quickly").await;
    listening.ask(&other, &call("count"), "call 1").await;
    let third = listening.session().await;
    let mut same = listening.send(&third, &call("endless")).await;
    assert!(timeout(Duration::from_millis(200), read_until(&mut same, "never")).await.is_err());
    // Both borrow from the state.
    let fourth = listening.session().await;
    let _held = listening.send(&fourth, &call("hold")).await;
    timeout(LONG, listening.seen.begun.notified()).await.unwrap();
    let mut counts = listening.send(&other, &call("count")).await;
    assert!(timeout(Duration::from_millis(200), read_until(&mut counts, "call 2")).await.is_err());
    assert_eq!(listening.seen.calls.load(Ordering::SeqCst), 1);
    let fifth = listening.session().await;
    listening.ask(&fifth, &call("quick"), "quickly").await;
}

#[tokio::test]
async fn a_call_whose_client_left_is_cancelled_and_blocks_no_one() {
    let listening = Listening::new().await;
    let (one, other) = (listening.session().await, listening.session().await);
    let stream = listening.send(&one, &call("hold")).await;
    timeout(LONG, listening.seen.begun.notified()).await.unwrap();
    drop(stream);
    listening.ask(&other, &call("count"), "call 1").await;
    timeout(LONG, listening.seen.gone.notified()).await.unwrap();
    // The session itself is still there.
    listening.ask(&one, &call("count"), "call 2").await;
}

/// A connection over streams on which the client has introduced itself.
async fn over_streams(
    change: impl FnOnce(Server<App>) -> Server<App>,
) -> (Arc<Seen>, BufReader<DuplexStream>) {
    let seen = Arc::new(Seen::default());
    let (here, there) = tokio::io::duplex(4_096);
    tokio::spawn(change(Server::<App>::new(seen.clone()).unwrap()).serve(there));
    let mut here = BufReader::new(here);
    write(&mut here, &introduction("test")).await;
    assert!(line(&mut here).await["result"]["serverInfo"].is_object());
    write(&mut here, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    (seen, here)
}

async fn write(stream: &mut BufReader<DuplexStream>, text: &str) {
    stream.write_all(format!("{text}\n").as_bytes()).await.unwrap();
}

async fn line(stream: &mut BufReader<DuplexStream>) -> Value {
    let mut line = String::new();
    timeout(LONG, stream.read_line(&mut line)).await.unwrap().unwrap();
    serde_json::from_str(&line).unwrap()
}

#[tokio::test]
async fn a_client_has_a_bounded_number_of_requests_open() {
    let (_seen, mut stream) = over_streams(|server| server).await;
    let call = |id: usize| call("hold").replace("\"id\":1", &format!("\"id\":{id}"));
    for id in 10..42 {
        write(&mut stream, &call(id)).await;
    }
    write(&mut stream, &call(11)).await;
    let refused = line(&mut stream).await;
    assert_eq!(refused["error"]["message"], "a request with this id is open already");
    for id in 42..1_000 {
        write(&mut stream, &call(id)).await;
        let refused = line(&mut stream).await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32_000)));
    }
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 10}});
    write(&mut stream, &cancel.to_string()).await;
    write(&mut stream, &request("ping", &json!({}))).await;
    let answer = line(&mut stream).await;
    assert_eq!((&answer["id"], &answer["result"]), (&json!(1), &json!({})));
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_turn_does_not_come_is_not_executed() {
    let (seen, mut stream) = over_streams(|server| server.call_timeout(Duration::from_secs(1))).await;
    write(&mut stream, &call("patient")).await;
    seen.begun.notified().await;
    write(&mut stream, &call("count").replace("\"id\":1", "\"id\":2")).await;
    let answer = line(&mut stream).await;
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(2), &json!(true)));
    let said = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("`count` is busy with other calls for 1s; call it later"), "{said}");
    assert_eq!(seen.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn progress_that_is_not_read_is_not_kept_without_end() {
    let (seen, mut stream) = over_streams(|server| server).await;
    write(&mut stream, &call("chatter")).await;
    timeout(LONG, seen.begun.notified()).await.unwrap();
    let mut reports = 0;
    loop {
        let message = line(&mut stream).await;
        if message["id"] == 1 {
            break assert_eq!(message["result"]["content"][0]["text"], "said");
        }
        reports += 1;
        assert_eq!(message["params"]["message"].as_str().unwrap().len(), 2_000);
    }
    assert!((1..40).contains(&reports), "{reports} of 100 reports were kept");
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_answered() {
    let (_seen, mut stream) = over_streams(|server| server).await;
    for (arguments, why) in
        [("[".repeat(1_000), "recursion limit exceeded"), ("x".repeat(17 << 20), "16777216 bytes")]
    {
        write(
            &mut stream,
            &format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{arguments}"#),
        )
        .await;
        let answer = line(&mut stream).await;
        assert_eq!(answer["id"], 7);
        assert!(answer["error"]["message"].as_str().unwrap().contains(why), "{answer}");
    }
    write(&mut stream, &call("count")).await;
    assert_eq!(line(&mut stream).await["id"], 1);
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
