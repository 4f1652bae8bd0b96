//! Projecting as many items for the first time, against projecting a long session after one new item.
//!
//! - *For the first time*: a session that has projected nothing yet; all its items are met at once, ordered and grouped.
//! - *After one new item*: a session of turns, read back from its journal, to which a person says something more. Reading
//!   checks every request that was sent, so it projects; what is left to do is what the new item adds.
//!
//! Both hold the same mixture: a status and a note for each of a person's words. Only the call of `prompt` is measured, once
//! in each session, because the second call has nothing to do.

use std::hint::black_box;
use std::time::Instant;

use polyloop::{
    Agent, Budget, ContextFragment, Grouped, Layout, MemoryJournal, RecordError, Reply, Scripted, Session,
    Staged, Turn, registry,
};

use super::measure::median;
use super::table::{Goal, Table};

const ROUNDS: usize = 15;
const ITEMS: usize = 10_000;
/// How many items a turn has in the session that is read back: with the reply.
const TURN: usize = 4;

/// What is the case now.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<status>", "</status>"), max_chars = 200, at_most = 9)]
#[fragment(lifetime = latest, absent = "Nothing is the case.", body = "{number} of the parts are done")]
struct Status {
    number: usize,
}

/// News of one turn.
#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "news", slot = turn, lifetime = once, max_chars = 200, body = "Turn {number}.")]
struct News {
    number: usize,
}

registry! {
    /// What the sessions show.
    struct Long { fragments: [Status, News] }
}

const WORDS: &str = "Please go on with the next part, and tell me when it is done.";

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    Table::group("projecting 10 000 items for the first time / after one new item");
    table.line("`Staged`", ratio(Staged), Goal::AtLeast(20.0));
    table.line("`Grouped`", ratio(Grouped), Goal::AtLeast(20.0));
    table.line("`Turn`", ratio(Turn), Goal::AtLeast(20.0));
}

fn ratio<L: Layout + Copy>(layout: L) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let model = Scripted::by(|_| Reply::text("It is done."));
    let agent = Agent::<Long>::builder(model)
        .budget(Budget::steps(1).prompt_chars(usize::MAX))
        .layout(layout)
        .journal(MemoryJournal::new())
        .build()
        .expect("the layout has a place for both");
    let session = runtime.block_on(async {
        let mut run = agent
            .on(())
            .sync(Status { number: 0 })
            .inject(News { number: 0 })
            .goal(WORDS)
            .await
            .expect("it starts");
        run.finish().await.expect("it answers");
        for number in 1..ITEMS / TURN {
            let next = run.follow_up().sync(Status { number }).inject(News { number });
            next.goal(WORDS).await.expect("it goes on");
            run.finish().await.expect("it answers");
        }
        run.session_id().clone()
    });
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let mut read = runtime.block_on(agent.read(session.clone())).expect("it is there");
            assert_eq!(read.items().len(), ITEMS);
            let before = read.prompt().messages().len();
            read.say(WORDS).expect("there are words");
            let after = prompt(&mut read, before + 1);
            let mut new = unseen(layout).expect("all of it can be said");
            assert_eq!(new.items().len(), ITEMS);
            prompt(&mut new, 2) / after
        })
        .collect();
    median(&mut ratios)
}

/// A session of as many items that has projected nothing yet.
fn unseen(layout: impl Layout) -> Result<Session<Long>, RecordError> {
    let mut session = Session::with_layout(layout);
    for number in 0..ITEMS / TURN {
        session.sync(Status { number })?;
        session.inject(News { number })?;
        session.say(WORDS)?;
        session.say(WORDS)?;
    }
    Ok(session)
}

/// Seconds that projecting takes; there are so many messages afterwards, or more.
fn prompt(session: &mut Session<Long>, messages: usize) -> f64 {
    let begin = Instant::now();
    let prompt = black_box(session.prompt());
    let took = begin.elapsed().as_secs_f64();
    assert!(prompt.messages().len() >= messages);
    took
}
