//! Conversations, each through an agent, and what its model was asked last.

use polyloop::prelude::*;
use polyloop::{Image, Journal, MemoryJournal, UserInput};

use crate::arguments::{Arguments, TYPES};

/// What the last request of a conversation says.
pub(crate) struct Conversation {
    pub(crate) name: &'static str,
    pub(crate) prompt: Prompt,
}

/// How the model is to work.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", slot = run, max_chars = 500, body = "{text}")]
struct Rules {
    text: String,
}

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<cwd>", "</cwd>"), max_chars = 500, body = "{path}")]
struct Place {
    path: String,
}

/// What the runtime noticed.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<notice>", "</notice>"), slot = turn, max_chars = 500, body = "{text}")]
struct Notice {
    text: String,
}

/// Adds two numbers.
#[tool(replay = safe, concurrent)]
async fn add(
    /// The first.
    left: i64,
    /// The second.
    right: i64,
) -> Json<i64> {
    Json(left + right)
}

/// Says nothing.
#[tool(replay = safe)]
async fn nothing() -> String {
    String::new()
}

/// Pays. It never comes back.
#[tool]
async fn pay(
    /// To whom.
    to: String,
) -> String {
    std::future::pending::<()>().await;
    to
}

registry! { struct App { fragments: [Rules, Place, Notice], tools: [add, nothing, pay] } }

registry! { struct Silent { fragments: [Rules] } }

fn rules() -> Rules {
    Rules { text: "Be brief.".to_owned() }
}

fn place() -> Place {
    Place { path: "/srv".to_owned() }
}

fn notice(text: &str) -> Notice {
    Notice { text: text.to_owned() }
}

fn agent<R: Registry<State = ()>>(model: &Scripted, journal: &(impl Journal + Clone)) -> Agent<R> {
    let budget = Budget::steps(20).unknown_outcomes(0);
    Agent::builder(model.clone()).budget(budget).journal(journal.clone()).build().expect("the agent is built")
}

fn of(name: &'static str, model: &Scripted) -> Conversation {
    Conversation { name, prompt: model.requests().pop().expect("the model was asked") }
}

/// A conversation in which the model replies so.
async fn said(name: &'static str, replies: impl IntoIterator<Item = Reply>) -> Conversation {
    let model = Scripted::replies(replies);
    let agent = agent::<App>(&model, &MemoryJournal::new());
    let mut run = agent.on(()).goal("Go on.").await.expect("the run begins");
    run.finish().await.expect("the run ends");
    of(name, &model)
}

