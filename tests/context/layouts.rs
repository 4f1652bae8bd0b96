//! The same things said, in each layout.

use polyloop::{
    Agent, BuildError, ContextFragment, FollowUp, Grouped, Item, Layout, MemoryJournal, Message, Prompt,
    RecordError, Reply, Request, Role, Run, Scripted, Session, Slot, Staged, Turn, registry,
};
use proptest::collection::vec;
use proptest::prelude::*;

macro_rules! fragments {
    ($($name:ident($($options:tt)*))*) => {
        $(
            /// One of many.
            #[derive(ContextFragment)]
            #[fragment($($options)*, max_chars = 100, body = "{text}", at_most = 99)]
            struct $name { text: String }
        )*

        /// Says one of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Say { $($name,)* }

        impl Say {
            const ALL: &[Self] = &[$(Self::$name),*];

            fn to(self, text: &str, session: &mut Session<App>) -> Result<(), RecordError> {
                let text = text.to_owned();
                match self {
                    $(Self::$name => session.inject($name { text }).map(drop),)*
                }
            }

            fn first(self, text: &str, request: Request<App>) -> Request<App> {
                let text = text.to_owned();
                match self {
                    $(Self::$name => request.inject($name { text }),)*
                }
            }

            fn later<'r>(self, text: &str, next: FollowUp<'r, App>) -> FollowUp<'r, App> {
                let text = text.to_owned();
                match self {
                    $(Self::$name => next.inject($name { text }),)*
                }
            }
        }
    };
}

fragments! {
    System(role = system, unmarked = "for a test")
    SystemTop(role = system, unmarked = "for a test", pin = top, rank = 100)
    SystemAlone(role = system, unmarked = "for a test", standalone)
    Developer(role = developer, unmarked = "for a test", slot = goal)
    DeveloperEarly(role = developer, unmarked = "for a test", rank = -3)
    DeveloperLate(role = developer, unmarked = "for a test", rank = 7)
    DeveloperTop(role = developer, unmarked = "for a test", pin = top, rank = 100)
    DeveloperBottom(role = developer, unmarked = "for a test", pin = bottom, rank = -100)
    DeveloperAlone(role = developer, unmarked = "for a test", standalone)
    DeveloperAloneTop(role = developer, unmarked = "for a test", standalone, pin = top)
    User(role = user, unmarked = "for a test")
    UserBottom(role = user, unmarked = "for a test", pin = bottom)
    UserAlone(role = user, unmarked = "for a test", standalone)
    Skill(slot = injection("skill"))
    Advice(slot = injection("advice"))
    Goal(role = user, unmarked = "for a test", slot = goal)
    Marked(role = user, markers("<marked>", "</marked>"), lifetime = latest, absent = "gone")
    Once(role = user, unmarked = "for a test", lifetime = once)
    News(role = user, unmarked = "for a test", slot = turn, lifetime = once)
    NewsTop(role = user, unmarked = "for a test", slot = turn, lifetime = once, pin = top)
    NewsAlone(role = user, unmarked = "for a test", slot = turn, lifetime = once, standalone)
    Hint(role = developer, unmarked = "for a test", slot = turn, lifetime = once)
}

registry! {
    struct App {
        fragments: [
            System, SystemTop, SystemAlone, Developer, DeveloperEarly, DeveloperLate, DeveloperTop,
            DeveloperBottom, DeveloperAlone, DeveloperAloneTop, User, UserBottom, UserAlone, Skill, Advice, Goal,
            Marked, Once, News, NewsTop, NewsAlone, Hint,
        ],
    }
}

/// The messages: who speaks, and the blocks.
fn shown<'p>(messages: impl IntoIterator<Item = &'p Message>) -> Vec<String> {
    let message = |message: &Message| {
        let blocks: Vec<&str> = message.blocks().iter().filter_map(|block| block.text()).collect();
        format!("{}: {}", message.role(), blocks.join(" + "))
    };
    messages.into_iter().map(message).collect()
}

/// What all of this comes to, said before the first request.
fn arranged(layout: impl Layout, said: &[(Say, &str)]) -> Vec<String> {
    let mut session = Session::<App>::with_layout(layout);
    for (kind, text) in said {
        kind.to(text, &mut session).unwrap();
    }
    session.say("the goal").unwrap();
    shown(session.prompt().messages())
}

/// Turns of what is said and then a person's words.
type Turns<'t> = &'t [(Vec<(Say, String)>, String)];

