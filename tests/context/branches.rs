//! What a branch is for, and what it is told before its first request.

use polyloop::{
    Agent, AgentBuilder, Budget, ContextFragment, MemoryJournal, Reply, Run, Summarizer, registry,
};

use crate::compaction::busy;
use crate::support::{Log, Sent, builder, builder_of, environment, permissions, tally, texts};

/// What a run is for.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<task>", "</task>"), slot = goal, lifetime = once, max_chars = 200)]
#[fragment(body = "{text}")]
struct Task {
    text: String,
}

registry! { struct Tasks { state: Log, fragments: [Task], tools: [tally] } }

/// Carries out so many steps: each is a request, what the reply means, its call, and whether the run stops.
async fn steps(run: &mut Run<Tasks>, steps: usize) {
    for _ in 0..4 * steps {
        run.step().await.unwrap();
    }
}

/// An agent that compacts all that may go, behind two more large steps.
fn compacting(journal: &MemoryJournal) -> (Agent<Tasks>, Sent) {
    let script = [busy("3", 500), busy("4", 500), Reply::text("done"), Reply::text("done")];
    let (agent, sent): (AgentBuilder<Tasks>, Sent) = builder_of(script);
    let budget = Budget::steps(20).prompt_chars(4_000).compaction_chars(1_800);
    let compactor = Summarizer::new().keep_exchanges(0).keep_words(0);
    (agent.journal(journal.clone()).budget(budget).compactor(compactor).build().unwrap(), sent)
}

#[tokio::test]
async fn a_branch_within_a_run_is_for_what_that_run_is_for_whatever_is_compacted() {
    let goal = |agent: &Agent<Tasks>, session: &str| agent.on(Log::default()).session(session);
    for by_a_fragment in [true, false] {
        let journal = MemoryJournal::new();
        let (agent, _) = builder_of(["1", "2"].map(|line| busy(line, 500)));
        let agent = agent.journal(journal.clone()).build().unwrap();
        let request = goal(&agent, "parent");
        let request = if by_a_fragment {
            request.inject(Task { text: "count".to_owned() })
        } else {
            request.goal("<task>count</task>")
        };
        let mut run = request.await.unwrap();
        steps(&mut run, 1).await;
        run.say("quickly").unwrap();
        steps(&mut run, 1).await;

        let (agent, sent) = compacting(&journal);
        // A branch of a branch goes on with it as well.
        let mut run = agent.fork(Log::default(), "parent").session("child").await.unwrap();
        steps(&mut run, 1).await;
        let mut run = agent.fork(Log::default(), "child").session("grandchild").await.unwrap();
        run.finish().await.unwrap();
        let last = sent.last();
        assert!(last.iter().any(|text| text.contains("do not repeat")), "nothing was compacted: {last:?}");
        assert_eq!(last[..2], ["<task>count</task>", "quickly"], "{by_a_fragment}");
    }
}

#[tokio::test]
async fn what_a_branch_is_told_at_its_beginning_refreshes_what_it_was_told_just_before() {
    let journal = MemoryJournal::new();
    let (agent, sent) = builder(["One.", "Two.", "Three."].map(Reply::text));
    let agent = agent.journal(journal).build().unwrap();
    let mut run =
        agent.on(Log::default()).session("parent").sync(environment("/a")).goal("go").await.unwrap();
    run.finish().await.unwrap();

    // At once, or one after another.
    let begin = |session: &str| agent.fork(Log::default(), "parent").session(session);
    let request = begin("at once").sync(environment("/b")).sync(permissions("read"));
    let request = request.sync(environment("/c")).sync(permissions("write")).goal("on");
    let mut at_once = request.await.unwrap();
    assert_eq!(
        at_once.turn().unwrap().chars(),
        at_once.items().iter().map(polyloop::Item::chars).sum::<usize>()
    );
    at_once.finish().await.unwrap();
    assert_eq!(
        sent.last(),
        ["<environment>/c</environment>", "go", "One.", "<permissions>write</permissions>", "on"]
    );

    let mut slowly =
        begin("slowly").sync(environment("/b")).sync(permissions("read")).goal("on").await.unwrap();
    slowly.sync(environment("/c")).unwrap();
    slowly.sync(permissions("write")).unwrap();
    slowly.finish().await.unwrap();
    assert_eq!(texts(slowly.prompt().unwrap()), texts(at_once.prompt().unwrap()));

    // What is taken back and then said again is said once.
    let request = begin("back").retract::<crate::support::Environment>().sync(environment("/d")).goal("on");
    let back = request.await.unwrap();
    let environments = back.items().iter().filter(|item| item.kind_name() == "environment").count();
    assert_eq!(environments, 1);
}