/// A conversation for each type of argument with the one tool that takes it, and one with all of them at once, so that what a
/// provider counts over a request is counted.
pub(crate) async fn of_argument_types() -> Vec<Conversation> {
    let called = |reply: Reply, (name, _, value): &(&str, &str, &str)| {
        reply.call(*name, format!(r#"{{"value":{value}}}"#))
    };
    let mut all = Vec::new();
    for of_type in TYPES {
        let reply = called(Reply::text("I take it."), of_type);
        all.push(taken(of_type.0, &[of_type.0], reply).await);
    }
    let names: Vec<&str> = TYPES.iter().map(|(name, ..)| *name).collect();
    all.push(taken("all types", &names, TYPES.iter().fold(Reply::text(""), called)).await);
    all
}

async fn taken(conversation: &'static str, tools: &[&str], reply: Reply) -> Conversation {
    let model = Scripted::replies([reply, Reply::text("Done.")]);
    let whole = agent::<Arguments>(&model, &MemoryJournal::new());
    let tools = whole.tools().restrict_to_names(tools).expect("the tools are there");
    let agent = Agent::<Arguments>::builder(model.clone()).tools(tools).build().expect("the agent is built");
    let mut run = agent.on(()).goal("Go on.").await.expect("the run begins");
    run.finish().await.expect("the run ends");
    of(conversation, &model)
}

/// Every conversation of which the prompt is all that counts.
pub(crate) async fn all() -> Vec<Conversation> {
    let call = |left: i64| format!(r#"{{"left":{left},"right":2}}"#);
    let unreadable = Reply::text("Hm.")
        .call("add", r#"{"left":"#)
        .call("add", "[1]")
        .call("add", "")
        .call("nothing", "null")
        .call("add", r#"{"left":1,"right":2,"further":{"$x":null}}"#);
    let foreign = Reply::text("").call("no such tool!", "{}").call("", "{}").call("größe.x".repeat(40), "{}");
    vec![
        plain().await,
        said("one call", [Reply::tool("add", call(1)), Reply::text("It is 3.")]).await,
        said(
            "parallel calls",
            [
                Reply::text("Let me add.").call("add", call(1)).call("add", call(2)).call("nothing", ""),
                Reply::text("").call("add", call(3)).call("pay", "{}"),
                Reply::text("They are 3, 4 and 5."),
            ],
        )
        .await,
        said("unreadable arguments", [unreadable, Reply::text("Done.")]).await,
        said("tools that there are not", [foreign, Reply::text("Done.")]).await,
        images().await,
        unknown_outcome().await,
        notes_in_the_middle().await,
        neighbours().await,
        blanks().await,
    ]
}

/// Without tools.
async fn plain() -> Conversation {
    let model = Scripted::replies([Reply::text("It is 42."), Reply::text("Yes.")]);
    let agent = agent::<Silent>(&model, &MemoryJournal::new());
    let mut run = agent.on(()).inject(rules()).goal("What is 40 plus 2?").await.expect("the run begins");
    run.finish().await.expect("the run ends");
    run.follow_up().goal("Are you sure?").await.expect("the next turn begins");
    run.finish().await.expect("the run ends");
    of("plain", &model)
}

/// A person's images, as data and by address.
async fn images() -> Conversation {
    let model = Scripted::replies([Reply::text("A door."), Reply::text("Two doors.")]);
    let agent = agent::<App>(&model, &MemoryJournal::new());
    let data = Image::new("image/png", b"\x89PNG", 100).expect("an image");
    let address = Image::url("https://example.com/a.png?b=c", 100).expect("an image");
    let mut run =
        agent.on(()).inject(rules()).goal(UserInput::from(data.clone())).await.expect("the run begins");
    run.finish().await.expect("the run ends");
    let words = UserInput::from("Compare").image(data).text("with").image(address);
    run.follow_up().inject(notice("The camera is on.")).goal(words).await.expect("the next turn begins");
    run.finish().await.expect("the run ends");
    of("images", &model)
}

/// A call that was under way when its process ended, and a person who looked.
async fn unknown_outcome() -> Conversation {
    let journal = MemoryJournal::new();
    let model =
        Scripted::replies([Reply::text("I pay.").call("pay", r#"{"to":"Ada"}"#), Reply::text("I see.")]);
    let mut run = agent::<App>(&model, &journal).on(()).goal("Pay Ada.").await.expect("the run begins");
    loop {
        if let Update::Called { .. } = run.next().await.expect("the run goes on").expect("without a failure")
        {
            break;
        }
    }
    let session = run.session_id().clone();
    drop(run);
    let agent = agent::<App>(&model, &journal);
    let mut run = agent.resume((), session.clone()).await.expect("the run is taken up");
    let ending = run.finish().await.expect("the run waits").ending;
    assert_eq!(ending, Ending::UnknownOutcomes, "a person has to look");
    run.acknowledge().await.expect("somebody looked");
    run.finish().await.expect("the run ends");
    of("an unknown outcome", &model)
}

/// What a developer and a host say while the run is under way.
async fn notes_in_the_middle() -> Conversation {
    let model = Scripted::replies([
        Reply::text("").call("add", r#"{"left":1,"right":2}"#),
        Reply::text("").call("nothing", "{}"),
        Reply::text("Done."),
    ]);
    let agent = agent::<App>(&model, &MemoryJournal::new());
    let mut run = agent.on(()).inject(rules()).inject(place()).goal("Add.").await.expect("the run begins");
    let mut observed = 0;
    while let Some(update) = run.next().await {
        if let Update::Observed { .. } = update.expect("without a failure") {
            observed += 1;
            run.inject(Place { path: format!("/srv/{observed}") }).expect("a fragment");
            run.inject(notice("It rains.")).expect("a fragment");
            run.say("Go on, please.").expect("words");
        }
    }
    of("notes in the middle", &model)
}

/// Several things said by one side before the other one speaks.
async fn neighbours() -> Conversation {
    let model = Scripted::replies([
        Reply::text("cut").finished(polyloop::Finish::Length),
        Reply::text("A text beside a call.").call("add", r#"{"left":1,"right":2}"#),
        Reply::text("One."),
        Reply::text("Two."),
    ]);
    let agent = agent::<App>(&model, &MemoryJournal::new());
    let run = agent.on(()).inject(rules()).inject(place()).inject(notice("One.")).inject(notice("Two."));
    let mut run = run.goal("Go.").await.expect("the run begins");
    run.finish().await.expect("the run ends");
    run.follow_up()
        .inject(notice("Three."))
        .inject(place())
        .goal("Again.")
        .await
        .expect("the next turn begins");
    run.finish().await.expect("the run ends");
    of("neighbours", &model)
}

/// What says nothing, or only white space.
async fn blanks() -> Conversation {
    let model = Scripted::replies([
        Reply::text("  \n").call("nothing", "{}"),
        Reply::text("").call("nothing", " "),
        Reply::text("Done."),
        Reply::text("Done."),
    ]);
    let agent = agent::<App>(&model, &MemoryJournal::new());
    let mut run = agent.on(()).inject(rules()).goal("Go.").await.expect("the run begins");
    run.finish().await.expect("the run ends");
    let image = Image::new("image/png", b"\x89PNG", 100).expect("an image");
    let words = UserInput::from("").image(image).text(" ");
    run.follow_up().goal(words).await.expect("the next turn begins");
    run.finish().await.expect("the run ends");
    of("blanks", &model)
}
