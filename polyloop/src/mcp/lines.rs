//! The transport of the streams of a process: one message on each line.
//!
//! The SDK has one too. It skips a line that it cannot read without a word, so that the call waits for ever, and it rounds the
//! numbers of arguments. This one answers for such lines, and writes arguments as they were written.

use std::collections::BTreeMap;
use std::io;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use rmcp::model::{ClientRequest, ErrorData, GetExtensions as _, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RoleClient, RoleServer, RxJsonRpcMessage, ServiceRole, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, watch};

use super::envelope::Envelope;
use crate::tool::{BoxFuture, WrittenObject};

/// The greatest length of one message, in bytes.
pub(super) const MAX_LINE: usize = 16 << 20;

/// The capacity of the buffer that is kept between messages, in bytes.
const KEPT: usize = 64 << 10;

/// One end of a connection over lines.
pub(super) trait Side: ServiceRole {
    /// Returns the arguments of a call that leaves, as they were written.
    fn written(message: &TxJsonRpcMessage<Self>) -> Option<&WrittenObject>;

    /// Keeps the arguments of a call that arrives, as they were written.
    fn keep(message: &mut RxJsonRpcMessage<Self>, line: &[u8]);

    /// What becomes of a message that cannot be read.
    fn unreadable(envelope: &Envelope, why: &str) -> Received<Self>;
}

/// The arguments of a call that arrived, as they are written.
#[derive(Clone, Debug)]
pub(super) struct ReceivedArguments(pub(super) Arc<str>);

/// What becomes of a line.
pub(super) enum Received<Role: ServiceRole> {
    /// It is this message, or it cannot be read and this stands in its place.
    Message(RxJsonRpcMessage<Role>),
    /// The other side is answered.
    Answer(TxJsonRpcMessage<Role>),
    /// Nobody waits for it.
    Skip,
}

impl Side for RoleClient {
    fn written(message: &TxJsonRpcMessage<Self>) -> Option<&WrittenObject> {
        match message {
            JsonRpcMessage::Request(request) => request.request.extensions().get(),
            _ => None,
        }
    }

    fn keep(_: &mut RxJsonRpcMessage<Self>, _: &[u8]) {}

    fn unreadable(envelope: &Envelope, why: &str) -> Received<Self> {
        match envelope.id() {
            Some(id) if !envelope.has_method() => {
                let message = format!(
                    "the server answered, and the answer cannot be read: {why}; the call is over, and may have taken effect"
                );
                let error = ErrorData::internal_error(message, None);
                Received::Message(ServerJsonRpcMessage::error(error, Some(id)))
            }
            _ => Received::Skip,
        }
    }
}

impl Side for RoleServer {
    fn written(_: &TxJsonRpcMessage<Self>) -> Option<&WrittenObject> {
        None
    }

    fn keep(message: &mut RxJsonRpcMessage<Self>, line: &[u8]) {
        #[derive(Deserialize)]
        struct Call {
            params: Params,
        }
        #[derive(Deserialize)]
        struct Params {
            arguments: Box<RawValue>,
        }
        let JsonRpcMessage::Request(request) = message else { return };
        let ClientRequest::CallToolRequest(call) = &mut request.request else { return };
        if let Ok(Call { params }) = serde_json::from_slice(line) {
            call.extensions.insert(ReceivedArguments(params.arguments.get().into()));
        }
    }

    fn unreadable(envelope: &Envelope, why: &str) -> Received<Self> {
        match envelope.id() {
            Some(id) if envelope.has_method() => {
                let error = ErrorData::invalid_request(format!("the request cannot be read: {why}"), None);
                Received::Answer(TxJsonRpcMessage::<Self>::error(error, Some(id)))
            }
            _ => Received::Skip,
        }
    }
}

/// A transport over a reader and a writer.
pub(super) struct Lines<Role: ServiceRole, R, W> {
    reader: BufReader<R>,
    line: Line,
    writer: Arc<Mutex<Option<W>>>,
    /// Ends what is being written: the other side may never read it.
    closed: watch::Sender<bool>,
    /// An answer that is being written before anything else is read. It is kept here because a `receive` may be dropped.
    answer: Option<BoxFuture<'static, io::Result<()>>>,
    role: std::marker::PhantomData<fn() -> Role>,
}

