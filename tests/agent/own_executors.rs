//! An executor of a project: the arguments that it gets, the run to which it belongs, its refusals, its time.

use std::sync::{Arc, Mutex};

use polyloop::{
    Action, ActionOutcome, Agent, CallContext, CodeFence, Ending, Executor, Journal, MemoryJournal, Record,
    Registry, Reply, RunError, Scripted, SessionId, Status, Texts, Update, registry, tool,
};

use crate::support::{Log, finish, last, observed, texts, updates};

/// Takes some lines.
#[tool(schema_only)]
async fn take(
    /// How many.
    n: u32,
    /// From which one on.
    #[arg(default = 5)]
    m: u32,
    /// A remark.
    note: Option<String>,
) -> String;

/// Takes everything.
#[tool(schema_only)]
async fn take_all() -> String;

/// Takes its time.
#[tool(schema_only, timeout = "5ms")]
async fn wait() -> String;

/// Takes its time, and may do so again.
#[tool(schema_only, timeout = "5ms", replay = safe)]
async fn wait_again() -> String;

/// Takes lines after somebody agreed.
#[tool(schema_only, approval)]
async fn take_asked(
    /// How many.
    n: u32,
    /// From which one on.
    #[arg(default = 5)]
    m: u32,
) -> String;

registry! { struct Lines { state: Log, tools: [take, take_all, wait, wait_again, take_asked] } }

/// Writes what it gets into the state of the run.
struct Writes;

impl Executor<Log> for Writes {
    async fn execute(&self, action: &Action, call: &CallContext, log: &Log) -> ActionOutcome {
        if action.label().starts_with("wait") {
            return std::future::pending().await;
        }
        log.add(format!("{} {}", action.label(), action.payload()));
        ActionOutcome::executed(format!("{:?} {:?} {}", call.session(), call.run(), call.id()))
    }
}

async fn events(journal: &MemoryJournal, session: &str, kind: &str) -> Vec<serde_json::Value> {
    let records: Vec<Record> = journal.read(&SessionId::from(session), 0).await.unwrap();
    let of_kind = records.iter().filter(|record| record.kind == kind);
    of_kind.map(|record| serde_json::from_str(&record.payload).unwrap()).collect()
}

