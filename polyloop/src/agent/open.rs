//! A session taken from its journal: read, checked, folded.

use std::sync::Arc;

use super::definition::{Definition, differing, shape_prompts};
use super::lineage::{Ancestor, ancestors};
use super::mirror::Mirror;
use super::redacted::Redactions;
use super::state::RunState;
use super::writer::Writer;
use crate::error::{JournalError, RunError};
use crate::event::Definitions;
use crate::journal::{DynJournal, ERASED, Head, MemoryJournal, REDACTED, Record, SessionId, tombstone};
use crate::registry::Registry;
use crate::session::Session;

/// A session as its journal has it.
pub(super) struct Opened<R: Registry> {
    pub(super) writer: Writer,
    pub(super) mirror: Mirror<R>,
    pub(super) state: RunState,
    /// The parts of the definition in which the last run was another one.
    pub(super) changed: Vec<String>,
}

/// For what a session is opened.
pub(super) trait Purpose {
    /// Which parts of the last run's definition are others now, or that this will not do.
    fn changed(&self, from: &Definitions, now: &Definitions) -> Result<Vec<String>, RunError>;

    /// Whether it is going to be written, or that it must not be.
    fn writes(&self, state: &RunState) -> Result<bool, RunError>;

    /// Whether somebody who is going on there is stopped.
    fn takes_over(&self) -> bool {
        false
    }

    /// Where the session must have been, as the host knows it.
    fn head(&self) -> Option<&Head> {
        None
    }

    /// Whether a run that cannot go on is no matter.
    fn only_looks(&self) -> bool {
        false
    }
}

/// Reads a session, and takes it over where it is going to be written. None where the journal has nothing of it.
pub(super) async fn open<R: Registry>(
    definition: &Definition<R>,
    journal: Arc<dyn DynJournal>,
    session: SessionId,
    purpose: impl Purpose,
) -> Result<Option<Opened<R>>, RunError> {
    loop {
        match open_once(definition, journal.clone(), session.clone(), &purpose).await? {
            Attempt::Opened(opened) => return Ok(Some(*opened)),
            Attempt::Nothing => return Ok(None),
            Attempt::Redacted => {}
        }
    }
}

/// What became of an attempt to open a session.
enum Attempt<R: Registry> {
    Nothing,
    /// Texts that were read already were removed meanwhile.
    Redacted,
    Opened(Box<Opened<R>>),
}

async fn open_once<R: Registry>(
    definition: &Definition<R>,
    journal: Arc<dyn DynJournal>,
    session: SessionId,
    purpose: &impl Purpose,
) -> Result<Attempt<R>, RunError> {
    let mut writer = Writer::without_lease(
        journal,
        session.clone(),
        definition.wall_clock.clone(),
        definition.chain_key.clone(),
    );
    let mut state = RunState::default();
    let records = writer.read(0).await?;
    if let Some(head) = purpose.head() {
        head.check(&session, &records)?;
    }
    let Some(first) = records.first() else { return Ok(Attempt::Nothing) };
    if first.kind == ERASED {
        return Err(JournalError::Erased { session: session.to_string() }.into());
    }
    tombstone::check(&records)?;
    check_key(definition, &records)?;
    let lineage = ancestors(&*writer.journal, &session, first).await?;
    let redactions = Redactions::of(&lineage, &records)?;
    let mut mirror = Mirror::new(session.clone(), definition).redacted(redactions);
    let begun = Mirror::<R>::begun(inherited(&lineage).chain(&records))?;
    if let Some(message) = begun.fault.filter(|_| !purpose.only_looks()) {
        return Err(RunError::Faulted { message });
    }
    let mut changed = purpose.changed(&begun.definition, &definition.parts)?;
    // Prompts from before an accepted change were made with something else.
    let rebuild_from = if shape_prompts(&changed) { u64::MAX } else { begun.unchanged_from };
    inherit(&mut mirror, &mut state, &lineage, rebuild_from)?;
    mirror.branch(session);
    mirror.follow(&records, rebuild_from, |event| state.apply(event))?;
    if purpose.writes(&state)? {
        let mut has_lease = false;
        while !has_lease {
            let next = mirror.chain().len();
            let taken = if purpose.takes_over() {
                writer.take_lease().await
            } else {
                writer.take_lease_at(next).await
            };
            // Whoever had the session may have written until now.
            let tail = writer.read(next).await?;
            if tail.iter().any(|record| record.kind == REDACTED) {
                return Ok(Attempt::Redacted);
            }
            check_key(definition, &tail)?;
            has_lease = match taken {
                // Somebody went on; what they did decides whether it will be written.
                Err(JournalError::OutOfOrder { .. }) if !tail.is_empty() => false,
                taken => taken.map(|()| true)?,
            };
            mirror.follow(&tail, rebuild_from, |event| state.apply(event))?;
            purpose.writes(&state)?;
            changed = purpose.changed(&state.definition, &definition.parts)?;
        }
    }
    if let Some(message) = state.fault.clone().filter(|_| !purpose.only_looks()) {
        return Err(RunError::Faulted { message });
    }
    writer.go_on_behind(mirror.chain().clone(), mirror.runs());
    Ok(Attempt::Opened(Box::new(Opened { writer, mirror, state, changed })))
}

