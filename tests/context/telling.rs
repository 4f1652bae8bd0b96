//! A model is told each fact once, in its present form.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{
    Agent, Budget, ContextFragment, Ending, Item, ItemId, Layout, MemoryJournal, Prompt, Reply, RunError,
    Scripted, Session, Staged, Statement, Summarizer, registry,
};

use crate::support::{
    App, Approved, Environment, Log, approved, builder, environment, kinds, news, note, peek, permissions,
    records, rules, texts,
};

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

/// Counts how often it is asked for an order.
struct Counting(Arc<AtomicUsize>);

impl Layout for Counting {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Staged.arrange(items)
    }
}

#[test]
fn what_is_recorded_costs_no_prompt() {
    let asked = Arc::new(AtomicUsize::new(0));
    let mut session = Session::<App>::with_layout(Counting(asked.clone()));
    session.say("words").unwrap();
    session.inject(news("news")).unwrap();
    session.sync(environment("/a")).unwrap();
    session.retract::<Environment>().unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    session.prompt();
    assert_eq!(asked.load(Ordering::SeqCst), 1);
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

#[tokio::test]
async fn another_agent_in_another_process_takes_back_what_was_told() {
    let journal = MemoryJournal::new();
    let (agent, _) = builder([Reply::text("one")]);
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("s").sync(environment("/a"));
    opening.goal("first").await.unwrap().finish().await.unwrap();
    drop(agent);
    let (agent, sent) = builder(["two", "three"].map(Reply::text));
    let agent = agent.journal(journal).build().unwrap();
    for goal in ["second", "third"] {
        let opening = agent.on(Log::default()).session("s").retract::<Environment>();
        opening.goal(goal).await.unwrap().finish().await.unwrap();
    }
    let absent = "<environment>The environment described earlier no longer applies.</environment>";
    let told = ["<environment>/a</environment>", "first", "one", absent, "second", "two", "third"];
    assert_eq!(sent.last(), told);
}

#[tokio::test]
async fn every_door_tells_a_fact_only_where_it_is_not_known() {
    let (agent, sent) = builder([Reply::tool("peek", "{}"), Reply::text("one"), Reply::text("two")]);
    let agent = agent.build().unwrap();
    let opening = agent.on(Log::default()).sync(environment("/a")).sync(environment("/a"));
    let mut run = opening.sync(environment("/b")).sync(environment("/b")).goal("first").await.unwrap();
    run.step().await.unwrap();
    let handle = run.handle();
    handle.sync(environment("/b")).unwrap();
    run.sync(environment("/c")).unwrap();
    handle.sync(environment("/c")).unwrap();
    run.retract::<Environment>().unwrap();
    handle.retract::<Environment>().unwrap();
    run.finish().await.unwrap();
    let follow_up = run.follow_up().retract::<Environment>().sync(environment("/c"));
    follow_up.sync(environment("/c")).goal("second").await.unwrap();
    run.finish().await.unwrap();
    let environments: Vec<String> =
        sent.last().into_iter().filter(|text| text.starts_with("<environment>")).collect();
    // `/a` and the first `/c` were in no request.
    let expected = ["/b", "The environment described earlier no longer applies.", "/c"];
    assert_eq!(environments, expected.map(|body| format!("<environment>{body}</environment>")));
}

#[tokio::test]
async fn what_is_told_while_a_call_is_open_stands_behind_its_result() {
    let (agent, sent) = builder([Reply::tool("tally", r#"{"line": "x"}"#), Reply::text("done")]);
    let agent = agent.build().unwrap();
    let mut run = agent.on(Log::default()).sync(environment("/a")).goal("go").await.unwrap();
    // The request, and what the reply means; the call is still to be made.
    run.step().await.unwrap();
    run.step().await.unwrap();
    run.sync(environment("/b")).unwrap();
    run.sync(environment("/b")).unwrap();
    run.finish().await.unwrap();
    let told = ["<environment>/a</environment>", "go", "", "wrote x", "<environment>/b</environment>"];
    assert_eq!(sent.last(), told);
}

/// A fact that changes often.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<branch>", "</branch>"), max_chars = 100, body = "{name}")]
#[fragment(lifetime = latest, absent = "There is no branch any more.")]
struct Branch {
    name: &'static str,
}

registry! { struct Once { state: Log, fragments: [Branch], tools: [peek] } }

#[tokio::test]
async fn a_turn_states_every_change_that_a_request_contained_and_refuses_none() {
    let model = Scripted::replies([Reply::tool("peek", "{}"), Reply::text("one"), Reply::text("two")]);
    let agent = Agent::<Once>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).sync(Branch { name: "a" }).goal("first").await.unwrap();
    run.step().await.unwrap();
    for name in ["b", "b", "c"] {
        run.sync(Branch { name }).unwrap();
    }
    assert_eq!(run.finish().await.unwrap().not_recorded, []);
    run.follow_up().sync(Branch { name: "d" }).goal("second").await.unwrap();
    run.finish().await.unwrap();
    let told = texts(&model.requests()[2]);
    let branches: Vec<_> = told.iter().filter(|text| text.contains("branch")).collect();
    assert_eq!(branches, ["<branch>a</branch>", "<branch>c</branch>", "<branch>d</branch>"]);
}

#[tokio::test]
async fn a_turn_of_which_everything_is_known_does_not_begin() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(["one", "two"].map(Reply::text));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).sync(environment("/a")).await.unwrap();
    run.finish().await.unwrap();
    let before = records(&journal, run.session_id()).await.len();
    let refused = run.follow_up().sync(environment("/a")).retract::<Approved>().await.unwrap_err();
    assert_eq!(refused, RunError::EmptyGoal);
    assert_eq!(records(&journal, run.session_id()).await.len(), before);
    run.follow_up().sync(environment("/b")).await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.last(), ["<environment>/a</environment>", "one", "<environment>/b</environment>"]);
}

