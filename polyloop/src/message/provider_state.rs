//! What only a provider can read of its own reply.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A state that only its provider can read, such as signed or encrypted reasoning. It goes back with the reply that it came
/// with, to the same provider and to nobody else.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProviderState {
    provider: Arc<str>,
    data: Arc<str>,
}

impl ProviderState {
    /// Makes a state of the provider's name, by which its client knows it again, and the data, which it alone reads.
    #[must_use]
    pub fn new(provider: impl Into<Arc<str>>, data: impl Into<Arc<str>>) -> Self {
        Self { provider: provider.into(), data: data.into() }
    }

    /// Returns the provider's name.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Returns the data.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }
}

impl fmt::Debug for ProviderState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nobody can read the data.
        write!(formatter, "ProviderState({}, {} bytes)", self.provider, self.data.len())
    }
}
