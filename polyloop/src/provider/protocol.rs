//! What one provider's interface is to a client.

use std::fmt;

use reqwest::Url;

use super::{Asked, Gathering, Options, ProviderError, Wanted};
use crate::error::ModelError;
use crate::event::Reply;

/// What does not depend on a client's options.
#[derive(Debug)]
pub struct Spec {
    /// The interface, as an identity names it.
    pub name: &'static str,
    /// The version of the bodies: another one where the same prompt and options give other bytes than before.
    pub version: u32,
    /// The name of the client's type.
    pub client: &'static str,
    /// The environment variables of the key and of the model's name, and of the base URL, which may be left out.
    pub variables: [&'static str; 3],
    /// Where the provider itself answers.
    pub base_url: &'static str,
    /// The header of the key, and what stands before the key in it.
    pub key: (&'static str, &'static str),
    /// Headers that each request has.
    pub headers: &'static [(&'static str, &'static str)],
    /// The members of a body that are written here.
    pub own_members: &'static [&'static str],
    /// How tools are written unless a client says otherwise.
    pub schemas: crate::dialect::SchemaReader,
}

/// An interface of a provider, such as [`ChatCompletions`](crate::ChatCompletions); only this library has some.
///
/// A client for another interface implements [`Model`](crate::Model).
pub trait Protocol: Sealed {}

impl<P: Sealed> Protocol for P {}

/// What a client needs to know of an interface. The options of its own are the fields of the type.
pub trait Sealed: Clone + Default + fmt::Debug + Send + Sync + 'static {
    /// What does not depend on options.
    const SPEC: Spec;

    /// A reply on its way.
    type Gathering: Gathering;

    /// Refuses options that cannot be sent, or not together.
    fn check(&self, options: &Options) -> Result<(), ProviderError> {
        let _ = options;
        Ok(())
    }

    /// Adds to a base URL what leads to the interface.
    fn endpoint(&self, url: &mut Url, options: &Options);

    /// Everything that decides over a body beside the prompt and the model's name, as JSON text.
    fn parameters(&self, options: &Options) -> String;

    /// The bytes of the body: a pure function.
    fn body(&self, options: &Options, asked: &Asked<'_>) -> Vec<u8>;

    /// Begins to read a stream.
    fn gather(&self, wanted: &Wanted) -> Self::Gathering;

    /// Reads an answer that came whole.
    fn whole(&self, wanted: &Wanted, text: &str) -> Result<Reply, ModelError>;
}