/// Checks that what is there ends with a record that was written with the key.
fn check_key<R: Registry>(definition: &Definition<R>, records: &[Record]) -> Result<(), JournalError> {
    match (&definition.chain_key, records.last()) {
        (Some(key), Some(last)) => key.check(last),
        _ => Ok(()),
    }
}

/// Opens a session that the journal must have.
pub(super) async fn open_existing<R: Registry>(
    definition: &Definition<R>,
    session: &SessionId,
    purpose: impl Purpose,
) -> Result<Opened<R>, RunError> {
    let journal = definition.journal_of(session)?;
    let opened = open(definition, journal, session.clone(), purpose).await?;
    opened.ok_or_else(|| JournalError::NoSuchSession { session: session.to_string() }.into())
}

/// Everything that is inherited, in order.
fn inherited(lineage: &[Ancestor]) -> impl Iterator<Item = &Record> {
    lineage.iter().flat_map(|ancestor| &ancestor.records)
}

/// Takes what is inherited.
fn inherit<R: Registry>(
    mirror: &mut Mirror<R>,
    state: &mut RunState,
    lineage: &[Ancestor],
    rebuild_from: u64,
) -> Result<(), RunError> {
    for Ancestor { session, records, .. } in lineage {
        mirror.branch(session.clone());
        mirror.follow(records, rebuild_from, |event| state.apply(event))?;
    }
    Ok(())
}

/// Reads a session as its journal has it.
pub(super) async fn read<R: Registry>(
    definition: &Definition<R>,
    session: SessionId,
) -> Result<Session<R>, RunError> {
    Ok(open_existing(definition, &session, Looking).await?.mirror.session().twin())
}

/// A session is only looked at.
struct Looking;

impl Purpose for Looking {
    fn changed(&self, from: &Definitions, now: &Definitions) -> Result<Vec<String>, RunError> {
        Ok(differing(from, now))
    }

    fn writes(&self, _: &RunState) -> Result<bool, RunError> {
        Ok(false)
    }

    fn only_looks(&self) -> bool {
        true
    }
}

impl<R: Registry> Opened<R> {
    /// A session that nobody wrote to, with the right to write there.
    pub(super) async fn empty(definition: &Definition<R>, session: SessionId) -> Result<Self, RunError> {
        let journal = definition.journal.clone().unwrap_or_else(|| Arc::new(MemoryJournal::new()));
        let mut writer = Writer::without_lease(
            journal,
            session.clone(),
            definition.wall_clock.clone(),
            definition.chain_key.clone(),
        );
        writer.take_lease_at(0).await?;
        let mirror = Mirror::new(session, definition);
        Ok(Self { writer, mirror, state: RunState::default(), changed: Vec::new() })
    }

    /// A session that nobody wrote to, behind what it inherits; without the right to write there.
    pub(super) fn inheriting(
        definition: &Definition<R>,
        journal: Arc<dyn DynJournal>,
        session: SessionId,
        lineage: &[Ancestor],
    ) -> Result<Self, RunError> {
        let redactions = Redactions::of(lineage, &[])?;
        let mut mirror = Mirror::new(session.clone(), definition).redacted(redactions);
        let mut state = RunState::default();
        let begun = Mirror::<R>::begun(inherited(lineage))?;
        let changed = differing(&begun.definition, &definition.parts);
        let rebuild_from = if shape_prompts(&changed) { u64::MAX } else { begun.unchanged_from };
        inherit(&mut mirror, &mut state, lineage, rebuild_from)?;
        mirror.branch(session.clone());
        Ok(Self {
            writer: Writer::without_lease(
                journal,
                session,
                definition.wall_clock.clone(),
                definition.chain_key.clone(),
            ),
            mirror,
            state,
            changed: Vec::new(),
        })
    }
}
