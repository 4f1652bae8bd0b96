//! What a tool that `mcp_tools!` declares does when it is called.

use serde_json::{Map, Value};

use super::client::{Client, PinnedServer};
use crate::tool::{Arguments, Prepared, Provide, ToolReturn};

/// Takes the arguments, and keeps the call until it is made.
#[doc(hidden)]
pub fn remote_call<S: ?Sized + Provide<Client<P>>, P: PinnedServer>(
    arguments: &mut Arguments<'_>,
    name: &'static str,
) -> Option<Prepared<S>> {
    let taken = arguments.take::<Map<String, Value>>();
    arguments.finish()?;
    let taken = taken?;
    Prepared::new(move |state: &S, call| {
        let client = Provide::<Client<P>>::provide(state);
        Box::pin(async move { client.call(name, taken, call).await.into_returned() })
    })
}
