//! What stays the same from one request to the next, and from one run to another.

use polyloop::{Agent, JsonAction, ModelErrorClass, Prompt, Reply, Retries, Scripted};

use crate::support::{App, Log, builder, bytes, failure, finish, last, roles, rules, skill, tallies, texts};

async fn run_on(agent: &Agent<App>, goal: &str, skills: &[(&str, &str)]) {
    let mut request = agent.on(Log::default()).inject(rules());
    for (channel, content) in skills {
        request = request.inject(skill(channel, content));
    }
    finish(request.goal(goal).await.unwrap()).await;
}

fn each_is_a_prefix_of_the_next(requests: &[Prompt]) {
    for pair in requests.windows(2) {
        let (before, behind) = (bytes(&pair[0]), bytes(&pair[1]));
        assert!(behind.starts_with(&before), "{before}\n{behind}");
        assert!(behind.len() > before.len());
    }
}

#[tokio::test]
async fn every_request_is_a_byte_prefix_of_the_next_one() {
    let model = Scripted::results([
        Ok(tallies(["a", "b"])),
        failure(ModelErrorClass::Server),
        Ok(Reply::text("").call("nope", "{")),
        Ok(Reply::text("cut").finished(polyloop::Finish::Length)),
        Ok(Reply::text("")),
        Ok(Reply::text("and").call("outage", "")),
        Ok(Reply::text("done")),
    ]);
    let agent = builder(model.clone()).retries(Retries::none()).build().unwrap();
    run_on(&agent, "go", &[("b", "two"), ("a", "one")]).await;
    let requests = model.requests();
    assert_eq!(requests.len(), 7);
    each_is_a_prefix_of_the_next(&requests);
}

#[tokio::test]
async fn the_same_holds_where_observations_are_persons_messages() {
    let call = |line: &str| Reply::text(format!(r#"{{"tool":"tally","arguments":{{"line":"{line}"}}}}"#));
    let model =
        Scripted::replies([call("a"), Reply::text("what?"), call("b"), Reply::text(r#"{"answer":"x"}"#)]);
    let agent = builder(model.clone()).interpreter(JsonAction).build().unwrap();
    run_on(&agent, "go", &[]).await;
    each_is_a_prefix_of_the_next(&model.requests());
    assert_eq!(
        roles(&last(&model))[1..],
        ["user", "assistant", "user", "assistant", "user", "assistant", "user"]
    );
}

#[tokio::test]
async fn runs_of_one_definition_share_the_run_part() {
    let model = Scripted::by(|_| Reply::text("done"));
    let agent = builder(model.clone()).build().unwrap();
    run_on(&agent, "one goal", &[("a", "advice")]).await;
    run_on(&agent, "quite another", &[]).await;
    let requests = model.requests();
    let run_part = |prompt: &Prompt| serde_json::to_string(prompt.messages().next().unwrap()).unwrap();
    assert_eq!(run_part(&requests[0]), run_part(&requests[1]));
    assert_eq!(texts(&requests[0]), ["Be brief.", "advice", "one goal"]);
    assert_eq!(texts(&requests[1]), ["Be brief.", "quite another"]);
}

#[tokio::test]
async fn two_runs_of_one_definition_and_one_goal_send_the_same_bytes() {
    let script = || Scripted::replies([tallies(["a"]), Reply::text("done")]);
    let (one, other) = (script(), script());
    for model in [&one, &other] {
        let agent = builder(model.clone()).build().unwrap();
        run_on(&agent, "go", &[("a", "advice")]).await;
    }
    for (left, right) in one.requests().iter().zip(other.requests()) {
        assert_eq!(bytes(left), bytes(&right));
    }
}

mod without_the_slot {
    //! The same registry without a fragment for injections.

    use crate::support::Log;

    polyloop::registry! {
        pub(super) struct Bare {
            state: Log,
            fragments: [crate::support::Rules],
            tools: [crate::support::tally],
        }
    }
}

#[tokio::test]
async fn empty_injections_are_byte_identical() {
    let script = || Scripted::replies([tallies(["a"]), Reply::text("done")]);
    let with_slot = script();
    run_on(&builder(with_slot.clone()).build().unwrap(), "go", &[]).await;
    let without = script();
    let agent = Agent::<without_the_slot::Bare>::builder(without.clone()).build().unwrap();
    finish(agent.on(Log::default()).inject(rules()).goal("go").await.unwrap()).await;
    assert_eq!(with_slot.requests().len(), 2);
    for (left, right) in with_slot.requests().iter().zip(without.requests()) {
        assert_eq!(bytes(left), bytes(&right));
    }
}

#[tokio::test]
async fn the_given_order_of_channels_does_not_matter() {
    let model = Scripted::by(|_| Reply::text("done"));
    let agent = builder(model.clone()).build().unwrap();
    run_on(&agent, "go", &[("b", "two"), ("a", "one"), ("b", "three")]).await;
    run_on(&agent, "go", &[("a", "one"), ("b", "two"), ("b", "three")]).await;
    let requests = model.requests();
    assert_eq!(texts(&requests[0]), ["Be brief.", "one", "two", "three", "go"]);
    assert_eq!(texts(&requests[0]), texts(&requests[1]));
}
