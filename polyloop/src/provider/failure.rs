//! Classifies what servers say when there is no reply.
//!
//! The status comes first, then the error's own code and type, then its words: what means the same is worded by each
//! server in its own way, and some send it with a status that says something else.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::error::{ModelError, ModelErrorClass as Class};

/// Codes and types of a prompt that is too long: those of OpenAI and of llama.cpp.
const TOO_LONG: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];
/// How servers word it that have no code for it: OpenAI and vLLM, llama.cpp, Ollama, Anthropic, Gemini.
const TOO_LONG_WORDS: [&str; 7] = [
    "maximum context length",
    "context size",
    "context window",
    "context length",
    "prompt is too long",
    "input is too long",
    "exceeds the maximum number of tokens",
];
/// Codes and types of content that is not wanted: those of Azure and of OpenAI.
const REFUSED: [&str; 3] = ["content_filter", "content_policy_violation", "moderation_blocked"];
/// Codes and types of an account that may not ask, whatever the status is.
const NO_ACCESS: [&str; 6] = [
    "invalid_api_key",
    "api_key_invalid",
    "insufficient_quota",
    "authentication_error",
    "permission_error",
    "billing_error",
];

/// What an error says, wherever it stands.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    message: String,
    /// The code, the type and the reasons, in small letters.
    codes: Vec<String>,
    /// Some servers repeat the status, or send it in place of a code.
    status: Option<u16>,
    /// How long to wait.
    wait: Option<Duration>,
}

