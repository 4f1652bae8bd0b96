//! What compaction and imports leave, in each layout.

#![expect(clippy::unwrap_used, reason = "a test that meets something else shall fail loudly")]

use super::{Grouped, Layout, Staged, Turn};
use crate::event::{
    CompactionReason, Decision, Definitions, Ending, Event, ImportedItem, ImportedPart, Seal,
};
use crate::event::{SealPurpose, UserInput};
use crate::ledger::Item;
use crate::message::{ItemId, Message, Prompt};
use crate::session::Session;
use crate::{ContextFragment, registry};

/// What is the same for all runs.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = system, unmarked = "for a test", max_chars = 100, body = "{text}")]
struct Rules {
    text: &'static str,
}

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = user, markers("<cwd>", "</cwd>"), max_chars = 100, body = "{path}", at_most = 9)]
#[fragment(lifetime = latest, absent = "nowhere")]
struct Cwd {
    path: &'static str,
}

/// What may be done.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = developer, markers("<may>", "</may>"), max_chars = 100, body = "{text}")]
#[fragment(lifetime = latest, absent = "nothing", at_most = 9)]
struct May {
    text: &'static str,
}

/// News of one turn.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = user, unmarked = "for a test", slot = turn, lifetime = once, max_chars = 100)]
#[fragment(body = "{text}")]
struct News {
    text: &'static str,
}

/// What stands by itself.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = user, unmarked = "for a test", standalone, max_chars = 100, body = "{text}")]
struct Alone {
    text: &'static str,
}

registry! {
    struct App { fragments: [Rules, Cwd, May, News, Alone], crate: crate }
}

/// A session in each layout.
fn in_each_layout(tell: impl Fn(&mut Session<App>)) -> [Session<App>; 3] {
    let sessions = [Session::with_layout(Staged), Session::with_layout(Grouped), Session::with_layout(Turn)];
    sessions.map(|mut session| {
        tell(&mut session);
        session
    })
}

fn run(session: &mut Session<App>) {
    session.append(Event::RunStarted { definition: Definitions::new() });
}

/// Sends what stands, and takes an answer.
fn answer(session: &mut Session<App>, text: &str) -> ItemId {
    session.prompt();
    session.append(Event::PromptSealed { seal: Seal::default() });
    let item = session.new_item();
    session.append(Event::Decided {
        item,
        decision: Decision::answer(text),
        calls: Vec::new(),
        native: true,
        explanation: None,
        interpreter: String::new(),
        forged_marker: false,
    });
    session.append(Event::RunEnded { ending: Ending::FinalAnswer, told: None });
    item
}

fn start_compaction(session: &mut Session<App>, before: Option<ItemId>) {
    let instruction = Some((session.new_item(), "Sum up.".into()));
    session.append(Event::CompactionStarted { reason: CompactionReason::Asked, before, instruction });
}

/// Puts a summary in the place of some items, and states anew what is to be.
fn compact(session: &mut Session<App>, before: Option<ItemId>, replaced: &[ItemId]) {
    let summary = Some((session.new_item(), "the summary".into()));
    let (restated, in_place) = session.new_statements(before);
    let (replaced, effects) = (replaced.to_vec(), Vec::new());
    session.append(Event::CompactionApplied {
        replaced,
        summary,
        restated,
        effects,
        forged_marker: false,
        shortened: Vec::new(),
        keeps_present_notes: true,
        in_place,
        together: false,
    });
}

/// The messages, their blocks in brackets where there are several.
fn shown(prompt: &Prompt) -> Vec<String> {
    let message = |message: &Message| {
        let blocks: Vec<&str> = message.blocks().iter().filter_map(|block| block.text()).collect();
        blocks.join(" + ")
    };
    prompt.messages().map(message).collect()
}

fn each_shows(sessions: [Session<App>; 3], expected: [&[&str]; 3]) {
    for ((mut session, layout), expected) in
        sessions.into_iter().zip(["staged", "grouped", "turn"]).zip(expected)
    {
        assert_eq!(shown(&session.prompt()), expected, "{layout}");
    }
}

#[test]
fn context_that_is_stated_anew_stands_directly_before_the_last_words() {
    let sessions = in_each_layout(|session| {
        run(session);
        session.sync(Cwd { path: "/a" }).unwrap();
        session.sync(May { text: "read" }).unwrap();
        session.inject(Rules { text: "rules" }).unwrap();
        session.say("older").unwrap();
        let reply = answer(session, "one");
        run(session);
        let news = session.inject(News { text: "news" }).unwrap();
        session.say("latest").unwrap();
        start_compaction(session, Some(news));
        compact(session, Some(news), &[reply]);
    });
    each_shows(
        sessions,
        [
            &["rules", "older", "the summary", "<cwd>/a</cwd>", "<may>read</may>", "news", "latest"],
            &["rules", "older", "the summary", "<may>read</may>", "<cwd>/a</cwd>", "news", "latest"],
            &["rules", "older", "the summary", "<cwd>/a</cwd>", "<may>read</may>", "latest + news"],
        ],
    );
}

