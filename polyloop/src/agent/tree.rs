//! The sessions of a journal, as the trees that forks make of them.

use std::collections::BTreeMap;

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
    /// The number of the turn, as [`LiveTurn::number`](crate::LiveTurn::number) and
    /// [`Agent::roll_back_to`](crate::Agent::roll_back_to) have it. Those of a branch go on behind the turns that it inherits.
    pub number: u64,
    /// Whether it comes with the history of another program, and so has no run here.
    pub imported: bool,
    /// A person's first words; none where only fragments were said.
    pub words: Option<UserInput>,
    /// The places in it where another session may branch off: one behind each step that is settled.
    pub points: Vec<u64>,
    /// How its run ended; none where that is not finished, and where the turn was imported.
    pub ending: Option<Ending>,
    /// The fault that stopped it for good.
    pub fault: Option<String>,
    /// Whether it was rolled back. Another session may still branch off there.
    pub rolled_back: bool,
    /// The place of the event with which it began.
    at: u64,
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
        let rests = |turn: &SessionTurn| turn.imported || turn.ending.is_some() && turn.fault.is_none();
        self.turns.last().is_none_or(rests)
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
            // What else it holds takes a registry to read.
            let turns = Event::imported_turns(record)?;
            self.turns.extend(turns.into_iter().map(|words| SessionTurn::imported(words, record.seq)));
            if let Some(last) = self.turns.last_mut() {
                last.points.extend(point);
            }
            return Ok(());
        }
        let event = Event::read(record, |_, _| Err(Vec::new()))?;
        if let Some(Event::HistoryRolledBack { turns, .. }) = event {
            let live = self.turns.iter_mut().rev().filter(|turn| !turn.rolled_back);
            let last = live.take(usize::try_from(turns).unwrap_or(usize::MAX));
            last.for_each(|turn| turn.rolled_back = true);
            return Ok(());
        }
        match event {
            Some(Event::SessionOpened { fork, .. }) => self.fork = fork,
            Some(Event::RunStarted { .. }) => self.turns.push(SessionTurn::begun(record.seq)),
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
    fn begun(at: u64) -> Self {
        Self {
            number: 0,
            imported: false,
            words: None,
            points: Vec::new(),
            ending: None,
            fault: None,
            rolled_back: false,
            at,
        }
    }

    fn imported(words: UserInput, at: u64) -> Self {
        Self { imported: true, words: Some(words), ..Self::begun(at) }
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
    number(&mut nodes);
    Ok(SessionTree { nodes })
}

/// Numbers the turns of all sessions; a branch counts on behind what it inherits.
fn number(nodes: &mut [SessionNode]) {
    let places: BTreeMap<SessionId, usize> =
        nodes.iter().enumerate().map(|(place, node)| (node.session.clone(), place)).collect();
    // How many turns each session inherits: from its parent those before the fork, and what that inherits itself.
    let own: Vec<(Option<usize>, u64)> = nodes
        .iter()
        .map(|node| {
            let parent = node.fork.as_ref().and_then(|fork| Some((fork, *places.get(&fork.parent)?)));
            let before = parent.and_then(|(fork, place)| Some((fork.records, nodes.get(place)?)));
            let before = before.map_or(0, |(records, parent)| {
                parent.turns.iter().filter(|turn| turn.at < records).count() as u64
            });
            (parent.map(|(_, place)| place), before)
        })
        .collect();
    for (place, node) in nodes.iter_mut().enumerate() {
        let (mut inherited, mut next) = (0, Some(place));
        // A line of parents is never longer than there are sessions, unless it is forged.
        for _ in 0..own.len() {
            let Some((parent, before)) = next.and_then(|place| own.get(place)) else { break };
            inherited += before;
            next = *parent;
        }
        for (turn, number) in node.turns.iter_mut().zip(inherited + 1..) {
            turn.number = number;
        }
    }
}
