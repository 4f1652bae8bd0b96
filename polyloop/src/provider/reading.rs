//! Reads replies without a network, for tests and fuzz targets.

use super::{Gathered, Protocol, Wanted};
use crate::error::ModelError;
use crate::event::Reply;
use crate::model::Deltas;

/// The provider that state in a reply is kept for.
const PROVIDER: &str = "test";

/// Reads the reply in the bytes of an event stream, which arrive in chunks and end with the connection.
///
/// # Errors
///
/// When there is no complete reply in them.
pub fn read_stream<'a, P: Protocol>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<Reply, ModelError> {
    let mut gathered = Gathered::new(P::default().gather(&Wanted { provider: PROVIDER.into() }));
    let deltas = Deltas::new(|_| {});
    for chunk in chunks {
        gathered.take(chunk, &deltas)?;
        if gathered.is_done() {
            break;
        }
    }
    gathered.finish()
}

/// Reads the reply in a body that is no stream.
///
/// # Errors
///
/// When there is no complete reply in it.
pub fn read_whole<P: Protocol>(body: &str) -> Result<Reply, ModelError> {
    P::default().whole(&Wanted { provider: PROVIDER.into() }, body)
}
