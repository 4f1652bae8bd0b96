//! A model is told each fact once, in its present form.

use polyloop::{MemoryJournal, Reply, Session, Statement};

use crate::support::{App, Environment, Log, approved, builder, environment, permissions, records, rules};

#[test]
fn a_fact_that_the_model_knows_is_not_said_again() {
    let mut session = Session::<App>::new();
    let first = session.sync(environment("/a")).unwrap();
    assert!(first.is_some());
    assert_eq!(session.sync(environment("/a")).unwrap(), None);
    session.sync(environment("/b")).unwrap();
    assert_eq!(session.sync(environment("/b")).unwrap(), None);
    assert_eq!(session.items().len(), 2);
    session.sync(environment("/a")).unwrap();
    assert_eq!(session.items().len(), 3, "an older statement says nothing of what holds now");
}

#[test]
fn a_fact_is_taken_back_once_and_only_if_it_was_told() {
    let mut session = Session::<App>::new();
    assert_eq!(session.retract::<Environment>().unwrap(), None);
    session.sync(environment("/a")).unwrap();
    assert!(session.retract::<Environment>().unwrap().is_some());
    assert_eq!(session.retract::<Environment>().unwrap(), None);
    let said = session.items().last().unwrap();
    let text = "<environment>The environment described earlier no longer applies.</environment>";
    assert_eq!((&*said.text(), said.statement()), (text, Some(Statement::Retraction)));
    assert!(session.sync(environment("/a")).unwrap().is_some(), "it holds again");
}

#[test]
fn only_what_changed_is_said_where_the_type_says_so() {
    let mut session = Session::<App>::new();
    session.sync(approved(&["ls"])).unwrap();
    session.sync(approved(&["ls", "cat"])).unwrap();
    assert_eq!(session.sync(approved(&["ls", "cat"])).unwrap(), None);
    session.sync(approved(&["cat"])).unwrap();
    let said: Vec<_> =
        session.items().iter().map(|item| (item.text().into_owned(), item.statement())).collect();
    let expected = [
        ("<approved>ls</approved>", Statement::Full),
        ("<approved>new: cat</approved>", Statement::Change),
        ("<approved>cat</approved>", Statement::Full),
    ];
    assert_eq!(said, expected.map(|(text, statement)| (text.to_owned(), Some(statement))));
}

#[tokio::test]
async fn another_process_knows_what_a_model_was_told() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(["one", "two"].map(Reply::text));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("s").inject(rules()).sync(environment("/a"));
    let mut run = opening.sync(permissions("all")).goal("first").await.unwrap();
    run.finish().await.unwrap();
    let opening = agent.on(Log::default()).session("s").sync(environment("/a")).sync(permissions("none"));
    let mut run = opening.goal("second").await.unwrap();
    run.finish().await.unwrap();
    let [first, second] = sent.texts().try_into().unwrap();
    assert_eq!(second[..first.len()], first);
    assert_eq!(second[first.len()..], ["one", "<permissions>none</permissions>", "second"]);
    let records = records(&journal, run.session_id()).await;
    assert_eq!(records.iter().filter(|record| record.kind == "fragment.recorded").count(), 4);
}
