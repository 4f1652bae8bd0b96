//! Barriers per second through `SqliteJournal`, against a bare loop over `rusqlite`.
//!
//! The bare loop does what no store can do without: one thread, one transaction with the rows of all runs, one commit. It
//! checks nothing, hands nothing over, and has its rows in hand. Same tables, same triggers, same pragmas, same rows. The
//! runs have the processors that the writing thread leaves: one more worker would take its own away. At one run nobody
//! shares a sync, and each barrier pays for waking two threads; that ratio has no goal.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use polyloop::{
    Agent, Budget, Durability, Journal, JournalError, Lease, MemoryJournal, Record, Reply, Scripted,
    SessionId, SqliteJournal, registry, tool,
};
use rusqlite::{Connection, params};
use tokio::runtime::Runtime;

use super::measure::median;
use super::table::{Goal, Table};

/// How many runs at once, and the goal.
const RUNS: [(usize, Goal); 4] =
    [(1, Goal::None), (8, Goal::AtLeast(0.9)), (64, Goal::AtLeast(0.9)), (256, Goal::AtLeast(0.9))];
/// How often the two are compared.
const ROUNDS: usize = 41;
/// Barriers that each run waits for in a round, one after another.
const BARRIERS: usize = 64;
const INSERT: &str = "INSERT INTO events \
                      (session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    let workers =
        thread::available_parallelism().map_or(1, |processors| processors.get().saturating_sub(1).max(1));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .build()
        .expect("a runtime starts");
    let steps = runtime.block_on(appends_of_a_step());
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is a place for files");
    Table::group("barriers per second through `SqliteJournal` / through a bare loop");
    for (runs, goal) in RUNS {
        let folder = folder.path().join(runs.to_string());
        std::fs::create_dir_all(&folder).expect("there is a place for files");
        let mut store = Store::open(&folder, &runtime, &steps, runs);
        let mut bare = Bare::open(&folder, &steps, runs);
        let mut times: [Vec<f64>; 3] = Default::default();
        for round in 0..=ROUNDS {
            let (of_store, of_bare);
            if round % 2 == 0 {
                of_store = store.round(&runtime);
                of_bare = bare.round();
            } else {
                of_bare = bare.round();
                of_store = store.round(&runtime);
            }
            // The first round warms both.
            if round > 0 {
                let measured = [of_bare / of_store, of_store, of_bare];
                times.iter_mut().zip(measured).for_each(|(times, time)| times.push(time));
            }
        }
        let [ratio, of_store, of_bare] = times.map(|mut times| median(&mut times));
        let rate = |seconds: f64| seconds.recip() * count(runs * BARRIERS);
        let what = format!("{runs} runs: {:.0} barriers a second / {:.0}", rate(of_store), rate(of_bare));
        table.line(&what, ratio, goal);
    }
    Table::note(&format!("a bare sync of 4 KiB on this disk: {:.2} ms", sync_of(folder.path()) * 1e3));
}

/// One step that acts, as it is appended: what precedes the request, and what precedes the handler.
type Steps = Arc<[Vec<Record>]>;

/// The rows of the next barrier of a run.
fn rows(steps: &Steps, session: &SessionId, seq: u64, barrier: usize) -> Vec<Record> {
    let step = steps.get(barrier % steps.len()).expect("a step has appends");
    let numbered = (seq..).zip(step);
    numbered.map(|(seq, record)| Record { session: session.clone(), seq, ..record.clone() }).collect()
}

/// A run of the store's.
struct Client {
    journal: SqliteJournal,
    lease: Lease,
    seq: u64,
    steps: Steps,
}

impl Client {
    async fn wait_for_barriers(mut self) -> Self {
        for barrier in 0..BARRIERS {
            let rows = rows(&self.steps, &self.lease.session, self.seq, barrier);
            let count = rows.len() as u64;
            self.journal.append(&self.lease, self.seq, rows, Durability::Barrier).await.expect("it is kept");
            self.seq += count;
        }
        self
    }
}

struct Store(Vec<Client>);

impl Store {
    fn open(folder: &Path, runtime: &Runtime, steps: &Steps, runs: usize) -> Self {
        let journal = SqliteJournal::open(folder.join("store.db")).expect("the file is opened");
        let clients = (0..runs).map(|_| {
            let lease = runtime.block_on(journal.lease(&session())).expect("it is nobody else's");
            Client { journal: journal.clone(), lease, seq: 0, steps: steps.clone() }
        });
        Self(clients.collect())
    }

