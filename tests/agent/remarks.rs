//! What a person says while a run is under way.

use futures_util::FutureExt;
use polyloop::{
    Agent, Budget, ContextFragment, Ending, Model, ModelError, Prompt, RecordError, Reply, RunError,
    Scripted, Update, registry, tool,
};
use tokio::sync::Notify;

use crate::support::{last, texts, updates};

/// Waits until it is let go.
#[tool(replay = safe)]
async fn gate(#[state] go: &Notify) -> String {
    go.notified().await;
    "through".to_owned()
}

/// What a host notices.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<notice>", "</notice>"), max_chars = 100, at_most = 1, body = "{text}")]
struct Notice {
    text: String,
}

registry! { struct App { state: Notify, fragments: [Notice], tools: [gate] } }

fn notice(text: &str) -> Notice {
    Notice { text: text.to_owned() }
}

fn agent(model: &Scripted) -> Agent<App> {
    Agent::<App>::builder(model.clone()).build().unwrap()
}

/// Goes on until the call has begun.
async fn until_called(run: &mut polyloop::Run<App>) {
    while !matches!(run.next().await.unwrap().unwrap(), Update::Called { .. }) {}
}

#[tokio::test]
async fn a_remark_while_a_tool_is_at_work_stands_behind_its_result() {
    let model = Scripted::replies([Reply::text("I wait.").call("gate", "{}"), Reply::text("done")]);
    let go = std::sync::Arc::new(Notify::new());
    let mut run = agent(&model).on(go.clone()).goal("go").await.unwrap();
    until_called(&mut run).await;
    run.say("Hurry up.").unwrap();
    run.inject(notice("it is late")).unwrap();
    // The run hears it while the tool is still at work.
    assert!(run.next().now_or_never().is_none());
    go.notify_one();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    assert_eq!(
        texts(&last(&model)),
        ["go", "I wait.", "through", "Hurry up.", "<notice>it is late</notice>"]
    );
}

/// Says something while it is asked.
struct Interrupted(std::sync::Mutex<Option<polyloop::RunHandle<App>>>, Scripted);

impl Model for Interrupted {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        if let Some(handle) = self.0.lock().unwrap().take() {
            handle.say("And the doors?").unwrap();
        }
        self.1.ask(prompt).await
    }
}

#[tokio::test]
async fn a_remark_while_the_model_writes_stands_behind_its_reply() {
    let scripted = Scripted::replies([Reply::text("I look.").call("gate", "{}"), Reply::text("done")]);
    let model = std::sync::Arc::new(Interrupted(std::sync::Mutex::default(), scripted.clone()));
    let go = std::sync::Arc::new(Notify::new());
    go.notify_one();
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(go).goal("go").await.unwrap();
    *model.0.lock().unwrap() = Some(run.handle());
    run.finish().await.unwrap();
    assert_eq!(texts(&last(&scripted)), ["go", "I look.", "through", "And the doors?"]);
}

#[tokio::test]
async fn words_that_cannot_be_recorded_are_refused_where_they_are_said() {
    let model = Scripted::replies([Reply::text("done")]);
    let mut run = agent(&model).on(Notify::new()).goal("go").await.unwrap();
    let said = |error: RunError| error.to_string();
    assert!(run.say("  ").map_err(said).unwrap_err().contains("polyloop.input"));
    assert!(run.inject(notice(&"x".repeat(100))).map_err(said).unwrap_err().contains("100"));
    run.finish().await.unwrap();
    assert_eq!(run.say("too late"), Err(RunError::Ended));
    assert_eq!(run.handle().inject(notice("too late")), Err(RunError::Ended));
}

#[tokio::test]
async fn a_fragment_too_many_is_told_and_the_run_goes_on() {
    let model = Scripted::replies([Reply::text("done")]);
    let mut run = agent(&model).on(Notify::new()).goal("go").await.unwrap();
    run.inject(notice("one")).unwrap();
    run.inject(notice("two")).unwrap();
    let told = updates(&mut run).await;
    let refused: Vec<&RecordError> = told
        .iter()
        .filter_map(|update| match update {
            Update::NotRecorded { error } => Some(error),
            _ => None,
        })
        .collect();
    assert_eq!(refused.len(), 1);
    assert!(refused[0].to_string().contains("notice"), "{}", refused[0]);
    assert!(matches!(told.last(), Some(Update::Ended { ending: Ending::FinalAnswer })));
    assert_eq!(texts(&last(&model)), ["<notice>one</notice>", "go"]);
}

/// A run in which a person says something while the model gives its last answer.
async fn interrupted(scripted: &Scripted, budget: Budget) -> polyloop::Run<App> {
    let model = std::sync::Arc::new(Interrupted(std::sync::Mutex::default(), scripted.clone()));
    let agent = Agent::<App>::builder(model.clone()).budget(budget).build().unwrap();
    let run = agent.on(Notify::new()).goal("go").await.unwrap();
    *model.0.lock().unwrap() = Some(run.handle());
    run
}

#[tokio::test]
async fn words_of_the_last_moment_are_answered() {
    let scripted = Scripted::replies([Reply::text("first"), Reply::text("second")]);
    let mut run = interrupted(&scripted, Budget::default()).await;
    let report = run.finish().await.unwrap();
    assert_eq!(
        (report.to_string().as_str(), &report.ending, report.steps),
        ("second", &Ending::FinalAnswer, 2)
    );
    assert!(!report.unheard);
    assert_eq!(texts(&last(&scripted)), ["go", "first", "And the doors?"]);
    assert_eq!(run.follow_up().await, Err(RunError::EmptyGoal), "nothing is left to answer");
}

#[tokio::test]
async fn an_answer_to_words_of_the_last_moment_may_be_a_call() {
    let call = Reply::text("I look.").call("gate", "{}");
    let scripted = Scripted::replies([Reply::text("first"), call, Reply::text("done")]);
    let model = std::sync::Arc::new(Interrupted(std::sync::Mutex::default(), scripted.clone()));
    let go = std::sync::Arc::new(Notify::new());
    go.notify_one();
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(go).goal("go").await.unwrap();
    *model.0.lock().unwrap() = Some(run.handle());
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    assert_eq!(texts(&last(&scripted)), ["go", "first", "And the doors?", "I look.", "through"]);
}

#[tokio::test]
async fn a_run_without_words_answers_those_that_a_run_had_no_step_for() {
    let scripted = Scripted::replies([Reply::text("first"), Reply::text("second"), Reply::text("third")]);
    let mut run = interrupted(&scripted, Budget::steps(1)).await;
    let report = run.finish().await.unwrap();
    assert_eq!((report.to_string().as_str(), &report.ending), ("first", &Ending::FinalAnswer));
    assert!(report.unheard);
    run.follow_up().await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "second");
    assert_eq!(texts(&last(&scripted)), ["go", "first", "And the doors?"]);
    run.follow_up().goal("on").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "third");
}
