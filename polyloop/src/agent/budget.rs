//! What a run may use up.

use std::time::Duration;

/// The number of calls that a reply may make unless set.
pub(super) const CALLS_PER_REPLY: usize = 128;

/// The limits of a run. What is used up is checked after each step; the time and the size of the prompt also before each
/// request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// How many decisions the model may make, steps in which it failed included; 50 in the default budget.
    pub steps: usize,
    /// How many executed actions there may be; as many as steps unless set.
    pub actions: usize,
    /// How many failures of the environment in a row end the run; 3 unless set.
    pub environment_errors: usize,
    /// How many failures of the model in a row end the run; 3 unless set.
    pub model_failures: usize,
    /// The largest prompt, in characters; 400 000 unless set.
    pub prompt_chars: usize,
    /// How many outcomes may be unknown before the run stops for a person; 1 unless set.
    pub unknown_outcomes: usize,
    /// How long the run may be active; no limit unless set.
    pub time: Option<Duration>,
    /// From which size of the prompt on a compaction is wanted, in characters; four fifths of `prompt_chars` unless set.
    pub compaction_chars: Option<usize>,
    /// From how many items on that could be replaced a compaction is wanted; 400 unless set.
    pub compaction_items: usize,
    /// How long a compaction may take; 120 seconds unless set.
    pub compaction_time: Duration,
    /// The largest number of calls in one reply; 128 unless set.
    pub calls_per_reply: usize,
    /// How much of one observation a model is shown, in characters, unless its tool says otherwise; 50 000 unless set.
    pub observation_chars: usize,
    /// The largest request, in bytes of its texts and images; 20 000 000 unless set.
    pub request_bytes: usize,
}

/// How much of one observation a model is shown unless set, in characters.
pub(super) const OBSERVATION_CHARS: usize = 50_000;
/// The largest request unless set, in bytes. Anthropic takes 32 MB, OpenAI 50 MB, and Gemini 20 MB on some of its interfaces;
/// the rest of a body comes on top of what is counted.
pub(super) const REQUEST_BYTES: usize = 20_000_000;

impl Budget {
    /// Allows this many steps, and as many actions.
    #[must_use]
    pub const fn steps(steps: usize) -> Self {
        Self {
            steps,
            actions: steps,
            environment_errors: 3,
            model_failures: 3,
            prompt_chars: 400_000,
            unknown_outcomes: 1,
            time: None,
            compaction_chars: None,
            compaction_items: 400,
            compaction_time: Duration::from_mins(2),
            calls_per_reply: CALLS_PER_REPLY,
            observation_chars: OBSERVATION_CHARS,
            request_bytes: REQUEST_BYTES,
        }
    }

    /// Sets how many executed actions there may be.
    #[must_use]
    pub const fn actions(mut self, actions: usize) -> Self {
        self.actions = actions;
        self
    }

    /// Sets how many failures of the environment in a row end the run.
    #[must_use]
    pub const fn environment_errors(mut self, errors: usize) -> Self {
        self.environment_errors = errors;
        self
    }

    /// Sets how many failures of the model in a row end the run.
    #[must_use]
    pub const fn model_failures(mut self, failures: usize) -> Self {
        self.model_failures = failures;
        self
    }

    /// Sets the largest prompt, in characters.
    #[must_use]
    pub const fn prompt_chars(mut self, chars: usize) -> Self {
        self.prompt_chars = chars;
        self
    }

    /// Sets how many outcomes may be unknown before the run stops for a person.
    #[must_use]
    pub const fn unknown_outcomes(mut self, outcomes: usize) -> Self {
        self.unknown_outcomes = outcomes;
        self
    }

    /// Sets from which size of the prompt on a compaction is wanted, in characters; it takes an agent with a
    /// [`Compactor`](crate::Compactor). Up to `prompt_chars` there must be room for the instruction of a summary, and for the
    /// largest thing that one step adds.
    #[must_use]
    pub const fn compaction_chars(mut self, chars: usize) -> Self {
        self.compaction_chars = Some(chars);
        self
    }

    /// Sets from how many items on that could be replaced a compaction is wanted.
    #[must_use]
    pub const fn compaction_items(mut self, items: usize) -> Self {
        self.compaction_items = items;
        self
    }

    /// Sets how long a compaction may take. One that takes longer is abandoned, and a prompt that is too large is not sent.
    #[must_use]
    pub const fn compaction_time(mut self, time: Duration) -> Self {
        self.compaction_time = time;
        self
    }

    /// Sets the largest number of calls in one reply. A reply with more is invalid: none of its calls is executed, and the
    /// model is shown the fixed text [`too_many_calls`](crate::Texts::too_many_calls). The limit holds for every
    /// interpreter; it bounds the memory and the time that one reply can take.
    #[must_use]
    pub const fn calls_per_reply(mut self, calls: usize) -> Self {
        self.calls_per_reply = calls;
        self
    }

    /// Sets how much of one observation a model is shown, in characters; a tool with `max_chars` has its own limit. Of a
    /// longer one the beginning and the end are shown, with a notice between them, and the journal keeps all of it.
    #[must_use]
    pub const fn observation_chars(mut self, chars: usize) -> Self {
        self.observation_chars = chars;
        self
    }

    /// Sets the largest request, in bytes: texts as UTF-8 and images as base64. A larger one is not sent, and the run ends with
    /// [`Ending::RequestTooLarge`](crate::Ending::RequestTooLarge). The rest of a request's body is not counted.
    #[must_use]
    pub const fn request_bytes(mut self, bytes: usize) -> Self {
        self.request_bytes = bytes;
        self
    }

    pub(crate) fn compaction_from(&self) -> usize {
        self.compaction_chars.unwrap_or(self.prompt_chars / 5 * 4)
    }

    /// Sets how long the run may be active, in whole milliseconds: from when it is polled first until it ends or waits for
    /// a person. What is under way is never cut off; over the time nothing new is asked.
    #[must_use]
    pub const fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }
}

impl Default for Budget {
    /// Allows 50 steps and 400 000 characters, in any time.
    fn default() -> Self {
        Self::steps(50)
    }
}
