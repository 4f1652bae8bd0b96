//! A session can always go on: observations and requests are bounded, and a compaction makes room.

use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{
    Action, ActionOutcome, Agent, Budget, CallContext, Decision, Ending, Executor, Finish, ForeignHistory,
    Image, Interpreter, MemoryJournal, ModelError, ModelErrorClass, Prompt, Reply, Scripted, Summarizer,
    ToolError, Update, UserInput, read_result, registry, tool,
};

use crate::support::{records, texts};

/// Reads a file.
#[tool(replay = safe)]
async fn read_file(
    /// How many characters it has.
    size: usize,
) -> Result<String, ToolError> {
    let text: String =
        (0..).flat_map(|line| format!("line {line}\n").into_bytes()).map(char::from).take(size).collect();
    if size % 2 == 1 { Err(ToolError::failed(text)) } else { Ok(text) }
}

/// Reads the log.
#[tool(replay = safe, max_chars = 1_000)]
async fn read_log() -> String {
    "l".repeat(30_000)
}

registry! { struct Files { tools: [read_file, read_log] } }

registry! { struct Reading { tools: [read_file, read_result] } }

fn read(size: usize) -> Reply {
    Reply::tool("read_file", format!(r#"{{"size":{size}}}"#))
}

/// The observations of a prompt.
fn last(model: &Scripted) -> Vec<String> {
    texts(&model.requests().pop().unwrap())
}

#[tokio::test]
async fn one_result_of_480_000_characters_ends_no_session() {
    let journal = MemoryJournal::new();
    let model = Scripted::replies([read(480_000), Reply::text("long"), Reply::text("still there")]);
    let agent = Agent::<Files>::builder(model.clone()).compactor(Summarizer::new()).journal(journal.clone());
    let agent = agent.build().unwrap();
    let mut run = agent.on(()).session("s").goal("Read it.").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "long");
    run.follow_up().goal("And?").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "still there");
    let shown = last(&model)[2].clone();
    assert!(shown.chars().count() <= 50_000 && shown.chars().count() > 49_900, "{}", shown.chars().count());
    assert!(shown.starts_with("line 0\nline 1\n"));
    let (head, rest) = shown.split_once("\n[").unwrap();
    let (missing, tail) = rest.split_once(" characters are not shown]\n").unwrap();
    let kept = head.chars().count() + tail.chars().count();
    assert_eq!(missing.parse::<usize>().unwrap(), 480_000 - kept);
    let whole = records(&journal, &"s".into()).await;
    assert!(whole.iter().any(|record| record.payload.len() > 480_000), "the journal keeps all of it");
    assert_eq!(texts(&agent.read("s").await.unwrap().prompt())[2], shown);
}

#[tokio::test]
async fn a_result_is_not_changed_by_a_character_up_to_the_limit() {
    for (budget, size, is_cut) in [
        (Budget::default(), 50_000, false),
        (Budget::default(), 50_002, true),
        (Budget::default().observation_chars(200), 200, false),
        (Budget::default().observation_chars(200), 202, true),
    ] {
        let model = Scripted::replies([read(size), Reply::text("done")]);
        let agent = Agent::<Files>::builder(model.clone()).budget(budget).build().unwrap();
        agent.on(()).goal("Read.").await.unwrap().finish().await.unwrap();
        assert_eq!(last(&model)[2].contains("are not shown"), is_cut, "{size}");
        assert_eq!(last(&model)[2].chars().count() == size, !is_cut, "{size}");
    }
}

#[tokio::test]
async fn a_tool_has_a_limit_of_its_own_and_errors_are_bounded_too() {
    let model = Scripted::replies([Reply::tool("read_log", "{}"), read(60_001), Reply::text("done")]);
    let agent = Agent::<Files>::builder(model.clone()).build().unwrap();
    agent.on(()).goal("Read.").await.unwrap().finish().await.unwrap();
    let shown = last(&model);
    assert!(shown[2].chars().count() <= 1_000 && shown[2].starts_with("lll") && shown[2].ends_with("lll"));
    assert!(shown[4].starts_with("error: line 0\n") && shown[4].chars().count() <= 50_000);
}

/// Answers everything with a long text.
struct Verbose;

