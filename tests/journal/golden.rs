//! Journals that an earlier version wrote are read by every later one.
//!
//! They stand in `tests/golden`, a folder for each version of the events. They are never written anew: a changed form of
//! an event is a new version, with journals of its own. To write those of a new version, set its folder below, and run
//! this test once with `POLYLOOP_WRITE_GOLDEN=1`; it writes only what is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use polyloop::{
    Agent, AgentBuilder, Budget, Call, Content, Ending, Finish, Image, InputPart, Item, Journal,
    MemoryJournal, Message, Model, ModelError, ModelErrorClass, Reply, Retries, Run, RunError, Scripted,
    SessionId, ToolError, UserInput, Verdict, Verifier, export_session, import_session, registry, tool,
};

use crate::support::{Rules, prefix, rules};

/// The folder of the present version.
const VERSION: &str = "v1";

/// Every kind of event that this version writes.
const KINDS: &[&str] = &[
    "action.intent",
    "action.outcome",
    "action.refused",
    "action.unknown",
    "action.verified",
    "approval.asked",
    "approval.given",
    "cancel.requested",
    "clock.marked",
    "decision",
    "fragment.recorded",
    "header.changed",
    "input.recorded",
    "lease.taken",
    "model.abandoned",
    "model.failed",
    "model.replied",
    "note.queued",
    "note.taken",
    "prompt.refused",
    "prompt.sealed",
    "remark.recorded",
    "run.ended",
    "run.faulted",
    "run.resumed",
    "run.started",
    "run.suspended",
    "session.opened",
    "stop.checked",
    "tools.enabled",
    "unknown.acknowledged",
];

/// Looks.
#[tool(replay = safe)]
async fn look() -> String {
    "nothing new".to_owned()
}

/// Writes a line.
#[tool]
async fn write(
    /// What to write.
    line: String,
) -> Result<String, ToolError> {
    if line.is_empty() {
        Err(ToolError::Environment("no disk".to_owned()))
    } else {
        Ok(format!("wrote {line}"))
    }
}

/// Writes a line, which takes a moment.
#[tool]
async fn write_slowly(
    /// What to write.
    line: String,
) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    format!("wrote {line}")
}

/// Writes a line, for ever.
#[tool(timeout = "5ms")]
async fn write_for_ever() -> String {
    std::future::pending().await
}

/// Deletes everything.
#[tool(approval, destructive)]
async fn delete() -> String {
    "gone".to_owned()
}

/// Does what few need.
#[tool(hidden, completes_run)]
async fn finish() -> String {
    "finished".to_owned()
}

registry! {
    struct App {
        fragments: [Rules],
        tools: [look, write, write_slowly, write_for_ever, delete, finish],
    }
}

/// Says that every letter was sent.
struct Sent;

impl Verifier<()> for Sent {
    async fn verify(&self, _: &Call, _: &polyloop::CallContext, (): &()) -> Verdict {
        Verdict::Happened("sent".into())
    }
}

fn builder(model: impl Model, journal: &MemoryJournal) -> AgentBuilder<App> {
    Agent::<App>::builder(model)
        .journal(journal.clone())
        .retries(Retries::times(1).first_wait(Duration::ZERO))
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(VERSION).join(format!("{name}.jsonl"))
}

