//! A server over streamable HTTP.

use std::cell::Cell;
use std::convert::Infallible;
use std::fmt;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{HeaderValue, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::Sleep;

use super::error::McpError;
use super::handler::{Handler, MAX_INTRODUCTION, Visit};
use super::server::Server;
use super::sessions::{IS_FULL, MAX_SESSIONS, Sessions};
use crate::registry::Registry;

/// Where clients find the server.
const PATH: &str = "/mcp";

/// How this machine is called by itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// After how long it is tried again to take a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// How long the body of a request is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A [`Server`] that listens for HTTP, under the path `/mcp`.
///
/// As it is made it is for clients of this machine: it listens on a loopback address only, and takes requests only if they name a
/// loopback host, and come from a page of one or from no page at all. So no page that a browser shows can reach it, whatever its
/// name resolves to. There is no encryption and no password: what is to be reached from elsewhere belongs behind a server that has
/// them.
///
/// ```
/// use polyloop::mcp::{McpError, Server};
/// # polyloop::registry! { struct App {} }
///
/// async fn serve() -> Result<(), McpError> {
///     let server = Server::<App>::new(())?.http().listen(([127, 0, 0, 1], 0).into()).await?;
///     println!("http://{}/mcp", server.address());
///     server.serve().await
/// }
/// ```
pub struct HttpServer<R: Registry> {
    handler: Arc<Handler<R>>,
    hosts: Vec<String>,
    origins: Vec<String>,
    is_for_others: bool,
    sessions: usize,
}

impl<R: Registry> Server<R> {
    /// Serves any number of clients over streamable HTTP. Comes with the feature `mcp-http`.
    #[must_use]
    pub fn http(self) -> HttpServer<R> {
        HttpServer {
            handler: Arc::new(self.handler),
            hosts: LOOPBACK.map(str::to_owned).to_vec(),
            origins: LOOPBACK.map(|host| format!("http://{host}:*")).to_vec(),
            is_for_others: false,
            sessions: MAX_SESSIONS,
        }
    }
}

impl<R: Registry> HttpServer<R> {
    /// Takes requests to a further host, such as `tools.example.org` or `tools.example.org:8080`: the name by which clients reach
    /// it.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Takes requests from the pages of a further origin, such as `https://app.example.org:443`. A port of `*` is any.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Lets it listen on addresses that other machines reach.
    #[must_use]
    pub fn beyond_this_machine(mut self) -> Self {
        self.is_for_others = true;
        self
    }

    /// Sets how many sessions there may be at the same time; 64 without. A client that would begin a further one is answered with
    /// 503. A session ends when its client says so, or when nothing is said in it for five minutes.
    #[must_use]
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// Listens on an address; port 0 is any that is free.
    ///
    /// # Errors
    ///
    /// When other machines reach the address and nobody said that they may, or it is not to be had.
    pub async fn listen(self, address: SocketAddr) -> Result<ListeningServer<R>, McpError> {
        if !self.is_for_others && !address.ip().is_loopback() {
            return Err(McpError::NotLoopback { address });
        }
        let listener = TcpListener::bind(address).await.map_err(McpError::connection)?;
        let address = listener.local_addr().map_err(McpError::connection)?;
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(self.hosts)
            .with_allowed_origins(self.origins);
        let handler = self.handler;
        let service = StreamableHttpService::new(
            move || Ok(Visit::new(handler.clone())),
            Arc::new(Sessions::new(self.sessions)),
            config,
        );
        Ok(ListeningServer { listener, address, service })
    }
}

/// A server that has an address.
pub struct ListeningServer<R: Registry> {
    listener: TcpListener,
    address: SocketAddr,
    service: StreamableHttpService<Visit<R>, Sessions>,
}

impl<R: Registry> ListeningServer<R> {
    /// Returns the address on which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves clients for as long as it is polled; dropped, it ends every connection. Where the system has no connection left, it
    /// waits until one is free.
    ///
    /// # Errors
    ///
    /// When nothing can be accepted any more.
    pub async fn serve(self) -> Result<(), McpError> {
        // A session lives in tasks of the SDK; they end with this one.
        let _sessions = self.service.config.cancellation_token.clone().drop_guard();
        let mut connections = JoinSet::new();
        loop {
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => {
                    // An answer is several small pieces: without this, each waits until the client confirms the one before.
                    drop(stream.set_nodelay(true));
                    stream
                }
                // One that was given up before it was taken.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                // The system has none left, and has some again when others end. What it does not say itself is for good.
                Err(error) if error.raw_os_error().is_some() => {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
                Err(error) => return Err(McpError::connection(error)),
            };
            // Those that are over are forgotten.
            while connections.try_join_next().is_some() {}
            connections.spawn(attend(stream, self.service.clone()));
        }
    }
}

async fn attend<R: Registry>(stream: TcpStream, service: StreamableHttpService<Visit<R>, Sessions>) {
    let mut beginning = service.clone();
    beginning.config.max_request_body_bytes = MAX_INTRODUCTION;
    let answer = service_fn(move |request: Request<Incoming>| {
        let service = if is_beginning(&request) { beginning.clone() } else { service.clone() };
        async move {
            if request.uri().path() != PATH {
                let mut nothing = Response::default();
                *nothing.status_mut() = StatusCode::NOT_FOUND;
                return Ok::<_, Infallible>(nothing);
            }
            let handled = async {
                let response = service.handle(request.map(InTime::new)).await;
                (response, IS_FULL.with(Cell::get))
            };
            let (mut response, is_full) = IS_FULL.scope(Cell::new(false), handled).await;
            if is_full {
                *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
            }
            Ok(response)
        }
    });
    // With a timer, who begins the head of a request and does not go on is left.
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    // Whatever ends a connection ends nothing else.
    drop(http.serve_connection(TokioIo::new(stream), answer).await);
}

/// Whether a request may begin a session: it belongs to none. From the revision 2026-07-28 on there are none, and such a client says so;
/// what it says of itself is measured when it is read.
fn is_beginning(request: &Request<Incoming>) -> bool {
    let head = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    head("mcp-session-id").is_none()
        && head("mcp-protocol-version").is_none_or(|version| version < "2026-07-28")
}

/// A body that fails when it takes too long as a whole: some would never end.
struct InTime {
    body: Incoming,
    late: Pin<Box<Sleep>>,
}

impl InTime {
    fn new(body: Incoming) -> Self {
        Self { body, late: Box::pin(tokio::time::sleep(PATIENCE)) }
    }
}

impl Body for InTime {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => Poll::Ready(frame.map(|frame| frame.map_err(Into::into))),
            Poll::Pending => self.late.as_mut().poll(context).map(|()| Some(Err("it takes too long".into()))),
        }
    }
}

impl<R: Registry> fmt::Debug for HttpServer<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpServer")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .finish_non_exhaustive()
    }
}

impl<R: Registry> fmt::Debug for ListeningServer<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ListeningServer").field("address", &self.address).finish_non_exhaustive()
    }
}
