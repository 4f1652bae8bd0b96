//! Every fragment has a hard size, and nothing is cut silently.

use polyloop::prelude::*;
use polyloop::{Body, FragmentSpec, ItemKind, Overflow, RecordErrorKind};
use proptest::prelude::*;

use crate::properties::config;
use crate::support::texts;

#[derive(ContextFragment)]
#[fragment(role = user, markers("<q>", "</q>"), max_chars = 12, body = "{0}")]
struct Strict(String);

#[derive(ContextFragment)]
#[fragment(role = user, markers("<doc>", "</doc>"), max_chars = 32_768, overflow = cut(tail), body = "{0}")]
struct Document(String);

#[derive(ContextFragment)]
#[fragment(role = user, markers("<now>", "</now>"), max_chars = 40, lifetime = latest, body = "{0}")]
#[fragment(absent = "No time is known.")]
struct Now(u32);

#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "short", max_chars = 40, at_most = 3, body = "{0}")]
struct Hint(u32);

registry! { struct App { fragments: [Strict, Document, Now, Hint] } }

#[test]
fn max_chars_counts_unicode_scalar_values_with_the_markers() {
    // 7 characters are the markers'; an accent is a character of its own.
    for five in ["abcde", "日本語日本", "e\u{301}e\u{301}e", "🦀🦀🦀🦀🦀"] {
        let rendered = App::render(&Strict(five.to_owned())).unwrap();
        assert_eq!((rendered.chars(), rendered.true_chars()), (12, 12), "{five}");
        let refused = App::render(&Strict(format!("{five}x"))).unwrap_err();
        assert_eq!(*refused.reason(), RecordErrorKind::TooLarge { size: 13, cap: 12 }, "{five}");
    }
    // What neutralising adds counts as well.
    assert!(App::render(&Strict("<q>".into())).is_err());
}

#[test]
fn an_error_names_kind_size_and_cap_and_nothing_is_recorded() {
    let mut session = Session::<App>::new();
    session.say("hello").unwrap();
    let before = (texts(&session), session.prompt().chars());
    let refused = session.inject(Strict("123456".into())).unwrap_err();
    assert_eq!(refused.kind(), "strict");
    let said = refused.to_string();
    assert!(["`strict`", "13", "12"].iter().all(|part| said.contains(part)), "{said}");
    assert_eq!((texts(&session), session.prompt().chars()), before);
    // Nor does a refused one count for the turn.
    for _ in 0..8 {
        session.inject(Strict("12345".into())).unwrap();
    }
    assert_eq!(session.items().len(), 9);
}

#[test]
fn a_long_document_is_cut_to_its_cap_at_a_line_with_a_visible_notice() {
    let lines: Vec<String> = (0..512).map(|line| format!("{line:04} {}", "x".repeat(74))).collect();
    let document = lines.join("\n");
    assert_eq!(document.len() + 1, 40 * 1_024);
    let mut session = Session::<App>::new();
    session.inject(Document(document.clone())).unwrap();
    let item = &session.items()[0];
    let rendered = item.rendered().unwrap();
    assert_eq!(item.kind(), ItemKind::Fragment);
    assert!(rendered.chars() <= 32_768 && rendered.chars() > 32_768 - 200, "{}", rendered.chars());
    assert_eq!(rendered.true_chars(), document.len() + "<doc></doc>".len());
    let body = rendered.text().strip_prefix("<doc>").unwrap().strip_suffix("</doc>").unwrap();
    let (head, notice) = body.split_once("\n[…").unwrap();
    assert!(lines.iter().any(|line| head.ends_with(line)), "the cut is not at the end of a line");
    assert!(document.starts_with(head));
    let left_out = document.len() - head.len();
    assert_eq!(notice, format!(" {left_out} characters left out …]\n"));
    assert!(App::recognize(rendered.text()).is_some());
}

#[test]
fn what_fits_is_not_cut() {
    let rendered = App::render(&Document("a\n".repeat(100))).unwrap();
    assert_eq!(rendered.chars(), rendered.true_chars());
    assert!(!rendered.text().contains("left out"));
}

#[test]
fn a_cap_without_room_for_the_notice_refuses() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<q>", "</q>"), max_chars = 20, overflow = cut(head), body = "{0}")]
    struct Tight(String);
    let refused = Tight("x".repeat(30)).render().unwrap_err();
    assert_eq!(*refused.reason(), RecordErrorKind::NoRoomForNotice { cap: 20 });
    assert!(Tight("x".repeat(13)).render().is_ok());
}

#[test]
fn a_turn_records_at_most_so_many_of_a_kind() {
    let mut session = Session::<App>::new();
    for turn in 0..3 {
        session.say(format!("turn {turn}")).unwrap();
        for hint in 0..3 {
            session.inject(Hint(hint)).unwrap();
        }
        let items = session.items().len();
        let refused = session.inject(Hint(9)).unwrap_err();
        assert_eq!(*refused.reason(), RecordErrorKind::TooMany { at_most: 3 });
        assert!(
            refused.to_string().ends_with("3 of them; record fewer, or raise `at_most` on the type"),
            "{refused}"
        );
        assert_eq!(session.items().len(), items);
        session.inject(Now(turn)).unwrap();
        // A `latest` kind has one statement that holds: a limit would keep a false one.
        for _ in 0..9 {
            session.inject(Now(turn)).unwrap();
        }
        for _ in 0..8 {
            session.inject(Strict(String::new())).unwrap();
        }
        assert!(session.inject(Strict(String::new())).is_err());
    }
}

