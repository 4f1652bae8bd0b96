//! How often a failed request is sent again within its step, and after how long.

use std::time::Duration;

use crate::error::{ModelError, ModelErrorClass};
use crate::journal::SessionId;

/// What a run does when the model gives no reply: it waits and asks again, within the same step.
///
/// After each failure the wait is twice as long, up to a longest one, less up to a half of it, so that many runs do not come
/// back at the same moment. That part follows from the ids of the session and the request: no random number is drawn. If
/// the provider says how long to wait, exactly that is done instead, up to [`longest_advice`](Self::longest_advice) and to
/// what is left of [`Budget::time`](crate::Budget::time). Where the advice is longer, the step is closed at once and the
/// failure is recorded with the advice. No wait is longer than what is left of the time, and cancelling ends it. Where the
/// provider asked for fewer requests and the step is closed, the next step waits as well, for `longest_advice` at most. A
/// tokio runtime without a timer cannot wait: there a run asks again at once.
///
/// What asking again cannot mend is not tried again: see [`ModelErrorClass::is_final`](crate::ModelErrorClass::is_final).
///
/// ```
/// use std::time::Duration;
///
/// use polyloop::Retries;
///
/// let patient = Retries::times(8).first_wait(Duration::from_secs(2)).longest_wait(Duration::from_mins(2));
/// # assert_ne!(patient, Retries::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Retries {
    times: u32,
    first_wait: Duration,
    longest_wait: Duration,
    longest_advice: Duration,
}

impl Retries {
    /// Asks again so many times; the waits are those of the default.
    pub const fn times(times: u32) -> Self {
        Self {
            times,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(30),
            longest_advice: Duration::from_mins(5),
        }
    }

    /// Never asks again: each failure closes its step.
    pub const fn none() -> Self {
        Self::times(0)
    }

    /// Sets how long to wait after the first failure of a step; a second unless set.
    pub const fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Sets how long to wait at most; 30 seconds unless set. The provider's advice may be longer.
    pub const fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// Sets the longest advice of a provider that is followed, such as `Retry-After`; 5 minutes unless set. Longer advice
    /// closes the step at once, and the next step asks again after this time.
    pub const fn longest_advice(mut self, wait: Duration) -> Self {
        self.longest_advice = wait;
        self
    }

    /// Returns how long to wait before the next attempt of a step; none where there is no next one, or where the provider
    /// advises to wait longer than is allowed or than `left`.
    pub(super) fn wait(
        &self,
        error: &ModelError,
        left: Duration,
        session: &SessionId,
        step: usize,
        attempt: u32,
    ) -> Option<Duration> {
        let longest = self.longest_advice.min(left);
        let waits = error.retry_after().is_none_or(|advice| advice <= longest);
        let again = !error.class().is_final() && attempt <= self.times && waits;
        again.then(|| self.as_advised(error, session, step, attempt))
    }

    /// How long to wait before the next step where a failure closes this one. To give a step up makes no provider less
    /// busy: where it asked for fewer requests, the next one waits as a further attempt would.
    pub(super) fn pause(
        &self,
        error: &ModelError,
        session: &SessionId,
        step: usize,
        attempt: u32,
    ) -> Option<Duration> {
        let asked_for_it = error.class() == ModelErrorClass::RateLimited || error.retry_after().is_some();
        asked_for_it.then(|| self.as_advised(error, session, step, attempt))
    }

    fn as_advised(&self, error: &ModelError, session: &SessionId, step: usize, attempt: u32) -> Duration {
        let advice = error.retry_after().map(|advice| advice.min(self.longest_advice));
        advice.unwrap_or_else(|| self.back_off(session, step, attempt))
    }

    fn back_off(&self, session: &SessionId, step: usize, attempt: u32) -> Duration {
        let doubled = 2u32.saturating_pow(attempt.saturating_sub(1));
        let longest = self.first_wait.saturating_mul(doubled).min(self.longest_wait);
        let half = longest / 2;
        half + half / PARTS * parts(session, step, attempt)
    }
}

