//! Where things stand, whatever the order in which they were recorded.

use std::sync::Arc;

use super::{Ledger, Part};
use crate::event::{
    Action, ActionOutcome, Call, CallId, Decision, Definitions, Ending, Event, ImportedItem, ImportedPart,
    NoteId, RecordedFragment, Seal, Settled, UserInput,
};
use crate::fragment::{ContextFragment, Render};
use crate::journal::{Fork, SessionId};
use crate::message::ItemId;

fn sealed() -> Event {
    Event::PromptSealed { seal: Seal::default() }
}

fn said(ledger: &mut Ledger, item: u64, text: &str) {
    let input = UserInput::from(text);
    ledger.apply(&Event::InputRecorded { item: ItemId(item), input, typed: None, forged_marker: false });
}

fn settled(ledger: &mut Ledger, item: u64, call: u64, text: &str) {
    let shown: Arc<[Arc<str>]> = Arc::from([Arc::from(text)]);
    let settled = Settled::new(ActionOutcome::executed(text), shown);
    let call = CallId::numbered(call);
    ledger.apply(&Event::CallSettled { item: ItemId(item), call, settled });
}

fn decided(ledger: &mut Ledger, item: u64, calls: &[u64]) {
    let action = Action::tool("tally", "{}");
    let decision = Decision::act("I act.", vec![action.clone(); calls.len()]);
    let calls = calls.iter().map(|call| Call::new(CallId::numbered(*call), action.clone())).collect();
    ledger.apply(&Event::Decided {
        item: ItemId(item),
        decision,
        calls,
        native: true,
        explanation: None,
        interpreter: String::new(),
        forged_marker: false,
    });
}

fn texts(ledger: &Ledger) -> Vec<String> {
    ledger.items().iter().map(|item| item.text().into_owned()).collect()
}

#[test]
fn what_is_recorded_while_calls_are_open_stands_behind_the_last_of_their_results() {
    let mut ledger = Ledger::default();
    said(&mut ledger, 1, "goal");
    ledger.apply(&sealed());
    decided(&mut ledger, 2, &[1, 2]);
    said(&mut ledger, 3, "remark");
    settled(&mut ledger, 4, 2, "second");
    said(&mut ledger, 5, "another");
    assert_eq!(texts(&ledger), ["goal", "I act."], "no result stands before all are there");
    settled(&mut ledger, 6, 1, "first");
    assert_eq!(texts(&ledger), ["goal", "I act.", "first", "second", "remark", "another"]);
}

#[test]
fn what_is_recorded_while_a_request_is_out_stands_behind_its_reply() {
    let mut ledger = Ledger::default();
    said(&mut ledger, 1, "goal");
    ledger.apply(&sealed());
    said(&mut ledger, 2, "remark");
    ledger.apply(&Event::ModelAbandoned {});
    ledger.apply(&sealed());
    assert_eq!(texts(&ledger), ["goal"], "a second attempt shows what the first one did");
    decided(&mut ledger, 3, &[]);
    assert_eq!(texts(&ledger), ["goal", "I act.", "remark"]);
}

#[test]
fn what_waited_for_a_request_that_nobody_waits_for_any_more_stands_when_the_run_ended() {
    let mut ledger = Ledger::default();
    said(&mut ledger, 1, "goal");
    ledger.apply(&sealed());
    said(&mut ledger, 2, "remark");
    ledger.apply(&Event::ModelAbandoned {});
    let told = Some((ItemId(3), "cancelled".into()));
    ledger.apply(&Event::RunEnded { ending: Ending::Cancelled, told });
    assert_eq!(texts(&ledger), ["goal", "remark", "cancelled"]);
}

#[test]
fn what_is_recorded_behind_the_first_seal_is_not_ordered_by_a_layout() {
    let mut ledger = Ledger::default();
    said(&mut ledger, 1, "goal");
    ledger.apply(&sealed());
    decided(&mut ledger, 3, &[]);
    said(&mut ledger, 2, "later");
    ledger.apply(&sealed());
    let parts = [Part { end: 1, arranged: true }, Part { end: 3, arranged: false }];
    assert_eq!(ledger.closed_parts(), parts, "the first seal counts");
}

#[test]
fn a_call_is_answered_once_and_an_unknown_one_never() {
    let mut ledger = Ledger::default();
    decided(&mut ledger, 1, &[1]);
    settled(&mut ledger, 2, 9, "of no call");
    settled(&mut ledger, 3, 1, "first");
    settled(&mut ledger, 4, 1, "again");
    assert_eq!(texts(&ledger), ["I act.", "first"]);
}

fn imported(ledger: &mut Ledger, items: &[(u64, &str, bool)]) {
    let items = items.iter().map(|(item, text, joined)| {
        let part = ImportedPart::Input { input: UserInput::from(*text), forged_marker: false };
        ImportedItem { item: ItemId(*item), part, joined: *joined }
    });
    ledger.apply(&Event::HistoryImported { items: items.collect() });
}

#[test]
fn what_another_program_recorded_in_one_message_is_known_by_its_first_item() {
    let mut ledger = Ledger::default();
    imported(&mut ledger, &[(1, "a", true), (2, "b", true), (3, "c", false), (4, "d", true)]);
    said(&mut ledger, 5, "here");
    let messages: Vec<_> =
        ledger.items().iter().map(|item| item.imported_in().map(|first| first.0)).collect();
    assert_eq!(messages, [Some(1), Some(1), Some(3), Some(3), None]);
}

