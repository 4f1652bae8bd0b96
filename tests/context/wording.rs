//! In which words a model is told what changed, and what holds no longer.

use polyloop::{
    Body, ContextFragment, ItemId, Key, MemoryJournal, RecordErrorKind, Registry, Reply, Scripted, Session,
    Statement, registry,
};
use serde::{Deserialize, Serialize};

use crate::support::{App, approved};

/// How the model is to work.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<mode>", "</mode>"), max_chars = 200, at_most = 8, body = "{text}")]
#[fragment(lifetime = latest, absent = "No mode is set any more.")]
struct Mode {
    text: String,
}

/// The same without markers.
#[derive(ContextFragment)]
#[fragment(role = developer, unmarked = "the whole message", max_chars = 200, at_most = 8, body = "{text}")]
#[fragment(lifetime = latest, absent = "No manner is asked for any more.")]
struct Manner {
    text: String,
}

/// Nothing may be written: the markers say it.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<read_only>", "</read_only>"), max_chars = 200, body = "")]
#[fragment(lifetime = latest, absent = "Files may be written again.")]
struct ReadOnly;

/// What is open, which may be nothing.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<open>", "</open>"), max_chars = 200, at_most = 8, body = "{names}")]
#[fragment(lifetime = latest, never_retracted = "there is always a list, which may be empty")]
struct Open {
    names: String,
}

/// Which hosts may be asked.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<network>", "</network>"), max_chars = 200, at_most = 8)]
#[fragment(lifetime = latest, absent = "No host may be asked any more.", body = "allow {allow}")]
struct Network {
    allow: String,
}

/// What another program says: with a key, and what is new of it.
#[derive(ContextFragment, Serialize, Deserialize)]
#[fragment(role = user, markers("<external_{program}>", "</external_{program}>"), max_chars = 60, state)]
#[fragment(lifetime = latest, absent = "It is gone.", at_most = 8, change = more_lines, body = joined)]
struct External {
    program: Program,
    lines: Vec<String>,
    #[fragment(id)]
    entry: u32,
}

/// A key that is written down.
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct Program(Key);

impl From<Program> for String {
    fn from(program: Program) -> Self {
        program.0.as_str().to_owned()
    }
}

impl TryFrom<String> for Program {
    type Error = polyloop::KeyError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Key::new(text).map(Self)
    }
}

impl polyloop::MarkerKey for Program {
    fn as_key(&self) -> &str {
        self.0.as_str()
    }
}

fn joined(external: &External) -> String {
    external.lines.join("\n")
}

fn more_lines(earlier: &External, now: &External) -> Option<Body> {
    let more = now.lines.strip_prefix(earlier.lines.as_slice())?;
    Some(Body::new().text("and then ").value(more.join("\n")))
}

fn external(program: &str, lines: &[&str]) -> External {
    let program = Program(Key::new(program).unwrap());
    External { program, lines: lines.iter().map(|line| (*line).to_owned()).collect(), entry: 7 }
}

/// A document of which the tail goes.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<page>", "</page>"), max_chars = 50, at_most = 8, body = "{text}")]
#[fragment(overflow = cut(tail), notice = "[{left_out} more]")]
#[fragment(lifetime = latest, absent = "The page is closed.")]
struct Page {
    text: String,
}

/// Advice in the channel that each value names.
#[derive(ContextFragment)]
#[fragment(slot = injection, max_chars = 200, at_most = 8, body = "{text}")]
#[fragment(lifetime = latest, absent = "The advice does not hold any more.")]
struct Advice {
    #[fragment(channel)]
    channel: &'static str,
    text: String,
}

registry! {
    struct Words { fragments: [Mode, Manner, ReadOnly, Open, Network, External, Page, Advice] }
}

fn mode(text: &str) -> Mode {
    Mode { text: text.to_owned() }
}

fn manner(text: &str) -> Manner {
    Manner { text: text.to_owned() }
}

fn page(text: &str) -> Page {
    Page { text: text.to_owned() }
}

/// What was said, and as what.
fn said<R: Registry>(session: &Session<R>) -> Vec<(String, Statement)> {
    let items = session.items().iter();
    items.map(|item| (item.text().into_owned(), item.statement().unwrap())).collect()
}

