//! What is known, shown and remembered behind whatever happened to a session.

#![expect(clippy::unwrap_used, reason = "a test that meets something else shall fail loudly")]

use super::Session;
use crate::event::{CompactionReason, Decision, Definitions, Ending, Event, Seal};
use crate::ledger::ItemKind;
use crate::message::ItemId;
use crate::{ContextFragment, registry};

/// What may be asked for.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = developer, markers("<catalog>", "</catalog>"), max_chars = 99, body = "{version}")]
#[fragment(lifetime = latest, absent = "nothing may be asked for", visible, memory = include)]
struct Catalog {
    version: u32,
}

/// What stays, whatever is rolled back.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = user, unmarked = "a note", max_chars = 99, visible, on_rollback = keep)]
#[fragment(body = "note {number}")]
struct Note {
    number: u32,
}

registry! {
    struct App { fragments: [Catalog, Note], crate: crate }
}

/// Begins a run that tells this version of the catalog.
fn begin(session: &mut Session<App>, version: u32) {
    session.append(Event::RunStarted { definition: Definitions::new() });
    session.sync(Catalog { version }).unwrap();
}

/// Lets a person say something, and the model answer.
fn talk(session: &mut Session<App>, words: &str, reply: &str) -> [ItemId; 2] {
    let input = session.say(words).unwrap();
    session.append(Event::PromptSealed { seal: Seal::default() });
    let item = session.new_item();
    session.append(Event::Decided {
        item,
        decision: Decision::answer(reply),
        calls: Vec::new(),
        native: true,
        explanation: None,
        interpreter: String::new(),
        forged_marker: false,
    });
    session.append(Event::RunEnded { ending: Ending::FinalAnswer, told: None });
    [input, item]
}

fn compact(session: &mut Session<App>, replaced: &[ItemId]) {
    session.append(Event::CompactionStarted {
        reason: CompactionReason::Asked,
        before: None,
        instruction: None,
    });
    let (restated, in_place) = session.new_statements(None);
    let summary = Some((session.new_item(), "summary".into()));
    session.append(Event::CompactionApplied {
        replaced: replaced.to_vec(),
        summary,
        restated,
        effects: Vec::new(),
        forged_marker: false,
        shortened: Vec::new(),
        keeps_present_notes: true,
        in_place,
        together: true,
    });
}

fn shown(session: &Session<App>) -> Vec<String> {
    session.visible().into_iter().map(|entry| entry.text).collect()
}

#[test]
fn an_older_value_that_a_rollback_leaves_is_no_evidence_for_a_newer_one() {
    let mut session = Session::<App>::new();
    begin(&mut session, 1);
    talk(&mut session, "a", "one");
    begin(&mut session, 2);
    talk(&mut session, "b", "two");
    session.append(Event::HistoryRolledBack { turns: 1, keeps_context: false });
    assert_eq!(session.told::<Catalog>().unwrap().text(), "<catalog>1</catalog>");
    begin(&mut session, 2);
    assert_eq!(session.sync(Catalog { version: 2 }).unwrap(), None, "said once");
    let said: Vec<_> = session.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(said, ["<catalog>1</catalog>", "a", "one", "<catalog>2</catalog>"]);
    session.append(Event::HistoryRolledBack { turns: 2, keeps_context: false });
    assert!(session.told::<Catalog>().is_none());
    assert_eq!(
        session.retract::<Catalog>().unwrap(),
        None,
        "nothing is taken back that the model was not told"
    );
    begin(&mut session, 2);
    assert_eq!(session.items().len(), 1, "said once");
}

