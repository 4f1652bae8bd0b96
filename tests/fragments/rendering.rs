//! Begin, body and end, joined directly.

use std::fmt;

use polyloop::prelude::*;
use polyloop::{Body, ItemKind, Key, MarkerKey, RecordErrorKind};

use crate::support::{
    App, Environment, External, Instructions, Notification, Process, Reminder, Rules, Skill, key, texts,
};

fn text<F: Render>(fragment: &F) -> String {
    fragment.render().unwrap().text().to_owned()
}

#[test]
fn begin_body_and_end_are_joined_directly() {
    let environment = Environment { cwd: "/srv".into(), sandbox: "none".into() };
    assert_eq!(
        text(&environment),
        "<environment_context>\n  <cwd>/srv</cwd>\n  <sandbox>none</sandbox>\n</environment_context>"
    );
    assert_eq!(text(&Skill { content: String::new() }), "<skill></skill>");
    assert_eq!(text(&Skill { content: " \n".into() }), "<skill> \n</skill>");
    assert_eq!(text(&Notification("{}".into())), "<subagent_notification>{}</subagent_notification>");
    assert_eq!(
        text(&Instructions { folder: "/tmp".into(), content: "body".into() }),
        "# AGENTS.md instructions for /tmp\n\n<INSTRUCTIONS>\nbody\n</INSTRUCTIONS>"
    );
    assert_eq!(text(&Rules { first: "a".into(), second: "b".into() }), "<rules>- a\n- b</rules>");
}

#[test]
fn an_unmarked_fragment_is_its_body_alone() {
    assert_eq!(text(&Reminder { content: " 12 left\n".into() }), " 12 left\n");
}

#[test]
fn an_empty_body_is_recorded_with_markers_and_not_without() {
    let mut session = Session::<App>::new();
    let refused = session.inject(Reminder { content: String::new() }).unwrap_err();
    assert_eq!((refused.kind(), refused.reason()), ("reminder", &RecordErrorKind::Empty));
    assert!(session.items().is_empty());
    session.inject(Skill { content: String::new() }).unwrap();
    assert_eq!(texts(&session), ["<skill></skill>"]);
}

#[test]
fn each_variant_of_an_enum_has_its_own_body() {
    let started = Process::Started { name: "make".into(), id: 7 };
    assert_eq!(text(&started), "<process>started make as 7</process>");
    assert_eq!(text(&Process::Said("hi".into())), "<process>said: hi</process>");
    assert_eq!(text(&Process::Gone), "<process>gone</process>");
}

#[test]
fn a_key_stands_in_both_markers() {
    let external = External { source: key("browser"), content: "x".into() };
    assert_eq!(text(&external), "<external_browser>x</external_browser>");
}

#[test]
fn an_end_marker_may_do_without_the_key() {
    let internal = crate::support::Internal { key: key("cli"), content: "x".into() };
    assert_eq!(text(&internal), "<internal source=\"cli\">x</internal>");
    assert_eq!(App::recognize(&text(&internal)).unwrap().key, Some("cli"));
}

#[test]
fn a_key_of_the_wrong_form_is_refused() {
    struct Any(&'static str);
    impl MarkerKey for Any {
        fn as_key(&self) -> &str {
            self.0
        }
    }
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<x_{key}>", "</x_{key}>"), max_chars = 200, body = "")]
    struct Keyed {
        key: Any,
    }
    let long: &'static str = Box::leak("k".repeat(65).into_boxed_str());
    for wrong in ["", "A", "1", "_", "a-b", "a b", "a><y", "ä", "a\u{301}", long] {
        let refused = Keyed { key: Any(wrong) }.render().unwrap_err();
        assert!(matches!(refused.reason(), RecordErrorKind::Key { .. }), "{wrong}: {refused}");
        assert!(Key::new(wrong).is_err());
    }
    let longest: &'static str = Box::leak("k".repeat(64).into_boxed_str());
    for right in ["a", "a1_", longest] {
        assert_eq!(text(&Keyed { key: Any(right) }), format!("<x_{right}></x_{right}>"));
    }
}

#[test]
fn tuple_unit_and_generic_structs_render() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<pair>", "</pair>"), max_chars = 80, body = "{1}-{0}-{1}")]
    struct Pair(u8, &'static str);

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<unit>", "</unit>"), max_chars = 80, body = "nothing to say")]
    struct Unit;

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<list>", "</list>"), max_chars = 80, body = "{head}, {tail}")]
    struct List<T, const N: usize>
    where
        T: Clone,
    {
        head: T,
        tail: Joined<T, N>,
    }

    struct Joined<T, const N: usize>([T; N]);
    impl<T: fmt::Display, const N: usize> fmt::Display for Joined<T, N> {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.iter().try_for_each(|item| write!(formatter, "{item};"))
        }
    }

    assert_eq!(text(&Pair(7, "x")), "<pair>x-7-x</pair>");
    assert_eq!(text(&Unit), "<unit>nothing to say</unit>");
    assert_eq!(text(&List { head: 1, tail: Joined([2, 3]) }), "<list>1, 2;3;</list>");
}