pub(crate) fn expect<R: Registry>(session: &Session<R>, expected: &[(&str, Statement)]) {
    let expected: Vec<_> = expected.iter().map(|(text, as_what)| ((*text).to_owned(), *as_what)).collect();
    assert_eq!(said(session), expected);
}

pub(crate) fn is_silent(recorded: Result<Option<ItemId>, polyloop::RecordError>) -> bool {
    recorded.unwrap().is_none()
}

#[test]
fn a_value_without_a_text_is_one_cancellation_and_then_silence() {
    let mut session = Session::<Words>::new();
    session.sync(mode("plan")).unwrap();
    assert!(session.sync(mode("")).unwrap().is_some());
    assert!(is_silent(session.sync(mode(" \n"))));
    assert!(is_silent(session.retract::<Mode>()));
    let cancelled = "<mode>No mode is set any more.</mode>";
    expect(&session, &[("<mode>plan</mode>", Statement::Full), (cancelled, Statement::Retraction)]);
    let mut session = Session::<Words>::new();
    session.sync(manner("brief")).unwrap();
    assert!(session.sync(manner("")).unwrap().is_some());
    assert!(is_silent(session.sync(manner(""))));
    let cancelled = "No manner is asked for any more.";
    expect(&session, &[("brief", Statement::Full), (cancelled, Statement::Retraction)]);
}

#[test]
fn of_what_was_never_told_a_value_without_a_text_says_nothing() {
    let mut session = Session::<Words>::new();
    assert!(is_silent(session.sync(mode(""))));
    assert!(is_silent(session.sync(manner(""))));
    assert!(session.items().is_empty());
}

#[test]
fn what_was_told_without_a_text_is_known_without_a_text() {
    let mut session = Session::<Words>::new();
    session.inject(mode("")).unwrap();
    assert!(is_silent(session.sync(mode(""))));
    expect(&session, &[("<mode></mode>", Statement::Full)]);
}

#[test]
fn markers_that_are_all_there_is_to_say_are_said() {
    let mut session = Session::<Words>::new();
    assert!(session.sync(ReadOnly).unwrap().is_some());
    assert!(is_silent(session.sync(ReadOnly)));
    session.retract::<ReadOnly>().unwrap();
    let writable = "<read_only>Files may be written again.</read_only>";
    expect(&session, &[("<read_only></read_only>", Statement::Full), (writable, Statement::Retraction)]);
}

#[test]
fn what_is_never_taken_back_may_be_empty() {
    let mut session = Session::<Words>::new();
    let open = |names: &str| Open { names: names.to_owned() };
    session.sync(open("a.txt")).unwrap();
    session.sync(open("")).unwrap();
    expect(&session, &[("<open>a.txt</open>", Statement::Full), ("<open></open>", Statement::Full)]);
}

#[test]
fn a_permission_that_is_gone_is_one_explicit_retraction() {
    let mut session = Session::<Words>::new();
    session.sync(Network { allow: "a".into() }).unwrap();
    session.retract::<Network>().unwrap();
    assert!(is_silent(session.retract::<Network>()));
    let gone = "<network>No host may be asked any more.</network>";
    expect(&session, &[("<network>allow a</network>", Statement::Full), (gone, Statement::Retraction)]);
}

