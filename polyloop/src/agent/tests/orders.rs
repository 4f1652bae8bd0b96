//! Events in an order that no run writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::machine::{Choices, read};
use super::{App, Note, config, strictly};
use crate::error::{ModelError, ModelErrorClass};
use crate::event::{
    Action, ActionOutcome, Call, CallId, Closing, CompactionReason, Decision, Definitions, Ending, Event,
    Header, ImportedItem, ImportedPart, Intent, Measured, NoteEnd, NoteId, RecordedFragment, Reply, Seal,
    Settled, UserInput, Verdict,
};
use crate::fragment::ContextFragment;
use crate::ledger::Item;
use crate::message::ItemId;
use crate::registry::Registry;
use crate::session::Session;
use crate::tool::Replay;

/// Any event at all. Most ids are such as a run would give next; the others were given before, or are too high.
fn any_event(session: &Session<App>, choices: &mut Choices<'_>) -> Event {
    let mut next = session.twin().new_item().0;
    let mut item = |choices: &mut Choices<'_>| {
        next += 1;
        if choices.below(20) == 0 { ItemId(choices.below(9) as u64) } else { ItemId(next - 1) }
    };
    let call = CallId::numbered(choices.below(6) as u64);
    let text = |text: &str| -> Arc<str> { text.into() };
    match choices.below(33) {
        0 => Event::SessionOpened { library: String::new(), registry: String::new(), fork: None },
        1 => Event::LeaseTaken {},
        2 => Event::RunStarted { definition: Definitions::new() },
        3 => Event::RunResumed { definition: Definitions::new(), changed: Vec::new() },
        4 => Event::RunSuspended { ending: Ending::AwaitingApproval },
        5 => Event::ToolsEnabled { tools: Vec::new() },
        6 => Event::HeaderChanged { header: Header::default() },
        7 => {
            let rendered = App::render(&Note { text: "a note".to_owned() }).unwrap();
            let fragment = RecordedFragment::new(&const { Note::SPEC }, rendered);
            Event::FragmentRecorded { item: item(choices), fragment, instead_of: None }
        }
        8 => Event::InputRecorded {
            item: item(choices),
            input: UserInput::from("go"),
            typed: None,
            forged_marker: false,
        },
        9 => Event::PromptRefused { chars: 1, limit: 0, bytes: None },
        10..=13 => Event::PromptSealed { seal: Seal::default() },
        14 => Event::ModelReplied { reply: Arc::new(Reply::text("so")) },
        15 => {
            let closing =
                Closing { reply: (item(choices), text("(no)")), observation: (item(choices), text("on")) };
            let error = ModelError::new(ModelErrorClass::Server, "down");
            Event::ModelFailed { error, closing: (choices.below(2) == 0).then_some(closing) }
        }
        16 => Event::ModelAbandoned {},
        17..=19 => decided(session, item(choices), choices),
        20 => Event::ApprovalAsked { call, arguments: None },
        21 => Event::ApprovalGiven { call, always: false },
        22 => Event::CallStarted {
            call,
            intent: Intent {
                attempt: 1,
                replay: Replay::Never,
                arguments: String::new(),
                spec: None,
                completes_run: false,
                child: None,
            },
        },
        23 => Event::CallVerified { call, verdict: Verdict::DidNotHappen },
        24 | 25 => {
            let settled = Settled::new(ActionOutcome::executed("done"), Arc::from([text("seen")]));
            Event::CallSettled { item: item(choices), call, settled }
        }
        26 => match choices.below(4) {
            0 => Event::StopChecked { measured: Measured::default(), matches: Vec::new() },
            1 => Event::ClockMarked { millis: u64::MAX },
            2 => Event::UnknownAcknowledged {},
            _ => Event::CancelRequested { now: true },
        },
        27..=31 => about_the_context(session, [item(choices), item(choices)], choices),
        _ => match choices.below(2) {
            0 => Event::RunEnded { ending: Ending::FinalAnswer, told: None },
            _ => Event::RunFaulted { message: String::new() },
        },
    }
}