/// A conversation in which most things happen, in five runs.
async fn conversation(journal: &MemoryJournal) -> SessionId {
    let failure = || Err(ModelError::new(ModelErrorClass::Overloaded, "later"));
    let model = Scripted::results([
        Ok(Reply::text("I look.").call("look", "{}").call("nope", "{}").call("write", r#"{"line":"a"}"#)),
        Ok(Reply::tool("write", r#"{"line":""}"#)),
        failure(),
        failure(),
        Ok(Reply::text("cut").finished(Finish::Length)),
        Ok(Reply::tool("finish", "{}")),
        Ok(Reply::tool("delete", "{}")),
        Ok(Reply::text("Deleted.")),
        Ok(Reply::tool("write_for_ever", "{}")),
        Ok(Reply::text("I do not know.")),
        Ok(Reply::text("Unused.")),
    ]);
    let agent = builder(model, journal).budget(Budget::steps(20).unknown_outcomes(0)).build().unwrap();
    let mut run = agent.on(()).inject(rules()).goal("Begin.").await.unwrap();
    run.step().await.unwrap();
    run.say("By the way.").unwrap();
    run.handle().remark("The first run.").unwrap();
    run.handle().enable::<finish>().unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "finished");

    run.follow_up().goal("Delete.").await.unwrap();
    run.finish().await.unwrap();
    run.approve(run.waiting()[0].id()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "Deleted.");

    run.follow_up().goal("Write.").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::UnknownOutcomes);
    run.acknowledge().await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "I do not know.");

    run.follow_up().goal("Stop.").await.unwrap();
    run.handle().cancel();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    let session = run.session_id().clone();

    let small = Budget::steps(20).prompt_chars(10).time(Duration::from_mins(10));
    let agent = builder(Scripted::replies([]), journal).budget(small).build().unwrap();
    let mut run = agent.on(()).session(session.clone()).goal("Too much.").await.unwrap();
    let report = run.finish().await.unwrap();
    assert!(matches!(report.ending, Ending::ContextOverflow { .. }), "{report:?}");
    session
}

/// A run that was killed after an intent, taken up twice, and measured.
async fn taken_up(journal: &MemoryJournal) -> SessionId {
    let replies = || {
        [
            Reply::tool("write_slowly", r#"{"line":"a"}"#),
            Reply::tool("write", r#"{"line":"b"}"#),
            Reply::text("done"),
        ]
    };
    let budget = Budget::steps(20).time(Duration::from_mins(10));
    let whole = MemoryJournal::new();
    let agent = builder(Scripted::replies(replies()), &whole).budget(budget).build().unwrap();
    let mut run = agent.on(()).goal("Go.").await.unwrap();
    run.finish().await.unwrap();
    let records = whole.read(run.session_id(), 0).await.unwrap();
    let intent = records.iter().rposition(|record| record.kind == "action.intent").unwrap();
    let killed = prefix(&records, intent + 1).await;

    // The second process seals a prompt, and dies as well.
    let silent = builder(Silent, &killed).budget(budget).verifier(Sent).build().unwrap();
    let mut run = silent.resume((), run.session_id().clone()).accept_changes().await.unwrap();
    while !matches!(run.next().await.unwrap().unwrap(), polyloop::Update::Asked { .. }) {}
    let session = run.session_id().clone();
    drop(run);

    let agent = builder(Scripted::replies([Reply::text("done")]), &killed).budget(budget).build().unwrap();
    let mut run = agent.resume((), session.clone()).accept_changes().await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    let lines = export_session(&killed, &session).await.unwrap();
    import_session(journal, &lines).await.unwrap()
}

/// Never replies.
struct Silent;

impl Model for Silent {
    async fn ask(&self, _: &polyloop::Prompt) -> Result<Reply, ModelError> {
        std::future::pending().await
    }
}

/// A run whose model makes another body for the same prompt.
async fn faulted(journal: &MemoryJournal) -> SessionId {
    /// Counts how often it made a body.
    struct Impure(std::sync::atomic::AtomicUsize);

    impl Model for Impure {
        async fn ask(&self, _: &polyloop::Prompt) -> Result<Reply, ModelError> {
            Err(ModelError::new(ModelErrorClass::Overloaded, "later"))
        }

        fn body(&self, _: &polyloop::Prompt) -> Option<Vec<u8>> {
            let made = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Some(format!("body {made}").into_bytes())
        }
    }

    let agent = builder(Impure(std::sync::atomic::AtomicUsize::default()), journal).build().unwrap();
    let mut run = agent.on(()).goal("Go.").await.unwrap();
    assert!(matches!(run.finish().await, Err(RunError::BodyDiffers { .. })));
    run.session_id().clone()
}

/// A run that was killed while a call that may not be repeated was under way.
async fn unfinished(journal: &MemoryJournal) -> SessionId {
    let model = Scripted::replies([Reply::tool("write", r#"{"line":"a"}"#), Reply::text("done")]);
    let whole = MemoryJournal::new();
    let mut run = builder(model, &whole).build().unwrap().on(()).inject(rules()).goal("Go.").await.unwrap();
    run.finish().await.unwrap();
    let records = whole.read(run.session_id(), 0).await.unwrap();
    let intent = records.iter().position(|record| record.kind == "action.intent").unwrap();
    let killed = prefix(&records, intent + 1).await;
    let lines = export_session(&killed, run.session_id()).await.unwrap();
    import_session(journal, &lines).await.unwrap()
}

/// A conversation with images, with words that are sent otherwise than they were typed, and with a note between.
async fn chat(journal: &MemoryJournal) -> SessionId {
    let model = Scripted::replies(["one", "two"].map(Reply::text));
    let agent = builder(model, journal).sanitizer("no_secrets/1", |typed, _| typed.replace("secret", "***"));
    let mut run = agent.build().unwrap().on(()).goal("A secret.").await.unwrap();
    run.finish().await.unwrap();
    run.queue(rules()).await.unwrap();
    let data = Image::new("image/png", "abc", 100).unwrap();
    let words = UserInput::from("Look, a secret: ").image(data).text("And here:");
    let url = Image::url("https://example.org/a.png", 100).unwrap();
    run.follow_up().goal(words.image(url)).await.unwrap();
    run.finish().await.unwrap();
    run.session_id().clone()
}

#[tokio::test]
async fn journals_are_written_where_somebody_asks_for_it() {
    if std::env::var_os("POLYLOOP_WRITE_GOLDEN").is_none() {
        return;
    }
    let journal = MemoryJournal::new();
    let sessions = [
        ("conversation", conversation(&journal).await),
        ("taken_up", taken_up(&journal).await),
        ("faulted", faulted(&journal).await),
        ("unfinished", unfinished(&journal).await),
        ("chat", chat(&journal).await),
    ];
    for (name, session) in sessions {
        let path = path(name);
        if !path.exists() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, export_session(&journal, &session).await.unwrap()).unwrap();
        }
    }
}

async fn read(name: &str) -> (MemoryJournal, SessionId) {
    let journal = MemoryJournal::new();
    let session = import_session(&journal, &fs::read_to_string(path(name)).unwrap()).await.unwrap();
    (journal, session)
}

async fn open(name: &str) -> Result<Run<App>, RunError> {
    let (journal, session) = read(name).await;
    let model = Scripted::by(|_| Reply::text("done"));
    builder(model, &journal).build().unwrap().resume((), session).accept_changes().await
}

#[tokio::test]
async fn together_they_hold_every_kind_of_event() {
    let mut kinds = BTreeSet::new();
    for name in ["conversation", "taken_up", "faulted", "unfinished", "chat"] {
        let (journal, session) = read(name).await;
        let records = journal.read(&session, 0).await.unwrap();
        assert!(records.iter().all(|record| record.v == 1));
        kinds.extend(records.into_iter().map(|record| record.kind.into_owned()));
    }
    assert_eq!(kinds.iter().map(String::as_str).collect::<Vec<_>>(), *KINDS);
}

#[tokio::test]
async fn what_ended_tells_what_it_came_to_and_goes_on() {
    let mut run = open("conversation").await.unwrap();
    let report = run.finish().await.unwrap();
    assert!(matches!(report.ending, Ending::ContextOverflow { .. }), "{report:?}");
    let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told[..6], ["Be brief.", "Begin.", "I look.", "nothing new", &told[4], "wrote a"]);
    assert_eq!(told[6], "By the way.", "said meanwhile, and behind the results");
    run.follow_up().goal("And now?").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    let tools = run.prompt().unwrap().tools().iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
    assert!(tools.contains(&"finish".to_owned()), "it was enabled: {tools:?}");
}

#[tokio::test]
async fn what_was_verified_and_abandoned_is_still_known() {
    let mut run = open("taken_up").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.to_string().as_str(), report.actions, report.requests), ("done", 2, 4));
    let results = run.prompt().unwrap().messages().flat_map(Message::blocks).filter_map(|block| match block
        .content()
    {
        Content::ToolResult { parts, .. } => Some(parts.concat()),
        _ => None,
    });
    assert_eq!(results.collect::<Vec<_>>(), ["wrote a", "sent"]);
}

#[tokio::test]
async fn images_and_what_was_typed_are_still_known() {
    let run = open("chat").await.unwrap();
    let [first, _, note, second, _] = run.items() else { panic!("{:?}", run.items()) };
    let words = |item: &Item| (item.typed().unwrap().as_str().to_owned(), item.text().into_owned());
    assert_eq!(words(first), ("A secret.".to_owned(), "A ***.".to_owned()));
    assert_eq!((note.kind_name(), &*note.text()), ("rules", "Be brief."));
    assert_eq!(words(second), ("Look, a secret: And here:".to_owned(), "Look, a ***: And here:".to_owned()));
    let image = |part: &InputPart| match part {
        InputPart::Image(image) => Some((image.to_url().into_owned(), image.chars())),
        _ => None,
    };
    let images: Vec<_> = second.input().unwrap().parts().iter().filter_map(image).collect();
    let urls = ["data:image/png;base64,YWJj", "https://example.org/a.png"];
    assert_eq!(images, urls.map(|url| (url.to_owned(), 100)));
}

#[tokio::test]
async fn what_met_a_fault_stays_stopped() {
    assert!(matches!(open("faulted").await, Err(RunError::Faulted { .. })));
}

#[tokio::test]
async fn what_was_not_finished_goes_on() {
    let mut run = open("unfinished").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert!(told.iter().any(|text| text.starts_with("It is not known")), "{told:?}");
}
