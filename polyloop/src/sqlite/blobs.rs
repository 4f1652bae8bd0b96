//! Large payloads: kept once, by their hash.

use rusqlite::{Connection, params};

/// From how many bytes on a payload is kept apart: about a page of the file.
const LARGE: usize = 4096;
const KEEP: &str = "INSERT INTO blobs (hash, content) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING";

/// Where a payload stands: in its row, or by its hash in another table.
pub(super) struct Place<'a> {
    pub(super) payload: Option<&'a str>,
    pub(super) blob: Option<Vec<u8>>,
}

/// Keeps a payload that is large, and says where it stands.
pub(super) fn place<'a>(connection: &Connection, payload: &'a str) -> rusqlite::Result<Place<'a>> {
    if payload.len() < LARGE {
        return Ok(Place { payload: Some(payload), blob: None });
    }
    let hash = hash(payload);
    connection.prepare_cached(KEEP)?.execute(params![hash, payload])?;
    Ok(Place { payload: None, blob: Some(hash) })
}

/// What a payload is kept by.
pub(super) fn hash(payload: &str) -> Vec<u8> {
    blake3::hash(payload.as_bytes()).as_bytes().to_vec()
}
