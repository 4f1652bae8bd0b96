//! Where requests go.

use reqwest::Url;

use super::ProviderError;
use super::secret::Secret;

/// Reads a base URL.
pub(super) fn base(base: &str) -> Result<Url, ProviderError> {
    let refuse = |reason| Err(ProviderError::BaseUrl { reason });
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
    Ok(url)
}

/// Adds the steps of a path.
pub(crate) fn below<'s>(url: &mut Url, steps: impl IntoIterator<Item = &'s str>) {
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(steps);
    }
}

/// The URL without its query, which may hold a key.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// The values of the URL's query, as they are and as they are written: one may be a key.
pub(super) fn in_query(url: &Url) -> impl Iterator<Item = Secret> {
    let written = url.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let written = written.map(|(_, value)| Secret::new(value));
    written.chain(url.query_pairs().map(|(_, value)| Secret::new(value)))
}

/// Which server it is: two of them may know different models by one name.
pub(super) fn server(url: &Url) -> String {
    shown(url).split_once("://").map_or_else(String::new, |(_, server)| server.to_owned())
}
