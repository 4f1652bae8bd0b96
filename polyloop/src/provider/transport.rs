//! Sends a body and reads what comes back.

use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response, Url, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::protocol::Protocol;
use super::{Gathered, Gathering, ProviderError, Wanted, failure};
use crate::error::{ModelError, ModelErrorClass as Class};
use crate::event::Reply;
use crate::model::Deltas;

/// An answer is read up to here, in bytes; nothing that a model writes is longer.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Of an answer that is an error this much is read, in bytes.
const MOST_ERROR_BYTES: usize = 64 * 1024;

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub(super) connect: Duration,
    pub(super) idle: Option<Duration>,
    pub(super) whole: Option<Duration>,
}

/// A connection to one server.
pub(super) struct Transport {
    client: Client,
    url: Url,
    /// Key and other headers; never in a body.
    headers: HeaderMap,
}

impl Transport {
    pub(super) fn new(url: Url, headers: HeaderMap, timeouts: Timeouts) -> Result<Self, ProviderError> {
        let mut builder = Client::builder()
            .tls_backend_preconfigured(tls(&url)?)
            .connect_timeout(timeouts.connect)
            // The key goes to the server that was named, and to no other.
            .redirect(redirect::Policy::none());
        if let Some(idle) = timeouts.idle {
            builder = builder.read_timeout(idle);
        }
        if let Some(whole) = timeouts.whole {
            builder = builder.timeout(whole);
        }
        if is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| ProviderError::Tls { reason: chain(error) })?;
        Ok(Self { client, url, headers })
    }

    /// Sends a body; gives the reply, or says why there is none.
    pub(super) async fn send<P: Protocol>(
        &self,
        protocol: &P,
        wanted: &Wanted,
        body: Vec<u8>,
        deltas: &Deltas,
    ) -> Result<Reply, ModelError> {
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            // What is there of the explanation is enough, also if it is cut.
            let mut body = Vec::new();
            while let Ok(Some(chunk)) = response.chunk().await
                && body.len() < MOST_ERROR_BYTES
            {
                body.extend_from_slice(&chunk);
            }
            body.truncate(MOST_ERROR_BYTES);
            return Err(failure::of_status(status, &headers, &String::from_utf8_lossy(&body)));
        }
        if is_stream(response.headers()) {
            streamed(response, Gathered::new(protocol.gather(wanted)), deltas).await
        } else {
            protocol.whole(wanted, &whole(response).await?)
        }
    }
}

/// What the server says that it is counts: some do not stream although they are asked to.
fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

async fn streamed<G: Gathering>(
    mut response: Response,
    mut gathering: Gathered<G>,
    deltas: &Deltas,
) -> Result<Reply, ModelError> {
    let mut read = 0;
    while !gathering.is_done() {
        match response.chunk().await {
            Ok(Some(bytes)) => {
                read = more(read, bytes.len())?;
                gathering.take(&bytes, deltas)?;
            }
            Ok(None) => break,
            // Only what follows the end is lost.
            Err(_) if gathering.is_finished() => break,
            Err(error) => return Err(failed(error)),
        }
    }
    gathering.finish()
}

async fn whole(mut response: Response) -> Result<String, ModelError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(failed)? {
        more(body.len(), bytes.len())?;
        body.extend_from_slice(&bytes);
    }
    String::from_utf8(body)
        .map_err(|_| ModelError::new(Class::Protocol, "the answer cannot be read: it is no UTF-8 text"))
}

fn more(read: usize, more: usize) -> Result<usize, ModelError> {
    let sum = read.saturating_add(more);
    if sum > MOST_BYTES {
        return Err(ModelError::new(Class::Protocol, format!("the answer has more than {MOST_BYTES} bytes")));
    }
    Ok(sum)
}

/// Tells a time-out from another failure of the connection.
fn failed(error: reqwest::Error) -> ModelError {
    let class = if error.is_timeout() { Class::Timeout } else { Class::Transport };
    ModelError::new(class, chain(error))
}

/// An error with its causes. The URL is left out: the one of a server may hold what is nobody's business.
fn chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// TLS as the operating system trusts it. Plain HTTP needs none, and so no certificates either.
fn tls(url: &Url) -> Result<ClientConfig, ProviderError> {
    let refused = |error: rustls::Error| ProviderError::Tls { reason: error.to_string() };
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(refused)?;
    if url.scheme() == "http" {
        return Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    Ok(builder.with_platform_verifier().map_err(refused)?.with_no_client_auth())
}

/// Whether the server is this machine: no proxy could reach it.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
