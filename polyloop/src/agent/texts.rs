//! The fixed texts of a definition: what a model is told by the runtime itself.

use std::sync::Arc;

use crate::error::BuildError;
use crate::event::{ActionOutcome, Status};
use crate::layout::{Frame, NO_OUTPUT, Template};
use crate::tool::head_and_tail;

const TOO_MANY_CALLS: &str =
    "The reply makes more than {limit} calls, and none of them was executed; make fewer in one reply.";

/// The runtime's own sentences to the model. They belong to the definition; none may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Texts {
    /// Around every observation that answers no native call. Must hold `{observation}`, once; doubled braces are
    /// literal.
    pub observation: String,
    /// For an action that never started, where the library refused it. May hold `{reason}`, which is the library's own sentence
    /// and can be made again.
    pub not_executed: String,
    /// For an action that a project's executor did not execute. The sentence of the executor is in the journal.
    pub refused_by_executor: String,
    /// For an action that the environment failed.
    pub environment_error: String,
    /// For an action of which nobody knows whether it took effect.
    pub unknown: String,
    /// For an action that a person refused.
    pub denied: String,
    /// In place of an observation that would leave a message blank: without text, in the result of a native call or in a template
    /// without text of its own.
    pub empty_observation: String,
    /// The model's message of a step in which it gave no reply.
    pub failed_reply: String,
    /// The observation of a step in which the model gave no reply.
    pub failed_observation: String,
    /// For a reply that its length limit cut; nothing of it is executed.
    pub cut_reply: String,
    /// For a reply with more calls than [`Budget::calls_per_reply`](crate::Budget::calls_per_reply) allows; nothing of it is
    /// executed. May hold `{limit}`.
    pub too_many_calls: String,
    /// The model's message where a reply left no text for the history.
    pub no_text: String,
    /// For a turn that was cancelled, behind everything else of it.
    pub cancelled: String,
    /// Around the summary of what a compaction replaced. Must hold `{summary}`, once.
    pub summary: String,
    /// Behind that summary, where calls took effect that may not be repeated: must hold `{effects}`, once.
    pub effects: String,
    /// Where an observation was cut, between its beginning and its end: must hold `{missing}`, once, the number of
    /// characters.
    pub cut_observation: String,
    /// Behind that notice, where the agent has the tool [`read_result`](fn@crate::read_result): must hold `{call}`, once.
    pub read_more: String,
    /// In the place of exchanges that were dropped without a summary, because there was no room to ask for one. May hold
    /// `{exchanges}`, their number.
    pub not_summarized: String,
}

/// What stands where an observation was cut, unless set.
const CUT_OBSERVATION: &str = "\n[{missing} characters are not shown]\n";
/// What stands behind that where the result can be read, unless set.
const READ_MORE: &str = "[all of it can be read, in pieces, under {call}]\n";
/// What stands in the place of exchanges that were dropped, unless set.
const NOT_SUMMARIZED: &str =
    "{exchanges} earlier exchanges are not shown any more; there was no room for a summary of them.";

impl Default for Texts {
    fn default() -> Self {
        Self {
            observation: "{observation}".to_owned(),
            not_executed: "not executed: {reason}".to_owned(),
            refused_by_executor: REFUSED_BY_EXECUTOR.to_owned(),
            environment_error: "The environment failed; the action did not take effect.".to_owned(),
            unknown: "It is not known whether this action took effect; check before repeating it.".to_owned(),
            denied: "A person refused this action; it was not executed.".to_owned(),
            empty_observation: NO_OUTPUT.to_owned(),
            failed_reply: "(no reply)".to_owned(),
            failed_observation: "The model gave no reply; go on.".to_owned(),
            cut_reply:
                "The reply was cut by its length limit, and nothing of it was executed; write a shorter one."
                    .to_owned(),
            too_many_calls: TOO_MANY_CALLS.to_owned(),
            no_text: "(no text)".to_owned(),
            cancelled: "This turn was cancelled; go on with it only if you are asked to.".to_owned(),
            effects: "\n\nThese calls took effect; do not repeat them:\n{effects}".to_owned(),
            summary: "What happened so far, as a summary; the rest of it is not shown any more:\n\n{summary}"
                .to_owned(),
            cut_observation: CUT_OBSERVATION.to_owned(),
            read_more: READ_MORE.to_owned(),
            not_summarized: NOT_SUMMARIZED.to_owned(),
        }
    }
}

/// The text for an action that an executor did not execute, unless the project sets another one.
pub(super) const REFUSED_BY_EXECUTOR: &str = "The executor refused this action; it was not executed.";

/// The texts, checked and cut at their placeholders.
#[derive(Clone, Debug)]
pub(crate) struct CheckedTexts {
    pub(crate) observation: Frame,
    pub(crate) not_executed: Template,
    pub(crate) refused_by_executor: Arc<str>,
    pub(crate) environment_error: Arc<str>,
    pub(crate) unknown: Arc<str>,
    pub(crate) denied: Arc<str>,
    pub(crate) failed_reply: Arc<str>,
    pub(crate) failed_observation: Arc<str>,
    pub(crate) cut_reply: String,
    pub(crate) too_many_calls: Template,
    pub(crate) no_text: String,
    pub(crate) cancelled: Arc<str>,
    pub(crate) summary: Template,
    pub(crate) effects: Template,
    pub(crate) added: TextsAdded,
}

/// The texts that the first version did not have.
#[derive(Clone, Debug)]
pub(crate) struct TextsAdded {
    pub(crate) cut_observation: Template,
    pub(crate) read_more: Template,
    pub(crate) not_summarized: Template,
}