#[test]
fn a_change_is_told_apart_from_a_full_statement_and_the_whole_fact_stays_known() {
    let mut session = Session::<App>::new();
    assert!(session.told::<crate::support::Approved>().is_none());
    session.sync(approved(&["ls"])).unwrap();
    session.sync(approved(&["ls", "cat"])).unwrap();
    session.sync(approved(&["ls", "cat", "wc"])).unwrap();
    let statements: Vec<_> = session.items().iter().map(|item| item.statement().unwrap()).collect();
    assert_eq!(statements, [Statement::Full, Statement::Change, Statement::Change]);
    assert_eq!(session.items()[2].text(), "<approved>new: wc</approved>", "since the statement before");
    let told = session.told::<crate::support::Approved>().unwrap();
    assert_eq!(told.text(), "<approved>ls\ncat\nwc</approved>");
    assert_eq!(told.state(), Some(r#"{"commands":["ls","cat","wc"]}"#));
    session.retract::<crate::support::Approved>().unwrap();
    assert!(session.told::<crate::support::Approved>().is_none());
}

#[test]
fn a_change_has_the_key_and_the_id_of_the_fact() {
    let mut session = Session::<Words>::new();
    session.sync(external("browser", &["one"])).unwrap();
    session.sync(external("browser", &["one", "two"])).unwrap();
    session.retract::<External>().unwrap();
    let expected = [
        ("<external_browser>one</external_browser>", Statement::Full),
        ("<external_browser>and then two</external_browser>", Statement::Change),
        ("<external_browser>It is gone.</external_browser>", Statement::Retraction),
    ];
    expect(&session, &expected);
    assert!(session.items().iter().all(|item| item.entry_id() == Some("7")));
}

#[test]
fn a_value_with_another_key_takes_the_place_of_the_one_before() {
    let mut session = Session::<Words>::new();
    session.sync(external("browser", &["one"])).unwrap();
    session.sync(external("mail", &["new"])).unwrap();
    session.retract::<External>().unwrap();
    let gone = "<external_mail>It is gone.</external_mail>";
    assert_eq!(said(&session)[2], (gone.to_owned(), Statement::Retraction));
}

#[test]
fn a_change_that_says_nothing_or_does_not_fit_is_told_in_full() {
    let mut session = Session::<Words>::new();
    session.sync(external("a", &["one"])).unwrap();
    // As a change it would have 65 characters.
    session.sync(external("a", &["one", &"x".repeat(60 - 25 - 4)])).unwrap();
    assert_eq!(said(&session)[1].1, Statement::Full, "{:?}", said(&session));
    assert_eq!(said(&session)[1].0.chars().count(), 60);
    let mut session = Session::<Silent>::new();
    session.sync(Quiet { value: 1 }).unwrap();
    session.sync(Quiet { value: 2 }).unwrap();
    expect(&session, &[("1", Statement::Full), ("2", Statement::Full)]);
    let mut session = Session::<Silent>::new();
    session.sync(Trail { steps: 1 }).unwrap();
    session.sync(Trail { steps: 2 }).unwrap();
    expect(&session, &[("1 steps", Statement::Full), ("2 steps", Statement::Full)]);
}

/// Of which a change would be cut, and the whole is not.
#[derive(ContextFragment, Serialize, Deserialize)]
#[fragment(role = user, unmarked = "a number", max_chars = 40, at_most = 8, overflow = cut(tail), state)]
#[fragment(lifetime = latest, absent = "no steps", change = at_length, body = "{steps} steps")]
struct Trail {
    steps: u32,
}

#[expect(clippy::unnecessary_wraps, reason = "that is the form of a change")]
fn at_length(_: &Trail, now: &Trail) -> Option<Body> {
    Some(Body::new().text("one more than there were, which makes in all ").value(now.steps))
}

/// Has nothing to say of what changed.
#[derive(ContextFragment, Serialize, Deserialize)]
#[fragment(role = user, unmarked = "a number", max_chars = 20, at_most = 8, state, change = nothing)]
#[fragment(lifetime = latest, absent = "no number", body = "{value}")]
struct Quiet {
    value: u32,
}

#[expect(clippy::unnecessary_wraps, reason = "that is the form of a change")]
fn nothing(_: &Quiet, _: &Quiet) -> Option<Body> {
    Some(Body::new())
}

registry! { struct Silent { fragments: [Quiet, Trail] } }

#[test]
fn what_is_cut_is_compared_as_the_model_was_told_it() {
    let mut session = Session::<Words>::new();
    let long = |end: &str| page(&format!("{}{end}", "x".repeat(60)));
    session.sync(long("a")).unwrap();
    assert!(is_silent(session.sync(long("b"))), "the model sees no difference");
    assert!(session.sync(long("cc")).unwrap().is_some(), "one more is left out");
    let texts: Vec<_> = said(&session).into_iter().map(|(text, _)| text).collect();
    assert!(texts[0].ends_with("[33 more]</page>") && texts[1].ends_with("[34 more]</page>"), "{texts:?}");
    session.retract::<Page>().unwrap();
    assert_eq!(session.items()[2].text(), "<page>The page is closed.</page>");
}

#[test]
fn an_end_stands_in_the_channel_of_what_it_takes_back() {
    let mut session = Session::<Words>::new();
    let advice = |channel, text: &str| Advice { channel, text: text.to_owned() };
    session.sync(advice("skill", "sort first")).unwrap();
    assert!(is_silent(session.sync(advice("style", "sort first"))), "the model knows these words");
    session.sync(advice("style", "sort last")).unwrap();
    session.retract::<Advice>().unwrap();
    let channels: Vec<_> =
        session.items().iter().map(|item| item.rendered().unwrap().channel().unwrap()).collect();
    assert_eq!(channels, ["skill", "style", "style"]);
}

#[test]
fn words_that_do_not_fit_leave_the_fact_as_it_was_told() {
    let mut session = Session::<Words>::new();
    session.sync(mode("plan")).unwrap();
    let refused = session.sync(mode(&"x".repeat(300))).unwrap_err();
    assert_eq!(*refused.reason(), RecordErrorKind::TooLarge { size: 313, cap: 200 });
    assert_eq!(session.told::<Mode>().unwrap().text(), "<mode>plan</mode>");
    assert!(is_silent(session.sync(mode("plan"))));
}

mod renamed {
    //! The same kind as [`super::earlier`], years later.
    use super::{ContextFragment, registry};

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<place>", "</place>"), legacy("<folder>", "</folder>"))]
    #[fragment(kind = "place", was = "folder", max_chars = 200, body = "{path}")]
    #[fragment(lifetime = latest, absent = "There is no such place any more.")]
    pub(super) struct Place {
        pub(super) path: &'static str,
    }

    /// Says the same, in the same markers, under another name.
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<shell>", "</shell>"), kind = "shell", was = "terminal")]
    #[fragment(max_chars = 200, body = "{name}", lifetime = latest, absent = "There is no shell any more.")]
    pub(super) struct Shell {
        pub(super) name: &'static str,
    }

    registry! { pub(super) struct Now { fragments: [Place, Shell] } }
}

mod earlier {
    use super::{ContextFragment, registry};

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<folder>", "</folder>"), max_chars = 200, body = "{path}")]
    #[fragment(lifetime = latest, absent = "There is no such folder any more.")]
    pub(super) struct Folder {
        pub(super) path: &'static str,
    }

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<shell>", "</shell>"), kind = "terminal", max_chars = 200)]
    #[fragment(body = "{name}", lifetime = latest, absent = "There is no shell any more.")]
    pub(super) struct Terminal {
        pub(super) name: &'static str,
    }

    registry! { pub(super) struct Then { fragments: [Folder, Terminal] } }
}

#[tokio::test]
async fn a_kind_under_its_new_name_knows_what_was_told_under_the_old_one() {
    let journal = MemoryJournal::new();
    let then = polyloop::Agent::<earlier::Then>::builder(Scripted::replies([Reply::text("yes")]));
    let then = then.journal(journal.clone()).build().unwrap();
    let opening = then.on(()).session("s").sync(earlier::Folder { path: "/a" });
    let mut run = opening.sync(earlier::Terminal { name: "sh" }).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let model = Scripted::replies(["again", "gone"].map(Reply::text));
    let now = polyloop::Agent::<renamed::Now>::builder(model.clone());
    let now = now.journal(journal).build().unwrap();
    let opening = now.on(()).session("s").sync(renamed::Shell { name: "sh" });
    let mut run = opening.retract::<renamed::Place>().goal("once more").await.unwrap();
    run.finish().await.unwrap();
    let texts = crate::support::texts(&model.requests()[0]);
    let end = "<place>There is no such place any more.</place>";
    assert_eq!(texts[..4], ["<folder>/a</folder>", "<shell>sh</shell>", "go", "yes"]);
    assert_eq!(texts[4..], [end, "once more"], "the shell is known; the end stands in the present markers");
}