#[test]
fn no_layout_orders_what_another_program_recorded_also_when_everything_else_is_rolled_back() {
    let mut ledger = Ledger::default();
    imported(&mut ledger, &[(1, "of old", false)]);
    ledger.apply(&Event::RunStarted { definition: Definitions::new() });
    said(&mut ledger, 2, "goal");
    ledger.apply(&sealed());
    ledger.apply(&Event::RunEnded { ending: Ending::FinalAnswer, told: None });
    ledger.apply(&Event::HistoryRolledBack { turns: 1, keeps_context: false });
    assert_eq!(texts(&ledger), ["of old"]);
    assert_eq!(ledger.closed_parts(), [Part { end: 1, arranged: false }]);
    assert!(!ledger.open_part().arranged);
}

/// What a host noticed.
#[derive(crate::ContextFragment)]
#[fragment(crate = crate, role = user, markers("<note>", "</note>"), slot = turn, lifetime = once, max_chars = 99)]
#[fragment(body = "{text}")]
struct Notice {
    text: &'static str,
}

fn queued(ledger: &mut Ledger, note: u64, text: &'static str) {
    let rendered = Notice { text }.render().unwrap_or_else(|error| unreachable!("{error}"));
    let fragment = RecordedFragment::new(&const { Notice::SPEC }, rendered);
    ledger.apply(&Event::NoteQueued { note: NoteId(note), fragment, until: None });
}

fn waiting(ledger: &Ledger) -> Vec<u64> {
    ledger.notes().map(|(note, _)| note.0).collect()
}

/// A turn in which a note is told, and behind which another one waits.
fn with_notes() -> Ledger {
    let mut ledger = Ledger::default();
    ledger.apply(&Event::RunStarted { definition: Definitions::new() });
    said(&mut ledger, 1, "first");
    ledger.apply(&Event::RunEnded { ending: Ending::FinalAnswer, told: None });
    queued(&mut ledger, 1, "told");
    ledger.apply(&Event::RunStarted { definition: Definitions::new() });
    ledger.apply(&Event::NoteTaken { note: NoteId(1), item: ItemId(2) });
    said(&mut ledger, 3, "second");
    queued(&mut ledger, 2, "waits");
    ledger
}

#[test]
fn a_note_that_was_told_in_a_turn_that_is_rolled_back_is_gone_with_it_and_one_that_waits_waits_on() {
    let mut ledger = with_notes();
    assert_eq!(texts(&ledger), ["first", "<note>told</note>", "second"]);
    ledger.apply(&Event::HistoryRolledBack { turns: 1, keeps_context: false });
    assert_eq!(texts(&ledger), ["first"]);
    assert_eq!(waiting(&ledger), [2], "one is a pop");
}

#[test]
fn a_branch_has_what_its_parent_was_told_and_not_what_waits_there() {
    let mut ledger = with_notes();
    let opened =
        r#"{"SessionOpened":{"library":"","registry":"","fork":{"parent":"p","records":1,"hash":""}}}"#;
    ledger.apply(&serde_json::from_str(opened).unwrap_or_else(|error| unreachable!("{error}")));
    assert_eq!(texts(&ledger), ["first", "<note>told</note>", "second"]);
    assert!(waiting(&ledger).is_empty());
}

/// Where the agent works.
#[derive(crate::ContextFragment)]
#[fragment(crate = crate, role = user, markers("<place>", "</place>"), lifetime = latest, max_chars = 99)]
#[fragment(absent = "no place", body = "{name}")]
struct Place {
    name: String,
}

fn place(name: &str) -> RecordedFragment {
    let rendered = Place { name: name.to_owned() }.render().unwrap_or_else(|error| unreachable!("{error}"));
    RecordedFragment::new(&const { Place::SPEC }, rendered)
}

#[test]
fn what_is_refreshed_stands_in_the_message_in_which_another_program_recorded_it() {
    let mut ledger = Ledger::default();
    let input = |text: &str| ImportedPart::Input { input: UserInput::from(text), forged_marker: false };
    let parts = [ImportedPart::Fragment(place("/a")), input("of old")];
    let items = (1..).zip(parts).map(|(item, part)| ImportedItem { item: ItemId(item), part, joined: true });
    ledger.apply(&Event::HistoryImported { items: items.collect() });
    let fork = Fork { parent: SessionId::from("parent"), records: 1, hash: String::new() };
    let (library, registry) = (String::new(), String::new());
    ledger.apply(&Event::SessionOpened { library, registry, fork: Some(fork) });
    let instead_of = ledger.first_statement("place");
    assert_eq!(instead_of, Some(ItemId(1)));
    ledger.apply(&Event::FragmentRecorded { item: ItemId(3), fragment: place("/b"), instead_of });
    assert_eq!(texts(&ledger), ["<place>/b</place>", "of old"]);
    let messages: Vec<_> =
        ledger.items().iter().map(|item| item.imported_in().map(|first| first.0)).collect();
    assert_eq!(messages, [Some(1), Some(1)]);
    assert_eq!(ledger.closed_parts(), [Part { end: 2, arranged: false }]);
}