impl<S: Send + Sync + 'static> Executor<S> for Verbose {
    async fn execute(&self, _: &Action, _: &CallContext, _: &S) -> ActionOutcome {
        ActionOutcome::executed("c".repeat(90_000))
    }
}

/// Takes each text for code, but for one that it explains at length.
struct Explains;

impl Interpreter for Explains {
    fn interpret(&self, reply: &Reply) -> Decision {
        match reply.as_text() {
            "done" => Decision::answer("done"),
            "what?" => Decision::invalid("what?", "e".repeat(90_000)),
            text => Decision::act(text, vec![Action::Code { language: "sh".into(), source: text.into() }]),
        }
    }
}

#[tokio::test]
async fn the_output_of_code_and_an_explanation_are_observations_and_bounded_as_well() {
    let model = Scripted::replies(["ls", "what?", "done"].map(Reply::text));
    let agent =
        Agent::<Files>::builder(model.clone()).interpreter(Explains).executor(Verbose).build().unwrap();
    agent.on(()).goal("Look.").await.unwrap().finish().await.unwrap();
    let shown = last(&model);
    for observed in [&shown[2], &shown[4]] {
        assert!(
            observed.chars().count() <= 50_000 && observed.contains("are not shown"),
            "{}",
            observed.len()
        );
    }
}

