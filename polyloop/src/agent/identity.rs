//! The stored identities of a budget and of the fixed texts; see [`crate::identity`] for how a field is added.

use std::fmt;

use super::budget::Budget;
use super::texts::CheckedTexts;
use crate::identity::IdentityFields;

/// A budget in its stored form.
struct BudgetIdentity<'b>(&'b Budget);

impl fmt::Debug for BudgetIdentity<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let budget = self.0;
        IdentityFields::of(formatter, "Budget")
            .field("steps", &budget.steps)
            .field("actions", &budget.actions)
            .field("environment_errors", &budget.environment_errors)
            .field("model_failures", &budget.model_failures)
            .field("prompt_chars", &budget.prompt_chars)
            .field("unknown_outcomes", &budget.unknown_outcomes)
            .field("time", &budget.time)
            .field("compaction_chars", &budget.compaction_chars)
            .field("compaction_items", &budget.compaction_items)
            .field("compaction_time", &budget.compaction_time)
            .finish()
    }
}

/// The fixed texts in their stored form.
struct TextsIdentity<'t>(&'t CheckedTexts);

impl fmt::Debug for TextsIdentity<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.0;
        IdentityFields::of(formatter, "CheckedTexts")
            .field("observation", &texts.observation)
            .field("not_executed", &texts.not_executed)
            .field("environment_error", &texts.environment_error)
            .field("unknown", &texts.unknown)
            .field("denied", &texts.denied)
            .field("empty_observation", &texts.empty_observation)
            .field("failed_reply", &texts.failed_reply)
            .field("failed_observation", &texts.failed_observation)
            .field("cut_reply", &texts.cut_reply)
            .field("no_text", &texts.no_text)
            .field("cancelled", &texts.cancelled)
            .field("summary", &texts.summary)
            .field("effects", &texts.effects)
            .finish()
    }
}

/// Returns the stored identity of a budget.
pub(super) fn budget(budget: &Budget) -> String {
    format!("{:?}", BudgetIdentity(budget))
}

/// Returns the stored identity of the fixed texts: a hash, in hexadecimal digits.
pub(super) fn texts(texts: &CheckedTexts) -> String {
    blake3::hash(format!("{:?}", TextsIdentity(texts)).as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::{budget, texts};
    use crate::agent::budget::Budget;
    use crate::agent::texts::Texts;

    #[test]
    fn the_identities_of_the_first_version_stay() {
        assert_eq!(
            budget(&Budget::default()),
            "Budget { steps: 50, actions: 50, environment_errors: 3, model_failures: 3, prompt_chars: 400000, \
             unknown_outcomes: 1, time: None, compaction_chars: None, compaction_items: 400, compaction_time: 120s }"
        );
        assert_eq!(
            Texts::default().check().map(|checked| texts(&checked)).ok().as_deref(),
            Some("47986a2eda6c2edbdf92677f1d9d54c760afdf5d746fa7e7901aa39bbf7ccc22")
        );
    }
}
