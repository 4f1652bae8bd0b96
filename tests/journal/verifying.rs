//! Somebody who can look says what became of a call that nobody knew the outcome of.

use futures_util::FutureExt;
use polyloop::{
    Agent, Budget, Call, CallContext, CodeFence, Ending, Executor, Journal, MemoryJournal, Observation,
    Record, Registry, Reply, Run, SessionId, Verdict, Verifier, registry, tool,
};

use crate::support::{
    App, Death, Hang, Log, Store, World, builder, payloads, prefix, script, tally_reply, writing,
};

/// What the model is told where nobody knows what became of a call.
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";

/// Looks whether the line was written, and writes down what it was asked.
#[derive(Clone, Default)]
struct Looks {
    asked: Log,
}

impl Verifier<World> for Looks {
    async fn verify(&self, call: &Call, context: &CallContext, world: &World) -> Verdict {
        tokio::task::yield_now().await;
        assert!(context.idempotency_key().ends_with("/call_1"), "{context:?}");
        let attempt = context.attempt();
        self.asked.add(format!("{} {} {attempt}", call.id(), call.action().payload()));
        match world.log.count("tally a") {
            0 => Verdict::DidNotHappen,
            _ => Verdict::Happened("wrote a".into()),
        }
    }
}

/// Says always the same.
#[derive(Clone)]
struct Says(Verdict);

impl<S: Sync + 'static> Verifier<S> for Says {
    async fn verify(&self, _: &Call, _: &CallContext, _: &S) -> Verdict {
        self.0.clone()
    }
}

/// Panics, with a future or before there is one.
struct Panics {
    at_once: bool,
}

impl Verifier<World> for Panics {
    fn verify(&self, _: &Call, _: &CallContext, _: &World) -> impl Future<Output = Verdict> + Send {
        assert!(!self.at_once, "before there is a future");
        async { panic!("later") }
    }
}

fn two_steps() -> Vec<Reply> {
    vec![tally_reply("a"), Reply::text("done")]
}

/// A run of these replies that is interrupted at a point.
async fn interrupted(hang: Hang, replies: Vec<Reply>, journal: &MemoryJournal) -> (World, SessionId) {
    let world = World::default();
    let agent = builder(&world, replies).journal(journal.clone()).build().unwrap();
    world.hang(hang);
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    (world, run.session_id().clone())
}

fn verified_by(verifier: impl Verifier<World>, world: &World, journal: &impl CloneJournal) -> Agent<App> {
    builder(world, two_steps()).journal(journal.clone()).verifier(verifier).build().unwrap()
}

trait CloneJournal: Journal + Clone {}
impl<J: Journal + Clone> CloneJournal for J {}

fn told<R: Registry>(run: &Run<R>) -> Vec<String> {
    run.items().iter().map(|item| item.text().into_owned()).collect()
}

async fn records(journal: &impl Journal, session: &SessionId) -> Vec<Record> {
    journal.read(session, 0).await.unwrap()
}

fn kinds_behind<'r>(records: &'r [Record], kind: &str) -> Vec<&'r str> {
    let at = records.iter().position(|record| record.kind == kind).unwrap();
    records[at + 1..].iter().map(|record| &*record.kind).collect()
}