#[tokio::test]
async fn an_imported_result_is_bounded_and_can_be_read() {
    let long = "i".repeat(70_000);
    let history = serde_json::json!([
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
        ]},
        {"role": "tool", "tool_call_id": "a", "content": long}
    ]);
    let script = [Reply::tool("read_result", r#"{"call":"call_1","from":69990}"#), Reply::text("done")];
    let model = Scripted::replies(script);
    let agent = Agent::<Reading>::builder(model.clone()).journal(MemoryJournal::new()).build().unwrap();
    let history = ForeignHistory::open_ai(&history.to_string()).unwrap();
    agent.import(history).session("s").await.unwrap();
    agent.on(()).session("s").goal("Go on.").await.unwrap().finish().await.unwrap();
    let shown = last(&model);
    let imported = shown.iter().find(|text| text.starts_with("iii")).unwrap();
    assert!(imported.chars().count() <= 50_000 && imported.contains("under call_1]"), "{}", imported.len());
    assert!(
        shown.contains(&"[characters 69990 to 70000 of 70000]\niiiiiiiiii".to_owned()),
        "{:?}",
        shown.last()
    );
}

#[tokio::test]
async fn a_model_reads_what_was_cut_in_pieces_also_in_a_branch() {
    let piece =
        |from: usize| Reply::tool("read_result", format!(r#"{{"call":"call_1","from":{from},"most":7}}"#));
    let script =
        [read(480_000), piece(0), Reply::text("done"), piece(7), piece(480_000), Reply::text("done")];
    let model = Scripted::replies(script);
    let agent = Agent::<Reading>::builder(model.clone()).journal(MemoryJournal::new()).build().unwrap();
    agent.on(()).session("s").goal("Read.").await.unwrap().finish().await.unwrap();
    let shown = last(&model);
    assert!(
        shown[2].contains("characters are not shown]\n[all of it can be read, in pieces, under call_1]\n")
    );
    assert_eq!(shown[4], "[characters 0 to 7 of 480000]\nline 0\n");
    agent.fork((), "s").session("t").goal("Go on.").await.unwrap().finish().await.unwrap();
    let shown = last(&model);
    assert!(shown.contains(&"[characters 7 to 14 of 480000]\nline 1\n".to_owned()), "{:?}", shown.get(6..));
    assert!(shown.contains(&"error: the result has 480000 characters; begin before that".to_owned()));
}

#[tokio::test]
async fn results_side_by_side_that_do_not_fit_are_cut_and_the_run_goes_on() {
    let calls = (0..12).fold(Reply::default(), |reply, _| reply.call("read_file", r#"{"size":40000}"#));
    let model = Scripted::replies([calls, Reply::text("done")]);
    let agent = Agent::<Files>::builder(model.clone()).compactor(Summarizer::new()).build().unwrap();
    let report = agent.on(()).goal("Read.").await.unwrap().finish().await.unwrap();
    assert_eq!(report.to_string(), "done");
    assert!(report.prompt_chars < 320_000, "{}", report.prompt_chars);
    assert_eq!(
        last(&model).iter().filter(|text| text.starts_with("line 0")).count(),
        12,
        "none of them is lost"
    );
}

#[tokio::test]
async fn a_session_that_ended_over_its_budget_goes_on_in_the_next_run() {
    let journal = MemoryJournal::new();
    let script =
        [Reply::text("y".repeat(3_000)), Reply::text("over"), Reply::text("again"), Reply::text("fine")];
    let model = Scripted::replies(script);
    let budget = Budget::steps(9).prompt_chars(2_000).compaction_chars(1_900);
    let agent = Agent::<Files>::builder(model.clone()).budget(budget).compactor(Summarizer::new());
    let agent = agent.journal(journal).build().unwrap();
    let mut run = agent.on(()).session("s").goal("Say much.").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("And?").await.unwrap();
    let ending = run.finish().await.unwrap().ending;
    assert!(matches!(ending, Ending::ContextOverflow { .. }), "the host is told first: {ending:?}");
    run.follow_up().goal("Go on.").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let shown = last(&model);
    let gap = "1 earlier exchanges are not shown any more; there was no room for a summary of them.";
    assert!(shown.iter().any(|text| text.contains(gap)), "{shown:?}");
    assert!(shown.contains(&"Say much.".to_owned()), "words stay where there is room for them");
}

fn too_long(prompt: &Prompt, limit: usize) -> Option<ModelError> {
    (prompt.chars() > limit).then(|| ModelError::new(ModelErrorClass::ContextTooLong, "too many tokens"))
}

/// A model whose provider takes fewer characters than the budget allows.
struct Small(AtomicUsize);

impl polyloop::Model for Small {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        if let Some(error) = too_long(prompt, 90_000) {
            return Err(error);
        }
        match self.0.fetch_add(1, Ordering::Relaxed) {
            step if step < 5 => Ok(read(30_000)),
            _ => Ok(Reply::text("done")),
        }
    }
}

#[tokio::test]
async fn a_request_that_the_provider_finds_too_long_is_answered_by_one_compaction() {
    let agent =
        Agent::<Files>::builder(Small(AtomicUsize::new(0))).compactor(Summarizer::new()).build().unwrap();
    let mut run = agent.on(()).goal("Read.").await.unwrap();
    let mut compacted = 0;
    while let Some(update) = run.next().await {
        compacted += usize::from(matches!(update.unwrap(), Update::Compacted { .. }));
    }
    assert_eq!(run.report().ending, Ending::FinalAnswer);
    assert!(compacted >= 1);
    // Without a strategy there is nothing that could answer it.
    let agent = Agent::<Files>::builder(Small(AtomicUsize::new(0))).build().unwrap();
    let ending = agent.on(()).goal("Read.").await.unwrap().finish().await.unwrap().ending;
    assert!(matches!(ending, Ending::ModelFailure { .. }), "{ending:?}");
}

/// A model whose provider refuses everything.
struct Refuses(AtomicUsize);

impl polyloop::Model for Refuses {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(too_long(prompt, 0).unwrap_or_else(|| ModelError::new(ModelErrorClass::Server, "no")))
    }
}

#[tokio::test]
async fn a_provider_that_refuses_every_request_is_not_asked_for_ever() {
    let agent =
        Agent::<Files>::builder(Refuses(AtomicUsize::new(0))).compactor(Summarizer::new()).build().unwrap();
    let report = agent.on(()).goal("Read.").await.unwrap().finish().await.unwrap();
    assert!(matches!(report.ending, Ending::ModelFailure { .. }), "{:?}", report.ending);
    assert_eq!(report.requests, 2);
}

#[tokio::test]
async fn forty_megabytes_of_images_are_not_sent_unasked() {
    let photo = || Image::new("image/png", vec![7; 5_000_000], 3_200).unwrap();
    let input = (0..6).fold(UserInput::from("Look."), |input, _| input.image(photo()));
    let model = Scripted::replies([Reply::text("seen")]);
    let agent = Agent::<Files>::builder(model.clone()).compactor(Summarizer::new()).build().unwrap();
    let mut run = agent.on(()).goal(input.clone()).await.unwrap();
    let ending = run.finish().await.unwrap().ending;
    assert!(matches!(ending, Ending::RequestTooLarge { bytes } if bytes > 40_000_000), "{ending:?}");
    assert!(model.requests().is_empty());
    assert_eq!(ending.to_string(), "the next request has 40000013 bytes, over the budget; it was not sent");
    run.follow_up().goal("Without the images, then.").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "seen", "the session goes on");
    // Whoever asks for it may send them.
    let model = Scripted::replies([Reply::text("seen")]);
    let agent =
        Agent::<Files>::builder(model).budget(Budget::default().request_bytes(50_000_000)).build().unwrap();
    assert_eq!(agent.on(()).goal(input).await.unwrap().finish().await.unwrap().to_string(), "seen");
}

/// A run of so many steps, each with a result of this size, and what its summaries cost beside its steps, in characters.
pub(crate) async fn costs(
    budget: Budget,
    steps: usize,
    result: usize,
    summary: &Reply,
) -> (polyloop::Report, usize) {
    let summary = summary.clone();
    let step = AtomicUsize::new(0);
    let model = Scripted::by(move |prompt| {
        let is_asked = texts(prompt).last().is_some_and(|last| last.starts_with("Stop here"));
        if is_asked {
            return summary.clone();
        }
        match step.fetch_add(1, Ordering::Relaxed) {
            number if number < steps => read(result),
            _ => Reply::text("done"),
        }
    });
    let agent =
        Agent::<Files>::builder(model.clone()).budget(budget).compactor(Summarizer::new()).build().unwrap();
    let report = agent.on(()).goal("Read.").await.unwrap().finish().await.unwrap();
    let all: usize = model.requests().iter().map(Prompt::chars).sum();
    (report, all)
}

#[tokio::test]
async fn summaries_that_are_always_cut_do_not_eat_up_a_run() {
    let cut = Reply::text("s".repeat(16_000)).finished(Finish::Length);
    let (report, all) = costs(Budget::steps(400), 200, 5_000, &cut).await;
    assert_eq!(report.ending, Ending::FinalAnswer);
    let work = all - report.summaries.chars.min(all);
    assert!(report.summaries.chars * 100 <= work * 15, "{:?} of {work}", report.summaries);
}

#[tokio::test]
async fn a_good_summary_leaves_room_for_more_than_the_next_step() {
    let good = Reply::text("s".repeat(4_000));
    let (report, all) = costs(Budget::steps(60).prompt_chars(100_000), 40, 30_000, &good).await;
    assert_eq!(report.ending, Ending::FinalAnswer);
    assert!(report.summaries.requests <= 4, "{:?}", report.summaries);
    let work = all - report.summaries.chars.min(all);
    assert!(report.summaries.chars * 100 <= work * 15, "{:?} of {work}", report.summaries);
}

#[tokio::test]
async fn behind_an_abandoned_attempt_the_next_one_waits_until_the_prompt_has_grown_by_a_tenth() {
    let cut = Reply::text("cut").finished(Finish::Length);
    let model = Scripted::by(move |prompt| {
        if texts(prompt).last().is_some_and(|last| last.starts_with("Stop here")) {
            cut.clone()
        } else {
            Reply::text("x".repeat(100)).call("read_file", r#"{"size":2}"#)
        }
    });
    let budget = Budget::steps(40).prompt_chars(100_000).compaction_chars(1_000);
    let agent =
        Agent::<Files>::builder(model.clone()).budget(budget).compactor(Summarizer::new()).build().unwrap();
    let report = agent.on(()).goal("Read.").await.unwrap().finish().await.unwrap();
    let asked: Vec<usize> = model
        .requests()
        .iter()
        .filter(|prompt| texts(prompt).last().is_some_and(|last| last.starts_with("Stop here")))
        .map(Prompt::chars)
        .collect();
    assert_eq!(report.summaries.requests, asked.len());
    assert_eq!(report.summaries.chars, asked.iter().sum::<usize>() + 3 * asked.len());
    assert!(asked.len() > 3, "{asked:?}");
    assert!(asked.windows(2).all(|pair| pair[1] >= pair[0] + pair[0] / 20), "{asked:?}");
}