/// What changes what stands.
fn about_the_context(session: &Session<App>, ids: [ItemId; 2], choices: &mut Choices<'_>) -> Event {
    let [item, other] = ids;
    let any_item = |choices: &mut Choices<'_>| {
        let known = session.items().get(choices.below(session.items().len().max(1)));
        known.map_or(ItemId(choices.below(40) as u64), Item::id)
    };
    let rendered = App::render(&Note { text: "a note".to_owned() }).unwrap();
    let fragment = RecordedFragment::new(&const { Note::SPEC }, rendered);
    match choices.below(11) {
        0 => Event::NoteQueued { note: NoteId(choices.below(3) as u64), fragment, until: None },
        1 => Event::NoteTaken { note: NoteId(choices.below(3) as u64), item },
        2 => {
            Event::HistoryRolledBack { turns: choices.below(3) as u64, keeps_context: choices.below(2) == 0 }
        }
        3 => Event::CompactionStarted {
            reason: CompactionReason::Size,
            before: (choices.below(2) == 0).then(|| any_item(choices)),
            instruction: (choices.below(2) == 0).then(|| (item, "sum up".into())),
        },
        4 | 5 => Event::CompactionApplied {
            replaced: (0..choices.below(4)).map(|_| any_item(choices)).collect(),
            summary: (choices.below(2) == 0).then(|| (item, "a summary".into())),
            restated: (0..choices.below(2)).map(|_| (other, any_item(choices))).collect(),
            effects: Vec::new(),
            forged_marker: false,
            shortened: Vec::new(),
            keeps_present_notes: choices.below(2) == 0,
            in_place: Vec::new(),
            together: choices.below(2) == 0,
        },
        6 => Event::CompactionAbandoned { why: String::new(), chars: None },
        7 => Event::FragmentRecorded { item, fragment, instead_of: Some(any_item(choices)) },
        8 => Event::NoteWithdrawn { note: NoteId(choices.below(3) as u64), why: NoteEnd::Withdrawn },
        9 => Event::FragmentRetired { item: any_item(choices) },
        _ => {
            let call = Call::new(CallId::numbered(choices.below(6) as u64), Action::tool("tally", "{}"));
            let result = ImportedPart::Result {
                call: call.id().clone(),
                tool: "tally".into(),
                parts: Arc::from([Arc::from("seen")]),
                shown: None,
                forged_marker: false,
            };
            let reply =
                ImportedPart::Reply { text: "I act.".into(), calls: vec![call], forged_marker: false };
            let items = [(item, reply), (other, result)];
            let items = items.map(|(item, part)| ImportedItem { item, part, joined: choices.below(2) == 0 });
            Event::HistoryImported { items: items.into() }
        }
    }
}

fn decided(session: &Session<App>, item: ItemId, choices: &mut Choices<'_>) -> Event {
    let action = Action::tool("tally", "{}");
    let count = choices.below(4);
    let any_id = |choices: &mut Choices<'_>| CallId::numbered(choices.below(6) as u64);
    let ids: Vec<CallId> = if choices.below(8) == 0 {
        (0..count).map(|_| any_id(choices)).collect()
    } else {
        session.new_calls().take(count).collect()
    };
    Event::Decided {
        item,
        decision: Decision::act("I act.", vec![action.clone(); count]),
        calls: ids.into_iter().map(|id| Call::new(id, action.clone())).collect(),
        native: choices.below(4) > 0,
        explanation: None,
        interpreter: String::new(),
        forged_marker: false,
    }
}

#[test]
fn a_note_is_queued_and_taken_once() {
    let (mut session, _) = read(&[]);
    let rendered = App::render(&Note { text: "a note".to_owned() }).unwrap();
    let fragment = RecordedFragment::new(&const { Note::SPEC }, rendered);
    let queued = Event::NoteQueued { note: NoteId(1), fragment, until: None };
    let taken = |item| Event::NoteTaken { note: NoteId(1), item: ItemId(item) };
    assert_eq!(session.admits(&taken(1)), Err("takes a note that does not wait"));
    session.follow(&queued);
    assert_eq!(session.admits(&queued), Err("gives a note the id of another one"));
    assert_eq!(session.admits(&taken(1)), Ok(()));
    session.follow(&taken(1));
    assert_eq!(session.admits(&taken(2)), Err("takes a note that does not wait"));
    assert_eq!(session.admits(&queued), Err("gives a note the id of another one"), "not later, either");
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn no_order_of_events_that_is_taken_seals_a_call_without_its_result_or_repeats_an_id(
        choices in vec(any::<u8>(), 0..600),
    ) {
        let mut choices = Choices::new(&choices);
        let (mut session, mut state) = read(&[]);
        for _ in 0..100 {
            let event = any_event(&session, &mut choices);
            if session.admits(&event).is_err() {
                continue;
            }
            session.follow(&event);
            state.apply(&event);
            if matches!(event, Event::PromptSealed { .. }) {
                let prompt = session.prompt();
                prop_assert_eq!(strictly(&prompt), Ok(()), "{:?}", session.items());
            }
        }
        let ids: BTreeSet<ItemId> = session.items().iter().map(Item::id).collect();
        prop_assert_eq!(ids.len(), session.items().len());
    }

    #[test]
    fn whatever_the_order_events_can_be_folded_and_projected(choices in vec(any::<u8>(), 0..600)) {
        let mut choices = Choices::new(&choices);
        let (mut session, mut state) = read(&[]);
        for _ in 0..100 {
            let event = any_event(&session, &mut choices);
            session.follow(&event);
            state.apply(&event);
            session.prompt();
        }
    }
}
