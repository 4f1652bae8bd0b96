//! What a tool that `mcp_tools!` declares does when it is called.

use std::time::Duration;

use super::client::{Client, PinnedServer};
use crate::tool::{Arguments, Prepared, Provide, ToolReturn, WrittenObject};

/// Takes the arguments, and keeps the call until it is made. `timeout` is that of the tool.
#[doc(hidden)]
pub fn remote_call<S: ?Sized + Provide<Client<P>>, P: PinnedServer>(
    arguments: &mut Arguments<'_>,
    name: &'static str,
    timeout: Option<Duration>,
) -> Option<Prepared<S>> {
    let taken = arguments.take::<WrittenObject>();
    arguments.finish()?;
    let taken = taken?;
    Prepared::new(move |state: &S, call| {
        let client = Provide::<Client<P>>::provide(state);
        Box::pin(async move { client.call(name, taken, timeout, call).await.into_returned() })
    })
}
