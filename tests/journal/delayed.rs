//! A store that takes its time for each commit, and a process that is killed meanwhile: a thousand times over.

use std::collections::{BTreeMap, BTreeSet};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use futures_util::future::join_all;
use polyloop::{
    Agent, Budget, Durability, Ending, Finish, Journal, JournalError, Lease, Model, ModelError, Prompt,
    Record, Reply, Role, Run, RunError, Scripted, SessionId, registry, tool,
};

use crate::seeded::Seeded;

/// One thing that a store was asked to keep.
#[derive(Clone)]
enum Entry {
    Lease(SessionId),
    Append(Vec<Record>),
}

/// What a store has, in the order in which it was asked to keep it.
#[derive(Default)]
struct Kept {
    entries: Vec<Entry>,
    /// How many of them are on stable storage.
    durable: usize,
}

impl Kept {
    fn records(&self, session: &SessionId, entries: usize) -> Vec<Record> {
        let appends = self.entries[..entries].iter().filter_map(|entry| match entry {
            Entry::Append(records) => Some(records),
            Entry::Lease(_) => None,
        });
        appends.flatten().filter(|record| record.session == *session).cloned().collect()
    }

    fn epoch(&self, session: &SessionId) -> u64 {
        let taken = self.entries.iter().filter(|entry| matches!(entry, Entry::Lease(of) if of == session));
        taken.count() as u64
    }
}

/// A store that shows at once what it was asked to keep, and acknowledges it when it is on stable storage: after a while.
#[derive(Clone)]
struct Slow {
    kept: Arc<Mutex<Kept>>,
    seeded: Arc<Mutex<Seeded>>,
}

impl Slow {
    /// Returns when everything up to now is on stable storage.
    async fn barrier(&self) {
        let until = self.kept.lock().unwrap().entries.len();
        dawdle(&self.seeded, 8).await;
        let mut kept = self.kept.lock().unwrap();
        kept.durable = kept.durable.max(until);
    }

    /// The process dies, and the machine with it: of what was not acknowledged any first part is there.
    fn crash(&self) {
        let mut kept = self.kept.lock().unwrap();
        let unsure = (kept.entries.len() - kept.durable) as u64;
        let there = usize::try_from(self.seeded.lock().unwrap().below(unsure + 1)).unwrap();
        let end = kept.durable + there;
        kept.entries.truncate(end);
        kept.durable = end;
    }

    /// What is on stable storage of the session with this goal.
    fn durable(&self, goal: &str) -> Vec<Record> {
        let kept = self.kept.lock().unwrap();
        let of_goal = |record: &&Record| record.kind == "input.recorded" && record.payload.contains(goal);
        let appends = kept.entries[..kept.durable].iter().filter_map(|entry| match entry {
            Entry::Append(records) => records.iter().find(of_goal),
            Entry::Lease(_) => None,
        });
        let session = appends.map(|record| record.session.clone()).next();
        session.map(|session| kept.records(&session, kept.durable)).unwrap_or_default()
    }
}

impl Journal for Slow {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.kept.lock().unwrap().entries.push(Entry::Lease(session.clone()));
        let epoch = self.kept.lock().unwrap().epoch(session);
        self.barrier().await;
        Ok(Lease { session: session.clone(), epoch })
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        {
            let mut kept = self.kept.lock().unwrap();
            assert_eq!(kept.epoch(&lease.session), lease.epoch, "there is one process at a time");
            assert_eq!(kept.records(&lease.session, kept.entries.len()).len() as u64, seq);
            kept.entries.push(Entry::Append(records));
        }
        if durability == Durability::Barrier {
            self.barrier().await;
        }
        Ok(())
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        dawdle(&self.seeded, 2).await;
        let kept = self.kept.lock().unwrap();
        let records = kept.records(session, kept.entries.len());
        Ok(records.into_iter().filter(|record| record.seq >= from).collect())
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        let kept = self.kept.lock().unwrap();
        let sessions = kept.entries.iter().filter_map(|entry| match entry {
            Entry::Append(records) => records.first().map(|record| record.session.clone()),
            Entry::Lease(_) => None,
        });
        Ok(sessions.collect::<BTreeSet<_>>().into_iter().collect())
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        let kept = self.kept.lock().unwrap();
        Ok(kept.records(session, kept.durable).len() as u64)
    }
}

