//! The date that a model is told: by the one clock by which records have their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use polyloop::{Agent, ContextFragment, MemoryJournal, Reply, Scripted, registry};

use crate::support::{records, texts};

/// Which day it is, where the person is.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<today>", "</today>"), max_chars = 60, body = "{day} days since 1970")]
#[fragment(lifetime = latest, never_retracted = "it is always some day")]
struct Today {
    day: u64,
}

registry! { struct Dated { fragments: [Today] } }

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;
/// How far the person's time is ahead, in seconds.
const AHEAD: u64 = 2 * 60 * 60;

/// The day of a time, where the person is.
fn local(now: SystemTime) -> Today {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap().as_secs();
    Today { day: (seconds + AHEAD) / SECONDS_OF_A_DAY }
}

/// A clock that a test sets, in seconds since 1970.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::SeqCst);
    }

    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.0.load(Ordering::SeqCst))
    }
}

#[tokio::test]
async fn a_clock_that_passes_local_midnight_is_one_new_date_by_the_clock_of_the_records() {
    // One second before midnight where the person is, which is no midnight of the clock's own.
    let last_second = 10 * SECONDS_OF_A_DAY - AHEAD - 1;
    let hand = Hand::default();
    hand.set(last_second);
    let journal = MemoryJournal::new();
    let model = Scripted::replies(["one", "two", "three"].map(Reply::text));
    let clock = hand.clone();
    let agent = Agent::<Dated>::builder(model.clone()).journal(journal.clone());
    let agent = agent.clock(move || clock.now()).build().unwrap();
    let mut run = agent.on(()).sync(local(agent.now())).goal("a").await.unwrap();
    run.finish().await.unwrap();
    hand.set(last_second + 1);
    for goal in ["b", "c"] {
        run.follow_up().sync(local(agent.now())).goal(goal).await.unwrap();
        run.finish().await.unwrap();
    }
    let [ninth, tenth] = [9, 10].map(|day| format!("<today>{day} days since 1970</today>"));
    assert_eq!(texts(&model.requests()[2]), [&*ninth, "a", "one", &*tenth, "b", "two", "c"]);
    let told: Vec<u64> = records(&journal, run.session_id())
        .await
        .iter()
        .filter(|record| record.kind == "fragment.recorded")
        .map(|record| record.at)
        .collect();
    assert_eq!(told, [last_second * 1_000, (last_second + 1) * 1_000]);
}
