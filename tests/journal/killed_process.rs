//! Fifty runs at once write to one file, and their process is killed again and again, at any instant.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use polyloop::{
    Agent, Budget, Ending, Finish, Journal, Model, ModelError, Prompt, Record, Reply, Role, Run, Scripted,
    SqliteJournal, registry, tool,
};
use tokio::task::JoinSet;

use crate::seeded::Seeded;

/// How often a process is killed.
const KILLS: usize = 200;
/// How many runs there are at once.
const RUNS: usize = 50;
/// The variable that says in which folder a child process works.
const FOLDER: &str = "POLYLOOP_TEST_KILLED_IN";
/// The variable that says how it dawdles, and with which the whole is done again as it was, but for the machine's part.
const SEED: &str = "POLYLOOP_TEST_SEED";
/// What the model is told where nobody knows what became of a call.
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";

/// What the tools work on.
#[derive(Clone)]
struct Desk {
    tally: PathBuf,
    seeded: Arc<Mutex<Seeded>>,
}

impl Desk {
    fn in_folder(folder: &Path, seed: u64) -> Self {
        Self { tally: folder.join("tally"), seeded: Arc::new(Mutex::new(Seeded::new(seed))) }
    }

    /// Takes its time: up to three milliseconds.
    async fn dawdle(&self) {
        let millis = self.seeded.lock().unwrap().below(4);
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
}

/// Reads.
#[tool(replay = safe)]
async fn peek(#[state] desk: &Desk) -> String {
    desk.dawdle().await;
    "nothing new".to_owned()
}

/// Writes a line.
#[tool]
async fn tally(
    #[state] desk: &Desk,
    /// What to write.
    line: String,
) -> String {
    desk.dawdle().await;
    let mut file = OpenOptions::new().append(true).create(true).open(&desk.tally).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
    desk.dawdle().await;
    format!("wrote {line}")
}

registry! {
    struct Office { state: Desk, tools: [peek, tally] }
}

/// A model that says the same to the same prompt, in every process, and takes its time.
struct Slow {
    scripted: Scripted,
    desk: Desk,
}

impl Model for Slow {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.desk.dawdle().await;
        self.scripted.ask(prompt).await
    }
}

