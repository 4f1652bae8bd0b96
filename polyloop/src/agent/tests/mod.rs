//! What holds for every order of events: of those that a run writes, and of those that none would.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something else shall fail loudly"
)]

mod compactions;
mod golden;
mod kinds;
mod life;
mod machine;
mod orders;

use std::collections::BTreeSet;

use futures_util::FutureExt;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use self::machine::{Machine, read};
use crate::event::{Event, SealPurpose};
use crate::ledger::Item;
use crate::message::Prompt;
use crate::model::{Model, Scripted};
use crate::{ContextFragment, Reply, registry};

/// A note of the host.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = user, markers("<note>", "</note>"), slot = turn, max_chars = 200, body = "{text}")]
pub(super) struct Note {
    text: String,
}

registry! {
    pub(super) struct App { fragments: [Note], crate: crate }
}

/// So many cases, and no file of failures beside the source.
fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// What each step of a run is, and everything that meets it.
fn choices() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..400)
}

/// What a strict provider says: nothing empty, each call answered directly behind it, no result without a call.
fn strictly(prompt: &Prompt) -> Result<(), String> {
    let taken = Scripted::by(|_| Reply::text("taken")).ask(prompt).now_or_never();
    taken.unwrap().map(drop).map_err(|error| error.to_string())
}

/// The bytes of a prompt: its messages as JSON, one behind another.
fn bytes(prompt: &Prompt) -> String {
    prompt.messages().map(|message| serde_json::to_string(message).unwrap()).collect()
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn whatever_happens_to_a_run_a_strict_provider_takes_every_prompt_that_is_sealed(choices in choices()) {
        for prompt in Machine::driven_by(&choices).prompts {
            prop_assert_eq!(strictly(&prompt), Ok(()), "{}", bytes(&prompt));
        }
    }

    #[test]
    fn whatever_happens_to_a_run_each_prompt_is_a_byte_prefix_of_the_next_one(choices in choices()) {
        for pair in Machine::driven_by(&choices).prompts.windows(2) {
            prop_assert!(bytes(&pair[1]).starts_with(&bytes(&pair[0])));
        }
    }

    #[test]
    fn whatever_is_said_meanwhile_a_further_attempt_of_a_step_shows_what_the_first_one_did(choices in choices()) {
        let machine = Machine::driven_by(&choices);
        let mut shown = String::new();
        for event in &machine.kept {
            let Event::PromptSealed { seal } = event else { continue };
            prop_assert!(seal.attempt == 1 || seal.messages == shown, "attempt {}", seal.attempt);
            shown.clone_from(&seal.messages);
        }
    }

    #[test]
    fn every_prompt_that_was_sealed_is_made_again_from_the_journal(choices in choices()) {
        let machine = Machine::driven_by(&choices);
        let (mut session, _) = read(&[]);
        let mut again = Vec::new();
        for event in &machine.kept {
            session.follow(event);
            if let Event::PromptSealed { seal } = event {
                let prompt = session.prompt();
                prop_assert_eq!(&session.messages_hash(&prompt, SealPurpose::Step), &seal.messages);
                again.push(bytes(&prompt));
            }
        }
        prop_assert_eq!(again, machine.prompts.iter().map(bytes).collect::<Vec<_>>());
    }

    #[test]
    fn a_part_of_the_journal_and_then_the_rest_comes_to_the_same_as_all_of_it(
        choices in choices(),
        cut in any::<proptest::sample::Index>(),
    ) {
        let machine = Machine::driven_by(&choices);
        let (part, rest) = machine.kept.split_at(cut.index(machine.kept.len() + 1));
        let (whole, whole_state) = read(&machine.kept);
        let (part, mut state) = read(part);
        // As a run that is taken up there goes on.
        let mut session = part.twin().journaled();
        for event in rest {
            session.append(event.clone());
            state.apply(event);
        }
        prop_assert_eq!(format!("{state:?}"), format!("{whole_state:?}"));
        prop_assert_eq!(format!("{:?}", session.items()), format!("{:?}", whole.items()));
        prop_assert_eq!(session.new_item(), whole.twin().new_item());
        prop_assert_eq!(session.new_calls().next(), whole.new_calls().next());
        prop_assert_eq!(bytes(&session.prompt()), bytes(&whole.twin().prompt()));
    }

    #[test]
    fn no_id_is_given_twice_however_often_a_run_is_killed(choices in choices()) {
        let machine = Machine::driven_by(&choices);
        let items: BTreeSet<_> = machine.session.items().iter().map(Item::id).collect();
        prop_assert_eq!(items.len(), machine.session.items().len());
        let mut calls = BTreeSet::new();
        for event in &machine.kept {
            let Event::Decided { calls: decided, .. } = event else { continue };
            for call in decided {
                prop_assert!(calls.insert(call.id().clone()), "{}", call.id());
            }
        }
    }

    #[test]
    fn nothing_that_a_run_writes_is_refused_when_it_is_read(choices in choices()) {
        let machine = Machine::driven_by(&choices);
        let (mut session, _) = read(&[]);
        for event in &machine.kept {
            prop_assert_eq!(session.admits(event), Ok(()), "{:?}", event);
            session.follow(event);
        }
    }
}

/// Or the properties above would say little.
#[test]
fn among_the_random_runs_there_is_everything_that_can_happen() {
    let mut runner = TestRunner::deterministic();
    let mut kinds = BTreeSet::new();
    let mut prompts = 0;
    for _ in 0..200 {
        let machine = Machine::driven_by(&choices().new_tree(&mut runner).unwrap().current());
        kinds.extend(machine.kept.iter().map(Event::kind));
        prompts += machine.prompts.len();
    }
    assert_eq!(kinds.len(), 28, "{kinds:?}");
    assert!(prompts > 1_000, "{prompts}");
}
