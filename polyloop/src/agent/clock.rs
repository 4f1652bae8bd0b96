//! How long a run is active.

use std::time::Duration;

use tokio::time::Instant;

use super::driver::Driver;
use crate::event::Event;
use crate::registry::Registry;

/// Goes while a run is driven. Neither the time in which it waits for a person counts nor that between two processes.
#[derive(Debug, Default)]
pub(crate) struct Clock(Option<Instant>);

impl Clock {
    pub(crate) fn start(&mut self) {
        self.0 = Some(Instant::now());
    }

    pub(crate) fn stop(&mut self) {
        self.0 = None;
    }

    fn running(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Takes the whole milliseconds since the last time; what is less than one is left for the next time.
    fn take_millis(&mut self) -> u64 {
        let Some(since) = &mut self.0 else { return 0 };
        let millis = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        *since = since.checked_add(Duration::from_millis(millis)).unwrap_or_else(Instant::now);
        millis
    }
}

impl<R: Registry> Driver<R> {
    pub(super) fn start_clock(&mut self) {
        if self.definition.budget.time.is_some() {
            self.clock.start();
        }
    }

    /// As much of a wait as the budget's time allows.
    pub(super) fn within_time(&self, wait: Duration) -> Duration {
        let Some(time) = self.definition.budget.time else { return wait };
        let used = Duration::from_millis(self.state.active_millis).saturating_add(self.clock.running());
        wait.min(time.saturating_sub(used))
    }

    /// Records how long the run was active since this was recorded last; nothing where the budget has no time.
    pub(super) fn mark_clock(&mut self) {
        let millis = self.clock.take_millis();
        // Nothing stands behind the end of a run.
        if millis > 0 && self.state.is_open() {
            self.record(Event::ClockMarked { millis });
        }
    }
}