#[tokio::test]
async fn news_of_one_turn_stays_where_it_was_sent_and_is_not_told_again() {
    let (agent, sent) = builder(["one", "two", "three"].map(Reply::text));
    let agent = agent.build().unwrap();
    let mut run =
        agent.on(Log::default()).inject(note("stays")).inject(news("once")).goal("a").await.unwrap();
    run.finish().await.unwrap();
    for goal in ["b", "c"] {
        run.follow_up().goal(goal).await.unwrap();
        run.finish().await.unwrap();
    }
    assert_eq!(sent.last(), ["<note>stays</note>", "once", "a", "one", "b", "two", "c"]);
    for pair in sent.texts().windows(2) {
        assert_eq!(pair[1][..pair[0].len()], pair[0]);
    }
}

#[tokio::test]
async fn a_status_that_changes_in_each_turn_leaves_what_was_sent_as_it_was() {
    let (agent, sent) = builder(["one", "two", "three"].map(Reply::text));
    let agent = agent.build().unwrap();
    let mut run = agent.on(Log::default()).sync(environment("/1")).goal("a").await.unwrap();
    run.finish().await.unwrap();
    for (cwd, goal) in [("/2", "b"), ("/3", "c")] {
        run.follow_up().sync(environment(cwd)).goal(goal).await.unwrap();
        run.finish().await.unwrap();
    }
    let bytes = |prompt: &Prompt| {
        prompt.messages().map(|message| serde_json::to_string(message).unwrap()).collect::<String>()
    };
    let sent: Vec<String> = sent.prompts().iter().map(bytes).collect();
    assert_eq!(sent.len(), 3);
    assert!(sent.windows(2).all(|pair| pair[1].starts_with(&pair[0])));
}

#[tokio::test]
async fn a_large_change_that_does_not_fit_any_more_is_reported_before_anything_is_sent() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(["one", "two"].map(Reply::text));
    let agent = agent.budget(Budget::steps(9).prompt_chars(300)).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).sync(permissions(&"p".repeat(200))).goal("a").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().sync(permissions(&"q".repeat(200))).goal("b").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!(report.ending, Ending::ContextOverflow { chars: 459 });
    assert_eq!(sent.texts().len(), 1, "nothing that is too large was sent");
    assert!(kinds(&journal, run.session_id()).await.contains(&"prompt.refused".to_owned()));
}

#[tokio::test]
async fn what_compaction_dropped_is_told_once_more_and_then_known() {
    let long = "one ".repeat(100);
    let script = [&*long, "short", "two", "three"].map(Reply::text);
    let model = Scripted::replies(script);
    let agent = Agent::<Catalogs>::builder(model.clone()).compactor(Summarizer::new().keep_exchanges(0));
    let agent = agent.build().unwrap();
    let mut run = agent.on(()).sync(Catalog { version: 1 }).goal("a").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("b").await.unwrap();
    run.handle().compact().unwrap();
    run.finish().await.unwrap();
    let count = |at: usize| {
        texts(&model.requests()[at]).iter().filter(|text| **text == "<catalog>1</catalog>").count()
    };
    assert_eq!((count(0), count(2)), (1, 0), "it went with the history");
    run.follow_up().sync(Catalog { version: 1 }).sync(Catalog { version: 1 }).goal("c").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(count(3), 1);
}

/// What may be asked for; compaction forgets it.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<catalog>", "</catalog>"), max_chars = 100, body = "{version}")]
#[fragment(lifetime = latest, on_compact = drop, absent = "There is no catalog any more.")]
struct Catalog {
    version: u32,
}

registry! { struct Catalogs { fragments: [Catalog] } }