/// Comes back after fewer than `most` turns of everything else.
async fn dawdle(seeded: &Mutex<Seeded>, most: u64) {
    let mut turns = seeded.lock().unwrap().below(most);
    poll_fn(|context| {
        if turns == 0 {
            return Poll::Ready(());
        }
        turns -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Everything outside the processes.
#[derive(Clone)]
struct World {
    store: Slow,
    seeded: Arc<Mutex<Seeded>>,
    /// Every line that was written, by goal.
    written: Arc<Mutex<Vec<(String, String)>>>,
    /// What somebody was told: which run has started, and which has ended.
    told: Arc<Mutex<BTreeSet<(String, &'static str)>>>,
}

impl World {
    /// The outcome of everything that may not be repeated is on stable storage, but for what acts side by side.
    fn outcomes_are_durable(&self, goal: &str) {
        let records = self.store.durable(goal);
        let known = |line: &str| {
            records.iter().any(|record| {
                (record.kind == "action.outcome" && record.payload.contains(&format!("wrote {line}")))
                    || record.kind == "action.unknown"
            })
        };
        for (_, line) in self.written.lock().unwrap().iter().filter(|(of, _)| of == goal) {
            assert!(known(line), "{line}: {records:?}");
        }
    }

    /// The call is on stable storage.
    fn intent_is_durable(&self, goal: &str, part: &str) {
        let records = self.store.durable(goal);
        let intents = |record: &&Record| record.kind == "action.intent" && record.payload.contains(part);
        assert!(records.iter().any(|record| intents(&record)), "{part}: {records:?}");
    }

    async fn write(&self, line: &str) -> String {
        let goal = line.split_once('/').unwrap().0;
        self.intent_is_durable(goal, line);
        dawdle(&self.seeded, 4).await;
        self.written.lock().unwrap().push((goal.to_owned(), line.to_owned()));
        dawdle(&self.seeded, 4).await;
        format!("wrote {line}")
    }
}

/// Reads.
#[tool(replay = safe)]
async fn peek(
    #[state] world: &World,
    /// For whom.
    goal: String,
) -> String {
    world.intent_is_durable(&goal, "goal");
    world.outcomes_are_durable(&goal);
    dawdle(&world.seeded, 4).await;
    "nothing new".to_owned()
}

/// Writes a line.
#[tool]
async fn tally(
    #[state] world: &World,
    /// What to write.
    line: String,
) -> String {
    world.outcomes_are_durable(line.split_once('/').unwrap().0);
    world.write(&line).await
}

/// Writes a line beside others.
#[tool(concurrent)]
async fn tally_beside(
    #[state] world: &World,
    /// What to write.
    line: String,
) -> String {
    world.write(&line).await
}

registry! {
    struct Office { state: World, tools: [peek, tally, tally_beside] }
}

struct Writing {
    scripted: Scripted,
    world: World,
}

impl Model for Writing {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        let goal = prompt.messages().next().unwrap().text();
        assert_eq!(self.world.store.durable(&goal).last().unwrap().kind, "prompt.sealed");
        self.world.outcomes_are_durable(&goal);
        dawdle(&self.world.seeded, 6).await;
        self.scripted.ask(prompt).await
    }
}

fn reply(prompt: &Prompt) -> Reply {
    let goal = prompt.messages().next().unwrap().text();
    let peek = |reply: Reply| reply.call("peek", format!(r#"{{"goal":"{goal}"}}"#));
    let write =
        |reply: Reply, tool: &str, line: &str| reply.call(tool, format!(r#"{{"line":"{goal}/{line}"}}"#));
    match prompt.messages().filter(|message| message.role() == Role::Assistant).count() {
        0 => peek(Reply::text("I look.")),
        1 => peek(write(Reply::default(), "tally", "a")),
        2 => Reply::text("cut").finished(Finish::Length),
        3 => write(write(Reply::default(), "tally_beside", "b"), "tally_beside", "c"),
        4 => write(Reply::default(), "tally", "d"),
        _ => Reply::text("done"),
    }
}

const GOALS: [&str; 2] = ["go-1", "go-2"];

/// All runs at once, as one process has them, until all have ended.
async fn process(world: World) {
    // A run may be interrupted any number of times, at its request as well as in a tool.
    let budget = Budget::default().model_failures(usize::MAX).unknown_outcomes(usize::MAX);
    let model = Writing { scripted: Scripted::by(reply), world: world.clone() };
    let agent = Agent::<Office>::builder(model).budget(budget).journal(world.store.clone()).build().unwrap();
    let mut sessions = BTreeMap::new();
    for session in world.store.list().await.unwrap() {
        let records = world.store.read(&session, 0).await.unwrap();
        let goal = GOALS.into_iter().find(|goal| records.iter().any(|record| record.payload.contains(goal)));
        sessions.insert(goal.unwrap(), session);
    }
    let runs = GOALS.map(|goal| {
        let (world, agent, session) = (world.clone(), agent.clone(), sessions.get(goal).cloned());
        async move {
            let begun: Result<Run<Office>, RunError> = match session {
                Some(session) => agent.resume(world.clone(), session).await,
                None => agent.on(world.clone()).goal(goal).await,
            };
            let mut run = begun.unwrap();
            world.told.lock().unwrap().insert((goal.to_owned(), "input.recorded"));
            assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
            world.told.lock().unwrap().insert((goal.to_owned(), "run.ended"));
        }
    });
    join_all(runs).await;
}

/// Whether it ended within so many turns.
fn ends_within(turns: u64, mut process: Pin<&mut impl Future<Output = ()>>) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    (0..turns).any(|_| process.as_mut().poll(&mut context).is_ready())
}

#[test]
fn whatever_a_slow_store_loses_when_it_is_killed_no_event_lacks_an_earlier_one_and_no_line_is_written_twice()
{
    let mut interrupted = 0;
    for seed in 0..1_000 {
        let seeded = Arc::new(Mutex::new(Seeded::new(seed)));
        let store = Slow { kept: Arc::default(), seeded: seeded.clone() };
        let world = World { store, seeded, written: Arc::default(), told: Arc::default() };
        let lives = world.seeded.lock().unwrap().below(5);
        for life in 0..=lives {
            let turns = if life == lives { u64::MAX } else { world.seeded.lock().unwrap().below(60) };
            let ended = ends_within(turns, Box::pin(process(world.clone())).as_mut());
            assert!(ended || life < lives);
            interrupted += usize::from(!ended);
            world.store.crash();
            for (goal, kind) in world.told.lock().unwrap().iter() {
                let kinds = world.store.durable(goal);
                assert!(kinds.iter().any(|record| record.kind == *kind), "seed {seed}: {goal} lacks {kind}");
            }
        }
        let mut written = world.written.lock().unwrap().clone();
        let all = written.len();
        written.sort();
        written.dedup();
        assert_eq!(written.len(), all, "seed {seed}: {written:?}");
        for goal in GOALS {
            let records = world.store.durable(goal);
            assert_eq!(records.last().unwrap().kind, "run.ended", "seed {seed}");
            assert!((0..).zip(&records).all(|(seq, record)| record.seq == seq), "seed {seed}");
        }
    }
    assert!(interrupted > 1_000, "{interrupted}");
}
