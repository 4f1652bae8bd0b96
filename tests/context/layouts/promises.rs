//! What holds in every layout, whatever is said.

use polyloop::{
    Agent, BuildError, Grouped, Item, Layout, Prompt, RecordError, Role, Scripted, Session, Slot, Staged,
    Turn,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{App, Developer, News, Say, System, User, sent, shown};

/// Does the same in each layout.
macro_rules! in_each_layout {
    ($layout:ident => $($what:tt)*) => {{
        { let $layout = Staged; $($what)* }
        { let $layout = Grouped; $($what)* }
        { let $layout = Turn; $($what)* }
    }};
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

mod without_a_place {
    //! Kinds for which a layout has no place.

    /// An example of an answer.
    #[derive(polyloop::ContextFragment)]
    #[fragment(role = assistant, unmarked = "for a test", max_chars = 10, body = "yes")]
    pub(super) struct Example;

    /// What is the case once.
    #[derive(polyloop::ContextFragment)]
    #[fragment(role = system, unmarked = "for a test", lifetime = once, max_chars = 10, body = "yes")]
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
         and this is `once`; give it `role = developer`, or another `lifetime`"
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
