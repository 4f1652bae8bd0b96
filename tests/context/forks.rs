//! A session that branches off knows what its parent knew, and each fact in its present form; the parent is what it was.

use polyloop::{
    Agent, AgentBuilder, Budget, CallContext, ContextFragment, Ending, Journal, JournalError, MemoryJournal,
    Prompt, Reply, RunError, Summarizer, registry, tool,
};

use crate::support::{
    Log, Sent, approved, builder, builder_of, environment, in_a_file, kinds, news, note, permissions,
    records, rules, seals, tally,
};

fn replies<const N: usize>(texts: [&str; N]) -> [Reply; N] {
    texts.map(Reply::text)
}

/// The bytes of a prompt: its messages as JSON, one behind another.
fn bytes(prompt: &Prompt) -> String {
    prompt.messages().map(|message| serde_json::to_string(message).unwrap()).collect()
}

async fn a_branch_begins_with_what_its_parent_had_come_to(journal: impl Journal + Clone) {
    let call = Reply::text("I write.").call("tally", r#"{"line":"a"}"#);
    let (agent, sent) = builder([call, Reply::text("one"), Reply::text("two"), Reply::text("three")]);
    let agent = agent.journal(journal.clone()).build().unwrap();
    let log = Log::default();
    let opening = agent.on(log.clone()).session("parent").inject(rules()).sync(environment("/a"));
    let mut parent = opening.goal("T1").await.unwrap();
    parent.finish().await.unwrap();
    let before = records(&journal, &"parent".into()).await;

    let mut child = agent.fork(log.clone(), "parent").session("child").goal("T2").await.unwrap();
    assert_eq!(child.finish().await.unwrap().to_string(), "two");
    let [.., parents, childs] = <[Prompt; 3]>::try_from(sent.prompts()).unwrap();
    assert!(bytes(&childs).starts_with(&bytes(&parents)), "what was sent there is sent here");
    let env = "<environment>/a</environment>";
    assert_eq!(sent.last(), ["be brief", env, "T1", "I write.", "wrote a", "one", "T2"]);
    let seal = seals(&journal, &"child".into()).await[0].clone();
    assert_eq!(
        (&seal["broken_at"], &seal["shared_chars"]),
        (&serde_json::Value::Null, &parents.chars().into())
    );
    assert_eq!(log.lines(), ["a"], "what was done is history");
    assert_eq!(records(&journal, &"parent".into()).await, before, "the parent is byte-identical");

    // The parent's run still has its lease, and goes on.
    parent.follow_up().goal("T3").await.unwrap();
    parent.finish().await.unwrap();
    assert_eq!(sent.last()[5..], ["one", "T3"]);
}

#[tokio::test]
async fn a_branch_begins_with_what_its_parent_had_come_to_in_memory() {
    a_branch_begins_with_what_its_parent_had_come_to(MemoryJournal::new()).await;
}

#[tokio::test]
async fn a_branch_begins_with_what_its_parent_had_come_to_in_a_file() {
    let (_folder, journal) = in_a_file();
    a_branch_begins_with_what_its_parent_had_come_to(journal).await;
}

#[tokio::test]
async fn a_fact_that_changed_stands_in_the_place_of_the_inherited_one() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(replies(["one", "two", "three"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("parent").sync(environment("/a")).sync(permissions("P1"));
    opening.sync(approved(&["ls"])).goal("start").await.unwrap().finish().await.unwrap();

    let fork = agent.fork(Log::default(), "parent").sync(environment("/a")).sync(permissions("P2"));
    let mut child = fork.sync(approved(&["ls", "cat"])).goal("on").await.unwrap();
    child.finish().await.unwrap();
    let prompts = sent.prompts();
    let expected = [
        "<environment>/a</environment>",
        "<permissions>P2</permissions>",
        "<approved>ls\ncat</approved>",
        "start",
        "one",
        "on",
    ];
    assert_eq!(sent.last(), expected);
    let first = |prompt: &Prompt| serde_json::to_string(prompt.messages().next().unwrap()).unwrap();
    assert_eq!(first(&prompts[0]), first(&prompts[1]), "what did not change is byte-identical");
    let seal = seals(&journal, child.session_id()).await[0].clone();
    let refreshed = child.items()[1].id();
    assert_eq!(seal["broken_at"], serde_json::to_value(refreshed).unwrap());
    assert_eq!(seal["shared_chars"], expected[0].len());
    // From then on it is as in any session: what changes is stated behind.
    child.follow_up().sync(permissions("P3")).goal("and on").await.unwrap();
    child.finish().await.unwrap();
    assert_eq!(sent.last()[5..], ["on", "two", "<permissions>P3</permissions>", "and on"]);
}

/// What may be done: a branch keeps what was said, and states what changed behind it.
#[derive(ContextFragment)]
#[fragment(role = developer, unmarked = "short", lifetime = latest, on_fork = keep, max_chars = 50)]
#[fragment(absent = "nothing may be done", body = "kept {text}")]
struct Kept {
    text: String,
}

/// What is of no concern to a branch.
#[derive(ContextFragment)]
#[fragment(role = developer, unmarked = "short", on_fork = drop, max_chars = 50, body = "for the parent only")]
struct Errand;

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "short", lifetime = latest, max_chars = 50, at_most = 3)]
#[fragment(absent = "it is nowhere", body = "it is in {name}")]
struct Place {
    name: String,
}

/// Pays; may not be repeated.
#[tool]
async fn pay(#[state] log: &Log, #[call] call: &CallContext) -> String {
    log.add(call.idempotency_key());
    "paid".to_owned()
}

registry! {
    struct Branching { state: Log, fragments: [Kept, Errand, Place], tools: [pay, tally] }
}

fn kept(text: &str) -> Kept {
    Kept { text: text.to_owned() }
}

fn place(name: &str) -> Place {
    Place { name: name.to_owned() }
}

fn branching(script: impl IntoIterator<Item = Reply>, journal: &MemoryJournal) -> (Agent<Branching>, Sent) {
    let (agent, sent): (AgentBuilder<Branching>, Sent) = builder_of(script);
    (agent.journal(journal.clone()).build().unwrap(), sent)
}

#[tokio::test]
async fn what_a_type_keeps_stays_and_its_change_stands_behind() {
    let journal = MemoryJournal::new();
    let (agent, sent) = branching(replies(["one", "two"]), &journal);
    let opening = agent.on(Log::default()).session("parent").sync(kept("P1"));
    opening.goal("start").await.unwrap().finish().await.unwrap();
    let mut child = agent.fork(Log::default(), "parent").sync(kept("P2")).goal("on").await.unwrap();
    child.finish().await.unwrap();
    assert_eq!(sent.last(), ["kept P1", "start", "one", "kept P2", "on"]);
    let prompts = sent.prompts();
    assert!(bytes(&prompts[1]).starts_with(&bytes(&prompts[0])));
    assert!(seals(&journal, child.session_id()).await[0]["broken_at"].is_null());
}

#[tokio::test]
async fn what_a_type_drops_is_gone_in_the_branch_and_stays_in_the_parent() {
    let journal = MemoryJournal::new();
    let (agent, sent) = branching(replies(["one", "two", "three"]), &journal);
    let opening = agent.on(Log::default()).session("parent").inject(Errand);
    let mut parent = opening.goal("start").await.unwrap();
    parent.finish().await.unwrap();
    agent.fork(Log::default(), "parent").goal("on").await.unwrap().finish().await.unwrap();
    assert_eq!(sent.last(), ["start", "one", "on"]);
    parent.follow_up().goal("on").await.unwrap();
    parent.finish().await.unwrap();
    assert_eq!(sent.last(), ["for the parent only", "start", "one", "on"]);
}

#[tokio::test]
async fn a_branch_is_told_one_value_however_often_its_parent_was_told() {
    let journal = MemoryJournal::new();
    let (agent, sent) = branching(replies(["one", "two", "three", "four", "five"]), &journal);
    let mut parent = agent.on(Log::default()).session("parent").sync(place("A")).goal("T1").await.unwrap();
    parent.finish().await.unwrap();
    parent.follow_up().sync(place("B")).goal("T2").await.unwrap();
    parent.finish().await.unwrap();
    let fork = |words: &str| agent.fork(Log::default(), "parent").goal(words);
    fork("same").sync(place("B")).await.unwrap().finish().await.unwrap();
    assert_eq!(sent.last(), ["it is in A", "T1", "one", "it is in B", "T2", "two", "same"]);
    fork("other").sync(place("A")).await.unwrap().finish().await.unwrap();
    assert_eq!(sent.last(), ["T1", "one", "it is in A", "T2", "two", "other"]);
    fork("gone").retract::<Place>().await.unwrap().finish().await.unwrap();
    assert_eq!(sent.last(), ["T1", "one", "T2", "two", "gone"], "the branch is told nothing of it");
}

#[tokio::test]
async fn what_is_injected_refreshes_as_well_and_until_the_first_request_so_does_what_is_said_meanwhile() {
    let journal = MemoryJournal::new();
    let (agent, sent) = branching(replies(["one", "two"]), &journal);
    let opening = agent.on(Log::default()).session("parent").sync(place("A"));
    opening.goal("T1").await.unwrap().finish().await.unwrap();
    let mut child = agent.fork(Log::default(), "parent").inject(place("B")).goal("T2").await.unwrap();
    child.handle().sync(place("C")).unwrap();
    child.finish().await.unwrap();
    assert_eq!(sent.last(), ["it is in C", "T1", "one", "T2"]);
    // Another process yields the same.
    let session = agent.read(child.session_id().clone()).await.unwrap();
    assert_eq!(session.items().len(), child.items().len());
}

#[tokio::test]
async fn a_refreshed_fact_outlives_the_rollback_of_the_turn_in_which_it_was_said() {
    let journal = MemoryJournal::new();
    let (agent, sent) = branching(replies(["one", "two", "three", "four"]), &journal);
    let opening = agent.on(Log::default()).session("parent").sync(place("A"));
    opening.goal("T1").await.unwrap().finish().await.unwrap();
    let mut child = agent.fork(Log::default(), "parent").sync(place("B")).goal("T2").await.unwrap();
    child.finish().await.unwrap();
    child.roll_back(1).await.unwrap();
    child.follow_up().sync(place("B")).goal("T3").await.unwrap();
    child.finish().await.unwrap();
    assert_eq!(sent.last(), ["it is in B", "T1", "one", "T3"]);
    // What is inherited can be rolled back here as well.
    child.roll_back(2).await.unwrap();
    assert!(child.items().is_empty());
}

#[tokio::test]
async fn another_environment_and_one_more_tool_make_one_environment_and_a_new_header() {
    let journal = MemoryJournal::new();
    let (agent, sent) = branching([Reply::tool("tally", r#"{"line":"a"}"#), Reply::text("one")], &journal);
    let opening = agent.only::<(tally,)>().on(Log::default()).session("parent").sync(place("A"));
    opening.goal("start").await.unwrap().finish().await.unwrap();
    let before = records(&journal, &"parent".into()).await;
    let (wider, wider_sent) = branching(replies(["two"]), &journal);
    let fork = wider.fork(Log::default(), "parent").session("child").sync(place("B"));
    fork.goal("on").await.unwrap().finish().await.unwrap();
    assert_eq!(wider_sent.last(), ["it is in B", "start", "", "wrote a", "one", "on"]);
    let tools = |sent: &Sent| {
        let prompt = sent.prompts().pop().unwrap();
        prompt.tools().iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (tools(&sent), tools(&wider_sent)),
        (vec!["tally".into()], vec!["pay".into(), "tally".into()])
    );
    let headers = |kinds: &[String]| kinds.iter().filter(|kind| *kind == "header.changed").count();
    assert_eq!(headers(&kinds(&journal, &"child".into()).await), 1);
    assert_eq!(records(&journal, &"parent".into()).await, before);
}

#[tokio::test]
async fn a_branch_has_its_own_budget_and_keys_and_repeats_no_effect() {
    let journal = MemoryJournal::new();
    let pays = || [Reply::tool("pay", "{}"), Reply::tool("pay", "{}")];
    let (agent, _): (AgentBuilder<Branching>, Sent) = builder_of(pays().into_iter().chain(pays()));
    let agent = agent.journal(journal.clone()).budget(Budget::steps(2).actions(9)).build().unwrap();
    let log = Log::default();
    let mut parent = agent.on(log.clone()).session("parent").goal("go").await.unwrap();
    assert_eq!(parent.finish().await.unwrap().ending, Ending::StepsUsedUp);
    let mut child = agent.fork(log.clone(), "parent").session("child").goal("on").await.unwrap();
    let report = child.finish().await.unwrap();
    assert_eq!((report.ending, report.steps, report.actions), (Ending::StepsUsedUp, 2, 2));
    assert_eq!(log.lines(), ["parent/call_1", "parent/call_2", "child/call_3", "child/call_4"]);
}

#[tokio::test]
async fn a_branch_begins_where_a_step_is_settled_and_nowhere_else() {
    let journal = MemoryJournal::new();
    let call = |line: &str| Reply::tool("tally", format!(r#"{{"line":"{line}"}}"#));
    let (agent, _) = branching([call("a"), call("b"), Reply::text("one")], &journal);
    agent.on(Log::default()).session("parent").goal("go").await.unwrap().finish().await.unwrap();
    let kinds = kinds(&journal, &"parent".into()).await;
    let settled: Vec<u64> = (1..)
        .zip(&kinds)
        .filter(|(_, kind)| ["stop.checked", "run.ended"].contains(&kind.as_str()))
        .map(|(records, _)| records)
        .collect();
    // Behind the last step its end follows at once.
    let [first, second, _, end] = settled[..] else { panic!("{kinds:?}") };
    for at in 0..=kinds.len() as u64 + 1 {
        let (agent, sent) = branching(replies(["on"]), &journal);
        let forked = agent.fork(Log::default(), "parent").at(at).goal("on").await;
        if [first, second, end].contains(&at) {
            forked.unwrap().finish().await.unwrap();
            let known: &[&str] = match at {
                at if at == first => &["go", "", "wrote a", "on"],
                at if at == second => &["go", "", "wrote a", "", "wrote b", "on"],
                _ => &["go", "", "wrote a", "", "wrote b", "one", "on"],
            };
            assert_eq!(sent.last(), known);
            continue;
        }
        let before = [first, second, end].into_iter().rfind(|point| *point < at);
        let behind = [first, second, end].into_iter().find(|point| *point > at);
        let session = "parent".to_owned();
        let refused = RunError::NoForkPoint { session, at, before, behind };
        assert_eq!(forked.unwrap_err(), refused);
        let nearest = [before, behind].into_iter().flatten().map(|point| point.to_string());
        let message = refused.to_string();
        assert!(nearest.clone().all(|point| message.contains(&point)), "{message}");
    }
}

#[tokio::test]
async fn from_a_run_that_is_under_way_a_branch_begins_behind_its_last_settled_step() {
    let journal = MemoryJournal::new();
    let call = |line: &str| Reply::tool("tally", format!(r#"{{"line":"{line}"}}"#));
    let (agent, _) = branching([call("a"), call("b"), Reply::text("one")], &journal);
    let mut parent = agent.on(Log::default()).session("parent").goal("go").await.unwrap();
    let (other, sent) = branching(replies(["on", "on"]), &journal);
    let refused = other.fork(Log::default(), "parent").goal("too early").await.unwrap_err();
    let none = "nothing can branch off from the session `parent` yet; wait until a step of it is settled";
    assert_eq!(refused.to_string(), none);
    // A request, what it means, the calls, the check; and the second request with what it means.
    for _ in 0..6 {
        parent.step().await.unwrap();
    }
    // Nothing needs to be said: there is something to go on with.
    let mut child = other.fork(Log::default(), "parent").await.unwrap();
    child.finish().await.unwrap();
    assert_eq!(sent.last(), ["go", "", "wrote a"]);
    assert_eq!(parent.finish().await.unwrap().to_string(), "one");
    // Of a run that ended that is not so.
    assert_eq!(other.fork(Log::default(), "parent").await.unwrap_err(), RunError::EmptyGoal);
}

#[tokio::test]
async fn a_mistake_in_a_fork_leaves_nothing_behind() {
    let journal = MemoryJournal::new();
    let (agent, _) = branching(replies(["one", "two", "three"]), &journal);
    agent.on(Log::default()).session("parent").goal("go").await.unwrap().finish().await.unwrap();
    let mut taken = agent.on(Log::default()).session("taken").goal("go").await.unwrap();
    let exists = JournalError::SessionExists { session: "taken".to_owned() };
    let refused = agent.fork(Log::default(), "parent").session("taken").goal("on").await.unwrap_err();
    assert_eq!(refused, exists.into());
    assert_eq!(taken.finish().await.unwrap().to_string(), "two", "nobody is fenced");
    let missing = JournalError::NoSuchSession { session: "nobody".to_owned() };
    assert_eq!(agent.fork(Log::default(), "nobody").goal("on").await.unwrap_err(), missing.into());
    let empty = agent.fork(Log::default(), "parent").session("child").goal(" ").await.unwrap_err();
    assert_eq!(empty, RunError::EmptyGoal);
    let long = kept(&"x".repeat(60));
    let refused = agent.fork(Log::default(), "parent").session("child").sync(long).goal("on").await;
    assert!(matches!(refused, Err(RunError::Record(_))));
    let many = (0..9).map(|_| Errand);
    let refused = agent.fork(Log::default(), "parent").session("child").inject_all(many).goal("on").await;
    assert!(matches!(refused, Err(RunError::Record(_))));
    assert_eq!(journal.list().await.unwrap(), ["parent".into(), "taken".into()]);
    // The registry of the parent had kinds that another one does not.
    let (stranger, _) = builder([]);
    let opening = agent.on(Log::default()).session("told").sync(place("A"));
    opening.goal("go").await.unwrap().finish().await.unwrap();
    let stranger = stranger.journal(journal).build().unwrap();
    let refused = stranger.fork(Log::default(), "told").goal("on").await.unwrap_err();
    assert!(matches!(refused, RunError::Journal(JournalError::UnknownFragment { .. })), "{refused}");
}

#[tokio::test]
async fn what_was_rolled_back_is_gone_in_a_branch_unless_it_branches_off_before() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(replies(["one", "two", "three", "four"]));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("parent").inject(note("kept")).inject(news("hello"));
    let mut parent = opening.goal("T1").await.unwrap();
    parent.finish().await.unwrap();
    parent.follow_up().goal("T2").await.unwrap();
    parent.finish().await.unwrap();
    let end = records(&journal, &"parent".into()).await.len() as u64;
    parent.roll_back(1).await.unwrap();
    agent.fork(Log::default(), "parent").goal("T3").await.unwrap().finish().await.unwrap();
    assert_eq!(sent.last(), ["<note>kept</note>", "hello", "T1", "one", "T3"]);
    agent.fork(Log::default(), "parent").at(end).goal("T3").await.unwrap().finish().await.unwrap();
    assert_eq!(sent.last(), ["<note>kept</note>", "hello", "T1", "one", "T2", "two", "T3"]);
}

#[tokio::test]
async fn a_compaction_that_is_undone_in_a_branch_brings_nothing_back_that_a_branch_is_not_told() {
    let journal = MemoryJournal::new();
    let long = "x".repeat(1_200);
    let (agent, _): (AgentBuilder<Branching>, Sent) =
        builder_of(replies([&long, "a summary", "two", "three", "four"]));
    let budget = Budget::steps(9).prompt_chars(9_000).compaction_chars(1_000);
    let agent = agent.budget(budget).compactor(Summarizer::new().keep_exchanges(0)).journal(journal);
    let agent = agent.build().unwrap();
    let opening = agent.on(Log::default()).session("parent").inject(Errand).sync(place("A"));
    let mut parent = opening.goal("T1").await.unwrap();
    parent.finish().await.unwrap();
    parent.follow_up().goal("T2").await.unwrap();
    parent.finish().await.unwrap();
    assert!(parent.items().iter().any(|item| item.text().contains("a summary")));
    let mut child = agent.fork(Log::default(), "parent").sync(place("B")).goal("T3").await.unwrap();
    child.finish().await.unwrap();
    child.roll_back(2).await.unwrap();
    let told: Vec<String> = child.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told, ["it is in B", "T1", &long]);
    // It would be said again if it had been forgotten.
    child.follow_up().sync(place("B")).goal("T4").await.unwrap();
    assert_eq!(child.items().len(), 4);
}
