//! A session as its journal tells it: read back, checked and folded.

use super::definition::{Definition, differing, shape_prompts};
use super::redacted::Redactions;
use crate::error::{JournalError, RunError};
use crate::event::{Definitions, Event};
use crate::journal::{Chain, Record, SessionId};
use crate::message::Prompt;
use crate::registry::{Registry, fragment_by_kind};
use crate::session::Session;

/// With what a run was begun, or resumed last; nothing in a session that has no run.
pub(crate) struct Begun {
    pub(crate) definition: Definitions,
    /// The event behind which nothing changed that shapes prompts, counted with those that are inherited.
    pub(crate) unchanged_from: u64,
    /// The fault that stopped the run.
    pub(crate) fault: Option<String>,
}

/// What the records read so far say.
pub(crate) struct Mirror<R: Registry> {
    chain: Chain,
    session: Session<R>,
    /// The last prompt that was sealed, as the journal yields it.
    prompt: Option<Prompt>,
    /// Whether that is the one that was sealed.
    rebuilt: bool,
    /// How many runs there were.
    runs: u64,
    /// How many records of other sessions came first.
    inherited: u64,
    /// Prompts that cannot be made again.
    redactions: Redactions,
}

impl<R: Registry> Mirror<R> {
    pub(crate) fn new(session: SessionId, definition: &Definition<R>) -> Self {
        let empty = definition.session();
        Self {
            chain: Chain::new(session),
            session: empty,
            prompt: None,
            rebuilt: false,
            runs: 0,
            inherited: 0,
            redactions: Redactions::default(),
        }
    }

    /// The same, for records of which texts were removed.
    pub(crate) fn redacted(self, redactions: Redactions) -> Self {
        Self { redactions, ..self }
    }

    /// Whether a prompt that the session sealed may be another one now, since texts in it were removed.
    pub(crate) fn was_redacted(&self, seq: u64) -> bool {
        self.redactions.cover(self.inherited + seq)
    }

    /// Looks ahead for what the records were written with.
    pub(crate) fn begun<'r>(records: impl Iterator<Item = &'r Record>) -> Result<Begun, RunError> {
        let mut begun = Begun { definition: Definitions::new(), unchanged_from: 0, fault: None };
        for (place, record) in (0..)
            .zip(records)
            .filter(|(_, record)| matches!(&*record.kind, "run.started" | "run.resumed" | "run.faulted"))
        {
            match Event::read(record, fragment_by_kind::<R>)? {
                Some(Event::RunStarted { definition }) => {
                    // A further run may be that of another agent.
                    if shape_prompts(&differing(&begun.definition, &definition)) {
                        begun.unchanged_from = place;
                    }
                    begun.definition = definition;
                }
                Some(Event::RunResumed { definition, changed }) => {
                    begun.definition = definition;
                    if shape_prompts(&changed) {
                        begun.unchanged_from = place;
                    }
                }
                Some(Event::RunFaulted { message }) => begun.fault = Some(message),
                _ => {}
            }
        }
        Ok(begun)
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) fn session(&self) -> &Session<R> {
        &self.session
    }

    pub(crate) fn runs(&self) -> u64 {
        self.runs
    }

    pub(crate) fn prompt(&self) -> Option<&Prompt> {
        self.prompt.as_ref()
    }

    /// The last prompt that was sealed; none where it was made with what is not there any more, such as another layout.
    pub(crate) fn sent(&self) -> Option<&Prompt> {
        self.prompt.as_ref().filter(|_| self.rebuilt)
    }

    /// Goes over to a session that branched off from the one that was read so far.
    pub(crate) fn branch(&mut self, session: SessionId) {
        self.inherited += self.chain.len();
        self.chain = Chain::new(session);
        self.runs = 0;
    }

    /// Takes the next records, and shows each event. Every prompt sealed at `rebuild_from` or later must come out again.
    pub(crate) fn follow(
        &mut self,
        records: &[Record],
        rebuild_from: u64,
        mut each: impl FnMut(&Event),
    ) -> Result<(), RunError> {
        for record in records {
            self.chain.follow(record)?;
            if let Some(event) = self.fold(record, rebuild_from)? {
                each(&event);
            }
        }
        Ok(())
    }

    /// Takes the next records, which are those that were written; their chain ends at `end`. Every sealed prompt must
    /// come out again.
    pub(crate) fn follow_written(&mut self, records: &[Record], end: &Chain) -> Result<(), RunError> {
        // The check waits for it before each request, so what no prompt is made of is not read here.
        for record in records.iter().filter(|record| Event::may_be_shown(record)) {
            self.fold(record, 0)?;
        }
        self.chain = end.clone();
        Ok(())
    }

    fn fold(&mut self, record: &Record, rebuild_from: u64) -> Result<Option<Event>, RunError> {
        let Some(event) = Event::read(record, fragment_by_kind::<R>)? else { return Ok(None) };
        let seq = record.seq;
        self.session.admits(&event).map_err(|reason| JournalError::Broken { seq, reason })?;
        self.session.follow(&event);
        self.runs += u64::from(matches!(event, Event::RunStarted { .. }));
        if let Event::PromptSealed { seal } = &event {
            // The next prompt grows out of the last one in place, where nobody else holds that.
            self.prompt = None;
            let (prompt, purpose) = self.session.next_prompt();
            self.rebuilt = self.session.messages_hash(&prompt, purpose) == seal.messages;
            self.prompt = Some(prompt);
            if self.inherited + seq >= rebuild_from && !self.rebuilt && !self.was_redacted(seq) {
                return Err(RunError::SealDiffers { seq });
            }
        }
        Ok(Some(event))
    }
}
