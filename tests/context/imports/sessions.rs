//! The session that an import begins, and what goes on in it.

use polyloop::{
    ForeignHistory, ImportError, Item, Journal, JournalError, Message, Prompt, Reply, RunError, Scripted,
    SessionId, Statement,
};
use serde_json::json;

use super::{EnvironmentContext, Known, agent, open_ai};

fn history() -> ForeignHistory {
    let call = json!({"id": "c", "function": {"name": "look", "arguments": "{}"}});
    let list = json!([
        {"role": "user", "content": "<environment_context>/srv</environment_context>"},
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "seen"},
        {"role": "assistant", "content": "I saw it."},
    ]);
    open_ai(&list).unwrap()
}

fn environment(cwd: &str) -> EnvironmentContext {
    EnvironmentContext { cwd: cwd.to_owned() }
}

fn said(prompt: &Prompt) -> Vec<String> {
    prompt.messages().map(Message::text).collect()
}

#[tokio::test]
async fn a_session_begins_with_its_history_in_one_append() {
    let (agent, journal) = agent(&[]);
    let report = agent.import(history()).session("s").await.unwrap();
    let session = SessionId::from("s");
    assert_eq!(report.session, session);
    let records = journal.read(&session, 0).await.unwrap();
    let kinds: Vec<&str> = records.iter().map(|record| &*record.kind).collect();
    assert_eq!(kinds, ["session.opened", "lease.taken", "history.imported"]);
    assert_eq!(journal.watermark(&session).await.unwrap(), 3);
    assert_eq!(agent.read("s").await.unwrap().items().len(), 5);
}

#[tokio::test]
async fn a_session_that_is_there_stays_as_it_is() {
    let (agent, journal) = agent(&["so"]);
    let mut run = agent.on(()).session("s").goal("go").await.unwrap();
    let before = journal.read(run.session_id(), 0).await.unwrap();
    let exists = JournalError::SessionExists { session: "s".to_owned() };
    assert_eq!(agent.import(history()).session("s").await, Err(ImportError::Journal(exists)));
    assert_eq!(journal.read(run.session_id(), 0).await.unwrap(), before);
    run.finish().await.expect("nobody took the session over");
}

#[tokio::test]
async fn an_agent_without_a_journal_imports_nothing() {
    let agent = polyloop::Agent::<Known>::builder(Scripted::replies([])).build().unwrap();
    let no_journal = ImportError::NoJournal { session: "s".to_owned() };
    assert_eq!(agent.import(history()).session("s").await, Err(no_journal));
}

#[tokio::test]
async fn runs_go_on_behind_a_history_and_none_is_there_to_resume() {
    let (agent, _) = agent(&["so", "and so"]);
    agent.import(history()).session("s").await.unwrap();
    let no_run = RunError::NoRun { session: "s".to_owned() };
    assert_eq!(agent.resume((), "s").await.map(drop), Err(no_run.clone()));
    assert_eq!(agent.resume((), "s").accept_changes().await.map(drop), Err(no_run));
    let mut first = agent.read("s").await.unwrap();
    let imported = said(&first.prompt());
    for goal in ["go on", "and on"] {
        let mut run = agent.on(()).session("s").goal(goal).await.unwrap();
        run.finish().await.unwrap();
        let shown = said(run.prompt().unwrap());
        assert_eq!(shown[..imported.len()], imported, "the history stands first, as it was");
    }
    let shown = said(&agent.read("s").await.unwrap().prompt());
    assert_eq!(shown[imported.len()..], ["go on", "so", "and on", "and so"]);
}

#[tokio::test]
async fn another_session_branches_off_behind_a_history() {
    let (agent, _) = agent(&["so"]);
    agent.import(history()).session("s").await.unwrap();
    let mut branch = agent.fork((), "s").goal("go on").await.unwrap();
    branch.finish().await.unwrap();
    let imported = said(&agent.read("s").await.unwrap().prompt());
    assert_eq!(said(branch.prompt().unwrap())[..imported.len()], imported);
    assert_eq!(agent.read("s").await.unwrap().items().len(), 5, "the session itself is what it was");
}

#[tokio::test]
async fn the_calls_of_a_run_have_other_ids_than_those_of_its_history() {
    let journal = polyloop::MemoryJournal::new();
    let script = [Reply::tool("nothing", "{}"), Reply::text("so")];
    let agent =
        polyloop::Agent::<Known>::builder(Scripted::replies(script)).journal(journal).build().unwrap();
    agent.import(history()).session("s").await.unwrap();
    let mut run = agent.on(()).session("s").goal("go on").await.unwrap();
    // A scripted model refuses what a strict provider does: an id that stands twice as well.
    run.finish().await.unwrap();
    let prompt = run.prompt().unwrap();
    let contents: Vec<String> =
        prompt.messages().flat_map(Message::blocks).map(|block| format!("{:?}", block.content())).collect();
    assert!(contents.iter().any(|content| content.contains("call_2")));
}