#[test]
fn doubled_braces_are_literal_in_bodies_and_markers() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("{{{{ctx}}}}", "{{{{/ctx {{key}}}}}}"), max_chars = 80, body = "{{{text}}}")]
    struct Braces {
        text: String,
    }
    let rendered = text(&Braces { text: "x".into() });
    assert_eq!(rendered, "{{ctx}}{x}{{/ctx {key}}}");
    assert!(Braces::matches(&rendered));
    assert_eq!(Braces::parse(&rendered).unwrap().text, "x");
}

#[test]
fn a_body_function_returns_text_or_a_body() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<f>", "</f>"), max_chars = 80, body = as_text)]
    struct AsText(u8);
    fn as_text(it: &AsText) -> String {
        format!("</f>{}", it.0)
    }

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<g>", "</g>"), max_chars = 80, body = AsBody::shown)]
    struct AsBody(&'static str);
    impl AsBody {
        fn shown(&self) -> Body {
            Body::new().text("<b>").value(self.0).raw(self.0).text("</b>")
        }
    }

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<h>", "</h>"), max_chars = 80)]
    enum Mixed {
        #[fragment(body = "{0}")]
        Template(u8),
        #[fragment(body = mixed)]
        Function,
    }
    fn mixed(_: &Mixed) -> &'static str {
        "made"
    }

    assert_eq!(text(&AsText(1)), "<f>&lt;/f>1</f>");
    assert_eq!(text(&AsBody("<g>")), "<g><b>&lt;g><g></b></g>");
    assert_eq!(text(&Mixed::Template(3)), "<h>3</h>");
    assert_eq!(text(&Mixed::Function), "<h>made</h>");
}

#[test]
fn skipped_fields_take_no_part_and_an_id_is_recorded() {
    #[derive(ContextFragment)]
    #[fragment(slot = injection, max_chars = 80, body = "{content}")]
    struct Note {
        #[fragment(id)]
        entry: u32,
        #[fragment(channel)]
        channel: &'static str,
        #[fragment(skip)]
        _secret: fmt::Error,
        content: String,
    }
    registry! { struct Notes { fragments: [Note] } }

    let note = |channel| Note { entry: 42, channel, _secret: fmt::Error, content: "</x> as it is".into() };
    let mut session = Session::<Notes>::new();
    session.inject(note("docs")).unwrap();
    let item = &session.items()[0];
    assert_eq!((item.text().as_ref(), item.entry_id()), ("</x> as it is", Some("42")));
    assert_eq!(item.rendered().unwrap().channel(), Some("docs"));
    let refused = session.inject(note("")).unwrap_err();
    assert_eq!(*refused.reason(), RecordErrorKind::NoChannel);
    assert_eq!(session.items().len(), 1);
}

#[test]
fn the_value_is_recorded_beside_its_text_where_the_type_says_state() {
    #[derive(ContextFragment, serde::Serialize, serde::Deserialize)]
    #[fragment(role = user, markers("<mode>", "</mode>"), max_chars = 80, state, body = "{name}")]
    struct Mode {
        name: String,
    }
    let rendered = Mode { name: "a\"b".into() }.render().unwrap();
    assert_eq!(rendered.state(), Some(r#"{"name":"a\"b"}"#));
    assert_eq!(Skill { content: "x".into() }.render().unwrap().state(), None);
}

#[test]
fn what_is_held_as_dyn_renders() {
    let held: Vec<Box<dyn Render>> = vec![
        Box::new(Skill { content: "<skill>".into() }),
        Box::new(Reminder { content: "x".into() }),
        Box::new(Process::Gone),
    ];
    let rendered: Vec<(&str, String)> =
        held.iter().map(|it| (it.spec().kind, it.render().unwrap().text().to_owned())).collect();
    let expected =
        [("skill", "<skill>&lt;skill></skill>"), ("reminder", "x"), ("process", "<process>gone</process>")];
    assert_eq!(rendered, expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn a_recorded_fragment_carries_its_kind_and_a_registered_rendering() {
    let mut session = Session::<App>::new();
    let skill = Skill { content: "<a>".into() };
    let rendered = App::render(&skill).unwrap();
    let id = session.inject(skill).unwrap();
    let item = &session.items()[0];
    assert_eq!((item.id(), item.kind(), item.kind_name()), (id, ItemKind::Fragment, "skill"));
    assert_eq!(item.text(), rendered.text());
    assert_eq!(item.rendered(), Some(&rendered));
    assert_eq!(rendered.text(), "<skill>&lt;a></skill>");
    assert_eq!((rendered.chars(), rendered.true_chars()), (21, 21));
}
