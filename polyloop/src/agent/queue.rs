//! Notes that wait for the next input of a session.

use super::definition::Definition;
use super::driver::Driver;
use super::open::{Opened, open};
use super::request::Further;
use crate::error::RunError;
use crate::event::{Event, RecordedFragment};
use crate::journal::{Durability, SessionId};
use crate::registry::Registry;

/// Queues a note in a session that rests. Nothing else is written, and no run begins.
pub(super) async fn queue<R: Registry>(
    definition: &Definition<R>,
    session: SessionId,
    fragment: RecordedFragment,
) -> Result<(), RunError> {
    let journal = definition.journal_of(&session)?;
    let new = || RunError::NewSession { session: session.to_string() };
    let opened = open(definition, journal, session.clone(), Further(&session)).await?;
    let Opened { mut writer, mirror, .. } = opened.ok_or_else(new)?;
    let mut session = mirror.session().twin().journaled();
    if writer.has_new_lease() {
        session.append(Event::LeaseTaken {});
    }
    session.queue_note(fragment);
    Ok(writer.append(session.unwritten(), Durability::Barrier).await?)
}

impl<R: Registry> Driver<R> {
    /// Queues a note while the run rests.
    pub(super) async fn queue(&mut self, fragment: RecordedFragment) -> Result<(), RunError> {
        self.take_over().await?;
        self.record_lease();
        self.session.queue_note(fragment);
        Ok(())
    }
}