#[tokio::test]
async fn an_executor_gets_the_arguments_that_a_handler_would_get() {
    let sent = [
        ("take", r#"{"n":"3"}"#, r#"{"n":3,"m":5}"#),
        ("take", r#"{ "note" : null, "m": 7.0 , "n":1 }"#, r#"{"n":1,"m":7}"#),
        ("take", r#"{"note":"a b","n":1,"m":null}"#, r#"{"n":1,"m":5,"note":"a b"}"#),
        ("take_all", "", "{}"),
        ("take_all", "null", "{}"),
        ("take_all", " { } ", "{}"),
    ];
    let replies = sent.map(|(name, arguments, _)| Reply::tool(name, arguments));
    let model = Scripted::replies(replies.into_iter().chain([Reply::text("done")]));
    let journal = MemoryJournal::new();
    let agent = Agent::<Lines>::builder(model).executor(Writes).journal(journal.clone()).build().unwrap();
    let log = Arc::new(Log::default());
    finish(agent.on(log.clone()).session("s").goal("go").await.unwrap()).await;
    let got: Vec<String> = sent.iter().map(|(name, _, effective)| format!("{name} {effective}")).collect();
    assert_eq!(log.lines(), got);
    let (intents, decisions) =
        (events(&journal, "s", "action.intent").await, events(&journal, "s", "decision").await);
    assert_eq!((intents.len(), decisions.len()), (6, 7));
    for ((intent, decision), (_, wrote, effective)) in intents.iter().zip(&decisions).zip(sent) {
        assert_eq!(intent["intent"]["arguments"], effective, "the intent holds what is carried out");
        assert_eq!(decision["calls"][0]["action"]["Tool"]["arguments"], wrote, "the reply what was written");
    }
}

#[tokio::test]
async fn an_executor_knows_session_run_and_call() {
    let replies = || [Reply::tool("take_all", ""), Reply::text("done")];
    let model = Scripted::replies(replies().into_iter().chain(replies()));
    let agent = Agent::<Lines>::builder(model.clone()).executor(Writes).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    let session = run.session_id().to_string();
    let mut told = observed(&updates(&mut run).await);
    run.follow_up().goal("again").await.unwrap();
    told.extend(observed(&updates(&mut run).await));
    assert_eq!(
        told,
        [format!("Some({session:?}) Some(1) call_1"), format!("Some({session:?}) Some(2) call_2")]
    );
    let detached = CallContext::detached("c");
    assert_eq!((detached.session(), detached.run(), detached.id()), (None, None, "c"));
}

#[tokio::test]
async fn a_timeout_holds_with_an_executor() {
    let model = Scripted::replies([Reply::tool("wait_again", "").call("wait", ""), Reply::text("done")]);
    let agent = Agent::<Lines>::builder(model).executor(Writes).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    let told = updates(&mut run).await;
    let statuses: Vec<Status> = told
        .iter()
        .filter_map(|update| match update {
            Update::Observed { outcome, .. } => Some(outcome.status),
            _ => None,
        })
        .collect();
    assert_eq!(statuses, [Status::Executed, Status::Unknown]);
    assert_eq!(observed(&told)[0], "timed out after 5 ms");
}

/// Is always busy.
struct Busy;

impl<S: Send + Sync> Executor<S> for Busy {
    async fn execute(&self, _: &Action, _: &CallContext, _: &S) -> ActionOutcome {
        ActionOutcome::not_executed("lock held by pid 1")
    }
}

#[tokio::test]
async fn the_sentence_of_an_executor_that_refuses_is_in_the_journal_and_never_in_a_prompt() {
    let journal = MemoryJournal::new();
    let model =
        Scripted::replies([Reply::tool("take_all", "").call("take", r#"{"m":1}"#), Reply::text("done")]);
    let mut texts_of = Texts::default();
    "It is busy.".clone_into(&mut texts_of.refused_by_executor);
    let agent = Agent::<Lines>::builder(model.clone())
        .executor(Busy)
        .texts(texts_of)
        .journal(journal.clone())
        .build()
        .unwrap();
    let mut run = agent.on(Log::default()).session("s").goal("go").await.unwrap();
    let told = updates(&mut run).await;
    // Calls are checked first; the reason of the library is shown, since it can be made again.
    let reason = "not executed: invalid arguments for `take`: argument `n` is missing";
    assert_eq!(observed(&told), [reason, "It is busy."]);
    assert!(texts(&last(&model)).iter().all(|text| !text.contains("pid 1")));
    let refused = events(&journal, "s", "action.refused").await;
    assert!(refused.iter().any(|outcome| outcome.to_string().contains("lock held by pid 1")));
    let audited = told.iter().any(|update| {
        matches!(update, Update::Observed { outcome, .. }
            if outcome.observation.parts().concat() == "lock held by pid 1")
    });
    assert!(audited);
}

/// Belongs to one run.
struct Container(u32, Arc<Mutex<Vec<String>>>);

impl Executor<Log> for Container {
    async fn execute(&self, action: &Action, call: &CallContext, log: &Log) -> ActionOutcome {
        log.add("ran");
        self.1.lock().unwrap().push(format!("{} {} {}", self.0, call.id(), action.payload().trim()));
        ActionOutcome::executed("ran")
    }
}

fn scripts() -> impl Fn(&polyloop::Prompt) -> Reply {
    |prompt| {
        let last = texts(prompt).pop().unwrap_or_default();
        if last == "ran" { Reply::text("done") } else { Reply::text(format!("```sh\n{last}\n```")) }
    }
}

#[tokio::test]
async fn a_run_may_have_an_executor_of_its_own_which_its_follow_ups_keep() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let agent = Agent::<Lines>::builder(Scripted::by(scripts()))
        .interpreter(CodeFence::any())
        .executor_per_run()
        .build()
        .unwrap();
    let log = Arc::new(Log::default());
    let mut run = agent.on(log.clone()).executor(Container(1, ran.clone())).goal("a").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("b").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().executor(Container(2, ran.clone())).goal("c").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(*ran.lock().unwrap(), ["1 call_1 a", "1 call_2 b", "2 call_3 c"]);
    assert_eq!(log.lines(), ["ran", "ran", "ran"]);
    // Without an executor of its own a run of this agent is refused, since its tools have no handlers.
    let refused = agent.on(log).goal("d").await.err();
    assert!(matches!(refused, Some(RunError::Tools(_))), "{refused:?}");
}

#[tokio::test]
async fn the_executor_of_a_run_is_recorded_and_another_type_is_refused_when_the_run_is_resumed() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let journal = MemoryJournal::new();
    let agent = Agent::<Lines>::builder(Scripted::by(scripts()))
        .interpreter(CodeFence::any())
        .executor(Busy)
        .journal(journal.clone())
        .build()
        .unwrap();
    let request = agent.on(Log::default()).session("s").executor(Container(1, ran.clone()));
    drop(request.goal("a").await.unwrap());
    let started = events(&journal, "s", "run.started").await;
    let recorded = started[0]["definition"]["executor"].as_str().unwrap().to_owned();
    assert!(recorded.ends_with("::Container"), "{recorded}");
    let refused = agent.resume(Log::default(), "s").await.unwrap_err().to_string();
    assert!(refused.contains("in executor (it was `") && refused.contains("::Busy`"), "{refused}");
    let mut run = agent.resume(Log::default(), "s").executor(Container(2, ran.clone())).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!(*ran.lock().unwrap(), ["2 call_1 a"]);
}

#[tokio::test]
async fn a_fork_may_have_an_executor_of_its_own() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let agent = Agent::<Lines>::builder(Scripted::by(scripts()))
        .interpreter(CodeFence::any())
        .executor(Busy)
        .journal(MemoryJournal::new())
        .build()
        .unwrap();
    let request = agent.on(Log::default()).session("s").executor(Container(1, ran.clone()));
    request.goal("a").await.unwrap().finish().await.unwrap();
    let fork = agent.fork(Log::default(), "s").executor(Container(2, ran.clone())).goal("b");
    fork.await.unwrap().finish().await.unwrap();
    assert_eq!(*ran.lock().unwrap(), ["1 call_1 a", "2 call_2 b"]);
}

#[tokio::test]
async fn a_person_is_asked_about_the_effective_arguments_and_agrees_to_them_however_they_are_written() {
    let written = [r#"{"n":"3"}"#, r#"{"m":5,"n":3}"#, r#"{"n":3.0,"m":"5"}"#, r#"{"n":3,"m":6}"#];
    let journal = MemoryJournal::new();
    let replies = written.map(|arguments| Reply::tool("take_asked", arguments));
    let model = Scripted::replies(replies.into_iter().chain([Reply::text("done")]));
    let agent = Agent::<Lines>::builder(model).executor(Writes).journal(journal.clone()).build().unwrap();
    let log = Arc::new(Log::default());
    let mut run = agent.on(log.clone()).session("s").goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    assert_eq!(run.waiting()[0].action().payload(), r#"{"n":3,"m":5}"#);
    drop(run);
    // Another process knows the same question.
    let mut run = agent.resume(log.clone(), "s").await.unwrap();
    let asked = run.waiting();
    assert_eq!(asked[0].action().payload(), r#"{"n":3,"m":5}"#);
    run.approve_always(asked[0].id()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    assert_eq!(run.waiting()[0].action().payload(), r#"{"n":3,"m":6}"#, "another call asks");
    assert_eq!(log.lines().len(), 3);
    drop(run);
    let mut run = agent.resume(log.clone(), "s").await.unwrap();
    let id = run.waiting()[0].id().clone();
    run.deny(&id).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!(log.lines(), [r#"take_asked {"n":3,"m":5}"#; 3]);
}

/// Two tools that look the same to a model.
macro_rules! same_tools {
    ($($module:ident)*) => {
        $(mod $module {
            /// Reads.
            #[polyloop::tool(replay = safe)]
            pub(super) async fn read() -> String {
                stringify!($module).to_owned()
            }
        })*
    };
}

same_tools!(here there);

registry! { struct Here { tools: [here::read] } }
registry! { struct There { tools: [there::read] } }

#[tokio::test]
async fn an_executor_of_tools_that_only_look_the_same_is_refused() {
    let (ours, theirs) = (Here::tools().unwrap(), There::tools().unwrap());
    assert_eq!(ours.fingerprint(), theirs.fingerprint());
    let model = Scripted::replies([Reply::tool("read", ""), Reply::text("done")]);
    let foreign =
        Agent::<Here>::builder(model.clone()).executor(theirs.executor(()).unwrap()).build().unwrap();
    assert_eq!(foreign.on(()).goal("go").await.err(), Some(RunError::ForeignExecutor));
    let run = foreign.on(()).executor(ours.executor(()).unwrap()).goal("go").await.unwrap();
    finish(run).await;
    assert_eq!(texts(&last(&model))[2], "here");
}

/// Finds the environment done after the first action.
struct Done;

impl<S: Send + Sync> Executor<S> for Done {
    async fn execute(&self, _: &Action, _: &CallContext, _: &S) -> ActionOutcome {
        ActionOutcome::executed("all tests pass").completed()
    }
}

#[tokio::test]
async fn calls_after_evidence_of_completion_are_not_executed() {
    let model =
        Scripted::replies([Reply::tool("take_all", "").call("take", r#"{"n":1}"#).call("take_all", "")]);
    let agent = Agent::<Lines>::builder(model).executor(Done).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    let told = observed(&updates(&mut run).await);
    let refused = "not executed: the environment completed the run before it";
    assert_eq!(told, ["all tests pass", refused, refused]);
    let report = finish(run).await;
    assert_eq!((report.ending, report.actions), (Ending::EnvironmentCompleted, 1));
}
