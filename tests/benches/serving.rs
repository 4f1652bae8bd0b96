//! A call of a tool over HTTP on a kept connection, against an echo of the same length on one.
//!
//! An answer is written in several small pieces. Where the system holds a small piece back until the one before is confirmed, a call
//! takes forty milliseconds, and the ratio is several hundred.

use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use polyloop::mcp::Server;
use polyloop::{registry, tool};

use super::measure::ratio;
use super::table::{Goal, Table};

/// Returns a word.
#[tool(concurrent)]
async fn word() -> String {
    "word".to_owned()
}

registry! {
    /// What is served.
    struct Serving { tools: [word] }
}

/// Sets it down.
pub(crate) fn measure(table: &mut Table) {
    Table::group("a call over HTTP on a kept connection / an echo of the same length");
    let mut caller = Caller::new(serve());
    let (request, answer) = (caller.request.len(), caller.call());
    let mut echo = connected(echo(request, answer));
    let (sent, mut received) = (vec![b'x'; request], vec![0; answer]);
    let ratio = ratio(
        || {
            black_box(caller.call());
        },
        || {
            echo.write_all(black_box(&sent)).expect("it is connected");
            echo.read_exact(&mut received).expect("it is connected");
        },
    );
    table.line("a tool that returns a word", ratio, Goal::AtMost(60.0));
}

/// A server on a thread of its own.
fn serve() -> SocketAddr {
    let (tells, told) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime can be made").block_on(async {
            let server = Server::<Serving>::new(()).expect("every tool has a handler").http();
            let server = server.listen(([127, 0, 0, 1], 0).into()).await.expect("a port is free");
            tells.send(server.address()).expect("the other thread waits");
            server.serve().await.expect("it serves until the program ends");
        });
    });
    told.recv().expect("the server tells its address")
}

/// A server that answers so many bytes with so many others.
fn echo(request: usize, answer: usize) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("it is connected to");
        stream.set_nodelay(true).expect("it is a socket");
        let (mut received, sent) = (vec![0; request], vec![b'x'; answer]);
        while stream.read_exact(&mut received).is_ok() {
            stream.write_all(&sent).expect("it is connected");
        }
    });
    address
}

fn connected(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it is listened to");
    stream.set_nodelay(true).expect("it is a socket");
    stream
}

/// A client with a session.
struct Caller {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Caller {
    fn new(address: SocketAddr) -> Self {
        let mut caller = Self { stream: connected(address), request: Vec::new(), answer: Vec::new() };
        let info = r#"{"name":"bench","version":"1"}"#;
        let params = format!(r#"{{"protocolVersion":"2025-06-18","capabilities":{{}},"clientInfo":{info}}}"#);
        let begin = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        caller.request = request("", &begin);
        caller.call();
        let told = String::from_utf8_lossy(&caller.answer).into_owned();
        let session = told.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let session = session.expect("there is a session");
        caller.request = request(session, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        caller.exchange("\r\n\r\n");
        let call =
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"word","arguments":{}}}"#;
        caller.request = request(session, call);
        caller
    }

    /// Makes the call; returns how long the answer is.
    fn call(&mut self) -> usize {
        self.exchange("\r\n0\r\n\r\n")
    }

    fn exchange(&mut self, end: &str) -> usize {
        self.stream.write_all(&self.request).expect("it is connected");
        self.answer.clear();
        let mut piece = [0; 4_096];
        while !self.answer.ends_with(end.as_bytes()) {
            let length = self.stream.read(&mut piece).expect("it is connected");
            assert!(length > 0, "the server hung up");
            self.answer.extend(piece.iter().take(length));
        }
        self.answer.len()
    }
}

fn request(session: &str, body: &str) -> Vec<u8> {
    let session = if session.is_empty() { String::new() } else { format!("mcp-session-id: {session}\r\n") };
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\n{session}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
