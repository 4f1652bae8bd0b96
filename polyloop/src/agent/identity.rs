//! The stored identities of a budget and of the fixed texts; see [`crate::identity`] for how a field is added.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::budget::{Budget, CALLS_PER_REPLY, OBSERVATION_CHARS, REQUEST_BYTES};
use super::texts::{CheckedTexts, REFUSED_BY_EXECUTOR, TextsAdded};
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
            .added("calls_per_reply", &budget.calls_per_reply, &CALLS_PER_REPLY)
            .added("observation_chars", &budget.observation_chars, &OBSERVATION_CHARS)
            .added("request_bytes", &budget.request_bytes, &REQUEST_BYTES)
            .finish()
    }
}

/// The fixed texts in their stored form.
struct TextsIdentity<'t>(&'t CheckedTexts);

impl fmt::Debug for TextsIdentity<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.0;
        let refused = Some(&texts.refused_by_executor).filter(|text| &***text != REFUSED_BY_EXECUTOR);
        let too_many_calls = texts.has_own_too_many_calls().then_some(&texts.too_many_calls);
        let default = TextsAdded::default();
        IdentityFields::of(formatter, "CheckedTexts")
            .field("observation", &texts.observation.template)
            .field("not_executed", &texts.not_executed)
            .field("environment_error", &texts.environment_error)
            .field("unknown", &texts.unknown)
            .field("denied", &texts.denied)
            .field("empty_observation", &texts.observation.empty)
            .field("failed_reply", &texts.failed_reply)
            .field("failed_observation", &texts.failed_observation)
            .field("cut_reply", &texts.cut_reply)
            .field("no_text", &texts.no_text)
            .field("cancelled", &texts.cancelled)
            .field("summary", &texts.summary)
            .field("effects", &texts.effects)
            .added("too_many_calls", &too_many_calls, &None)
            .added("cut_observation", &texts.added.cut_observation, &default.cut_observation)
            .added("read_more", &texts.added.read_more, &default.read_more)
            .added("not_summarized", &texts.added.not_summarized, &default.not_summarized)
            .added("refused_by_executor", &refused, &None)
            .finish()
    }
}

/// Returns the stored identity of a budget.
pub(super) fn budget(budget: &Budget) -> String {
    format!("{:?}", BudgetIdentity(budget))
}

/// Describes how the stored identity of one budget differs from that of another, field by field.
pub(super) fn budget_difference(from: &str, now: &str) -> String {
    fn fields(identity: &str) -> BTreeMap<&str, &str> {
        let inside = identity.strip_prefix("Budget { ").and_then(|rest| rest.strip_suffix(" }"));
        inside.unwrap_or_default().split(", ").filter_map(|field| field.split_once(": ")).collect()
    }
    let (from, now) = (fields(from), fields(now));
    let names: BTreeSet<&str> = from.keys().chain(now.keys()).copied().collect();
    let differing = names.into_iter().filter(|name| from.get(name) != now.get(name));
    let value =
        |fields: &BTreeMap<&str, &str>, name| fields.get(name).copied().unwrap_or("the default").to_owned();
    let each =
        differing.map(|name| format!("`{name}` was {} and is {}", value(&from, name), value(&now, name)));
    each.collect::<Vec<_>>().join(", ")
}

/// Returns the stored identity of the fixed texts: a hash, in hexadecimal digits.
pub(super) fn texts(texts: &CheckedTexts) -> String {
    blake3::hash(format!("{:?}", TextsIdentity(texts)).as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{budget, budget_difference, texts};
    use crate::agent::budget::Budget;
    use crate::agent::texts::Texts;

    #[test]
    fn a_difference_of_budgets_names_both_values() {
        let (one, other) = (Budget::steps(5).actions(9), Budget::steps(6).actions(9).calls_per_reply(1));
        assert_eq!(
            budget_difference(&budget(&one), &budget(&other.time(Duration::from_secs(1)))),
            "`calls_per_reply` was the default and is 1, `steps` was 5 and is 6, `time` was None and is Some(1s)"
        );
    }

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
