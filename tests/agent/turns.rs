//! Several runs of one session, one after another, and a run that is stepped through.

use polyloop::{
    Agent, Budget, CallContext, Ending, Model, ModelError, Prompt, Reply, RunError, Scripted, Update,
    registry, tool,
};

use crate::support::{Log, builder, bytes, last, rules, skill, start, tallies, texts};

#[tokio::test]
async fn a_follow_up_goes_on_behind_the_run_before() {
    let model = Scripted::replies([tallies(["a"]), Reply::text("one"), Reply::text("two")]);
    let agent = builder(model.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).inject(rules()).goal("first").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "one");
    let before = run.prompt().map(bytes).unwrap();
    run.follow_up().inject(skill("style", "Rhyme.")).goal("second").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending.clone(), report.to_string().as_str()), (Ending::FinalAnswer, "two"));
    let prompt = last(&model);
    assert!(bytes(&prompt).starts_with(&before), "what was sent stays sent");
    assert_eq!(texts(&prompt)[3..], ["wrote a", "one", "Rhyme.", "second"]);
    assert_eq!((report.steps, report.actions, report.requests), (1, 0, 1), "each run is counted by itself");
}

#[tokio::test]
async fn a_run_uses_up_its_own_budget_only() {
    let model = Scripted::replies([tallies(["a"]), tallies(["b"])]);
    let agent = builder(model).budget(Budget::steps(1).actions(9)).build().unwrap();
    let mut run = start(&agent).await;
    assert_eq!(run.finish().await.unwrap().ending, Ending::StepsUsedUp);
    run.follow_up().goal("go on").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps, report.actions), (Ending::StepsUsedUp, 1, 1));
}

#[tokio::test]
async fn a_follow_up_waits_for_the_end_of_the_run_before() {
    let model = Scripted::replies([Reply::text("one"), Reply::text("two")]);
    let mut run = start(&builder(model).build().unwrap()).await;
    let refused = run.follow_up().goal("too early").await;
    assert!(matches!(refused, Err(RunError::Unfinished { .. })), "{refused:?}");
    assert_eq!(run.finish().await.unwrap().to_string(), "one");
    assert_eq!(run.items().len(), 2, "nothing of it was recorded");
}

#[tokio::test]
async fn a_run_in_the_middle_of_a_request_says_so_and_goes_on() {
    let agent = builder(Slow).build().unwrap();
    let mut run = start(&agent).await;
    assert!(run.next().await.is_some(), "the request is on its way");
    let refused = run.follow_up().goal("too early").await;
    assert_eq!(refused, Err(RunError::UnderWay));
    assert_eq!(run.finish().await.unwrap().to_string(), "at last");
}

/// A model that is still at it when it is polled first.
struct Slow;

impl Model for Slow {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        tokio::task::yield_now().await;
        Ok(Reply::text("at last"))
    }
}

#[tokio::test]
async fn what_is_refused_leaves_the_session_as_it_was() {
    let model = Scripted::replies([Reply::text("one"), Reply::text("two")]);
    let mut run = start(&builder(model.clone()).build().unwrap()).await;
    run.finish().await.unwrap();
    let long = skill("style", &"x".repeat(501));
    assert!(matches!(run.follow_up().inject(long).goal("no").await, Err(RunError::Record(_))));
    assert_eq!(run.follow_up().goal(" ").await, Err(RunError::EmptyGoal));
    assert_eq!(run.follow_up().await, Err(RunError::EmptyGoal));
    assert_eq!(run.items().len(), 2);
    run.follow_up().goal("yes").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "two");
    assert_eq!(texts(&last(&model)), ["go", "one", "yes"]);
}

#[tokio::test]
async fn a_run_that_is_cancelled_is_followed_by_one_that_is_not() {
    let model = Scripted::replies([Reply::text("one")]);
    let mut run = start(&builder(model).build().unwrap()).await;
    let old = run.handle();
    old.cancel();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    run.follow_up().goal("now").await.unwrap();
    old.cancel_now();
    assert_eq!(run.finish().await.unwrap().to_string(), "one", "an old handle belongs to the run that ended");
}

