//! The sessions of a journal, as the trees that forks make of them.

use super::agent::Agent;
use super::lineage::{POINTS, is_point};
use crate::error::JournalError;
use crate::event::{Ending, Event, UserInput};
use crate::journal::{DynJournal, Fork, OPENED, Record, SessionId};
use crate::registry::Registry;

/// What is read of each session, beside the places where others may branch off.
const KINDS: [&str; 4] = [OPENED, "run.started", "input.recorded", "run.faulted"];

/// The sessions of a journal: those that began by themselves, and those that branched off. Made by [`Agent::sessions`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionTree {
    nodes: Vec<SessionNode>,
}

/// One session of a [`SessionTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionNode {
    /// Its id: what [`Agent::read`] takes, and [`Request::session`](crate::Request::session).
    pub session: SessionId,
    /// Where it branched off; none where it began by itself.
    pub fork: Option<Fork>,
    /// Its own turns, the oldest first; those that it inherits stand in its parent.
    pub turns: Vec<SessionTurn>,
    /// Every place where another session may branch off, in order: what [`ForkRequest::at`](crate::ForkRequest::at) takes. The last one
    /// is taken where none is set.
    pub points: Vec<u64>,
    /// Why not all of it could be read.
    pub unreadable: Option<JournalError>,
}

/// One turn of a [`SessionNode`]: a run, with everything that was said in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionTurn {
    /// A person's first words; none where only fragments were said.
    pub words: Option<UserInput>,
    /// The places in it where another session may branch off: one behind each step that is settled.
    pub points: Vec<u64>,
    /// How it ended; none where it is not finished.
    pub ending: Option<Ending>,
    /// The fault that stopped it for good.
    pub fault: Option<String>,
    /// Whether it was rolled back. Another session may still branch off there.
    pub rolled_back: bool,
}

impl SessionTree {
    /// Returns all sessions, in the order of their ids.
    #[must_use]
    pub fn nodes(&self) -> &[SessionNode] {
        &self.nodes
    }

    /// Returns one session.
    #[must_use]
    pub fn node(&self, session: &SessionId) -> Option<&SessionNode> {
        self.nodes.iter().find(|node| node.session == *session)
    }

    /// Returns the sessions that began by themselves, in the order of their ids. One whose parent the journal does not
    /// have is among them.
    pub fn roots(&self) -> impl Iterator<Item = &SessionNode> {
        let parent = |node: &SessionNode| node.fork.as_ref().and_then(|fork| self.node(&fork.parent));
        self.nodes.iter().filter(move |node| parent(node).is_none())
    }

    /// Returns the sessions that branched off from one, those from an earlier place first.
    #[must_use]
    pub fn branches(&self, of: &SessionId) -> Vec<&SessionNode> {
        let of_it = |node: &&SessionNode| node.fork.as_ref().is_some_and(|fork| fork.parent == *of);
        let mut branches: Vec<&SessionNode> = self.nodes.iter().filter(of_it).collect();
        branches.sort_by_key(|node| node.fork.as_ref().map(|fork| fork.records));
        branches
    }
}

impl SessionNode {
    /// Whether its last run has ended, so that a further one can begin.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.turns.last().is_none_or(|turn| turn.ending.is_some() && turn.fault.is_none())
    }

    fn new(session: SessionId, records: &[Record]) -> Self {
        let mut node = Self { session, fork: None, turns: Vec::new(), points: Vec::new(), unreadable: None };
        node.unreadable = records.iter().try_for_each(|record| node.take(record)).err();
        node
    }

    fn take(&mut self, record: &Record) -> Result<(), JournalError> {
        let point = is_point(record)?.then_some(record.seq.saturating_add(1));
        self.points.extend(point);
        if record.kind == "history.imported" {
            // What it holds takes a registry to read.
            return Ok(());
        }
        let event = Event::read(record, |_| Err(Vec::new()))?;
        if let Some(Event::HistoryRolledBack { turns }) = event {
            let live = self.turns.iter_mut().rev().filter(|turn| !turn.rolled_back);
            let last = live.take(usize::try_from(turns).unwrap_or(usize::MAX));
            last.for_each(|turn| turn.rolled_back = true);
            return Ok(());
        }
        match event {
            Some(Event::SessionOpened { fork, .. }) => self.fork = fork,
            Some(Event::RunStarted { .. }) => self.turns.push(SessionTurn::begun()),
            Some(event) => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.take(event);
                    turn.points.extend(point);
                }
            }
            None => {}
        }
        Ok(())
    }
}

impl SessionTurn {
    fn begun() -> Self {
        Self { words: None, points: Vec::new(), ending: None, fault: None, rolled_back: false }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::InputRecorded { input, typed, .. } => {
                self.words.get_or_insert(typed.unwrap_or(input));
            }
            Event::RunEnded { ending, .. } => self.ending = Some(ending),
            Event::RunFaulted { message } => self.fault = Some(message),
            _ => {}
        }
    }
}

impl<R: Registry> Agent<R> {
    /// Lists the sessions of the agent's journal as the trees that forks make of them: what a person sees before picking one to
    /// [read](Self::read), to go on with, or to [branch off](Self::fork) from.
    ///
    /// Sessions of other registries are among them, and so are those of runs inside calls. Little is read of each.
    ///
    /// # Errors
    ///
    /// When the journal fails. What is wrong with one session is said there.
    pub async fn sessions(&self) -> Result<SessionTree, JournalError> {
        match &self.definition.journal {
            Some(journal) => tree(&**journal).await,
            None => Ok(SessionTree::default()),
        }
    }
}

async fn tree(journal: &dyn DynJournal) -> Result<SessionTree, JournalError> {
    let kinds = [&KINDS[..], &POINTS].concat();
    let mut nodes = Vec::new();
    for session in journal.list_boxed().await? {
        nodes.push(match journal.read_kinds_boxed(&session, &kinds).await {
            Ok(records) => SessionNode::new(session, &records),
            Err(error @ JournalError::Store { .. }) => return Err(error),
            Err(error) => SessionNode { unreadable: Some(error), ..SessionNode::new(session, &[]) },
        });
    }
    Ok(SessionTree { nodes })
}
