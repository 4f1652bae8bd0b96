//! A run that is carried out one thing at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::driver::Driver;
use super::run::Run;
use super::update::Update;
use crate::error::RunError;
use crate::registry::Registry;

impl<R: Registry> Run<R> {
    /// Carries out one thing only: a request, what the reply means, the calls of a decision, or the end. Returns what
    /// was told meanwhile; none when the run ended or waits for a person.
    ///
    /// A run that is stepped through writes the same events as one that is driven, and the journal holds them when this
    /// returns. Where nobody waits for that, the run goes on as if it were driven.
    ///
    /// # Errors
    ///
    /// When the run cannot go on.
    pub async fn step(&mut self) -> Result<Option<Vec<Update>>, RunError> {
        self.written().await?;
        if self.is_lost() {
            return Err(RunError::Lost);
        }
        if self.resting().is_some_and(|driver| !driver.can_step()) {
            return match self.resting().and_then(|driver| driver.fault.clone()) {
                Some(fault) => Err(fault),
                None => Ok(None),
            };
        }
        self.make_ready();
        let stepping = Stepping::begin(&self.stepwise);
        let mut updates = Vec::new();
        let mut fault = None;
        while let Some(update) = self.next().await {
            match update {
                Ok(update) => updates.push(update),
                Err(error) => fault = Some(error),
            }
        }
        drop(stepping);
        if self.resting().is_some_and(Driver::can_step) {
            self.make_ready();
        }
        fault.map_or(Ok(Some(updates)), Err)
    }
}

/// Lets a run rest behind each thing, as long as somebody waits for one.
struct Stepping(Arc<AtomicBool>);

impl Stepping {
    fn begin(stepwise: &Arc<AtomicBool>) -> Self {
        stepwise.store(true, Ordering::Relaxed);
        Self(stepwise.clone())
    }
}

impl Drop for Stepping {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