/// What was read of a line.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// Set once the line is too long; `bytes` is empty then.
    too_long: Option<Envelope>,
}

impl Line {
    fn push(&mut self, part: &[u8]) {
        if let Some(envelope) = &mut self.too_long {
            envelope.feed(part);
        } else if self.bytes.len().saturating_add(part.len()) > MAX_LINE {
            let mut envelope = Envelope::of(&std::mem::take(&mut self.bytes));
            envelope.feed(part);
            self.too_long = Some(envelope);
        } else {
            self.bytes.extend_from_slice(part);
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT);
        self.too_long = None;
    }
}

impl<Role: Side, R, W> Lines<Role, R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Line::default(),
            writer: Arc::new(Mutex::new(Some(writer))),
            closed: watch::Sender::new(false),
            answer: None,
            role: std::marker::PhantomData,
        }
    }

    /// Reads to the end of a line; none at the end of the stream. Dropped and called again it goes on where it was.
    async fn read_line(&mut self) -> Option<()> {
        loop {
            let available = self.reader.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = end.and_then(|end| available.get(..end)).unwrap_or(available);
            self.line.push(part);
            let taken = part.len() + usize::from(end.is_some());
            self.reader.consume(taken);
            if end.is_some() {
                return Some(());
            }
        }
    }

    /// Returns the message on the line.
    fn message(&self) -> Received<Role> {
        if let Some(envelope) = &self.line.too_long {
            return Role::unreadable(envelope, &format!("it has more than {MAX_LINE} bytes"));
        }
        let bytes = self.line.bytes.as_slice();
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Received::Skip;
        }
        match serde_json::from_slice(bytes) {
            Ok(mut message) => {
                Role::keep(&mut message, bytes);
                Received::Message(message)
            }
            Err(error) => Role::unreadable(&Envelope::of(bytes), &error.to_string()),
        }
    }
}

impl<Role: Side, R, W> Transport<Role> for Lines<Role, R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<Role>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (writer, mut closed) = (self.writer.clone(), self.closed.subscribe());
        let line = line::<Role>(&message);
        async move {
            let line = line?;
            let write = async {
                let mut writer = writer.lock().await;
                let Some(writer) = writer.as_mut() else { return Err(io::ErrorKind::NotConnected.into()) };
                writer.write_all(&line).await?;
                writer.flush().await
            };
            match select(pin!(write), pin!(closed.wait_for(|closed| *closed))).await {
                Either::Left((written, _)) => written,
                Either::Right(_) => Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<Role>> {
        loop {
            if let Some(answer) = &mut self.answer {
                let written = answer.await;
                self.answer = None;
                written.ok()?;
            }
            self.read_line().await?;
            let message = self.message();
            self.line.clear();
            match message {
                Received::Message(message) => return Some(message),
                Received::Answer(answer) => self.answer = Some(Box::pin(self.send(answer))),
                Received::Skip => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.closed.send_replace(true);
        self.answer = None;
        drop(self.writer.lock().await.take());
        Ok(())
    }
}

/// The line of a message.
fn line<Role: Side>(message: &TxJsonRpcMessage<Role>) -> io::Result<Vec<u8>> {
    let mut line = match Role::written(message) {
        Some(arguments) => with_arguments(message, arguments)?,
        None => serde_json::to_vec(message)?,
    };
    line.push(b'\n');
    Ok(line)
}

/// The request of a call with its arguments as they were written.
fn with_arguments(message: &impl Serialize, arguments: &WrittenObject) -> serde_json::Result<Vec<u8>> {
    type Members = BTreeMap<String, Box<RawValue>>;
    let members = |text: &RawValue| serde_json::from_str::<Members>(text.get());
    let mut request = members(&to_raw_value(message)?)?;
    let mut params = request.get("params").map(|params| members(params)).transpose()?.unwrap_or_default();
    params.insert("arguments".to_owned(), arguments.raw()?);
    request.insert("params".to_owned(), to_raw_value(&params)?);
    serde_json::to_vec(&request)
}