#[tokio::test]
async fn what_happened_is_told_and_not_done_again() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted(Hang::Done("tally"), two_steps(), &journal).await;
    let looks = Looks::default();
    let agent = verified_by(looks.clone(), &world, &journal);
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 1), "it counts as executed");
    assert_eq!(told(&run), ["go", "I write.", "wrote a", "done"]);
    assert_eq!(world.log.count("tally"), 1);
    assert_eq!(looks.asked.lines(), [r#"call_1 {"line":"a"} 1"#]);
    let records = records(&journal, &session).await;
    let behind = kinds_behind(&records, "run.resumed");
    assert_eq!(behind[..3], ["action.verified", "action.outcome", "stop.checked"]);
}

#[tokio::test]
async fn what_did_not_happen_is_begun_anew_and_nobody_is_asked_twice_of_one_attempt() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted(Hang::Started("tally"), two_steps(), &journal).await;
    let looks = Looks::default();
    let agent = verified_by(looks.clone(), &world, &journal);
    // Taken up, and killed before and after it was begun again.
    drop(agent.resume(world.clone(), session.clone()).await.unwrap());
    world.hang(Hang::Started("tally"));
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    drop(run);
    world.heal();
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().actions, 1);
    assert_eq!(told(&run), ["go", "I write.", "wrote a", "done"]);
    assert_eq!(world.log.count("tally"), 1);
    assert_eq!(looks.asked.lines(), [r#"call_1 {"line":"a"} 1"#, r#"call_1 {"line":"a"} 2"#]);
    let records = records(&journal, &session).await;
    let attempts: Vec<u64> = payloads(&records, "action.intent")
        .iter()
        .map(|intent| intent["intent"]["attempt"].as_u64().unwrap())
        .collect();
    assert_eq!(attempts, [1, 2, 3], "without a limit: each time it is known that it did not happen");
}

#[tokio::test]
async fn a_verdict_is_durable_before_what_it_allows_begins() {
    let world = World::default();
    let store = Store::logging(&world.log);
    let agent = builder(&world, two_steps()).journal(store.clone()).build().unwrap();
    world.hang(Hang::Started("tally"));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let agent = verified_by(Looks::default(), &world, &store);
    agent.resume(world.clone(), run.session_id().clone()).await.unwrap().finish().await.unwrap();
    let lines = world.log.lines();
    let acted = lines.iter().position(|line| line == "tally a").unwrap();
    assert_eq!(
        lines[acted - 2..acted],
        ["durable: lease.taken, run.resumed, action.verified", "durable: action.intent"]
    );
}

#[tokio::test]
async fn where_nobody_can_say_it_is_unknown() {
    for verifier in 0..4 {
        let journal = MemoryJournal::new();
        let (world, session) = interrupted(Hang::Done("tally"), two_steps(), &journal).await;
        let agent = match verifier {
            0 => builder(&world, two_steps()).journal(journal.clone()).build().unwrap(),
            1 => verified_by(Says(Verdict::Unknown), &world, &journal),
            2 => verified_by(Panics { at_once: true }, &world, &journal),
            _ => verified_by(Panics { at_once: false }, &world, &journal),
        };
        let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
        assert_eq!(run.finish().await.unwrap().actions, 1);
        assert_eq!(told(&run), ["go", "I write.", UNKNOWN, "done"]);
        let records = records(&journal, &session).await;
        assert!(payloads(&records, "action.verified").is_empty());
    }
}

#[tokio::test]
async fn a_verdict_that_is_recorded_needs_no_verifier_any_more() {
    for (hang, text) in [(Hang::Done("tally"), "found"), (Hang::Started("tally"), "wrote a")] {
        let journal = MemoryJournal::new();
        let happened = matches!(hang, Hang::Done(_));
        let verdict = if happened { Verdict::Happened("found".into()) } else { Verdict::DidNotHappen };
        let (world, session) = interrupted(hang, two_steps(), &journal).await;
        let agent = verified_by(Says(verdict), &world, &journal);
        drop(agent.resume(world.clone(), session.clone()).await.unwrap());
        let records = records(&journal, &session).await;
        let verified = records.iter().position(|record| record.kind == "action.verified").unwrap();
        let cut = prefix(&records, verified + 1).await;
        let mut run = builder(&world, two_steps())
            .journal(cut)
            .build()
            .unwrap()
            .resume(world.clone(), session)
            .await
            .unwrap();
        run.finish().await.unwrap();
        assert_eq!(told(&run), ["go", "I write.", text, "done"]);
        assert_eq!(world.log.count("tally"), 1);
    }
}

#[tokio::test]
async fn nobody_is_asked_of_what_was_safe_or_has_an_outcome_or_was_never_begun() {
    let journal = MemoryJournal::new();
    let replies =
        vec![tally_reply("a").call("peek", "{}").call("tally", r#"{"line":"b"}"#), Reply::text("done")];
    let (world, session) = interrupted(Hang::Done("peek"), replies.clone(), &journal).await;
    let looks = Looks::default();
    let agent = builder(&world, replies).journal(journal.clone()).verifier(looks.clone()).build().unwrap();
    world.hang(Hang::Done("peek"));
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = agent.resume(world.clone(), session).await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(told(&run), ["go", "I write.", "wrote a", UNKNOWN, "wrote b", "done"]);
    assert!(looks.asked.lines().is_empty(), "{:?}", looks.asked.lines());
}

#[tokio::test]
async fn nobody_is_asked_in_a_run_that_was_cancelled() {
    let journal = MemoryJournal::new();
    let world = World::default();
    let agent = builder(&world, two_steps()).journal(journal.clone()).build().unwrap();
    world.hang(Hang::Done("tally"));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    run.handle().cancel();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let looks = Looks::default();
    let agent = verified_by(looks.clone(), &world, &journal);
    let mut run = agent.resume(world.clone(), run.session_id().clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    assert_eq!(told(&run)[2], UNKNOWN);
    assert!(looks.asked.lines().is_empty());
}

/// Killed at any append before it acts or after, and again at any append of the recovery: with somebody who looks
/// nothing is unknown, and nothing is done twice.
#[tokio::test]
async fn with_a_verifier_every_recovery_comes_out_like_the_undisturbed_run() {
    let mut killed = 0;
    for hang in [Hang::Started("tally"), Hang::Done("tally")] {
        for (append, kept) in (0..6).flat_map(|append| [(append, false), (append, true)]) {
            let place = format!("{hang:?}, {append}, {kept}");
            let memory = MemoryJournal::new();
            let (world, session) = interrupted(hang.clone(), two_steps(), &memory).await;
            let store = Store::over(memory);
            let agent = verified_by(Looks::default(), &world, &store);
            store.die(Some(Death { append, kept }));
            if let Ok(mut run) = agent.resume(world.clone(), session.clone()).await {
                killed += usize::from(run.finish().await.is_err());
            } else {
                killed += 1;
            }
            store.die(None);
            let mut run = agent.resume(world.clone(), session).await.expect(&place);
            assert_eq!(run.finish().await.expect(&place).actions, 1, "{place}");
            assert_eq!(told(&run), ["go", "I write.", "wrote a", "done"], "{place}");
            assert_eq!(world.log.count("tally"), 1, "{place}");
        }
    }
    assert!(killed >= 12, "{killed}");
}

/// Hands in the answer, perhaps.
mod completing {
    use polyloop::{registry, tool};

    use crate::support::World;

    /// Hands in the answer.
    #[tool(completes_run)]
    pub(crate) async fn submit(#[state] world: &World) -> String {
        world.act("submit", "submit".to_owned()).await;
        "answer".to_owned()
    }

    registry! { pub(crate) struct Completing { state: World, tools: [submit] } }
}

/// Hands in the answer.
#[tool]
async fn submit(#[state] world: &World) -> String {
    world.log.add("submit again");
    "answer".to_owned()
}

registry! { struct Later { state: World, tools: [submit] } }

#[tokio::test]
async fn whether_a_call_completes_its_run_is_what_was_recorded_when_it_was_begun() {
    let replies = || vec![Reply::tool("submit", "{}"), Reply::text("done")];
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = Agent::<completing::Completing>::builder(writing(&world, replies())).journal(journal.clone());
    world.hang(Hang::Done("submit"));
    let mut run = agent.build().unwrap().on(world.clone()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    // Today's tool would not complete the run; the one that was begun did.
    let agent = Agent::<Later>::builder(writing(&world, replies()))
        .journal(journal.clone())
        .verifier(Says(Verdict::Happened("found".into())))
        .build()
        .unwrap();
    let mut run = agent.resume(world.clone(), session.clone()).accept_changes().await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!(report.ending, Ending::ToolCompleted { tool: "submit".to_owned() });
    assert_eq!((report.answer.as_deref(), world.log.count("submit")), (Some("found"), 1));
}

#[tokio::test]
async fn an_unknown_outcome_completes_no_run() {
    let replies = || vec![Reply::tool("submit", "{}"), Reply::text("done")];
    let world = World::default();
    let agent = Agent::<completing::Completing>::builder(writing(&world, replies()))
        .journal(MemoryJournal::new())
        .verifier(Says(Verdict::Unknown))
        .build()
        .unwrap();
    world.hang(Hang::Done("submit"));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = agent.resume(world.clone(), run.session_id().clone()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.tool_completed), (Ending::FinalAnswer, false));
}

/// Runs code.
struct Runs;

impl<S: Send + Sync> Executor<S> for Runs {
    async fn execute(&self, _: &polyloop::Action, _: &CallContext, _: &S) -> polyloop::ActionOutcome {
        polyloop::ActionOutcome::executed(Observation::from("ran"))
    }
}

#[tokio::test]
async fn an_intent_names_the_description_of_its_tool() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let intents = payloads(&records(&journal, run.session_id()).await, "action.intent");
    let tools = App::tools().unwrap();
    for (intent, tool) in intents.iter().zip(["peek", "tally"]) {
        assert_eq!(intent["intent"]["spec"].as_str(), tools.fingerprint_of(tool).as_deref());
    }
    assert_ne!(tools.fingerprint_of("peek"), tools.fingerprint_of("tally"));
    assert_ne!(
        Later::tools().unwrap().fingerprint_of("submit"),
        completing::Completing::tools().unwrap().fingerprint_of("submit"),
        "whether it completes the run is part of it"
    );
    assert_eq!(tools.fingerprint_of("nope"), None);

    let code = vec![Reply::text("```sh\nls\n```"), Reply::text("done")];
    let agent = builder(&world, code).interpreter(CodeFence::any()).executor(Runs).journal(journal.clone());
    let mut run = agent.budget(Budget::steps(1)).build().unwrap().on(world).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let intents = payloads(&records(&journal, run.session_id()).await, "action.intent");
    assert!(intents[0]["intent"]["spec"].is_null(), "code has no description");
}
