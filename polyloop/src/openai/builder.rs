//! The options of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{
    AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    TRANSFER_ENCODING,
};
use serde_json::Value;

use super::error::OpenAiError;
use super::request::{DeveloperRole, Header, OWN_MEMBERS, ResponseFormat};
use super::secret::Secret;
use super::transport::{Timeouts, Transport};
use super::{Inner, OpenAi};

/// The environment variables, in the order in which they are missed.
pub(super) const VARIABLES: [&str; 3] = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"];

/// Builds an [`OpenAi`].
#[derive(Clone, Debug)]
pub struct OpenAiBuilder {
    base_url: Secret,
    key: Option<Secret>,
    headers: Vec<(String, Secret)>,
    header: Header,
    timeouts: Timeouts,
}

impl OpenAiBuilder {
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
            header: Header::new(model.into()),
            timeouts,
        }
    }

    /// Reads the environment through a function.
    pub(super) fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, OpenAiError> {
        let [key, base_url, model] = VARIABLES.map(&variable);
        match (key, base_url, model) {
            (Some(key), Some(base_url), Some(model)) => Ok(Self::new(base_url, model).key(key)),
            _ => Err(OpenAiError::Missing {
                names: VARIABLES.into_iter().filter(|name| variable(name).is_none()).collect(),
            }),
        }
    }

    /// Sets the key, sent as `Authorization: Bearer …`. An empty one is none, as local servers have it.
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

    /// Sets under which role the developer's messages are sent; `system` unless set, which every server knows.
    #[must_use]
    pub fn developer_role(mut self, role: DeveloperRole) -> Self {
        self.header.developer_role = role;
        self
    }

    /// Sets the temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.header.temperature = Some(temperature);
        self
    }

    /// Sets the seed of the sampling.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.header.seed = Some(seed);
        self
    }

    /// Sets how many tokens a reply may have, as `max_tokens`.
    #[must_use]
    pub fn max_tokens(mut self, most: u32) -> Self {
        self.header.max_tokens = Some(most);
        self
    }

    /// Sets how many tokens a reply may have, thoughts included, as `max_completion_tokens`: the newer name, which
    /// reasoning models of OpenAI ask for and other servers may not know.
    #[must_use]
    pub fn max_completion_tokens(mut self, most: u32) -> Self {
        self.header.max_completion_tokens = Some(most);
        self
    }

    /// Sets what form the reply's text must have.
    #[must_use]
    pub fn response_format(mut self, format: ResponseFormat) -> Self {
        self.header.response_format = Some(format);
        self
    }

    /// Sets whether one reply may hold several calls; the server's own choice unless set.
    #[must_use]
    pub fn parallel_tool_calls(mut self, parallel: bool) -> Self {
        self.header.parallel_tool_calls = Some(parallel);
        self
    }

    /// Adds a member of the server's own to each body, such as `reasoning_effort` or `top_p`. It is no place for a
    /// secret: journals keep what is set here.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.header.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets whether the server sends the reply piece by piece; it does unless set.
    #[must_use]
    pub fn streaming(mut self, stream: bool) -> Self {
        self.header.stream = stream;
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

    /// Builds the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// When the URL, the key, a header or a parameter cannot be sent, or there can be no TLS.
    pub fn build(self) -> Result<OpenAi, OpenAiError> {
        self.header.check()?;
        let url = endpoint(self.base_url.reveal())?;
        let mut headers =
            HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.header("Bearer ").ok_or(OpenAiError::InvalidKey)?);
        }
        for (name, value) in &self.headers {
            let refuse = |reason| OpenAiError::Header { name: name.clone(), reason };
            let parsed: HeaderName = name.parse().map_err(|_| refuse("is no name of a header"))?;
            if [CONTENT_TYPE, CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, HOST].contains(&parsed) {
                return Err(refuse("belongs to the transport; leave it out"));
            }
            let value = value.header("").ok_or_else(|| refuse("has a value that no header takes"))?;
            headers.insert(parsed, value);
        }
        let mut timeouts = self.timeouts;
        if !self.header.stream {
            timeouts.idle = None;
        }
        let secrets = self.key.into_iter().chain(self.headers.into_iter().map(|(_, value)| value));
        let inner = Inner {
            shown_url: shown(&url),
            server: server(&url),
            header: self.header,
            secrets: secrets.collect(),
            transport: Transport::new(url, headers, timeouts)?,
        };
        Ok(OpenAi(Arc::new(inner)))
    }
}

impl Header {
    fn new(model: String) -> Self {
        Self {
            model,
            developer_role: DeveloperRole::default(),
            temperature: None,
            seed: None,
            max_tokens: None,
            max_completion_tokens: None,
            parallel_tool_calls: None,
            response_format: None,
            stream: true,
            parameters: Vec::new(),
        }
    }

    fn check(&self) -> Result<(), OpenAiError> {
        if self.model.trim().is_empty() {
            return Err(OpenAiError::EmptyModel);
        }
        let refuse = |name: &str, reason| Err(OpenAiError::Parameter { name: name.to_owned(), reason });
        if self.temperature.is_some_and(|temperature| !temperature.is_finite()) {
            return refuse("temperature", "is no finite number");
        }
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        for (position, name) in names.iter().enumerate() {
            if OWN_MEMBERS.contains(name) {
                return refuse(name, "is written by the client; use its own option");
            }
            if names.iter().take(position).any(|earlier| earlier == name) {
                return refuse(name, "is set twice; keep one");
            }
        }
        Ok(())
    }
}

/// The URL of the chat completions below a base URL.
fn endpoint(base: &str) -> Result<Url, OpenAiError> {
    let refuse = |reason| Err(OpenAiError::BaseUrl { reason });
    let Ok(mut url) = Url::parse(base.trim()) else {
        return refuse("cannot be read; write one such as `https://api.openai.com/v1`");
    };
    if !["http", "https"].contains(&url.scheme()) {
        return refuse("is neither `http` nor `https`");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("holds a user or a password; pass a key or a header instead");
    }
    url.set_fragment(None);
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["chat", "completions"]);
    }
    Ok(url)
}

/// The URL without its query, which may hold a key.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// Which server it is: two of them may know different models by one name.
fn server(url: &Url) -> String {
    shown(url).split_once("://").map_or_else(String::new, |(_, server)| server.to_owned())
}

impl fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("OpenAi");
        debug.field("url", &self.shown_url).field("model", &self.header.model);
        debug.finish_non_exhaustive()
    }
}
