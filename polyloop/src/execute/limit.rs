//! The time limit of a tool.

use std::future::Future;
use std::time::Duration;

use super::panics::drop_caught;
use super::timer::has_timer;
use crate::event::ActionOutcome;
use crate::tool::{Observation, Replay};

/// The reason of a refusal where the runtime cannot keep a `timeout`.
const NO_TIMER: &str =
    "the tool has a `timeout` and the tokio runtime has no timer; build the runtime with `enable_time`";

/// Waits for the work of a call, up to the time limit of its tool. After the limit the work is dropped.
///
/// # Errors
///
/// The outcome of a call that ran out of time, or of one that never started because time cannot be measured.
pub(crate) async fn within_limit<T>(
    limit: Option<Duration>,
    replay: Replay,
    work: impl Future<Output = T>,
) -> Result<T, ActionOutcome> {
    let Some(limit) = limit else { return Ok(work.await) };
    if !has_timer() {
        return Err(ActionOutcome::not_executed(NO_TIMER));
    }
    let mut work = Box::pin(work);
    if let Ok(done) = tokio::time::timeout(limit, &mut work).await {
        return Ok(done);
    }
    drop_caught(work);
    Err(timed_out(limit, replay))
}

/// Returns the outcome of a call whose effect is not known: an error where the call may be repeated, else unknown.
pub(super) fn not_known(observation: Observation, replay: Replay) -> ActionOutcome {
    match replay {
        Replay::Safe => ActionOutcome::executed(observation).as_error(),
        Replay::Never | Replay::Child => ActionOutcome::unknown(observation),
    }
}

fn timed_out(limit: Duration, replay: Replay) -> ActionOutcome {
    let text = match limit.subsec_millis() {
        0 => format!("timed out after {} s", limit.as_secs()),
        _ => format!("timed out after {} ms", limit.as_millis()),
    };
    not_known(text.into(), replay)
}