impl Said {
    /// Reads a body: `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}`, or no JSON at all.
    fn of(body: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(body) else {
            return Self { message: body.trim().to_owned(), ..Self::default() };
        };
        // Some send a list of one.
        let value = value.get(0).cloned().unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(&value);
        if let Some(text) = error.as_str() {
            return Self { message: text.to_owned(), ..Self::default() };
        }
        let message = ["message", "detail"].iter().find_map(|name| error.get(*name));
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let details = || error.get("details").and_then(Value::as_array).into_iter().flatten();
        let member = |value: &'_ Value, name: &str| Some(value.get(name)?.as_str()?.to_lowercase());
        let mut codes: Vec<String> = ["code", "type"].iter().filter_map(|name| member(error, name)).collect();
        codes.extend(details().filter_map(|detail| member(detail, "reason")));
        // A duration in the form of Google's interfaces: `37.5s`.
        let seconds =
            details().find_map(|detail| member(detail, "retryDelay")?.strip_suffix('s')?.parse().ok());
        let status = error.get("code").or_else(|| error.get("status")).and_then(|code| {
            code.as_u64().or_else(|| code.as_str()?.parse().ok()).and_then(|code| u16::try_from(code).ok())
        });
        Self {
            message: message.map_or_else(|| error.to_string(), text),
            codes,
            status,
            wait: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }

    fn has(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }

    fn class(&self, status: Option<u16>) -> Class {
        let words = self.message.to_lowercase();
        // A limit of requests may be worded with tokens and contexts as well.
        let may_be_long = !matches!(status, Some(401 | 402 | 403 | 429));
        if self.has(&TOO_LONG) || (may_be_long && TOO_LONG_WORDS.iter().any(|said| words.contains(said))) {
            return Class::ContextTooLong;
        }
        if self.has(&REFUSED) || (status == Some(403) && words.contains("moderation")) {
            return Class::ContentRefused;
        }
        if self.has(&NO_ACCESS) {
            return Class::Authorisation;
        }
        if self.has(&["overloaded", "overloaded_error", "server_overloaded"]) {
            return Class::Overloaded;
        }
        match status {
            Some(401..=403) => Class::Authorisation,
            Some(408 | 504) => Class::Timeout,
            Some(413) => Class::ContextTooLong,
            Some(429) => Class::RateLimited,
            Some(503 | 529) => Class::Overloaded,
            Some(400..=499) => Class::BadRequest,
            Some(500..) => Class::Server,
            // It answers to no request for other data, so it is none of our interfaces.
            Some(_) => Class::Protocol,
            None if self.has(&["rate_limit_exceeded", "rate_limit_error"]) => Class::RateLimited,
            None if self.has(&["invalid_request_error"]) => Class::BadRequest,
            None => Class::Server,
        }
    }
}

/// Classifies an answer whose status says that there is no reply.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &str) -> ModelError {
    let said = Said::of(body);
    let class = said.class(Some(status.as_u16()));
    let message = if said.message.is_empty() {
        format!("status {status}")
    } else {
        format!("status {}: {}", status.as_u16(), said.message)
    };
    let error = ModelError::new(class, message);
    match retry_after(headers, SystemTime::now()).or(said.wait) {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
}

/// Classifies an error that stands in an answer or in a stream whose status says success.
pub(crate) fn of_answer(error: &str) -> ModelError {
    let said = Said::of(error);
    let status = said.status.filter(|status| (400..600).contains(status));
    let (class, wait) = (said.class(status), said.wait);
    let error = ModelError::new(class, said.message);
    match wait {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
}

/// How long to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3).
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let wait = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
    if let Some(known) = number("retry-after-ms").and_then(|milliseconds| wait(milliseconds / 1_000.0)) {
        return Some(known);
    }
    if let Some(seconds) = number("retry-after") {
        return wait(seconds);
    }
    let date = httpdate::parse_http_date(text("retry-after")?).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::StatusCode;
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{Class, of_answer, of_status, retry_after};

    fn class(status: u16, body: &str) -> Class {
        of_status(StatusCode::from_u16(status).unwrap_or_default(), &HeaderMap::new(), body).class()
    }

    #[test]
    fn a_status_has_its_class() {
        for (status, expected) in [
            (301, Class::Protocol),
            (400, Class::BadRequest),
            (401, Class::Authorisation),
            (402, Class::Authorisation),
            (403, Class::Authorisation),
            (404, Class::BadRequest),
            (408, Class::Timeout),
            (413, Class::ContextTooLong),
            (422, Class::BadRequest),
            (429, Class::RateLimited),
            (500, Class::Server),
            (502, Class::Server),
            (503, Class::Overloaded),
            (504, Class::Timeout),
            (529, Class::Overloaded),
        ] {
            for body in ["", "<html>no</html>", r#"{"error":{"message":"no"}}"#, "[]", "null"] {
                assert_eq!(class(status, body), expected, "{status} {body}");
            }
        }
    }

    #[test]
    fn what_servers_say_is_told_apart() {
        for (status, body, expected) in [
            // OpenAI
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
                Class::ContextTooLong,
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                Class::Authorisation,
            ),
            (
                429,
                r#"{"error":{"message":"Request too large: reduce the context length","code":"rate_limit_exceeded"}}"#,
                Class::RateLimited,
            ),
            // vLLM
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}"#,
                Class::ContextTooLong,
            ),
            // llama.cpp
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":512}}"#,
                Class::ContextTooLong,
            ),
            (
                503,
                r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
                Class::Overloaded,
            ),
            // Ollama, and what validates as FastAPI does
            (404, r#"{"error":"model 'x' not found"}"#, Class::BadRequest),
            (422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, Class::BadRequest),
            // Azure, and OpenRouter
            (400, r#"{"error":{"message":"filtered","code":"content_filter"}}"#, Class::ContentRefused),
            (
                403,
                r#"{"error":{"code":403,"message":"the model requires moderation"}}"#,
                Class::ContentRefused,
            ),
        ] {
            assert_eq!(class(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn an_error_inside_an_answer_is_classified_by_its_code() {
        for (error, expected, message) in [
            (r#"{"code":429,"message":"slow"}"#, Class::RateLimited, "slow"),
            (r#"{"code":"502","message":"gone"}"#, Class::Server, "gone"),
            (r#"{"type":"overloaded_error","message":"busy"}"#, Class::Overloaded, "busy"),
            (r#"{"type":"invalid_request_error","message":"no"}"#, Class::BadRequest, "no"),
            (r#"{"code":"context_length_exceeded","message":"long"}"#, Class::ContextTooLong, "long"),
            (r#""it broke""#, Class::Server, "it broke"),
            (r#"{"code":7}"#, Class::Server, r#"{"code":7}"#),
        ] {
            let error = of_answer(error);
            assert_eq!((error.class(), error.message()), (expected, message));
        }
    }

    #[test]
    fn advice_is_read_in_each_form_and_nonsense_is_none() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let wait = |name: &'static str, value: &str| {
            let value = HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(""));
            retry_after(&HeaderMap::from_iter([(HeaderName::from_static(name), value)]), now)
        };
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(wait("retry-after", "20"), seconds(20));
        assert_eq!(wait("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("retry-after-ms", "1500"), Some(Duration::from_millis(1_500)));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"), seconds(60));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), seconds(0));
        let both = [("retry-after-ms", "-1"), ("retry-after", "20")]
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        assert_eq!(retry_after(&HeaderMap::from_iter(both), now), seconds(20), "one of two is enough");
        for nonsense in ["", "soon", "-1", "NaN", "inf", "1e300"] {
            assert_eq!(wait("retry-after", nonsense), None, "{nonsense}");
        }
    }
}
