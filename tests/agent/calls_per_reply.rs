//! The number of calls that one reply may make, and the cost of a reply with many.

use std::time::{Duration, Instant};

use polyloop::{
    Action, Agent, Budget, BuildError, Decision, Ending, Interpreter, Reply, Report, Scripted, Texts,
    registry, tool,
};

use crate::support::{Log, builder, last, run, texts};

const EXPLANATION: &str =
    "The reply makes more than 128 calls, and none of them was executed; make fewer in one reply.";

fn many(tool: &str, calls: usize) -> Reply {
    (0..calls).fold(Reply::text("I act."), |reply, _| reply.call(tool, r#"{"line":"a"}"#))
}

async fn acts(model: Scripted, budget: Budget) -> (Report, usize) {
    let agent = builder(model).budget(budget).build().unwrap();
    let log = std::sync::Arc::new(Log::default());
    let report = agent.on(log.clone()).goal("go").await.unwrap().finish().await.unwrap();
    (report, log.lines().len())
}

#[tokio::test]
async fn a_reply_with_more_calls_than_allowed_executes_none_of_them_and_the_model_is_told_why() {
    let model = Scripted::replies([many("tally", 129), Reply::text("done")]);
    let (report, lines) = acts(model.clone(), Budget::steps(9).actions(200)).await;
    assert_eq!((report.ending, report.steps, report.actions, lines), (Ending::FinalAnswer, 2, 0, 0));
    assert_eq!(texts(&last(&model)), ["go", "I act.", EXPLANATION]);
}

#[tokio::test]
async fn a_reply_with_as_many_calls_as_allowed_is_carried_out() {
    let script = || Scripted::replies([many("tally", 128), Reply::text("done")]);
    let (report, lines) = acts(script(), Budget::steps(9).actions(200)).await;
    assert_eq!((report.ending, report.actions, lines), (Ending::FinalAnswer, 128, 128));
    let (report, lines) = acts(script(), Budget::steps(9).actions(200).calls_per_reply(127)).await;
    assert_eq!((report.actions, lines), (0, 0));
}

#[tokio::test]
async fn a_model_that_never_makes_fewer_calls_uses_up_its_steps() {
    let model = Scripted::by(|_| many("tally", 300));
    let (report, lines) = acts(model, Budget::steps(3).actions(1_000)).await;
    assert_eq!((report.ending, report.steps, lines), (Ending::StepsUsedUp, 3, 0));
}

/// Reads a call of `tally` for each line of the text.
struct Lines;

impl Interpreter for Lines {
    fn interpret(&self, reply: &Reply) -> Decision {
        let call = |line: &str| Action::tool("tally", format!(r#"{{"line":"{line}"}}"#));
        match reply.as_text() {
            "done" => Decision::answer("done"),
            text => Decision::act(text, text.lines().map(call).collect()),
        }
    }
}

#[tokio::test]
async fn the_limit_holds_for_an_interpreter_of_text_as_well() {
    let model = Scripted::replies([Reply::text("a\n".repeat(129)), Reply::text("done")]);
    let agent =
        builder(model.clone()).interpreter(Lines).budget(Budget::steps(9).actions(200)).build().unwrap();
    let report = run(&agent).await;
    assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 0));
    assert_eq!(texts(&last(&model)).last().unwrap(), EXPLANATION);
}

#[tokio::test]
async fn a_project_words_the_explanation_itself() {
    let texts_with = |text: &str| {
        let mut texts = Texts::default();
        texts.too_many_calls = text.to_owned();
        texts
    };
    let model = Scripted::replies([many("tally", 3), Reply::text("done")]);
    let agent = builder(model.clone())
        .texts(texts_with("At most {limit}."))
        .budget(Budget::steps(9).calls_per_reply(2));
    run(&agent.build().unwrap()).await;
    assert_eq!(texts(&last(&model)), ["go", "I act.", "At most 2."]);
    let refused = |text: &str| builder(Scripted::replies([])).texts(texts_with(text)).build().unwrap_err();
    assert_eq!(refused(" "), BuildError::EmptyText { name: "too_many_calls" });
    assert!(refused("{calls}").to_string().contains("only `{limit}` is known"));
}

/// Does nothing.
#[tool(replay = safe)]
async fn rest() -> String {
    "rested".to_owned()
}

/// Does nothing, beside other calls.
#[tool(replay = safe, concurrent)]
async fn idle() -> String {
    "idled".to_owned()
}

registry! { struct Resting { tools: [rest, idle] } }

/// The time of one call in a reply with so many: the shortest of several.
async fn each_call(tool: &str, calls: usize, times: usize) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..times {
        let reply = (0..calls).fold(Reply::text("I act."), |reply, _| reply.call(tool, "{}"));
        let agent = Agent::<Resting>::builder(Scripted::replies([reply, Reply::text("done")]))
            .budget(Budget::steps(2).actions(calls + 1).prompt_chars(usize::MAX).calls_per_reply(calls))
            .build()
            .unwrap();
        let mut run = agent.on(()).goal("go").await.unwrap();
        let begin = Instant::now();
        assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
        shortest = shortest.min(begin.elapsed() / u32::try_from(calls).unwrap());
    }
    shortest
}

#[tokio::test]
async fn a_call_costs_the_same_however_many_others_the_reply_makes() {
    // `gaze` is no tool: each of its calls is refused.
    for tool in ["rest", "idle", "gaze"] {
        let (few, many) = (each_call(tool, 20, 20).await, each_call(tool, 3_000, 3).await);
        // Where it grows with the others, it is more than thirty times as long. The machine may be busy.
        assert!(many < few * 6, "{tool}: {few:?} became {many:?}");
    }
}

#[tokio::test]
async fn the_shares_of_a_report_are_those_of_all_blocks_however_the_prompt_grew() {
    let model = Scripted::replies([many("tally", 3), many("gaze", 2), Reply::text("done")]);
    let agent = builder(model.clone()).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    let report = run.finish().await.unwrap();
    let prompt = last(&model);
    assert_eq!(report.shares.iter().map(|share| share.chars).sum::<usize>(), prompt.chars());
    let mut counted: Vec<(String, Option<String>, usize, usize)> = Vec::new();
    for block in prompt.messages().flat_map(polyloop::Message::blocks) {
        let (kind, tool) = (block.origin().kind().to_owned(), block.origin().tool().map(str::to_owned));
        match counted.iter_mut().find(|counted| counted.0 == kind && counted.1 == tool) {
            Some(counted) => {
                counted.2 += 1;
                counted.3 += block.chars();
            }
            None => counted.push((kind, tool, 1, block.chars())),
        }
    }
    let shares = report.shares.into_iter();
    let shares: Vec<_> = shares.map(|share| (share.kind, share.tool, share.blocks, share.chars)).collect();
    assert_eq!(shares, counted);
}