/// Has all these turns, and returns what was sent.
async fn sent(layout: impl Layout, turns: Turns<'_>) -> (Vec<Prompt>, Run<App>) {
    let model = Scripted::by(|_| Reply::text("an answer"));
    let agent = Agent::<App>::builder(model.clone()).layout(layout).build().unwrap();
    let [(said, words), further @ ..] = turns else { panic!("there is a first turn") };
    let request = said.iter().fold(agent.on(()), |request, (kind, text)| kind.first(text, request));
    let mut run = request.goal(words.as_str()).await.unwrap();
    run.finish().await.unwrap();
    for (said, words) in further {
        let next = said.iter().fold(run.follow_up(), |next, (kind, text)| kind.later(text, next));
        next.goal(words.as_str()).await.unwrap();
        run.finish().await.unwrap();
    }
    (model.requests(), run)
}

/// What a second turn adds in which all of this is said.
async fn followed(layout: impl Layout, said: &[(Say, &str)]) -> Vec<String> {
    let said = said.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
    let turns = [(Vec::new(), "the goal".to_owned()), (said, "go on".to_owned())];
    let (prompts, _) = sent(layout, &turns).await;
    let [first, second] = &prompts[..] else { panic!("two requests") };
    shown(second.messages().skip(first.messages().len() + 1))
}

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

mod without_a_place {
    //! Kinds for which a layout has no place.

    /// An example of an answer.
    #[derive(polyloop::ContextFragment)]
    #[fragment(role = assistant, unmarked = "for a test", max_chars = 10, body = "yes")]
    pub(super) struct Example;

    /// What is the case now.
    #[derive(polyloop::ContextFragment)]
    #[fragment(role = system, unmarked = "for a test", lifetime = latest, absent = "no", max_chars = 10, body = "yes")]
    pub(super) struct Now;

    polyloop::registry! { pub(super) struct Examples { fragments: [Example] } }

    polyloop::registry! { pub(super) struct Changing { fragments: [Now] } }
}

#[test]
fn a_kind_without_a_place_is_refused_when_an_agent_is_built() {
    use without_a_place::{Changing, Examples};
    fn built<R: polyloop::Registry>(layout: impl Layout) -> Result<(), BuildError> {
        Agent::<R>::builder(Scripted::replies([])).layout(layout).build().map(drop)
    }
    assert_eq!(
        built::<Examples>(Grouped).unwrap_err().to_string(),
        "the layout `polyloop::layout::grouped::Grouped` has no place for `example`: context in front of a conversation is \
         not spoken by the assistant; give it `role = user`, or take the layout `Staged`"
    );
    assert_eq!(
        built::<Changing>(Turn).unwrap_err().to_string(),
        "the layout `polyloop::layout::turn::Turn` has no place for `now`: the system part stays the same from turn to turn, \
         and this is not `sticky`; give it `role = developer`, or `lifetime = sticky`"
    );
    assert!(built::<Examples>(Turn).is_ok() && built::<Examples>(Staged).is_ok());
    assert!(built::<Changing>(Grouped).is_ok() && built::<Changing>(Staged).is_ok());
}

#[test]
fn nothing_is_ever_dropped_also_where_nobody_asked_for_a_place() -> Result<(), RecordError> {
    let mut session = Session::<without_a_place::Examples>::with_layout(Grouped);
    session.say("words")?;
    session.inject(without_a_place::Example)?;
    assert_eq!(shown(session.prompt().messages()), ["assistant: yes", "user: words"]);
    Ok(())
}

/// The bytes of a prompt: its messages as JSON, one behind another.
fn bytes(prompt: &Prompt) -> String {
    prompt.messages().map(|message| serde_json::to_string(message).unwrap()).collect()
}

fn each_is_a_prefix_of_the_next(prompts: &[Prompt]) {
    for pair in prompts.windows(2) {
        assert!(bytes(&pair[1]).starts_with(&bytes(&pair[0])), "{:?}", shown(pair[1].messages()));
    }
}

/// Does the same in each layout.
macro_rules! in_each_layout {
    ($layout:ident => $($what:tt)*) => {{
        { let $layout = Staged; $($what)* }
        { let $layout = Grouped; $($what)* }
        { let $layout = Turn; $($what)* }
    }};
}

