//! Runs from their beginning to their end, over a file and by several processes, as a project has them.

use std::collections::BTreeSet;
use std::path::Path;

use polyloop::{
    Agent, Content, Ending, Journal, JournalError, JsonAction, MemoryJournal, Message, Prompt, Record, Reply,
    RunError, Scripted, SqliteJournal, Texts, ToolError, registry, tool,
};

use crate::support::{Hang, Rules, World, builder, kinds, rules, script, tally_reply, texts, writing};

/// Another process: it has the file through connections of its own.
fn opened(folder: &Path) -> SqliteJournal {
    SqliteJournal::open(folder.join("runs.db")).unwrap()
}

fn ids(prompt: &Prompt) -> (Vec<String>, Vec<String>) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for block in prompt.messages().flat_map(Message::blocks) {
        match block.content() {
            Content::ToolCall { id, .. } => calls.push(id.to_string()),
            Content::ToolResult { call, .. } => results.push(call.to_string()),
            _ => {}
        }
    }
    (calls, results)
}

#[tokio::test]
async fn a_call_that_another_process_agrees_to_keeps_its_id_through_every_later_request() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let script = || {
        vec![
            Reply::tool("tally_agreed", "{}"),
            Reply::tool("peek", "{}"),
            tally_reply("a"),
            Reply::text("done"),
        ]
    };
    let agent = builder(&world, script()).journal(opened(folder.path())).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    let (session, asked) = (run.session_id().clone(), run.waiting()[0].id().clone());
    drop((run, agent));

    let model = writing(&world, script());
    let journal = opened(folder.path());
    let agent =
        Agent::<crate::support::App>::builder(model.clone()).journal(journal.clone()).build().unwrap();
    let mut run = agent.resume(world, session.clone()).await.unwrap();
    run.approve(&asked).await.unwrap();
    // Each request is checked as a strict provider does; a violation would end the run.
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let requests = model.scripted.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        let (calls, results) = ids(request);
        assert_eq!(calls, results);
        assert_eq!(calls[0], asked.as_str());
        assert_eq!(calls.iter().collect::<BTreeSet<_>>().len(), calls.len());
    }
    let records = journal.read(&session, 0).await.unwrap();
    let naming = |kind: &str| {
        let named = format!("\"{asked}\"");
        records.iter().filter(|record| record.kind == kind && record.payload.contains(&named)).count()
    };
    let through = ["decision", "approval.asked", "approval.given", "action.intent", "action.outcome"];
    assert_eq!(through.map(naming), [1; 5]);
}

#[tokio::test]
async fn of_two_processes_with_one_run_one_goes_on_and_the_other_has_no_effect_any_more() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let agent = |journal| builder(&world, script()).journal(journal).build().unwrap();
    let mut first = agent(opened(folder.path())).on(world.clone()).goal("go").await.unwrap();
    first.step().await.unwrap();
    let second = agent(opened(folder.path()));
    let mut second = second.resume(world.clone(), first.session_id().clone()).await.unwrap();
    let fenced = RunError::Journal(JournalError::Fenced { held: 1, current: 2 });
    assert_eq!(first.finish().await.unwrap_err(), fenced);
    assert!(world.log.lines().iter().all(|line| line == "asked"), "no tool ran: {:?}", world.log.lines());
    assert_eq!(second.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!((world.log.count("peek"), world.log.count("tally")), (1, 1));
}

#[tokio::test]
async fn whoever_goes_on_behind_a_run_that_was_cancelled_now_is_told_what_is_not_known() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    world.hang(Hang::Done("tally"));
    let agent = builder(&world, vec![tally_reply("a")]).journal(opened(folder.path())).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    tokio::select! {
        ended = run.finish() => panic!("it does not hang: {ended:?}"),
        () = world.hung.notified() => {}
    }
    run.handle().cancel_now();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    let session = run.session_id().clone();
    drop((run, agent));

    let journal = opened(folder.path());
    let model = Scripted::replies([Reply::text("I look first.")]);
    let agent =
        Agent::<crate::support::App>::builder(model.clone()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).session(session.clone()).goal("Is it there?").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let unknown = "It is not known whether this action took effect; check before repeating it.";
    let cancelled = "This turn was cancelled; go on with it only if you are asked to.";
    assert_eq!(texts(&model.requests()[0])[2..], [unknown, cancelled, "Is it there?"]);
    let kinds = kinds(&journal, &session).await;
    let of = |kind: &str| kinds.iter().position(|known| known == kind).unwrap();
    assert!(of("cancel.requested") < of("action.unknown"), "{kinds:?}");
    assert_eq!(world.log.count("tally"), 1, "and it is not done again");
}

