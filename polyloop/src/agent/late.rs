//! The outcomes of calls that arrive after the run was taken over: remarks in the journal, which no prompt holds.

use super::driver::Driver;
use super::writer::Writer;
use crate::error::{JournalError, RunError};
use crate::event::{Event, LateOutcome, Status};
use crate::journal::Record;
use crate::registry::Registry;

/// The number of times that a remark is tried again where the owner of the lease wrote in the meantime.
const TRIES: usize = 16;

impl<R: Registry> Driver<R> {
    /// Records what this run can no longer write as outcomes: another one has its lease. The run has stopped; where the
    /// remark cannot be written either, the outcome is lost with it.
    pub(super) async fn remark_late_outcomes(&mut self, fault: &RunError) {
        if !matches!(fault, RunError::Journal(JournalError::Fenced { .. })) {
            return;
        }
        let epoch = self.writer.epoch();
        let late = self.session.unwritten().iter().filter_map(|event| match event {
            // A call that was refused has no outcome outside.
            Event::CallSettled { call, settled, .. } if settled.outcome.status != Status::NotExecuted => {
                Some(LateOutcome { call: call.clone(), epoch, outcome: settled.outcome.clone() })
            }
            _ => None,
        });
        let late: Vec<LateOutcome> = late.collect();
        for outcome in late {
            let text = format!("the outcome of `{}` arrived after the run had been taken over", outcome.call);
            let remark = Event::RemarkRecorded { text, late: Some(Box::new(outcome)) };
            if self.writer.append_remark(&remark).await.is_err() {
                return;
            }
        }
    }
}

impl Writer {
    /// Appends a remark without the lease, after everything that the owner of the lease wrote.
    async fn append_remark(&mut self, remark: &Event) -> Result<(), JournalError> {
        let mut end = self.chain().clone();
        for _ in 0..TRIES {
            let tail = self.read(end.len()).await?;
            for record in &tail {
                end.follow(record)?;
            }
            // Epochs never decrease along a session; the remark names the one under which its call was begun.
            let epoch = tail.last().map_or(self.epoch(), |last| last.epoch).max(self.epoch());
            let entry = self.entry(remark, epoch)?;
            let Some(record) = end.clone().extend_all(vec![entry], self.key()).pop() else { return Ok(()) };
            match self.journal.append_remark_boxed(record).await {
                Err(JournalError::OutOfOrder { .. }) => {}
                appended => return appended,
            }
        }
        Err(JournalError::OutOfOrder { seq: end.len(), next: end.len() })
    }

    /// Takes in what stands after the end of what this run wrote or read, if all of it is remarks of runs that were taken
    /// over. Returns `false` where there is nothing, or something else.
    pub(super) async fn follow_late_outcomes(&mut self) -> Result<bool, JournalError> {
        let tail = self.read(self.chain().len()).await?;
        self.follow_if_late(tail)
    }

    /// Takes in records if all of them are remarks of runs that were taken over.
    pub(super) fn follow_if_late(&mut self, tail: Vec<Record>) -> Result<bool, JournalError> {
        if tail.is_empty() || !tail.iter().all(Event::is_late_outcome) {
            return Ok(false);
        }
        self.follow(tail)?;
        Ok(true)
    }
}
