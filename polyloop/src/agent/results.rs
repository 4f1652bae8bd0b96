//! The results of a session's calls, read from its journal.

use std::marker::PhantomData;
use std::sync::Arc;

use super::driver::Driver;
use super::lineage::ancestors;
use crate::error::JournalError;
use crate::event::{Event, ImportedPart, Settled, Status};
use crate::journal::{DynJournal, OPENED, Record, SessionId};
use crate::registry::{Registry, fragment_by_kind};
use crate::tool::{BoxFuture, Results, ToolError};

/// The records that hold results, and the one that says from where a session branched off.
const KINDS: [&str; 3] = [OPENED, "action.outcome", "history.imported"];

/// The results in a session and in those from which it branched off.
struct JournalResults<R> {
    journal: Arc<dyn DynJournal>,
    session: SessionId,
    registry: PhantomData<fn() -> R>,
}

impl<R: Registry> Driver<R> {
    /// The results of the calls of this session, for the stock tool that reads them.
    pub(super) fn results(&self) -> Arc<dyn Results> {
        Arc::new(JournalResults::<R> {
            journal: self.writer.journal.clone(),
            session: self.writer.session().clone(),
            registry: PhantomData,
        })
    }
}

impl<R: Registry> JournalResults<R> {
    async fn find(&self, call: &str) -> Result<Option<Arc<str>>, JournalError> {
        let records = self.journal.read_kinds_boxed(&self.session, &KINDS).await?;
        if let Some(found) = records.iter().rev().find_map(|record| result_in::<R>(record, call)) {
            return Ok(Some(found));
        }
        let Some(first) = records.first() else { return Ok(None) };
        let lineage = ancestors(&*self.journal, &self.session, first).await?;
        let mut inherited = lineage.iter().rev().flat_map(|ancestor| ancestor.records.iter().rev());
        Ok(inherited.find_map(|record| result_in::<R>(record, call)))
    }
}

impl<R: Registry> Results for JournalResults<R> {
    fn read<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<Option<Arc<str>>, ToolError>> {
        Box::pin(
            async move { self.find(call).await.map_err(|error| ToolError::Environment(error.to_string())) },
        )
    }
}

/// The result of a call, if the record holds it.
fn result_in<R: Registry>(record: &Record, call: &str) -> Option<Arc<str>> {
    if !KINDS.contains(&&*record.kind) {
        return None;
    }
    match Event::read(record, fragment_by_kind::<R>).ok()?? {
        Event::CallSettled { call: id, settled, .. } if id.as_str() == call => Some(whole(&settled)),
        Event::HistoryImported { items } => items.into_iter().find_map(|imported| match imported.part {
            ImportedPart::Result { call: id, parts, .. } if id.as_str() == call => {
                Some(parts.concat().into())
            }
            _ => None,
        }),
        _ => None,
    }
}

/// All of a result. Of what was not executed a model is shown a fixed text, and nothing else.
fn whole(settled: &Settled) -> Arc<str> {
    match settled.outcome.status {
        Status::Executed => settled.outcome.observation.parts().concat().into(),
        _ => settled.shown().concat().into(),
    }
}