#[tokio::test]
async fn a_follow_up_may_work_on_another_state() {
    let model = Scripted::replies([tallies(["a"]), Reply::text("one"), tallies(["b"]), Reply::text("two")]);
    let (first, second) = (std::sync::Arc::new(Log::default()), std::sync::Arc::new(Log::default()));
    let agent = builder(model).build().unwrap();
    let mut run = agent.on(first.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().on(second.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!((first.lines(), second.lines()), (vec!["a".to_owned()], vec!["b".to_owned()]));
}

#[tokio::test]
async fn a_step_carries_out_one_thing() {
    let model = Scripted::replies([tallies(["a"]), Reply::text("done")]);
    let mut run = start(&builder(model).build().unwrap()).await;
    let mut told = Vec::new();
    let mut reports = Vec::new();
    while let Some(updates) = run.step().await.unwrap() {
        told.push(updates.iter().map(name).collect::<Vec<_>>().join(" "));
        reports.push(run.report());
    }
    let told: Vec<&str> = told.iter().map(String::as_str).filter(|told| !told.is_empty()).collect();
    assert_eq!(told, ["asked replied", "called observed", "asked replied", "ended"]);
    assert_eq!(reports[0].ending, Ending::UnderWay);
    assert_eq!((reports[0].requests, reports[0].steps), (1, 0), "asked, not yet read");
    assert_eq!(reports.last().unwrap().to_string(), "done");
    assert_eq!(run.step().await.unwrap().map(|updates| updates.len()), None, "it ended");
}

fn name(update: &Update) -> &'static str {
    match update {
        Update::Asked { .. } => "asked",
        Update::Replied { .. } => "replied",
        Update::Called { .. } => "called",
        Update::Observed { .. } => "observed",
        Update::Ended { .. } => "ended",
        Update::ApprovalAsked { .. } => "approval",
        _ => "other",
    }
}

/// Does what a person must agree to.
#[tool(approval)]
async fn risky() -> String {
    "done".to_owned()
}

/// Does what few need.
#[tool(hidden)]
async fn rare() -> String {
    "rare indeed".to_owned()
}

/// Tells its key.
#[tool(replay = safe)]
async fn key(#[call] call: &CallContext) -> String {
    format!("{} {}", call.id(), call.idempotency_key())
}

registry! { struct Careful { tools: [risky, rare, key] } }

#[tokio::test]
async fn no_two_calls_of_any_sessions_share_an_idempotency_key() {
    let mut keys = std::collections::BTreeSet::new();
    for _ in 0..2 {
        let model = Scripted::replies([Reply::tool("key", "").call("key", ""), Reply::text("done")]);
        let mut run = Agent::<Careful>::builder(model).build().unwrap().on(()).goal("go").await.unwrap();
        run.finish().await.unwrap();
        let session = run.session_id().to_string();
        for (call, item) in (1..).zip(&run.items()[2..4]) {
            assert_eq!(item.text(), format!("call_{call} {session}/call_{call}"));
            keys.insert(item.text().into_owned());
        }
    }
    assert_eq!(keys.len(), 4);
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_is_stepped_on_when_they_answered() {
    let model = Scripted::replies([Reply::tool("risky", ""), Reply::text("done")]);
    let mut run = Agent::<Careful>::builder(model).build().unwrap().on(()).goal("go").await.unwrap();
    while run.step().await.unwrap().is_some() {}
    assert_eq!(run.report().ending, Ending::AwaitingApproval);
    run.approve(run.waiting()[0].id()).await.unwrap();
    while run.step().await.unwrap().is_some() {}
    assert_eq!(run.report().to_string(), "done");
}

fn shown(model: &Scripted) -> Vec<Vec<String>> {
    let names = |prompt: &Prompt| prompt.tools().iter().map(|tool| tool.name().to_owned()).collect();
    model.requests().iter().map(names).collect()
}

#[tokio::test]
async fn a_hidden_tool_is_shown_from_when_it_is_enabled_in_further_runs_too() {
    let model = Scripted::replies([Reply::tool("rare", ""), Reply::text("one"), Reply::text("two")]);
    let agent = Agent::<Careful>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    run.step().await.unwrap();
    run.handle().enable::<rare>().unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("and").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(
        shown(&model),
        [vec!["risky", "key"], vec!["risky", "rare", "key"], vec!["risky", "rare", "key"]]
    );

    let model = Scripted::replies([Reply::text("one")]);
    let agent = Agent::<Careful>::builder(model.clone()).build().unwrap();
    agent.on(()).enable::<rare>().goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!(shown(&model), [["risky", "rare", "key"]]);
}

#[tokio::test]
async fn a_tool_that_the_agent_does_not_have_cannot_be_enabled() {
    let agent = Agent::<Careful>::builder(Scripted::replies([])).build().unwrap().without::<rare>();
    let refused = RunError::NoSuchTool { tool: "rare".to_owned() };
    assert_eq!(agent.on(()).enable::<rare>().goal("go").await.err(), Some(refused.clone()));
    let run = agent.on(()).goal("go").await.unwrap();
    assert_eq!(run.handle().enable::<rare>(), Err(refused));
}