#[tokio::test]
async fn a_fact_that_a_history_tells_is_not_told_again() {
    let (agent, _) = agent(&["one", "two", "three"]);
    agent.import(history()).session("s").await.unwrap();
    let mut told = Vec::new();
    for cwd in ["/srv", "/tmp", "/tmp"] {
        let request = agent.on(()).session("s").sync(environment(cwd));
        request.goal("go").await.unwrap().finish().await.unwrap();
        told.push(statements(&agent.read("s").await.unwrap().items().iter().collect::<Vec<_>>()));
    }
    let [srv, tmp] = ["/srv", "/tmp"].map(|cwd| format!("<environment_context>{cwd}</environment_context>"));
    assert_eq!(told, [vec![srv.clone()], vec![srv.clone(), tmp.clone()], vec![srv, tmp]]);
}

fn statements(items: &[&Item]) -> Vec<String> {
    let fragments = items.iter().filter(|item| item.fragment().is_some());
    fragments.map(|item| item.text().into_owned()).collect()
}

#[tokio::test]
async fn an_old_form_is_no_evidence_for_the_present_one_and_what_was_taken_back_is_not_in_force() {
    let (agent, _) = agent(&[]);
    let list = json!([{"role": "user", "content": "<env>/srv</env>"}]);
    agent.import(open_ai(&list).unwrap()).session("old").await.unwrap();
    let mut old = agent.read("old").await.unwrap();
    assert!(old.sync(environment("/srv")).unwrap().is_some(), "it is said in its present form");

    let absent = "<environment_context>It no longer applies.</environment_context>";
    let list = json!([
        {"role": "user", "content": "<environment_context>/srv</environment_context>"},
        {"role": "user", "content": absent},
    ]);
    agent.import(open_ai(&list).unwrap()).session("gone").await.unwrap();
    let mut gone = agent.read("gone").await.unwrap();
    assert_eq!(gone.items().last().unwrap().statement(), Some(Statement::Retraction));
    assert_eq!(gone.retract::<EnvironmentContext>().unwrap(), None, "it was taken back there");
    assert!(gone.sync(environment("/srv")).unwrap().is_some(), "it holds again");
}

#[tokio::test]
async fn imported_turns_and_runs_have_one_numbering_and_both_are_rolled_back() {
    let (agent, _) = agent(&["so", "and so"]);
    let list = json!([
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "1"},
        {"role": "developer", "content": "<environment_context>/b</environment_context>"},
        {"role": "user", "content": "two"},
        {"role": "assistant", "content": "2"},
    ]);
    agent.import(open_ai(&list).unwrap()).session("s").await.unwrap();
    assert!(agent.sessions().await.unwrap().nodes()[0].rests());
    agent.on(()).session("s").goal("three").await.unwrap().finish().await.unwrap();
    let at = agent.sessions().await.unwrap().nodes()[0].turns[1].points.clone();
    agent.fork((), "s").at(at[0]).session("t").goal("other").await.unwrap().finish().await.unwrap();

    for (session, expected) in [("s", ["one", "two", "three"]), ("t", ["one", "two", "other"])] {
        let read = agent.read(session).await.unwrap();
        let turns: Vec<_> =
            read.turns().iter().map(|turn| (turn.number, turn.words.unwrap().to_owned())).collect();
        assert_eq!(turns, (1..).zip(expected.map(str::to_owned)).collect::<Vec<_>>());
        assert_eq!(read.turns()[0].items.len(), 3, "what stands before the first words is listed with them");
    }
    let tree = agent.sessions().await.unwrap();
    let listed = |session: &str| -> Vec<_> {
        let turns = &tree.node(&session.into()).unwrap().turns;
        turns.iter().map(|turn| (turn.number, turn.imported, turn.words.clone().unwrap())).collect()
    };
    assert_eq!(listed("s"), [(1, true, "one".into()), (2, true, "two".into()), (3, false, "three".into())]);
    assert_eq!(listed("t"), [(3, false, "other".into())]);

    let shown = async || said(&agent.read("s").await.unwrap().prompt());
    agent.roll_back("s", 2).await.unwrap();
    assert_eq!(
        shown().await,
        ["be brief", "one", "1"],
        "what was stated with the second words went with them"
    );
    let gone: Vec<_> =
        agent.sessions().await.unwrap().nodes()[0].turns.iter().map(|turn| turn.rolled_back).collect();
    assert_eq!(gone, [false, true, true]);
    assert_eq!(agent.roll_back_to("s", 0).await, Ok(1));
    assert_eq!(shown().await, ["be brief"], "what stood before the first words stays");
    let refused = RunError::NoSuchTurns { asked: 1, live: 0 };
    assert_eq!(agent.roll_back("s", 1).await, Err(refused));
    let mut run = agent.on(()).session("s").goal("anew").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(said(run.prompt().unwrap()), ["be brief", "anew"]);
    assert_eq!(agent.read("s").await.unwrap().turns().last().unwrap().number, 4);
}
