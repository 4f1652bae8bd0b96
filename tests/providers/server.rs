//! A small HTTP/1.1 server on loopback: it takes requests, keeps them, and answers each from a script.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// Answers with status, headers and body.
    Whole { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// Streams these pieces, one HTTP chunk each, and ends the stream properly.
    Stream(Vec<Vec<u8>>),
    /// Streams these pieces, and hangs up before the end.
    CutStream(Vec<Vec<u8>>),
    /// Streams these pieces, and then says nothing.
    StuckStream(Vec<Vec<u8>>),
    /// Promises more bytes than it sends.
    CutBody(Vec<u8>),
    /// Waits before it answers.
    Late(Duration, Box<Self>),
    /// Hangs up without a word.
    HangUp,
    /// Repeats the headers of the request in an error.
    Echo(u16),
    /// Says what is no HTTP.
    Garbage,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Method, path and version.
    pub(crate) line: String,
    /// The headers, as they were sent.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Received {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// The server; it stops when it is dropped.
pub(crate) struct Server {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server that answers one request after another; behind the last answer it hangs up.
    pub(crate) async fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let mut answers = answers.into_iter().collect::<Vec<_>>().into_iter();
        let kept = received.clone();
        let task = tokio::spawn(async move {
            // One request a connection: each answer says that it closes.
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = take(&mut stream).await else { continue };
                kept.lock().unwrap().push(request.clone());
                let answer = answers.next().unwrap_or(Answer::HangUp);
                // The client may be gone before the answer is.
                tokio::spawn(async move { give(&mut stream, answer, &request).await.ok() });
            }
        });
        Self { url, received, task }
    }

    /// The base URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Where the server answers, without a path.
    pub(crate) fn root(&self) -> &str {
        self.url.trim_end_matches("/v1")
    }

    /// All requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let (line, head) = head.split_once("\r\n").unwrap();
    let mut request = Received { line: line.to_owned(), head: head.to_owned(), body: Vec::new() };
    let length: usize = request.header("content-length")?.parse().unwrap();
    while bytes.len() < end + 4 + length {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    request.body = bytes[end + 4..].to_vec();
    Some(request)
}

async fn give(stream: &mut TcpStream, mut answer: Answer, request: &Received) -> std::io::Result<()> {
    while let Answer::Late(wait, late) = answer {
        tokio::time::sleep(wait).await;
        answer = *late;
    }
    match answer {
        Answer::Whole { status, headers, body } => {
            head(stream, status, &headers, &format!("content-length: {}", body.len())).await?;
            stream.write_all(&body).await?;
        }
        Answer::Stream(pieces) => {
            chunks(stream, &pieces).await?;
            stream.write_all(b"0\r\n\r\n").await?;
        }
        Answer::CutStream(pieces) => chunks(stream, &pieces).await?,
        Answer::StuckStream(pieces) => {
            chunks(stream, &pieces).await?;
            tokio::time::sleep(Duration::from_mins(1)).await;
        }
        Answer::CutBody(body) => {
            head(stream, 200, &json(), &format!("content-length: {}", body.len() + 10)).await?;
            stream.write_all(&body).await?;
        }
        Answer::Echo(status) => {
            let body = serde_json::json!({"error": {"message": request.head}}).to_string();
            head(stream, status, &json(), &format!("content-length: {}", body.len())).await?;
            stream.write_all(body.as_bytes()).await?;
        }
        Answer::Garbage => stream.write_all(b"\x16\x03\x01 no HTTP\r\n\r\n").await?,
        Answer::HangUp | Answer::Late(..) => {}
    }
    stream.shutdown().await
}

async fn head(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&str, String)],
    length: &str,
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n{length}\r\n");
    for (name, value) in headers {
        head = head + name + ": " + value + "\r\n";
    }
    stream.write_all((head + "\r\n").as_bytes()).await
}

async fn chunks(stream: &mut TcpStream, pieces: &[Vec<u8>]) -> std::io::Result<()> {
    let kind = [("content-type", "text/event-stream; charset=utf-8".to_owned())];
    head(stream, 200, &kind, "transfer-encoding: chunked").await?;
    for piece in pieces {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        stream.write_all(piece).await?;
        stream.write_all(b"\r\n").await?;
        stream.flush().await?;
        // So that each piece arrives alone.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// The headers of an answer in JSON.
pub(crate) fn json() -> Vec<(&'static str, String)> {
    vec![("content-type", "application/json".to_owned())]
}

/// An answer in JSON.
pub(crate) fn answer(body: &serde_json::Value) -> Answer {
    said(200, &body.to_string())
}

/// A status and a body.
pub(crate) fn said(status: u16, body: &str) -> Answer {
    Answer::Whole { status, headers: json(), body: body.as_bytes().to_vec() }
}

/// A status and a header.
pub(crate) fn advised(status: u16, name: &'static str, value: &str) -> Answer {
    Answer::Whole { status, headers: vec![(name, value.to_owned())], body: Vec::new() }
}
