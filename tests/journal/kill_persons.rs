//! A run in which a person speaks, agrees to one call and refuses another is killed everywhere, and goes on.

use std::collections::BTreeSet;

use polyloop::{
    Agent, Budget, Ending, Item, ItemId, Journal, MemoryJournal, Reply, Run, RunError, SessionId,
    SqliteJournal,
};
use serde_json::Value;

use crate::support::{App, Death, Store, World, builder, rules, tally_reply};

/// What the model is told where nobody knows what became of a call.
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";
const REMARK: &str = "Hurry up.";

fn agent(world: &World, journal: impl Journal) -> Agent<App> {
    let script = vec![
        Reply::text("I ask.").call("tally_agreed", "{}").call("tally_agreed", "{}"),
        Reply::text("I look.").call("peek", "{}"),
        tally_reply("a"),
        Reply::text("done"),
    ];
    let budget = Budget::default().unknown_outcomes(2);
    builder(world, script).budget(budget).journal(journal).build().unwrap()
}

/// The person: says something once the model has asked for calls, agrees to the first and refuses the second.
async fn with_a_person(run: &mut Run<App>, journal: &impl Journal) -> Result<(), RunError> {
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let mut said = records.iter().any(|record| record.payload.contains(REMARK));
    loop {
        if !said && run.items().iter().any(|item| item.text() == "I ask.") {
            run.say(REMARK)?;
            said = true;
        }
        if run.step().await?.is_none() {
            let waiting = run.waiting();
            if waiting.is_empty() {
                return Ok(());
            }
            for call in waiting {
                if call.id().as_str() == "call_1" {
                    run.approve(call.id()).await?;
                } else {
                    run.deny(call.id()).await?;
                }
            }
        }
    }
}

async fn begun(world: &World, store: &Store<impl Journal + Clone>) -> Result<Run<App>, RunError> {
    let mut run = agent(world, store.clone()).on(world.clone()).inject(rules()).goal("go").await?;
    with_a_person(&mut run, store).await?;
    Ok(run)
}

async fn taken_up(
    world: &World,
    store: &Store<impl Journal + Clone>,
    session: &SessionId,
) -> Result<Run<App>, RunError> {
    let mut run = agent(world, store.clone()).resume(world.clone(), session.clone()).await?;
    with_a_person(&mut run, store).await?;
    Ok(run)
}

fn told(run: &Run<App>) -> Vec<String> {
    run.items().iter().map(|item| item.text().into_owned()).collect()
}

async fn undisturbed() -> (Vec<String>, usize) {
    let (world, store) = (World::default(), Store::over(MemoryJournal::new()));
    let run = begun(&world, &store).await.unwrap();
    (told(&run), store.appends())
}

/// Every value under a key, anywhere.
fn under<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == key {
                    found.push(value);
                }
                under(value, key, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| under(value, key, found)),
        _ => {}
    }
}

/// In the whole journal each id of an item stands once, each call is asked about once, and each answer is there once.
async fn nothing_is_given_or_asked_twice(journal: &impl Journal, session: &SessionId, place: &str) {
    let records = journal.read(session, 0).await.unwrap();
    let payloads: Vec<Value> =
        records.iter().map(|record| serde_json::from_str(&record.payload).unwrap()).collect();
    let mut items = Vec::new();
    for payload in &payloads {
        under(payload, "item", &mut items);
    }
    let distinct: BTreeSet<u64> = items.iter().map(|item| item.as_u64().unwrap()).collect();
    assert_eq!(distinct.len(), items.len(), "{place}: {items:?}");
    for (kind, count) in [("approval.asked", 2), ("approval.given", 1), ("action.refused", 1)] {
        let found = records.iter().filter(|record| record.kind == kind).count();
        assert_eq!(found, count, "{place}: {kind}");
    }
}

/// Dies at one append of the run, and perhaps at another one of the recovery.
async fn killed_at(first: Death, second: Option<Death>, journal: impl Journal + Clone, whole: &[String]) {
    let place = format!("{first:?}, then {second:?}");
    let (world, store) = (World::default(), Store::over(journal));
    store.die(Some(first));
    begun(&world, &store).await.expect_err(&place);
    store.die(second);
    let listed = store.list().await.unwrap();
    let Some(session) = listed.first() else { return };
    if second.is_some() {
        drop(taken_up(&world, &store, session).await);
    }
    store.die(None);
    let mut run = taken_up(&world, &store, session).await.expect(&place);
    assert_eq!(run.finish().await.expect(&place).ending, Ending::FinalAnswer, "{place}");
    let again = told(&run);
    assert_eq!(again.len(), whole.len(), "{place}: {again:?}");
    for (was, is) in whole.iter().zip(&again) {
        assert!(was == is || is == UNKNOWN, "{place}: {again:?}");
    }
    let ids: BTreeSet<ItemId> = run.items().iter().map(Item::id).collect();
    assert_eq!(ids.len(), again.len(), "{place}");
    nothing_is_given_or_asked_twice(&store, session, &place).await;
    for line in ["tally agreed", "tally a"] {
        assert!(world.log.lines().iter().filter(|known| *known == line).count() <= 1, "{place}: {line}");
    }
}

fn deaths(appends: usize) -> impl Iterator<Item = Death> + Clone {
    (0..appends).flat_map(|append| [false, true].map(|kept| Death { append, kept }))
}

#[tokio::test]
async fn what_a_person_said_and_answered_is_there_once_wherever_the_run_is_killed() {
    let (whole, appends) = undisturbed().await;
    let refused = "A person refused this action; it was not executed.";
    assert_eq!(whole[2..6], ["I ask.", "wrote", refused, REMARK]);
    for first in deaths(appends) {
        for second in deaths(appends + 1).map(Some).chain([None]) {
            killed_at(first, second, MemoryJournal::new(), &whole).await;
        }
    }
}

#[tokio::test]
async fn the_same_holds_in_a_file() {
    let (whole, appends) = undisturbed().await;
    for first in deaths(appends) {
        let folder = tempfile::tempdir().unwrap();
        let second = first.kept.then_some(Death { append: 2, kept: false });
        let journal = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
        killed_at(first, second, journal, &whole).await;
    }
}
