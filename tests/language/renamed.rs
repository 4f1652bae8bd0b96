//! A crate that has polyloop only under another name, from another crate.

/// Where `polyloop` is no crate but a trap.
mod far {
    mod polyloop {}

    use polyloop_tests_facade::renamed as ring;
    use polyloop_tests_facade::{Clock, MessageOfTheDay, clock_tools, hour};

    #[derive(ring::ContextFragment, Debug, PartialEq)]
    #[fragment(crate = ring, role = user, markers("<far_{id}>", "</far_{id}>"), max_chars = 100)]
    #[fragment(lifetime = latest, absent = "Gone.", body = "{text}")]
    pub(super) struct Far {
        pub(super) id: ring::Key,
        pub(super) text: String,
    }

    #[derive(ring::State)]
    #[state(crate = ring)]
    pub(super) struct State {
        pub(super) clock: Clock,
        pub(super) shelf: Shelf,
    }

    pub(super) struct Shelf;

    /// Doubles.
    #[ring::tool(crate = ring)]
    pub(super) async fn double(
        #[state] _: &Shelf,
        #[call] _call: &ring::CallContext,
        /// A number.
        #[arg(default = 21, range(0..))]
        number: u32,
    ) -> ring::Json<u32> {
        ring::Json(number * 2)
    }

    #[ring::toolbox(crate = ring)]
    impl Shelf {
        /// Lists the books.
        #[tool]
        async fn list(&self) -> &'static str {
            "none"
        }
    }

    ring::registry! {
        pub(super) struct App {
            crate: ring,
            state: State,
            fragments: [Far, MessageOfTheDay],
            tools: [double, shelf_tools::list, hour, clock_tools::is_night],
            max_chars: 5_000,
        }
    }
}

use far::{App, AppKind, Far, Shelf, State};
use polyloop_tests_facade::renamed::{Key, ParseFragment, Registry, Render};
use polyloop_tests_facade::{Clock, MessageOfTheDay, clock_of};

fn state() -> State {
    State { clock: Clock { hour: 4 }, shelf: Shelf }
}

#[test]
fn a_fragment_works_under_another_crate_name() {
    let far = Far { id: Key::new("a").unwrap(), text: "x".to_owned() };
    let rendered = far.render().unwrap();
    assert_eq!(rendered.text(), "<far_a>x</far_a>");
    assert_eq!(Far::parse(rendered.text()).unwrap(), far);
}

#[test]
fn a_tool_works_under_another_crate_name() {
    assert_eq!(crate::observed::<App>(state(), "double", "{}"), "42");
    assert_eq!(crate::observed::<App>(state(), "list", ""), "none");
}

#[test]
fn fragments_of_another_crate_are_registered_here() {
    let text = App::render(&MessageOfTheDay { text: "Hello".to_owned() }).unwrap();
    assert_eq!(App::recognize(text.text()).unwrap().kind, AppKind::MessageOfTheDay);
}

#[test]
fn tools_of_another_crate_borrow_from_a_state_here() {
    assert_eq!(clock_of(&state()).hour, 4);
    assert_eq!(crate::observed::<App>(state(), "hour", r#"{"later": 3}"#), "7 o'clock");
    assert_eq!(crate::observed::<App>(state(), "is_night", "{}"), "true");
}

/// What a macro of the other crate declares here, by `$crate` alone.
mod by_macro {
    use polyloop_tests_facade::renamed::{Registry, Render};

    polyloop_tests_facade::remark_registry!(Remarks, Remark, "<remark>", "</remark>");

    #[test]
    fn a_macro_of_another_crate_declares_a_registry_here() {
        let remark = Remark { text: "x".to_owned() }.render().unwrap();
        assert_eq!(Remarks::recognize(remark.text()).unwrap().kind, RemarksKind::Remark);
        let clock = polyloop_tests_facade::Clock { hour: 1 };
        assert_eq!(crate::observed::<Remarks>(clock, "hour", "{}"), "1 o'clock");
    }
}