#[test]
fn what_was_rolled_back_is_neither_shown_nor_remembered_and_what_was_compacted_is() {
    let mut session = Session::<App>::new();
    begin(&mut session, 1);
    let first = talk(&mut session, "a", "one");
    begin(&mut session, 1);
    session.inject(Note { number: 1 }).unwrap();
    let second = talk(&mut session, "b", "two");
    let catalog = "<catalog>1</catalog>";
    assert_eq!(shown(&session), [catalog, "a", "one", "note 1", "b", "two"]);
    compact(&mut session, &[first, second].concat());
    assert_eq!(session.items().len(), 3, "a note, the summary, and the catalog told anew");
    let all = [catalog, "a", "one", "note 1", "b", "two", "summary"];
    assert_eq!(shown(&session), all, "what is told anew is not shown again");
    assert_eq!((session.title(9), session.preview(9)), (Some("a"), Some("b")));
    begin(&mut session, 2);
    talk(&mut session, "c", "three");
    session.append(Event::HistoryRolledBack { turns: 1, keeps_context: false });
    assert_eq!(shown(&session), all);
    session.append(Event::HistoryRolledBack { turns: 1, keeps_context: false });
    assert_eq!(
        shown(&session),
        [catalog, "a", "one", "note 1"],
        "the summary went with its turn, the note stays"
    );
    let remembered: Vec<_> = session.memory().into_iter().map(|entry| entry.text).collect();
    assert_eq!(remembered, [catalog, "a", "one"]);
    assert_eq!((session.title(9), session.preview(9)), (Some("a"), Some("a")));
    let turns: Vec<_> = session.turns().into_iter().map(|turn| (turn.number, turn.items.len())).collect();
    assert_eq!(turns, [(1, 3)], "what stays of a turn that is gone is in none");
    session.append(Event::HistoryRolledBack { turns: 1, keeps_context: false });
    assert_eq!((shown(&session), session.title(9)), (vec!["note 1".to_owned()], None));
}

#[test]
fn a_summary_is_an_entry_that_says_what_it_is() {
    let mut session = Session::<App>::new();
    begin(&mut session, 1);
    let first = talk(&mut session, "a", "one");
    compact(&mut session, &first);
    let kinds: Vec<_> = session.visible().iter().map(|entry| (entry.kind, entry.name)).collect();
    let expected = [
        (ItemKind::Fragment, "catalog"),
        (ItemKind::Input, "polyloop.input"),
        (ItemKind::Reply, "polyloop.reply"),
        (ItemKind::Summary, "polyloop.summary"),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn a_statement_of_this_turn_that_no_request_contained_is_replaced_and_an_earlier_one_stays() {
    let mut session = Session::<App>::new();
    begin(&mut session, 1);
    session.append(Event::RunEnded { ending: Ending::Cancelled, told: None });
    begin(&mut session, 2);
    session.sync(Catalog { version: 3 }).unwrap();
    session.sync(Catalog { version: 4 }).unwrap();
    assert_eq!(texts(&session), ["<catalog>1</catalog>", "<catalog>4</catalog>"]);
    session.sync(Catalog { version: 1 }).unwrap();
    assert_eq!(texts(&session), ["<catalog>1</catalog>"], "the earlier one holds again");
    session.append(Event::PromptSealed { seal: Seal::default() });
    session.sync(Catalog { version: 5 }).unwrap();
    session.retract::<Catalog>().unwrap();
    assert_eq!(texts(&session), ["<catalog>1</catalog>"], "it stands behind the reply that is still to come");
    assert_eq!(session.told::<Catalog>(), None);
}

fn texts(session: &Session<App>) -> Vec<String> {
    session.items().iter().map(|item| item.text().into_owned()).collect()
}

#[test]
fn words_that_stood_in_a_request_are_heard_also_behind_a_compaction_and_a_rollback() {
    let mut session = Session::<App>::new();
    begin(&mut session, 1);
    let first = talk(&mut session, "a", "one");
    begin(&mut session, 1);
    talk(&mut session, "b", "two");
    assert!(!session.ledger().has_unheard_words());
    compact(&mut session, &first);
    assert!(!session.ledger().has_unheard_words(), "`b` stands behind the summary, and was heard");
    begin(&mut session, 1);
    session.say("c").unwrap();
    assert!(session.ledger().has_unheard_words());
    session.append(Event::HistoryRolledBack { turns: 1, keeps_context: false });
    assert!(!session.ledger().has_unheard_words());
    begin(&mut session, 1);
    session.append(Event::PromptSealed { seal: Seal::default() });
    session.say("d").unwrap();
    session.append(Event::PromptSealed { seal: Seal { attempt: 2, ..Seal::default() } });
    assert!(session.ledger().has_unheard_words(), "a further attempt shows the same");
}