#[test]
fn context_stands_before_the_summary_where_no_words_are_left() {
    let sessions = in_each_layout(|session| {
        run(session);
        session.sync(Cwd { path: "/a" }).unwrap();
        session.sync(May { text: "read" }).unwrap();
        let said = session.say("older").unwrap();
        let reply = answer(session, "one");
        start_compaction(session, None);
        compact(session, None, &[said, reply]);
    });
    each_shows(
        sessions,
        [
            &["<cwd>/a</cwd>", "<may>read</may>", "the summary"],
            &["<may>read</may>", "<cwd>/a</cwd>", "the summary"],
            &["<cwd>/a</cwd>", "<may>read</may>", "the summary"],
        ],
    );
}

#[test]
fn nothing_stale_is_left_and_what_holds_is_stated_once() {
    let sessions = in_each_layout(|session| {
        run(session);
        session.sync(May { text: "read" }).unwrap();
        session.sync(Cwd { path: "/a" }).unwrap();
        let first = session.say("first").unwrap();
        let one = answer(session, "one");
        run(session);
        session.sync(May { text: "write" }).unwrap();
        session.retract::<Cwd>().unwrap();
        let second = session.say("second").unwrap();
        let two = answer(session, "two");
        start_compaction(session, None);
        compact(session, None, &[first, one, second, two]);
    });
    let left: &[&str] = &["<may>write</may>", "the summary"];
    each_shows(sessions, [left; 3]);
}

#[test]
fn a_summary_is_asked_of_neither_the_changes_of_the_turn_nor_its_words_and_what_follows_has_both() {
    let sessions = in_each_layout(|session| {
        run(session);
        session.sync(Cwd { path: "/a" }).unwrap();
        let first = session.say("first").unwrap();
        let one = answer(session, "one");
        let before = session.prompt();
        run(session);
        let change = session.sync(Cwd { path: "/b" }).unwrap();
        session.say("second").unwrap();
        start_compaction(session, change);
        let (asked, purpose) = session.next_prompt();
        assert_eq!(purpose, SealPurpose::Summary);
        assert_eq!(shown(&asked), ["<cwd>/a</cwd>", "first", "one", "Sum up."]);
        assert!(asked.messages().zip(before.messages()).all(|(one, other)| one == other), "one prefix");
        compact(session, change, &[first, one]);
    });
    let left: &[&str] = &["the summary", "<cwd>/b</cwd>", "second"];
    each_shows(sessions, [left; 3]);
}

#[test]
fn a_note_that_is_recorded_behind_the_last_words_of_a_later_turn_rides_with_them() {
    let sessions = in_each_layout(|session| {
        run(session);
        session.say("first").unwrap();
        answer(session, "one");
        run(session);
        session.inject(News { text: "early" }).unwrap();
        session.say("second").unwrap();
        session.sync(May { text: "read" }).unwrap();
        session.inject(News { text: "late" }).unwrap();
    });
    let recorded: &[&str] = &["first", "one", "early", "second", "<may>read</may>", "late"];
    let riding: &[&str] = &["first", "one", "second + early + late", "<may>read</may>"];
    each_shows(sessions, [recorded, recorded, riding]);
}

/// Takes items in as another program recorded them: with whether each stands in one message with the one before.
fn import(session: &mut Session<App>, texts: &[(&str, bool)]) -> Vec<ItemId> {
    let import = |(text, joined): &(&str, bool)| {
        let part = ImportedPart::Input { input: UserInput::from(*text), forged_marker: false };
        ImportedItem { item: session.new_item(), part, joined: *joined }
    };
    let items: Vec<ImportedItem> = texts.iter().map(import).collect();
    let ids = items.iter().map(|imported| imported.item).collect();
    session.append(Event::HistoryImported { items });
    ids
}

#[test]
fn what_another_program_recorded_keeps_its_messages() {
    let sessions = in_each_layout(|session| {
        import(session, &[("a", false), ("b", true), ("c", false), ("d", false)]);
        session.inject(News { text: "news" }).unwrap();
        session.say("e").unwrap();
    });
    let staged: &[&str] = &["a + b", "c", "d", "news", "e"];
    each_shows(sessions, [staged, staged, &["a + b", "c", "d", "e + news"]]);
}

#[test]
fn what_lost_the_first_part_of_its_message_does_not_join_another_one() {
    let sessions = in_each_layout(|session| {
        let ids = import(session, &[("a", false), ("b", true), ("c", true)]);
        compact(session, None, ids.get(..1).unwrap());
    });
    let left: &[&str] = &["the summary", "b + c"];
    each_shows(sessions, [left; 3]);
}

/// Wants everything in one message.
struct Heap;

impl Layout for Heap {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        vec![items.iter().map(Item::id).collect()]
    }

    fn follow(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        self.arrange(items)
    }
}

#[test]
fn no_layout_mixes_roles_or_takes_company_to_what_stands_alone_or_moves_what_a_model_said() {
    let mut session = Session::<App>::with_layout(Heap);
    let tell = |session: &mut Session<App>| {
        session.inject(Cwd { path: "/a" }).unwrap();
        session.say("words").unwrap();
        session.inject(Alone { text: "alone" }).unwrap();
        session.inject(May { text: "read" }).unwrap();
        session.inject(News { text: "news" }).unwrap();
    };
    tell(&mut session);
    answer(&mut session, "one");
    tell(&mut session);
    let told = ["<cwd>/a</cwd> + words", "alone", "<may>read</may>", "news"];
    assert_eq!(shown(&session.prompt()), [&told[..], &["one"], &told].concat());
}
