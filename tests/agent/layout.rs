//! The order of the stock layout.

use polyloop::{Content, ContextFragment, Layout, Message, RecordError, Session, registry};
use polyloop::{Item, ItemId};

use crate::support::{self, texts};

macro_rules! fragments {
    ($($name:ident($($options:tt)*))*) => {
        $(
            /// One of many.
            #[derive(ContextFragment)]
            #[fragment($($options)*, max_chars = 100, body = "{text}", at_most = 9)]
            struct $name { text: &'static str }
        )*
    };
}

fragments! {
    RunPlain(role = system, unmarked = "for a test", slot = run)
    RunEarly(role = system, unmarked = "for a test", slot = run, rank = -3)
    RunLate(role = developer, unmarked = "for a test", slot = run, rank = 7)
    RunTop(role = system, unmarked = "for a test", slot = run, pin = top, rank = 100)
    RunBottom(role = system, unmarked = "for a test", slot = run, pin = bottom, rank = -100)
    GoalPlain(role = user, unmarked = "for a test", slot = goal)
    GoalTop(role = user, unmarked = "for a test", slot = goal, pin = top)
    TurnPlain(role = developer, unmarked = "for a test", slot = turn)
    Skill(slot = injection("skill"))
    Advice(slot = injection("advice"))
}

registry! {
    struct App {
        fragments: [
            RunPlain, RunEarly, RunLate, RunTop, RunBottom, GoalPlain, GoalTop, TurnPlain, Skill, Advice,
        ],
    }
}

#[test]
fn the_order_is_run_injections_goal_turn_whatever_was_recorded_first() -> Result<(), RecordError> {
    let mut session = Session::<App>::new();
    session.inject(TurnPlain { text: "turn" })?;
    session.say("the goal")?;
    session.inject(TurnPlain { text: "turn 2" })?;
    session.inject(GoalPlain { text: "goal" })?;
    session.inject(Skill { text: "skill" })?;
    session.inject(RunPlain { text: "run" })?;
    assert_eq!(texts(&session.prompt()), ["run", "skill", "goal", "turn", "turn 2", "the goal"]);
    Ok(())
}

#[test]
fn pins_go_before_ranks_and_ties_keep_the_order_of_recording() -> Result<(), RecordError> {
    let mut session = Session::<App>::new();
    session.inject(RunBottom { text: "bottom" })?;
    session.inject(RunLate { text: "late" })?;
    session.inject(RunPlain { text: "plain b" })?;
    session.inject(RunPlain { text: "plain a" })?;
    session.inject(RunEarly { text: "early" })?;
    session.inject(GoalPlain { text: "goal" })?;
    session.inject(GoalTop { text: "goal top" })?;
    session.inject(RunTop { text: "top" })?;
    let expected = ["top", "early", "plain b", "plain a", "late", "bottom", "goal top", "goal"];
    assert_eq!(texts(&session.prompt()), expected);
    Ok(())
}

#[test]
fn channels_are_sorted_by_name_and_the_order_inside_one_stays() -> Result<(), RecordError> {
    let mut session = Session::<App>::new();
    for text in ["s1", "s0"] {
        session.inject(Skill { text })?;
    }
    for text in ["a1", "a0"] {
        session.inject(Advice { text })?;
    }
    assert_eq!(texts(&session.prompt()), ["a1", "a0", "s1", "s0"]);
    Ok(())
}

#[test]
fn channels_that_are_data_are_sorted_by_their_bytes() -> Result<(), RecordError> {
    let mut session = Session::<support::App>::new();
    for channel in ["b", "a", "Z", "a1", "ä", "B"] {
        session.inject(support::skill(channel, channel))?;
    }
    assert_eq!(texts(&session.prompt()), ["B", "Z", "a", "a1", "b", "ä"]);
    Ok(())
}

#[test]
fn every_item_is_its_own_message_with_its_content_as_given() -> Result<(), RecordError> {
    let mut session = Session::<App>::new();
    session.inject(RunPlain { text: "same" })?;
    session.inject(RunPlain { text: "same" })?;
    session.inject(Skill { text: " \n{x} <b>\r\n " })?;
    session.say(" as typed \n")?;
    let prompt = session.prompt();
    assert_eq!(texts(&prompt), ["same", "same", " \n{x} <b>\r\n ", " as typed \n"]);
    assert!(prompt.messages().all(|message| message.blocks().len() == 1));
    let roles: Vec<&str> = prompt.messages().map(|message| message.role().as_str()).collect();
    assert_eq!(roles, ["system", "system", "user", "user"]);
    Ok(())
}

#[test]
fn each_block_keeps_its_item_and_kind() -> Result<(), RecordError> {
    let mut session = Session::<App>::new();
    let said = session.say("words")?;
    let skill = session.inject(Skill { text: "skill" })?;
    let prompt = session.prompt();
    let origins: Vec<(ItemId, &str)> = prompt
        .messages()
        .flat_map(Message::blocks)
        .map(|block| (block.origin().item(), block.origin().kind()))
        .collect();
    assert_eq!(origins, [(skill, "skill"), (said, "polyloop.input")]);
    Ok(())
}

#[test]
fn the_same_ledger_gives_the_same_bytes() -> Result<(), RecordError> {
    let prompt = || -> Result<String, RecordError> {
        let mut session = Session::<App>::new();
        session.inject(Skill { text: "skill" })?;
        session.say("goal")?;
        let first = support::bytes(&session.prompt());
        assert_eq!(first, support::bytes(&session.prompt()));
        Ok(first)
    };
    assert_eq!(prompt()?, prompt()?);
    Ok(())
}

#[test]
fn nothing_that_a_provider_refuses_can_be_recorded() {
    let mut session = Session::<App>::new();
    for blank in ["", " ", "\n\t"] {
        assert!(session.inject(Skill { text: blank }).is_err(), "{blank:?}");
        assert!(session.say(blank).is_err(), "{blank:?}");
    }
    assert_eq!(session.items().len(), 0);
    assert_eq!(session.prompt().messages().len(), 0);
}

/// Leaves out what it does not like, and names one twice.
struct Careless;

impl Layout for Careless {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        items.last().into_iter().chain(items.last()).map(|item| vec![item.id()]).collect()
    }
}

#[test]
fn a_layout_can_neither_drop_nor_repeat_an_item() -> Result<(), RecordError> {
    let mut session = Session::<App>::with_layout(Careless);
    session.say("first")?;
    session.inject(RunPlain { text: "second" })?;
    session.inject(Skill { text: "third" })?;
    let prompt = session.prompt();
    assert_eq!(texts(&prompt), ["third", "first", "second"]);
    let all_text = prompt
        .messages()
        .flat_map(Message::blocks)
        .all(|block| matches!(block.content(), Content::Text { .. }));
    assert!(all_text);
    Ok(())
}