#[test]
fn a_notice_has_literal_braces_and_the_number_as_often_as_it_says() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<q>", "</q>"), max_chars = 40, overflow = cut(middle), body = "{0}")]
    #[fragment(notice = "{{{left_out}, {left_out} {{left_out}}}}")]
    struct Noted(String);
    let rendered = Noted("x".repeat(40)).render().unwrap();
    assert_eq!(rendered.text(), "<q>xxxxxxx{26, 26 {left_out}}xxxxxxx</q>");
}

/// A document with a cap, a place to cut (0: tail, 1: head, 2: middle) and a notice.
struct Cut<const CAP: usize, const PLACE: u8, const NOTICE: usize>(String);

const NOTICES: [&str; 3] = ["§{left_out}§", "\n§ {left_out} … § {left_out}\n", "§{left_out} "];

impl<const CAP: usize, const PLACE: u8, const NOTICE: usize> ContextFragment for Cut<CAP, PLACE, NOTICE> {
    const SPEC: FragmentSpec = FragmentSpec::new("cut", Role::User, CAP)
        .markers("<cut>", "</cut>")
        .overflow(match PLACE {
            0 => Overflow::CutTail,
            1 => Overflow::CutHead,
            _ => Overflow::CutMiddle,
        })
        .notice(NOTICES[NOTICE]);

    fn body(&self) -> Body {
        Body::new().value(&self.0)
    }
}

fn check_cut<const CAP: usize, const PLACE: u8, const NOTICE: usize>(
    body: &str,
) -> Result<(), TestCaseError> {
    let rendered = Cut::<CAP, PLACE, NOTICE>(body.to_owned()).render();
    let size = body.chars().count() + 11;
    let rendered = match rendered {
        Ok(rendered) => rendered,
        Err(error) => {
            prop_assert!(CAP < 60 && size > CAP, "{error}");
            return Ok(());
        }
    };
    prop_assert!(rendered.text().chars().count() <= CAP);
    prop_assert_eq!((rendered.chars(), rendered.true_chars()), (rendered.text().chars().count(), size));
    let inside = rendered.text().strip_prefix("<cut>").unwrap().strip_suffix("</cut>").unwrap();
    if size <= CAP {
        prop_assert_eq!(inside, body);
        return Ok(());
    }
    let (before, number) = inside.split_once(NOTICES[NOTICE].split_once('{').unwrap().0).unwrap();
    let digits = number.find(|next: char| !next.is_ascii_digit()).unwrap_or(number.len());
    let left_out: usize = number[..digits].parse().unwrap();
    let notice = NOTICES[NOTICE].replace("{left_out}", &left_out.to_string());
    let after = inside[before.len()..].strip_prefix(notice.as_str()).unwrap();
    prop_assert!(body.starts_with(before) && body.ends_with(after));
    prop_assert_eq!(left_out + before.chars().count() + after.chars().count(), body.chars().count());
    prop_assert!(PLACE != 0 || after.is_empty());
    prop_assert!(PLACE != 1 || before.is_empty());
    prop_assert!(PLACE != 2 || before.chars().count() <= CAP / 2);
    // Most of the room is used: a line that is near costs little.
    let used = rendered.chars();
    prop_assert!(used + 420 >= CAP && used * 5 >= CAP, "{used} of {CAP}");
    Ok(())
}

macro_rules! check_every {
    ($body:expr; $($cap:literal)*) => {$(
        check_cut::<$cap, 0, 0>($body)?;
        check_cut::<$cap, 0, 1>($body)?;
        check_cut::<$cap, 1, 1>($body)?;
        check_cut::<$cap, 1, 2>($body)?;
        check_cut::<$cap, 2, 0>($body)?;
        check_cut::<$cap, 2, 1>($body)?;
    )*};
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn a_cut_text_is_within_its_cap_and_tells_exactly_what_is_missing(
        lines in proptest::collection::vec("[a-z äé日🦀0-9.]{0,90}", 0..40),
        separator in "(\n|\r\n| )",
    ) {
        let body = lines.join(&separator);
        check_every!(&body; 20 33 59 60 61 100 256 1_000 2_000);
    }
}

#[test]
fn a_cut_ends_at_a_line_where_one_is_near() {
    let lines: Vec<String> = (0..200).map(|line| format!("line {line} of the text\n")).collect();
    let body = lines.concat();
    let inside = |text: &str| text.strip_prefix("<cut>").unwrap().strip_suffix("</cut>").unwrap().to_owned();
    let tail = Cut::<500, 0, 1>(body.clone()).render().unwrap();
    let kept = inside(tail.text());
    let kept = kept.split("\n§").next().unwrap();
    assert!(body[kept.len()..].starts_with('\n'), "{kept}");
    let head = Cut::<500, 1, 1>(body.clone()).render().unwrap();
    let kept = inside(head.text());
    let kept = kept.rsplit_once("§ ").unwrap().1.split_once('\n').unwrap().1.to_owned();
    assert!(kept.starts_with("line ") && body[..body.len() - kept.len()].ends_with('\n'), "{kept}");
}
