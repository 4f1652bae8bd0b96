//! Telling a model what it knows already, against how much it was told.
//!
//! What is measured is `Session::sync` of an unchanged fragment: rendering it, and finding its kind's latest statement. That
//! statement stands at the very beginning, the farthest from what was said last.

use std::hint::black_box;

use polyloop::{ContextFragment, Session, registry};

use super::measure::ratio;
use super::table::{Goal, Table};

const FEW: usize = 10;
const MANY: usize = 100_000;

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<environment>", "</environment>"), max_chars = 2_000)]
#[fragment(lifetime = latest, absent = "The environment described earlier no longer applies.")]
#[fragment(body = "\n  <cwd>{cwd}</cwd>\n  <shell>{shell}</shell>\n")]
struct Environment {
    cwd: String,
    shell: &'static str,
}

registry! {
    /// What the session shows.
    struct Told { fragments: [Environment] }
}

fn environment() -> Environment {
    Environment { cwd: "/srv/project".to_owned(), shell: "bash" }
}

/// A session of so many items, the first of which tells the environment.
fn session(items: usize) -> Session<Told> {
    let mut session = Session::new();
    session.sync(environment()).expect("it fits");
    for number in 1..items {
        session.say(format!("remark {number}")).expect("it has words");
    }
    assert_eq!(session.items().len(), items);
    session
}

fn tell_again(session: &mut Session<Told>) {
    let recorded = session.sync(black_box(environment())).expect("it fits");
    assert!(black_box(recorded).is_none(), "it is known");
}

/// Sets it down.
pub(crate) fn measure(table: &mut Table) {
    Table::group("telling an unchanged fragment in 100 000 items / in 10");
    let (mut few, mut many) = (session(FEW), session(MANY));
    let ratio = ratio(|| tell_again(&mut many), || tell_again(&mut few));
    table.line("sync, the fragment told first of all", ratio, Goal::AtMost(1.5));
}