    /// Seconds that a round takes.
    fn round(&mut self, runtime: &Runtime) -> f64 {
        let clients = std::mem::take(&mut self.0);
        let begin = Instant::now();
        let running: Vec<_> =
            clients.into_iter().map(|client| runtime.spawn(client.wait_for_barriers())).collect();
        let ended = runtime.block_on(futures_util::future::join_all(running));
        let took = begin.elapsed().as_secs_f64();
        self.0 = ended.into_iter().map(|client| client.expect("the run ends")).collect();
        took
    }
}

struct Bare {
    connection: Connection,
    runs: Vec<(SessionId, u64)>,
    steps: Steps,
}

impl Bare {
    fn open(folder: &Path, steps: &Steps, runs: usize) -> Self {
        let path = folder.join("bare.db");
        // Tables and triggers are the store's own.
        drop(SqliteJournal::open(&path).expect("the file is made"));
        let connection = Connection::open(&path).expect("the file is opened");
        for (pragma, value) in [
            ("journal_mode", "wal"),
            ("synchronous", "FULL"),
            ("wal_autocheckpoint", "8192"),
            ("cache_size", "-16384"),
        ] {
            connection.pragma_update(None, pragma, value).expect("it is a pragma");
        }
        Self { connection, runs: (0..runs).map(|_| (session(), 0)).collect(), steps: steps.clone() }
    }

    /// Seconds that a round takes.
    fn round(&mut self) -> f64 {
        let begin = Instant::now();
        for barrier in 0..BARRIERS {
            self.batch(barrier).expect("the rows are inserted");
        }
        begin.elapsed().as_secs_f64()
    }

    fn batch(&mut self, barrier: usize) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        {
            let mut insert = self.connection.prepare_cached(INSERT)?;
            for (session, seq) in &mut self.runs {
                for row in rows(&self.steps, session, *seq, barrier) {
                    insert.execute(params![
                        row.session.as_str(),
                        row.seq.cast_signed(),
                        row.run.cast_signed(),
                        row.epoch.cast_signed(),
                        row.kind,
                        row.v,
                        row.prev_hash,
                        row.ignorable,
                        row.payload,
                        row.at.cast_signed(),
                    ])?;
                    *seq += 1;
                }
            }
        }
        self.connection.execute_batch("COMMIT")
    }
}

/// The median seconds of writing one page to a file and syncing it.
fn sync_of(folder: &Path) -> f64 {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("synced"))
        .expect("there is a place for files");
    let mut times: Vec<f64> = (0..201)
        .map(|_| {
            let begin = Instant::now();
            file.write_all(&[1; 4096]).and_then(|()| file.sync_data()).expect("the disk takes it");
            begin.elapsed().as_secs_f64()
        })
        .collect();
    median(&mut times)
}

fn session() -> SessionId {
    static NUMBER: Mutex<u64> = Mutex::new(0);
    let mut number = NUMBER.lock().unwrap_or_else(PoisonError::into_inner);
    *number += 1;
    // As long as the ids that the library makes.
    SessionId::from(format!("{:036}", *number))
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).expect("it is a small number"))
}

/// Looks up a word.
#[tool(replay = safe)]
async fn look_up(
    /// The word.
    word: String,
) -> String {
    format!("{word}: {}", "a text of the length that a small tool returns. ".repeat(8))
}

registry! {
    /// What the run shows.
    struct Looking { tools: [look_up] }
}

/// Keeps each append by itself.
#[derive(Clone, Default)]
struct Watched {
    kept: MemoryJournal,
    appends: Arc<Mutex<Vec<Vec<Record>>>>,
}

impl Journal for Watched {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.kept.lease(session).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        self.appends.lock().unwrap_or_else(PoisonError::into_inner).push(records.clone());
        self.kept.append(lease, seq, records, durability).await
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.kept.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.kept.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.kept.watermark(session).await
    }
}

/// The appends of a step in the middle of a run: from the one that ends with a seal to the next such.
async fn appends_of_a_step() -> Steps {
    let journal = Watched::default();
    let model = Scripted::by(|_| Reply::text("I look it up.").call("look_up", r#"{"word":"barrier"}"#));
    let agent = Agent::<Looking>::builder(model)
        .budget(Budget::steps(4))
        .journal(journal.clone())
        .build()
        .expect("it is complete");
    agent.on(()).goal("Look it up.").await.expect("it starts").finish().await.expect("it ends");
    let appends = std::mem::take(&mut *journal.appends.lock().unwrap_or_else(PoisonError::into_inner));
    let mut seals = (0..)
        .zip(&appends)
        .filter(|(_, append)| append.last().is_some_and(|record| record.kind == "prompt.sealed"))
        .map(|(place, _)| place);
    let (from, to) = (seals.nth(1).expect("a second seal"), seals.next().expect("a third seal"));
    appends.get(from..to).expect("they are there").to_vec().into()
}