impl TextsAdded {
    fn check(texts: &Texts) -> Result<Self, BuildError> {
        let cut_observation = Template::parse("text `cut_observation`", &texts.cut_observation, "missing")?;
        if !cut_observation.has_placeholder() {
            let reason = "lacks `{missing}`; the model would not know how much it does not see".into();
            return Err(BuildError::Template { name: "text `cut_observation`", reason });
        }
        let read_more = Template::parse("text `read_more`", &texts.read_more, "call")?;
        if !read_more.has_placeholder() {
            let reason = "lacks `{call}`; the model would not know what to read".into();
            return Err(BuildError::Template { name: "text `read_more`", reason });
        }
        if texts.not_summarized.trim().is_empty() {
            return Err(BuildError::EmptyText { name: "not_summarized" });
        }
        let not_summarized = Template::parse("text `not_summarized`", &texts.not_summarized, "exchanges")?;
        Ok(Self { cut_observation, read_more, not_summarized })
    }
}

impl Default for TextsAdded {
    fn default() -> Self {
        let around = |text: &str, placeholder: &str| {
            let (before, after) = text.split_once(placeholder).unwrap_or((text, ""));
            Template::around(before, after)
        };
        Self {
            cut_observation: around(CUT_OBSERVATION, "{missing}"),
            read_more: around(READ_MORE, "{call}"),
            not_summarized: around(NOT_SUMMARIZED, "{exchanges}"),
        }
    }
}

impl Texts {
    /// Checks every text: none is empty, every placeholder is known.
    pub(crate) fn check(&self) -> Result<CheckedTexts, BuildError> {
        let fixed = |name: &'static str, text: &String| {
            if text.trim().is_empty() {
                Err(BuildError::EmptyText { name })
            } else {
                Ok(Arc::from(text.as_str()))
            }
        };
        let template = Template::parse("observation template", &self.observation, "observation")?;
        if !template.has_placeholder() {
            let reason = "lacks `{observation}`; the model would never see what it observed".into();
            return Err(BuildError::Template { name: "observation template", reason });
        }
        let summary = Template::parse("summary template", &self.summary, "summary")?;
        if !summary.has_placeholder() {
            let reason = "lacks `{summary}`; what was replaced would be lost".into();
            return Err(BuildError::Template { name: "summary template", reason });
        }
        let effects = Template::parse("effects template", &self.effects, "effects")?;
        if !effects.has_placeholder() {
            let reason = "lacks `{effects}`; what must not be repeated would be lost".into();
            return Err(BuildError::Template { name: "effects template", reason });
        }
        fixed("not_executed", &self.not_executed)?;
        fixed("too_many_calls", &self.too_many_calls)?;
        Ok(CheckedTexts {
            observation: Frame { template, empty: fixed("empty_observation", &self.empty_observation)? },
            refused_by_executor: fixed("refused_by_executor", &self.refused_by_executor)?,
            not_executed: Template::parse("text `not_executed`", &self.not_executed, "reason")?,
            environment_error: fixed("environment_error", &self.environment_error)?,
            unknown: fixed("unknown", &self.unknown)?,
            denied: fixed("denied", &self.denied)?,
            failed_reply: fixed("failed_reply", &self.failed_reply)?,
            failed_observation: fixed("failed_observation", &self.failed_observation)?,
            cut_reply: fixed("cut_reply", &self.cut_reply)?.to_string(),
            too_many_calls: too_many_calls(&self.too_many_calls)?,
            no_text: fixed("no_text", &self.no_text)?.to_string(),
            cancelled: fixed("cancelled", &self.cancelled)?,
            summary,
            effects,
            added: TextsAdded::check(self)?,
        })
    }
}

fn too_many_calls(text: &str) -> Result<Template, BuildError> {
    Template::parse("text `too_many_calls`", text, "limit")
}

impl CheckedTexts {
    /// Returns `true` if the text for too many calls is not the default.
    pub(super) fn has_own_too_many_calls(&self) -> bool {
        too_many_calls(TOO_MANY_CALLS).as_ref() != Ok(&self.too_many_calls)
    }

    /// The beginning and the end of what a model sees of a call, with the notice between them; none where it is no longer
    /// than `most` characters. `missing` is how many characters were cut before, and `call` is named where the result can
    /// be read.
    pub(crate) fn cut(
        &self,
        parts: &[Arc<str>],
        missing: usize,
        most: usize,
        call: Option<&str>,
    ) -> Option<Arc<[Arc<str>]>> {
        let read_more = call.map(|call| self.added.read_more.fill(call)).unwrap_or_default();
        head_and_tail(parts, missing, most, |missing| {
            self.added.cut_observation.fill(&missing.to_string()) + &read_more
        })
    }

    /// Returns what the model sees of an outcome: of an action that was not executed, that the environment failed or whose effect
    /// is not known, a fixed text, which can be made again from the journal; else the observation.
    pub(crate) fn shown(&self, outcome: &ActionOutcome, native: bool) -> Arc<[Arc<str>]> {
        match outcome.status {
            Status::NotExecuted => {
                let text = self.not_executed.fill(&outcome.observation.parts().concat());
                self.observation.recorded(&[Arc::from(text)], native)
            }
            Status::EnvironmentError => Arc::from([self.environment_error.clone()]),
            Status::Unknown => Arc::from([self.unknown.clone()]),
            Status::Executed => self.observation.recorded(outcome.observation.parts(), native),
        }
    }
}