/// Asks again three times.
impl Default for Retries {
    fn default() -> Self {
        Self::times(3)
    }
}

/// Into how many parts the half of a wait is cut.
const PARTS: u32 = 1_000;

/// How many of the parts are waited: the same for the same request, and spread over many of them.
fn parts(session: &SessionId, step: usize, attempt: u32) -> u32 {
    let hash = blake3::hash(format!("{session} {step} {attempt}").as_bytes());
    let [one, two, three, four, ..] = *hash.as_bytes();
    u32::from_le_bytes([one, two, three, four]) % (PARTS + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::Retries;
    use crate::error::{ModelError, ModelErrorClass};
    use crate::journal::SessionId;

    fn waits(retries: Retries, session: &str) -> Vec<Duration> {
        let error = ModelError::new(ModelErrorClass::Server, "no");
        let session = SessionId::from(session);
        (1..).map_while(|attempt| retries.wait(&error, Duration::MAX, &session, 1, attempt)).collect()
    }

    #[test]
    fn each_wait_is_between_the_half_and_the_whole_of_twice_the_one_before() {
        let limits = [1, 2, 4, 5, 5].map(Duration::from_secs);
        let retries = Retries::times(5).longest_wait(Duration::from_secs(5));
        let waits = waits(retries, "a");
        assert_eq!(waits.len(), limits.len());
        for (wait, limit) in waits.iter().zip(limits) {
            assert!(*wait >= limit / 2 && *wait <= limit, "{wait:?} of {limit:?}");
        }
    }

    #[test]
    fn waits_are_the_same_for_the_same_request_and_differ_between_sessions() {
        assert_eq!(waits(Retries::default(), "a"), waits(Retries::default(), "a"));
        let first: BTreeSet<Duration> =
            (0..100).filter_map(|n| waits(Retries::default(), &n.to_string()).first().copied()).collect();
        assert!(first.len() > 80, "{} of 100 differ", first.len());
    }

    #[test]
    fn no_wait_overflows() {
        let retries = Retries::times(40).first_wait(Duration::MAX).longest_wait(Duration::MAX);
        assert!(waits(retries, "a").iter().all(|wait| *wait >= Duration::MAX / 2));
    }

    #[test]
    fn advice_is_followed_and_what_is_final_is_not_tried_again() {
        let wait = |class| {
            let error = ModelError::new(class, "no").with_retry_after(Duration::from_mins(2));
            Retries::default().wait(&error, Duration::MAX, &SessionId::from("a"), 1, 1)
        };
        assert_eq!(wait(ModelErrorClass::RateLimited), Some(Duration::from_mins(2)));
        assert_eq!(wait(ModelErrorClass::Authorisation), None);
    }

    #[test]
    fn advice_beyond_the_limit_or_the_time_that_is_left_closes_the_step_and_no_pause_is_longer_than_the_limit()
     {
        let (session, minutes) = (SessionId::from("a"), Duration::from_mins);
        let error = |wait| ModelError::new(ModelErrorClass::RateLimited, "no").with_retry_after(wait);
        let wait = |retries: Retries, advice, left| retries.wait(&error(advice), left, &session, 1, 1);
        assert_eq!(wait(Retries::default(), minutes(5), Duration::MAX), Some(minutes(5)));
        assert_eq!(wait(Retries::default(), minutes(6), Duration::MAX), None);
        assert_eq!(wait(Retries::default(), minutes(5), minutes(4)), None);
        assert_eq!(
            wait(Retries::default().longest_advice(minutes(60)), minutes(6), minutes(6)),
            Some(minutes(6))
        );
        let pause = |advice| Retries::default().pause(&error(advice), &session, 1, 1);
        assert_eq!((pause(minutes(2)), pause(Duration::MAX)), (Some(minutes(2)), Some(minutes(5))));
    }

    #[test]
    fn without_retries_each_failure_closes_its_step() {
        assert!(waits(Retries::none(), "a").is_empty());
    }
}
