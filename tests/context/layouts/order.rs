//! Where things stand, and which of them share a message.

use polyloop::{Agent, Grouped, MemoryJournal, RecordError, Reply, Scripted, Session, Turn};

use super::{App, News, Say, arranged, followed, shown};

#[test]
fn grouped_says_each_role_in_one_message_in_front_of_the_conversation() {
    let said = [
        (Say::News, "news"),
        (Say::User, "user"),
        (Say::Skill, "skill"),
        (Say::Hint, "hint"),
        (Say::UserAlone, "user alone"),
        (Say::DeveloperAlone, "developer alone"),
        (Say::Developer, "developer"),
        (Say::Advice, "advice"),
        (Say::SystemAlone, "system alone"),
        (Say::System, "system"),
        (Say::Marked, "marked"),
        (Say::System, "more"),
    ];
    let expected = [
        "system: system + more",
        "system: system alone",
        "developer: hint + developer",
        "developer: developer alone",
        "user: user alone",
        "user: advice",
        "user: skill",
        "user: news + user + <marked>marked</marked>",
        "user: the goal",
    ];
    assert_eq!(arranged(Grouped, &said), expected);
}

#[test]
fn inside_a_group_pins_go_before_ranks_and_ties_keep_the_order_of_recording() {
    let said = [
        (Say::DeveloperBottom, "bottom"),
        (Say::DeveloperLate, "late"),
        (Say::Developer, "b"),
        (Say::Developer, "a"),
        (Say::DeveloperEarly, "early"),
        (Say::DeveloperAlone, "alone"),
        (Say::DeveloperAloneTop, "alone top"),
        (Say::DeveloperTop, "top"),
        (Say::UserBottom, "user bottom"),
        (Say::User, "user"),
        (Say::SystemTop, "system top"),
    ];
    let expected = [
        "system: system top",
        "developer: top + early + b + a + late + bottom",
        "developer: alone top",
        "developer: alone",
        "user: user + user bottom",
        "user: the goal",
    ];
    assert_eq!(arranged(Grouped, &said), expected);
}

#[tokio::test]
async fn grouped_merges_later_changes_with_neighbours_of_their_role_and_never_with_words() {
    let said = [
        (Say::DeveloperBottom, "one"),
        (Say::DeveloperTop, "two"),
        (Say::DeveloperAlone, "alone"),
        (Say::Developer, "three"),
        (Say::News, "news"),
        (Say::User, "user"),
        (Say::Skill, "skill"),
        (Say::User, "more"),
    ];
    let expected = [
        "developer: one + two",
        "developer: alone",
        "developer: three",
        "user: news + user",
        "user: skill",
        "user: more",
        "user: go on",
    ];
    assert_eq!(followed(Grouped, &said).await, expected);
}

#[tokio::test]
async fn what_is_said_in_its_order_shares_the_same_messages_first_and_later() {
    let said = [
        (Say::System, "a"),
        (Say::System, "b"),
        (Say::SystemAlone, "c"),
        (Say::Developer, "d"),
        (Say::DeveloperBottom, "e"),
        (Say::DeveloperAlone, "f"),
        (Say::UserAlone, "g"),
        (Say::Skill, "h"),
        (Say::User, "i"),
        (Say::UserBottom, "j"),
    ];
    let (first, later) = (arranged(Grouped, &said), followed(Grouped, &said).await);
    assert_eq!(first[..first.len() - 1], later[..later.len() - 1]);
}

#[test]
fn turn_says_the_system_part_then_the_context_then_what_was_recorded_for_the_words() {
    let said = [
        (Say::News, "news"),
        (Say::Hint, "hint"),
        (Say::Goal, "goal"),
        (Say::Once, "once"),
        (Say::Skill, "skill"),
        (Say::NewsAlone, "news alone"),
        (Say::NewsTop, "news top"),
        (Say::Marked, "marked"),
        (Say::Developer, "developer"),
        (Say::DeveloperEarly, "early"),
        (Say::Advice, "advice"),
        (Say::SystemAlone, "system alone"),
        (Say::System, "system"),
        (Say::SystemTop, "system top"),
    ];
    let expected = [
        "system: system top + system",
        "system: system alone",
        "developer: early",
        "user: <marked>marked</marked>",
        "user: advice",
        "user: skill",
        "user: goal",
        "developer: developer",
        "developer: hint",
        "user: once",
        "user: news alone",
        "user: the goal + news top + news",
    ];
    assert_eq!(arranged(Turn, &said), expected);
}

#[tokio::test]
async fn notes_of_a_later_turn_ride_with_its_words_and_everything_else_stands_where_it_was_recorded() {
    let said = [
        (Say::News, "news"),
        (Say::Developer, "developer"),
        (Say::NewsTop, "news top"),
        (Say::System, "a"),
        (Say::System, "b"),
        (Say::NewsAlone, "news alone"),
        (Say::Hint, "hint"),
    ];
    let expected = [
        "developer: developer",
        "system: a",
        "system: b",
        "user: news alone",
        "developer: hint",
        "user: go on + news + news top",
    ];
    assert_eq!(followed(Turn, &said).await, expected);
}

#[test]
fn a_note_rides_with_the_words_behind_it_or_else_with_the_last() -> Result<(), RecordError> {
    let mut session = Session::<App>::with_layout(Turn);
    Say::News.to("n1", &mut session)?;
    session.say("first")?;
    Say::Hint.to("hint", &mut session)?;
    Say::News.to("n2", &mut session)?;
    Say::User.to("context", &mut session)?;
    session.say("second")?;
    Say::Once.to("once", &mut session)?;
    Say::News.to("n3", &mut session)?;
    let expected =
        ["user: context", "user: first + n1", "developer: hint", "user: once", "user: second + n2 + n3"];
    assert_eq!(shown(session.prompt().messages()), expected);
    Ok(())
}

#[tokio::test]
async fn a_note_that_no_words_follow_stands_by_itself() {
    let model = Scripted::by(|_| Reply::text("an answer"));
    let agent = Agent::<App>::builder(model.clone()).layout(Turn).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().inject(News { text: "news".to_owned() }).await.unwrap();
    run.finish().await.unwrap();
    let prompt = model.requests().pop().unwrap();
    assert_eq!(shown(prompt.messages()), ["user: go", "assistant: an answer", "user: news"]);
}

#[tokio::test]
async fn a_session_that_is_read_back_shows_what_was_sent() {
    let journal = MemoryJournal::new();
    let model = Scripted::by(|_| Reply::text("an answer"));
    let agent = Agent::<App>::builder(model.clone()).layout(Turn).journal(journal).build().unwrap();
    let mut run = agent.on(()).inject(News { text: "n1".to_owned() }).goal("one").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().inject(News { text: "n2".to_owned() }).goal("two").await.unwrap();
    run.finish().await.unwrap();
    let mut read = agent.read(run.session_id().clone()).await.unwrap();
    let expected = ["user: one + n1", "assistant: an answer", "user: two + n2", "assistant: an answer"];
    assert_eq!(shown(read.prompt().messages()), expected);
    read.say("three").unwrap();
    assert_eq!(shown(read.prompt().messages())[..4], expected, "and still does");
}
