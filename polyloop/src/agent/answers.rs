//! What a person answers to a run that waits for one.

use super::run::Run;
use super::state::{Approval, Pending};
use crate::error::RunError;
use crate::event::{Call, CallId, Ending, Event};
use crate::registry::Registry;

impl<R: Registry> Run<R> {
    /// Returns the calls that wait for a person, with the arguments that are carried out: checked, with defaults filled in.
    #[must_use]
    pub fn waiting(&self) -> Vec<Call> {
        let Some(driver) = self.resting() else { return Vec::new() };
        let open = driver.state.calls.iter_open();
        let asked = open.filter(|pending| pending.approval == Approval::Asked);
        asked.map(Pending::effective_call).collect()
    }

    /// Records that a person agreed to a call. The journal holds it when this returns; the run goes on when it is polled.
    ///
    /// # Errors
    ///
    /// When no such call waits, or the journal cannot be written.
    pub async fn approve(&mut self, call: &CallId) -> Result<(), RunError> {
        self.agree(call, false).await
    }

    /// Records that a person agreed to a call, and to the same call whenever it comes again in this session: the same tool
    /// with the same effective arguments, however they are written. In later runs, after a compaction or a rollback, in another process and in a
    /// fork no second question is asked; of any other call one is. The journal holds it when this returns; the run goes on when it is
    /// polled.
    ///
    /// # Errors
    ///
    /// When no such call waits, or the journal cannot be written.
    pub async fn approve_always(&mut self, call: &CallId) -> Result<(), RunError> {
        self.agree(call, true).await
    }

    /// Records that a person refused a call. The journal holds it when this returns; the run goes on when it is polled.
    ///
    /// # Errors
    ///
    /// When no such call waits, or the journal cannot be written.
    pub async fn deny(&mut self, call: &CallId) -> Result<(), RunError> {
        self.written().await?;
        let call = self.waiting_call(call)?;
        self.at_rest()?.deny(&call);
        self.answered().await
    }

    /// Records that a person looked at the outcomes that nobody knows. The journal holds it when this returns; the run
    /// goes on when it is polled.
    ///
    /// # Errors
    ///
    /// When the run does not wait for that, or the journal cannot be written.
    pub async fn acknowledge(&mut self) -> Result<(), RunError> {
        self.written().await?;
        if self.resting().is_none_or(|driver| driver.suspended != Some(Ending::UnknownOutcomes)) {
            return Err(RunError::NothingToAcknowledge);
        }
        self.at_rest()?.record(Event::UnknownAcknowledged {});
        self.answered().await
    }

    async fn agree(&mut self, call: &CallId, always: bool) -> Result<(), RunError> {
        self.written().await?;
        let call = self.waiting_call(call)?;
        self.at_rest()?.record(Event::ApprovalGiven { call: call.id().clone(), always });
        self.answered().await
    }

    fn waiting_call(&self, id: &CallId) -> Result<Call, RunError> {
        let pending = self.resting().and_then(|driver| driver.state.calls.open_entry(id));
        let asked = pending.filter(|pending| pending.approval == Approval::Asked);
        asked
            .map(|pending| pending.call.clone())
            .ok_or_else(|| RunError::NoSuchApproval { call: id.to_string() })
    }

    /// Writes what a person answered, and lets the run go on.
    async fn answered(&mut self) -> Result<(), RunError> {
        self.at_rest()?.suspended = None;
        self.write_and_go_on().await
    }
}
