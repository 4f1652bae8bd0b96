//! The options of a client.

use std::time::Duration;

use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use serde_json::Value;

use super::client::Inner;
use super::protocol::Protocol;
use super::secret::Secret;
use super::tools::ToolCache;
use super::transport::{Timeouts, Transport};
use super::{Client, Options, ProviderError, Wanted, endpoint};
use crate::dialect::SchemaReader;

/// Builds a [`Client`].
#[derive(Clone, Debug)]
pub struct ClientBuilder<P: Protocol> {
    base_url: Secret,
    key: Option<Secret>,
    headers: Vec<(String, Secret)>,
    options: Options,
    timeouts: Timeouts,
    pub(crate) protocol: P,
}

impl<P: Protocol> ClientBuilder<P> {
    pub(super) fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        let timeouts = Timeouts {
            connect: Duration::from_secs(10),
            idle: Some(Duration::from_mins(5)),
            whole: Some(Duration::from_mins(10)),
        };
        Self {
            base_url: Secret::new(base_url),
            key: None,
            headers: Vec::new(),
            options: Options::new(model.into(), &P::SPEC),
            timeouts,
            protocol: P::default(),
        }
    }

    /// Reads the environment through a function.
    pub(crate) fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ProviderError> {
        let [key, model, base_url] = P::SPEC.variables;
        match (variable(key), variable(model)) {
            (Some(key), Some(model)) => {
                let base_url = variable(base_url).filter(|url| !url.trim().is_empty());
                let base_url = base_url.unwrap_or_else(|| P::SPEC.base_url.to_owned());
                Ok(Self::new(base_url, model).key(key))
            }
            _ => Err(ProviderError::Missing {
                names: [key, model].into_iter().filter(|name| variable(name).is_none()).collect(),
            }),
        }
    }

    /// Sets the key, sent in the provider's header for it. An empty one is none, as local servers have it.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(Secret::new(key)).filter(|key| !key.is_empty());
        self
    }

    /// Adds a header to each request. Its value is kept as secret as the key.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), Secret::new(value)));
        self
    }

    /// Sets the temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.options.temperature = Some(temperature);
        self
    }

    /// Sets how many tokens a reply may have, under the interface's own name for it.
    #[must_use]
    pub fn max_tokens(mut self, most: u32) -> Self {
        self.options.max_tokens = Some(most);
        self
    }

    /// Sets how tools are written; as the provider of the interface reads them unless set. Servers of others that speak
    /// the same interface may read less, or more: see [`SchemaReader`].
    #[must_use]
    pub fn schemas(mut self, reader: SchemaReader) -> Self {
        self.options.schemas = reader;
        self
    }

    /// Adds a member of the server's own to each body, such as `top_p`. It is no place for a secret: journals keep what is
    /// set here.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.options.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets whether the server sends the reply piece by piece; it does unless set.
    #[must_use]
    pub fn streaming(mut self, stream: bool) -> Self {
        self.options.stream = stream;
        self
    }

    /// Sets how long a connection may take; 10 seconds unless set.
    #[must_use]
    pub fn connect_timeout(mut self, wait: Duration) -> Self {
        self.timeouts.connect = wait;
        self
    }

    /// Sets how long the server may send nothing while it streams; 5 minutes unless set, none for no limit. That
    /// holds for the time before the first piece as well. Without streaming there is no such limit.
    #[must_use]
    pub fn idle_timeout(mut self, wait: impl Into<Option<Duration>>) -> Self {
        self.timeouts.idle = wait.into();
        self
    }

    /// Sets how long a request may take from its first byte to its last; 10 minutes unless set, none for no limit.
    #[must_use]
    pub fn timeout(mut self, wait: impl Into<Option<Duration>>) -> Self {
        self.timeouts.whole = wait.into();
        self
    }

    pub(crate) fn parallel(mut self, parallel: bool) -> Self {
        self.options.parallel_tool_calls = Some(parallel);
        self
    }

    /// Sets the version of the bodies.
    pub(crate) fn version(mut self, version: u32) -> Self {
        self.options.body_version = version;
        self
    }

    /// Builds the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// When the URL, the key, a header or a parameter cannot be sent, or there can be no TLS.
    pub fn build(self) -> Result<Client<P>, ProviderError> {
        let Self { base_url, key, headers: own_headers, options, mut timeouts, protocol } = self;
        options.check(&P::SPEC)?;
        protocol.check(&options)?;
        let base = endpoint::base(base_url.reveal())?;
        let mut url = base.clone();
        protocol.endpoint(&mut url, &options);
        let headers = headers(&P::SPEC, key.as_ref(), &own_headers)?;
        if !options.stream {
            timeouts.idle = None;
        }
        let host = base.host_str().unwrap_or_default();
        let wanted = Wanted { provider: format!("{} {host} {}", P::SPEC.name, options.model).into() };
        Ok(Client::of(Inner {
            protocol,
            options,
            wanted,
            shown_url: endpoint::shown(&url),
            server: endpoint::server(&url),
            secrets: key
                .into_iter()
                .chain(own_headers.into_iter().map(|(_, value)| value))
                .chain(endpoint::in_query(&base))
                .collect(),
            tools: ToolCache::default(),
            transport: Transport::new(url, headers, timeouts)?,
        }))
    }
}

/// The headers of each request.
fn headers(
    spec: &super::Spec,
    key: Option<&Secret>,
    own: &[(String, Secret)],
) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    for (name, value) in spec.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = key {
        let (name, prefix) = spec.key;
        let value = key.header(prefix).ok_or(ProviderError::InvalidKey)?;
        headers.insert(HeaderName::from_static(name), value);
    }
    for (name, value) in own {
        let refuse = |reason| ProviderError::Header { name: name.clone(), reason };
        let parsed: HeaderName = name.parse().map_err(|_| refuse("is no name of a header"))?;
        if [CONTENT_TYPE, CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, HOST].contains(&parsed) {
            return Err(refuse("belongs to the transport; leave it out"));
        }
        let value = value.header("").ok_or_else(|| refuse("has a value that no header takes"))?;
        headers.insert(parsed, value);
    }
    Ok(headers)
}
