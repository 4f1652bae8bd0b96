//! What clients and servers connect over.

use rmcp::service::{RoleClient, RoleServer, ServiceRole};
use rmcp::transport::async_rw::{TransportAdapterAsyncCombinedRW, TransportAdapterAsyncRW};
use rmcp::transport::sink_stream::{self, TransportAdapterSinkStream};
use rmcp::transport::{IntoTransport, Transport, TransportAdapterIdentity};
use tokio::io::{AsyncRead, AsyncWrite};

use super::lines::Lines;

/// A transport: a reader and a writer, such as the streams of a child process; one stream that is both; or a transport of the SDK.
///
/// `Role` is that of this side. `A` tells the kinds of transports apart and is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no transport",
    label = "not a transport",
    note = "give a pair of a reader and a writer, such as the streams of a child process, or a transport of `rmcp`"
)]
pub trait McpTransport<Role: ServiceRole, A>: Send + 'static {
    /// Whether arguments are carried as they are written. A transport of the SDK keeps a number as an `f64` or a 64-bit integer.
    #[doc(hidden)]
    const IS_EXACT: bool;

    #[doc(hidden)]
    fn into_mcp_transport(self) -> impl Transport<Role> + 'static;
}

/// Takes streams.
macro_rules! over_lines {
    ($($role:ty),*) => { $(
        impl<R, W> McpTransport<$role, TransportAdapterAsyncRW> for (R, W)
        where
            R: AsyncRead + Send + Unpin + 'static,
            W: AsyncWrite + Send + Unpin + 'static,
        {
            const IS_EXACT: bool = true;

            fn into_mcp_transport(self) -> impl Transport<$role> + 'static {
                Lines::<$role, _, _>::new(self.0, self.1)
            }
        }

        impl<S> McpTransport<$role, TransportAdapterAsyncCombinedRW> for S
        where
            S: AsyncRead + AsyncWrite + Send + 'static,
        {
            const IS_EXACT: bool = true;

            fn into_mcp_transport(self) -> impl Transport<$role> + 'static {
                let (reader, writer) = tokio::io::split(self);
                Lines::<$role, _, _>::new(reader, writer)
            }
        }
    )* };
}

/// Takes what the SDK takes by one of its own markers.
macro_rules! of_the_sdk {
    ($($marker:ty),* $(,)?) => { $(
        impl<Role, T, E> McpTransport<Role, (E, $marker)> for T
        where
            Role: ServiceRole,
            T: IntoTransport<Role, E, $marker>,
            E: std::error::Error + Send + Sync + 'static,
        {
            const IS_EXACT: bool = false;

            fn into_mcp_transport(self) -> impl Transport<Role> + 'static {
                self.into_transport()
            }
        }
    )* };
}

over_lines!(RoleClient, RoleServer);
of_the_sdk!(
    TransportAdapterIdentity,
    TransportAdapterSinkStream,
    sink_stream::TransportAdapterAsyncCombinedRW,
);
#[cfg(feature = "mcp-http")]
of_the_sdk!(rmcp::transport::worker::WorkerAdapter);