fn reply(prompt: &Prompt) -> Reply {
    let goal = prompt.messages().next().unwrap().text();
    match prompt.messages().filter(|message| message.role() == Role::Assistant).count() {
        0 => Reply::text("I look.").call("peek", "{}"),
        1 => Reply::text("I write.").call("tally", format!(r#"{{"line":"{goal}"}}"#)),
        2 => Reply::text("cut").finished(Finish::Length),
        _ => Reply::text("done"),
    }
}

fn agent(desk: &Desk, journal: &SqliteJournal) -> Agent<Office> {
    // A run may be interrupted any number of times, at its request as well as in a tool.
    let budget = Budget::default().model_failures(usize::MAX).unknown_outcomes(usize::MAX);
    let model = Slow { scripted: Scripted::by(reply), desk: desk.clone() };
    Agent::builder(model).budget(budget).journal(journal.clone()).build().unwrap()
}

fn goals() -> impl Iterator<Item = String> {
    (0..RUNS).map(|number| format!("run {number}"))
}

fn goal(records: &[Record]) -> String {
    let input = records.iter().find(|record| record.kind == "input.recorded").unwrap();
    let input: serde_json::Value = serde_json::from_str(&input.payload).unwrap();
    input["input"].as_str().unwrap().to_owned()
}

fn open(folder: &Path) -> SqliteJournal {
    SqliteJournal::open(folder.join("runs.db")).unwrap()
}

/// Takes up what is unfinished and begins what is missing, all at once, until every run has ended.
async fn work(desk: &Desk, journal: &SqliteJournal, ready: impl FnOnce()) {
    let agent = agent(desk, journal);
    let mut missing: BTreeSet<String> = goals().collect();
    let mut runs: JoinSet<()> = JoinSet::new();
    for session in journal.list().await.unwrap() {
        let records = journal.read(&session, 0).await.unwrap();
        assert!(missing.remove(&goal(&records)), "a run was begun twice");
        if records.last().unwrap().kind != "run.ended" {
            let taken_up = agent.resume(desk.clone(), session);
            runs.spawn(async move { finish(taken_up.await.unwrap()).await });
        }
    }
    for goal in missing {
        let begun = agent.on(desk.clone()).goal(goal);
        runs.spawn(async move { finish(begun.await.unwrap()).await });
    }
    ready();
    while let Some(ended) = runs.join_next().await {
        ended.unwrap();
    }
}

async fn finish(mut run: Run<Office>) {
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
}

/// Starts a process that works until it is killed, or until every run has ended.
fn spawn(folder: &Path, seed: u64) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--nocapture", "--exact"])
        .arg("killed_process::killed_at_any_of_two_hundred_instants_every_run_ends_and_no_line_is_written_twice")
        .env(FOLDER, folder)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether it was killed; not where it had ended by itself.
fn kill(mut child: Child, seeded: &mut Seeded) -> bool {
    let early = seeded.one_in(4);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    if !early {
        // It ends without having said so where nothing was left to do.
        while lines.next().is_some_and(|line| line.unwrap() != "ready") {}
    }
    thread::sleep(Duration::from_micros(seeded.below(if early { 15_000 } else { 60_000 })));
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert!(ended.is_none_or(|ended| ended.success()), "a child failed by itself");
    status.code().is_none()
}

/// All runs have ended, and everything they did is what their journals say.
async fn everything_ended_and_no_line_was_written_twice(
    folder: &Path,
    interrupted: &mut BTreeMap<String, usize>,
    place: &str,
) {
    let (desk, journal) = (Desk::in_folder(folder, 0), open(folder));
    work(&desk, &journal, || {}).await;
    let lines = fs::read_to_string(&desk.tally).unwrap();
    let agent = agent(&desk, &journal);
    let sessions = journal.list().await.unwrap();
    assert_eq!(sessions.len(), RUNS, "{place}");
    for session in sessions {
        let records = journal.read(&session, 0).await.unwrap();
        let goal = goal(&records);
        // Opening a run that has ended makes every prompt that was ever sealed again, and compares the hashes.
        let mut run = agent.resume(desk.clone(), session.clone()).await.expect(place);
        assert_eq!(run.finish().await.unwrap().steps, 4, "{place}: {goal}");
        assert_eq!(journal.read(&session, 0).await.unwrap(), records, "{place}: {goal}");
        let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
        let wrote = format!("wrote {goal}");
        let written = lines.lines().filter(|line| **line == goal).count();
        assert!(written == 1 || (written == 0 && told[4] == UNKNOWN), "{place}: {goal}: {written}, {told:?}");
        let expected =
            [&*goal, "I look.", "nothing new", "I write.", &*wrote, "cut", &*told[6], "done"].map(Some);
        for (place_in_run, (is, expected)) in told.iter().map(|told| Some(&**told)).zip(expected).enumerate()
        {
            assert!(
                is == expected || (is == Some(UNKNOWN) && matches!(place_in_run, 2 | 4)),
                "{place}: {goal}: {told:?}"
            );
        }
        assert_eq!(told.len(), 8, "{place}: {goal}");
        for pair in records.windows(2).filter(|pair| pair[1].kind == "lease.taken" && pair[1].seq > 1) {
            *interrupted.entry(pair[0].kind.to_string()).or_default() += 1;
        }
    }
    assert!(lines.lines().all(|line| goals().any(|goal| line == goal)), "{place}: {lines}");
}

fn seed() -> u64 {
    let from_clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos().into();
    env::var(SEED).map_or_else(|_| from_clock(), |seed| seed.parse().unwrap())
}

/// In the child, works until it is killed; in the parent it kills children. Where all runs have ended before the last
/// kill, as many begin anew in another file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_of_two_hundred_instants_every_run_ends_and_no_line_is_written_twice() {
    let seed = seed();
    if let Ok(folder) = env::var(FOLDER) {
        let folder = PathBuf::from(folder);
        let (desk, journal) = (Desk::in_folder(&folder, seed), open(&folder));
        let ready = || {
            let mut stdout = std::io::stdout();
            stdout.write_all(b"ready\n").and_then(|()| stdout.flush()).unwrap();
        };
        return work(&desk, &journal, ready).await;
    }
    let mut seeded = Seeded::new(seed);
    let mut interrupted = BTreeMap::new();
    let mut folder = tempfile::tempdir().unwrap();
    let mut kills = 0;
    while kills < KILLS {
        let child = spawn(folder.path(), seeded.below(u64::MAX));
        if kill(child, &mut seeded) {
            kills += 1;
        } else {
            let place = format!("{SEED}={seed}, after {kills} kills");
            everything_ended_and_no_line_was_written_twice(folder.path(), &mut interrupted, &place).await;
            folder = tempfile::tempdir().unwrap();
        }
    }
    let place = format!("{SEED}={seed}, after the last kill");
    everything_ended_and_no_line_was_written_twice(folder.path(), &mut interrupted, &place).await;
    for kind in ["prompt.sealed", "action.intent"] {
        assert!(interrupted.contains_key(kind), "{place}: interrupted behind {interrupted:?}");
    }
}
