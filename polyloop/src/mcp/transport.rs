//! What a client of a pinned server connects over.

use rmcp::service::RoleClient;
use rmcp::transport::async_rw::{TransportAdapterAsyncCombinedRW, TransportAdapterAsyncRW};
use rmcp::transport::sink_stream::{self, TransportAdapterSinkStream};
use rmcp::transport::{IntoTransport, Transport, TransportAdapterIdentity};
use tokio::io::{AsyncRead, AsyncWrite};

use super::lines::Lines;

/// A transport to a server: a reader and a writer, such as the streams of a child process; one stream that is both; or a
/// transport of the SDK.
///
/// `A` tells these apart and is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no transport to a server",
    label = "not a transport",
    note = "give a pair of a reader and a writer, such as the streams of a child process, or a transport of `rmcp`"
)]
pub trait ServerTransport<A>: Send + 'static {
    /// Whether arguments are sent as they are written. A transport of the SDK keeps a number as an `f64` or a 64-bit integer.
    #[doc(hidden)]
    const IS_EXACT: bool;

    #[doc(hidden)]
    fn into_server_transport(self) -> impl Transport<RoleClient> + 'static;
}

impl<R, W> ServerTransport<TransportAdapterAsyncRW> for (R, W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    const IS_EXACT: bool = true;

    fn into_server_transport(self) -> impl Transport<RoleClient> + 'static {
        Lines::<RoleClient, _, _>::new(self.0, self.1)
    }
}

impl<S: AsyncRead + AsyncWrite + Send + 'static> ServerTransport<TransportAdapterAsyncCombinedRW> for S {
    const IS_EXACT: bool = true;

    fn into_server_transport(self) -> impl Transport<RoleClient> + 'static {
        let (reader, writer) = tokio::io::split(self);
        Lines::<RoleClient, _, _>::new(reader, writer)
    }
}

/// Takes what the SDK takes by one of its own markers.
macro_rules! of_the_sdk {
    ($($marker:ty),* $(,)?) => { $(
        impl<T, E> ServerTransport<(E, $marker)> for T
        where
            T: IntoTransport<RoleClient, E, $marker>,
            E: std::error::Error + Send + Sync + 'static,
        {
            const IS_EXACT: bool = false;

            fn into_server_transport(self) -> impl Transport<RoleClient> + 'static {
                self.into_transport()
            }
        }
    )* };
}

of_the_sdk!(
    TransportAdapterIdentity,
    TransportAdapterSinkStream,
    sink_stream::TransportAdapterAsyncCombinedRW,
);
#[cfg(feature = "mcp-http")]
of_the_sdk!(rmcp::transport::worker::WorkerAdapter);
