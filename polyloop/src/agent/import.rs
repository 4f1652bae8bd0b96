//! Beginning a session with the history of another program.

use std::collections::BTreeMap;
use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use serde::Serialize;

use super::agent::Agent;
use super::definition::Definition;
use super::writer::Writer;
use crate::error::ImportError;
use crate::event::{Event, ImportedPart};
use crate::foreign::{ForeignHistory, Imported, LeftOut, imported};
use crate::journal::{Durability, SessionId};
use crate::registry::Registry;
use crate::session::Session;
use crate::tool::BoxFuture;

impl<R: Registry> Agent<R> {
    /// Begins a session of the agent's journal with the history of another program; nothing happens before it is awaited.
    ///
    /// What the registry recognises in it becomes a fragment of its kind, everything else stays what it was: see
    /// [`ForeignHistory`]. Runs go on behind it, with [`Request::session`](crate::Request::session).
    ///
    /// # Errors
    ///
    /// When the agent has no journal, or the journal has the session already or fails. Nothing was imported then.
    ///
    /// ```
    /// use polyloop::prelude::*;
    /// use polyloop::{ForeignHistory, MemoryJournal};
    ///
    /// registry! { struct App {} }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = Scripted::replies([Reply::text("On Sundays it is closed.")]);
    /// let agent = Agent::<App>::builder(model).journal(MemoryJournal::new()).build()?;
    /// let history = ForeignHistory::open_ai(
    ///     r#"[{"role": "user", "content": "Is it open?"}, {"role": "assistant", "content": "It is."}]"#,
    /// )?;
    /// let report = agent.import(history).session("shop").await?;
    /// assert_eq!(report.to_string(), "polyloop.input  1\npolyloop.reply  1");
    ///
    /// let mut run = agent.on(()).session("shop").goal("And on Sundays?").await?;
    /// assert_eq!(run.finish().await?.to_string(), "On Sundays it is closed.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn import(&self, history: ForeignHistory) -> HistoryImport<R> {
        HistoryImport::new(self.definition.clone(), history)
    }
}

/// Begins a session with the history of another program; await it to do so. Made by
/// [`Agent::import`](crate::Agent::import).
#[must_use = "nothing is imported before this is awaited"]
pub struct HistoryImport<R: Registry> {
    definition: Arc<Definition<R>>,
    history: ForeignHistory,
    session: Option<SessionId>,
    image_chars: Option<usize>,
}

impl<R: Registry> HistoryImport<R> {
    pub(super) fn new(definition: Arc<Definition<R>>, history: ForeignHistory) -> Self {
        Self { definition, history, session: None, image_chars: None }
    }

    /// Sets the id of the session, which the journal must not have. One of its own unless set.
    pub fn session(mut self, session: impl Into<SessionId>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Sets as how many characters each image of a person counts. Images are left out unless set: there is none without a
    /// measure.
    pub fn image_chars(mut self, chars: usize) -> Self {
        self.image_chars = Some(chars);
        self
    }

    async fn import(self) -> Result<ImportReport, ImportError> {
        let id = self.session.clone().unwrap_or_else(SessionId::mint);
        let definition = &self.definition;
        let Some(journal) = definition.journal.clone() else {
            return Err(ImportError::NoJournal { session: id.to_string() });
        };
        let (clock, key) = (definition.wall_clock.clone(), definition.chain_key.clone());
        let mut writer = Writer::without_lease(journal, id.clone(), clock, key);
        let mut session = definition.session().journaled();
        let report = self.record(id.clone(), &mut session);
        writer.take_lease_at(0).await.map_err(|error| error.of_a_new_session(id.as_str()))?;
        let written = writer.append(session.unwritten(), Durability::Barrier).await;
        written.map_err(|error| error.of_a_new_session(id.as_str()))?;
        Ok(report)
    }

    /// Records the history, and tells what it came to.
    fn record(&self, id: SessionId, session: &mut Session<R>) -> ImportReport {
        let Self { definition, history, image_chars, .. } = self;
        session.append(definition.session_opened(None));
        session.append(Event::LeaseTaken {});
        let imported = imported(history, session, &definition.texts.observation.empty, *image_chars);
        let Imported { mut items, legacy, silent, left_out, .. } = imported;
        for imported in &mut items {
            if let ImportedPart::Result { call, parts, shown, .. } = &mut imported.part {
                let named = definition.named_in_notices(call);
                *shown = definition.texts.cut(parts, 0, definition.budget.observation_chars, named);
            }
        }
        session.append(Event::HistoryImported { items });
        let mut kinds = BTreeMap::new();
        for item in session.items() {
            *kinds.entry(item.kind_name()).or_default() += 1;
        }
        let flagged = session.items().iter().filter(|item| item.has_forged_marker()).count();
        let (moved, left_out) = (history.moved(), left_out.0);
        ImportReport { session: id, kinds, legacy, flagged, moved, silent, left_out }
    }
}

impl<R: Registry> IntoFuture for HistoryImport<R> {
    type Output = Result<ImportReport, ImportError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.import())
    }
}

impl<R: Registry> fmt::Debug for HistoryImport<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HistoryImport")
            .field("history", &self.history)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// What an import came to. Printed, it is a small table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// The session that begins with the history.
    pub session: SessionId,
    /// How many items there are of each kind: a fragment's kind, or a built-in one such as `polyloop.input`.
    pub kinds: BTreeMap<&'static str, usize>,
    /// How many fragments were recognised by an old form.
    pub legacy: usize,
    /// How many texts hold a registered marker and are no fragment; each of their items has the flag.
    pub flagged: usize,
    /// How many results of calls stood behind something else than their call, which they follow now.
    pub moved: usize,
    /// How many results of calls said nothing; a fixed text of the definition says so to the model.
    pub silent: usize,
    /// How much was left out, for each reason.
    pub left_out: BTreeMap<LeftOut, usize>,
}

impl fmt::Display for ImportReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.kinds.iter().map(|(kind, number)| ((*kind).to_owned(), *number));
        let notes = [
            ("known by an old form", self.legacy),
            ("flagged, hold a marker", self.flagged),
            ("results put behind their call", self.moved),
            ("results without text", self.silent),
        ];
        let notes = notes.into_iter().filter(|(_, number)| *number > 0);
        let notes = notes.map(|(note, number)| (note.to_owned(), number));
        let left_out = self.left_out.iter().map(|(what, number)| (format!("left out: {what}"), *number));
        let rows: Vec<(String, usize)> = kinds.chain(notes).chain(left_out).collect();
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        let digits = rows.iter().map(|(_, number)| number.to_string().len()).max().unwrap_or_default();
        let rows = rows.iter().map(|(name, number)| format!("{name:<width$}  {number:>digits$}"));
        formatter.write_str(&rows.collect::<Vec<_>>().join("\n"))
    }
}