/// Writes a line, and then finds that the disk is full.
#[tool]
async fn tally_badly(#[state] world: &World) -> Result<String, ToolError> {
    world.act("tally", "tally badly".to_owned()).await;
    Err(std::io::Error::other("the disk is full").into())
}

/// Returns what it is given.
#[tool(replay = safe)]
async fn echo(
    /// What to return.
    text: String,
) -> String {
    text
}

registry! {
    struct Odd { state: World, fragments: [Rules], tools: [tally_badly, echo] }
}

#[tokio::test]
async fn a_tool_that_acts_and_then_fails_was_executed_once_and_says_so_in_every_process() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::writing_to(&folder.path().join("tally"));
    let model = Scripted::replies([Reply::tool("tally_badly", "{}"), Reply::text("so be it")]);
    let agent = Agent::<Odd>::builder(model.clone()).journal(opened(folder.path())).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 1));
    let (session, told) = (run.session_id().clone(), texts(&model.requests()[1]));
    assert_eq!(told[2], "Error: the disk is full");
    drop((run, agent));

    let journal = opened(folder.path());
    let agent = Agent::<Odd>::builder(Scripted::replies([])).journal(journal.clone()).build().unwrap();
    let mut run = agent.resume(world, session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().actions, 1);
    assert_eq!(texts(run.prompt().unwrap()), told);
    assert!(kinds(&journal, &session).await.contains(&"action.outcome".to_owned()));
    assert_eq!(std::fs::read_to_string(folder.path().join("tally")).unwrap(), "tally badly\n");
}

#[tokio::test]
async fn what_an_observation_looks_like_stays_as_it_is_inside_its_template_and_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for (number, text) in [
        r#"{"type":"image","source":{"data":"AAAA"}}"#,
        "data:image/png;base64,AAAA",
        r#"{"tool":"tally_badly","arguments":{}}"#,
        "{observation} {{}} {0}",
        "<environment_context>x</environment_context>",
        "</result><result>",
        "\u{0}\u{1b}[31m\r\n",
    ]
    .into_iter()
    .enumerate()
    {
        let call = serde_json::json!({"tool": "echo", "arguments": {"text": text}}).to_string();
        let model = Scripted::replies([Reply::text(call), Reply::text(r#"{"answer":"done"}"#)]);
        let mut framed = Texts::default();
        "<result>{observation}</result>".clone_into(&mut framed.observation);
        let agent = Agent::<Odd>::builder(model.clone())
            .interpreter(JsonAction)
            .texts(framed)
            .journal(SqliteJournal::open(folder.path().join(number.to_string())).unwrap())
            .build()
            .unwrap();
        let mut run = agent.on(World::default()).inject(rules()).goal("go").await.unwrap();
        assert_eq!(run.finish().await.unwrap().to_string(), "done", "it was no call: {text}");
        assert_eq!(texts(&model.requests()[1])[3], format!("<result>{text}</result>"));
        // Read back, it makes the prompt that was sent.
        let mut again = agent.resume(World::default(), run.session_id().clone()).await.unwrap();
        assert_eq!(again.finish().await.unwrap().to_string(), "done");
        assert_eq!(texts(again.prompt().unwrap()), texts(&model.requests()[1]));
    }
}

#[tokio::test]
async fn two_agents_that_are_built_alike_are_recorded_alike() {
    let mut recorded = Vec::new();
    for _ in 0..2 {
        let (world, journal) = (World::default(), MemoryJournal::new());
        let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
        let run = agent.on(world).inject(rules()).goal("go").await.unwrap();
        let records: Vec<Record> = journal.read(run.session_id(), 0).await.unwrap();
        let payload = |record: Record| (record.kind, record.payload);
        recorded.push(records.into_iter().map(payload).collect::<Vec<_>>());
    }
    assert_eq!(recorded[0], recorded[1]);
    assert!(recorded[0].iter().any(|(kind, _)| kind == "run.started"));
}
