//! The same over HTTP, on this machine.

use std::net::SocketAddr;
use std::sync::Arc;

use polyloop::mcp::{HttpServer, McpError, Server};
use reqwest::StatusCode;
use reqwest::header::{HOST, ORIGIN};
use rmcp::ServiceExt as _;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::json;
use tokio::task::JoinHandle;

use super::support::{App, Shared, params, said, until};

/// Port 0 of the loopback address.
const HERE: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

fn http_client() -> reqwest::Client {
    // No connection here is encrypted, but a client is not made without somebody who could do it.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().no_proxy().build().unwrap()
}

struct Listening {
    address: SocketAddr,
    task: JoinHandle<Result<(), McpError>>,
    shared: Arc<Shared>,
}

impl Listening {
    async fn new(change: impl FnOnce(HttpServer<App>) -> HttpServer<App>) -> Self {
        let shared = Arc::new(Shared::default());
        let server = change(Server::<App>::new(shared.clone()).unwrap().http());
        let server = server.listen(HERE.into()).await.unwrap();
        Self { address: server.address(), task: tokio::spawn(server.serve()), shared }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    async fn client(&self) -> RunningService<RoleClient, ()> {
        let config = StreamableHttpClientTransportConfig::with_uri(self.url());
        ().serve(StreamableHttpClientTransport::with_client(http_client(), config)).await.unwrap()
    }

    /// What becomes of the beginning of a session with these headers.
    async fn status(&self, host: Option<&str>, origin: Option<&str>) -> StatusCode {
        let client_info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let mut request = http_client()
            .post(self.url())
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(body.to_string());
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        request.send().await.unwrap().status()
    }
}

#[tokio::test]
async fn tools_are_listed_and_called_over_http() {
    let listening = Listening::new(|server| server).await;
    let (one, other) = (listening.client().await, listening.client().await);
    assert_eq!(one.list_all_tools().await.unwrap().len(), 11);
    let added = one.call_tool(params("add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(added.structured_content, Some(json!({"sum": 3})));
    let panicked = other.call_tool(params("panics", json!({}))).await.unwrap();
    assert_eq!(said(&panicked), ("panicked: the handler gave up".to_owned(), true));
}

#[tokio::test]
async fn clients_at_the_same_time_share_the_state() {
    let listening = Listening::new(|server| server).await;
    let (one, other) = (listening.client().await, listening.client().await);
    let ada = one.call_tool(params("wait", json!({"who": "Ada"})));
    let bob = other.call_tool(params("wait", json!({"who": "Bob"})));
    let go_on = async {
        listening.shared.begun.notified().await;
        while listening.shared.noted().len() < 2 {
            tokio::task::yield_now().await;
        }
        listening.shared.go_on.notify_waiters();
    };
    let (ada, bob, ()) = futures_util::future::join3(ada, bob, go_on).await;
    assert!(
        said(&ada.unwrap()).0.starts_with("Ada waited") && said(&bob.unwrap()).0.starts_with("Bob waited")
    );
}

#[tokio::test]
async fn a_page_of_elsewhere_is_refused() {
    let listening = Listening::new(|server| server).await;
    let port = listening.address.port();
    for origin in ["https://example.org", "null", "http://localhost.example.org", "http://127.0.0.1.nip.io"] {
        assert_eq!(listening.status(None, Some(origin)).await, StatusCode::FORBIDDEN, "{origin}");
    }
    for host in ["example.org".to_owned(), format!("rebound.example.org:{port}")] {
        assert_eq!(listening.status(Some(&host), None).await, StatusCode::FORBIDDEN, "{host}");
    }
}

#[tokio::test]
async fn this_machine_is_let_in_by_each_of_its_names() {
    let listening = Listening::new(|server| server).await;
    assert_eq!(listening.status(None, None).await, StatusCode::OK);
    for name in ["localhost", "127.0.0.1", "[::1]"] {
        let (host, origin) = (format!("{name}:{}", listening.address.port()), format!("http://{name}:5173"));
        assert_eq!(listening.status(Some(&host), Some(&origin)).await, StatusCode::OK, "{name}");
    }
}

#[tokio::test]
async fn other_hosts_and_origins_are_let_in_by_name_only() {
    let allow =
        |server: HttpServer<App>| server.host("tools.example.org").origin("https://app.example.org:443");
    let listening = Listening::new(allow).await;
    let host = Some("tools.example.org");
    assert_eq!(listening.status(host, Some("https://app.example.org")).await, StatusCode::OK);
    assert_eq!(listening.status(host, Some("http://app.example.org")).await, StatusCode::FORBIDDEN);
    assert_eq!(listening.status(Some("example.org"), None).await, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn nothing_stands_under_another_path() {
    let listening = Listening::new(|server| server).await;
    let root = http_client().post(format!("http://{}/", listening.address)).send().await.unwrap();
    assert_eq!(root.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn other_machines_reach_it_only_where_that_is_said() {
    let server = || Server::<App>::new(Shared::default()).unwrap().http();
    let everywhere: SocketAddr = ([0, 0, 0, 0], 0).into();
    let refused = server().listen(everywhere).await.unwrap_err();
    assert_eq!(refused, McpError::NotLoopback { address: everywhere });
    assert!(server().beyond_this_machine().listen(everywhere).await.is_ok());
    let local = SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, 0));
    assert!(!matches!(server().listen(local).await, Err(McpError::NotLoopback { .. })));
}

#[tokio::test]
async fn sessions_end_with_their_server() {
    let listening = Listening::new(|server| server).await;
    let client = listening.client().await;
    let call = tokio::spawn(async move { client.call_tool(params("wait", json!({"who": "Ada"}))).await });
    listening.shared.begun.notified().await;
    listening.task.abort();
    until(&listening.shared, 3).await;
    assert_eq!(listening.shared.noted(), ["Ada began", "asked to stop", "dropped"]);
    call.abort();
}