#[tokio::test]
async fn a_status_that_changes_each_turn_leaves_each_request_a_byte_prefix_of_the_next() {
    let turns = ["first", "second", "third"].map(|turn| {
        let status = [Say::Marked, Say::Hint, Say::News, Say::User, Say::Developer];
        (status.map(|kind| (kind, format!("{turn} status"))).to_vec(), format!("{turn} words"))
    });
    in_each_layout!(layout => {
        let (prompts, _) = sent(layout, &turns).await;
        assert_eq!(prompts.len(), 3);
        each_is_a_prefix_of_the_next(&prompts);
    });
}

mod without_the_slot {
    //! The same kinds without injections.

    polyloop::registry! {
        pub(super) struct Bare { fragments: [super::System, super::Developer, super::User, super::News] }
    }
}

#[test]
fn empty_injections_are_byte_identical() -> Result<(), RecordError> {
    fn said<R: polyloop::Registry>(mut session: Session<R>) -> Result<String, RecordError>
    where
        System: polyloop::Registered<R>,
        Developer: polyloop::Registered<R>,
        User: polyloop::Registered<R>,
        News: polyloop::Registered<R>,
    {
        session.inject(System { text: "system".to_owned() })?;
        session.inject(Developer { text: "developer".to_owned() })?;
        session.inject(User { text: "user".to_owned() })?;
        session.inject(News { text: "news".to_owned() })?;
        session.say("the goal")?;
        Ok(bytes(&session.prompt()))
    }
    in_each_layout!(layout => {
        let with_slot = said(Session::<App>::with_layout(layout))?;
        assert_eq!(with_slot, said(Session::<without_the_slot::Bare>::with_layout(layout))?);
    });
    Ok(())
}

/// In which role an item speaks, from its type alone.
fn role(item: &Item) -> Role {
    match item.fragment() {
        Some(spec) => spec.role,
        None if item.kind_name() == "polyloop.input" => Role::User,
        None => Role::Assistant,
    }
}

/// Whether a message of several blocks is one that the layout makes.
fn may_share(layout: &str, items: &[&Item]) -> bool {
    let is_fragment = |item: &&Item| item.fragment().is_some_and(|spec| !spec.standalone);
    match (layout, items) {
        ("Grouped", items) => items.iter().all(is_fragment),
        ("Turn", items) if items.iter().all(|item| role(item) == Role::System) => {
            items.iter().all(is_fragment)
        }
        ("Turn", [words, notes @ ..]) => {
            let rides = |item: &&Item| is_fragment(item) && item.fragment().unwrap().slot == Slot::Turn;
            words.kind_name() == "polyloop.input" && notes.iter().all(rides)
        }
        _ => false,
    }
}

/// Every character of the prompt belongs to exactly one item, which speaks in its own role, and every item is there.
fn tells_all(layout: &str, prompt: &Prompt, items: &[Item]) {
    let mut told = Vec::new();
    for message in prompt.messages() {
        let find = |block: &polyloop::Block| items.iter().find(|item| item.id() == block.origin().item());
        let of: Vec<&Item> = message.blocks().iter().map(|block| find(block).unwrap()).collect();
        for (block, item) in message.blocks().iter().zip(&of) {
            assert_eq!((block.text().unwrap(), message.role()), (&*item.text(), role(item)));
            assert_eq!(block.origin().kind(), item.kind_name());
        }
        assert!(of.len() == 1 || may_share(layout, &of), "{layout}: {:?}", shown([message]));
        told.extend(of.iter().map(|item| item.id()));
    }
    told.sort();
    let mut all: Vec<_> = items.iter().map(Item::id).collect();
    all.sort();
    assert_eq!(told, all, "nothing is dropped or repeated");
    let chars: usize = items.iter().map(|item| item.text().chars().count()).sum();
    assert_eq!(prompt.chars(), chars);
}

/// Up to four turns in which up to seven things are said.
fn turns() -> impl Strategy<Value = Vec<(Vec<(Say, String)>, String)>> {
    let text = || "[a-z<>é]{1,8}".prop_map(String::from);
    let said = vec((0..Say::ALL.len(), text()).prop_map(|(kind, text)| (Say::ALL[kind], text)), 0..7);
    vec((said, text()), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_layout_drops_or_repeats_an_item_or_gives_it_another_role_or_company_that_it_may_not_have(turns in turns()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        in_each_layout!(layout => {
            let (prompts, run) = runtime.block_on(sent(layout, &turns));
            each_is_a_prefix_of_the_next(&prompts);
            // All but the answer to the last of them.
            let (_, items) = run.items().split_last().unwrap();
            tells_all(&format!("{layout:?}"), prompts.last().unwrap(), items);
        });
    }
}
