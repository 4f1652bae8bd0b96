//! What a seal says of the request before is so, also where an agent or a rollback came between.

use polyloop::{Agent, Grouped, MemoryJournal, Reply};

use crate::support::{App, Log, Sent, builder, environment, note, permissions, rules, seals};

/// An agent whose model says one thing.
fn agent(journal: &MemoryJournal, grouped: bool) -> (Agent<App>, Sent) {
    let (agent, sent) = builder([Reply::text("Well."), Reply::text("Well.")]);
    let agent = agent.journal(journal.clone());
    let agent = if grouped { agent.layout(Grouped) } else { agent };
    (agent.build().unwrap(), sent)
}

#[tokio::test]
async fn under_another_layout_the_prefix_breaks_and_the_seal_and_the_audit_say_so() {
    let journal = MemoryJournal::new();
    let (staged, before) = agent(&journal, false);
    let request = staged.on(Log::default()).session("s").sync(environment("/a")).sync(permissions("read"));
    let mut run = request.inject(note("one")).inject(rules()).goal("go").await.unwrap();
    run.finish().await.unwrap();

    let (grouped, behind) = agent(&journal, true);
    let mut run = grouped.on(Log::default()).session("s").goal("on").await.unwrap();
    assert!(run.prompt().is_none(), "what was sent cannot be made again");
    run.finish().await.unwrap();
    let mut branch = grouped.fork(Log::default(), "s").at(before_the_change(&grouped).await).goal("on");
    branch = branch.session("branch");
    branch.await.unwrap().finish().await.unwrap();

    assert_ne!(before.last()[0], behind.texts()[0][0]);
    for session in ["s", "branch"] {
        let audit = grouped.audit(session).await.unwrap();
        let breaks = audit.breaks();
        let told: Vec<_> = breaks.iter().map(|broken| (broken.shared_chars, &*broken.source.kind)).collect();
        assert_eq!(told, [(0, "rules")], "{session}");
    }
}

/// The place behind the first run.
async fn before_the_change(agent: &Agent<App>) -> u64 {
    agent.sessions().await.unwrap().nodes()[0].turns[0].points.last().copied().unwrap()
}

#[tokio::test]
async fn under_another_layout_that_shows_the_same_the_prefix_stands() {
    let journal = MemoryJournal::new();
    let (staged, _) = agent(&journal, false);
    staged.on(Log::default()).session("s").goal("go").await.unwrap().finish().await.unwrap();
    let (grouped, _) = agent(&journal, true);
    grouped.on(Log::default()).session("s").goal("on").await.unwrap().finish().await.unwrap();
    assert!(grouped.audit("s").await.unwrap().breaks().is_empty());
    let seals = seals(&journal, &"s".into()).await;
    assert_eq!((&seals[0]["chars"], &seals[1]["shared_chars"]), (&2.into(), &2.into()));
}

#[tokio::test]
async fn what_is_said_again_in_the_same_words_behind_a_rollback_is_shared() {
    let journal = MemoryJournal::new();
    let (agent, sent) = agent(&journal, false);
    let mut run = agent.on(Log::default()).session("s").sync(environment("/a")).goal("go").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    run.follow_up().sync(environment("/a")).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(sent.texts()[0], sent.texts()[1]);
    let seals = seals(&journal, &"s".into()).await;
    assert_eq!(seals[1]["shared_chars"], seals[0]["chars"]);
    assert!(agent.audit("s").await.unwrap().breaks().is_empty());
}

#[tokio::test]
async fn prompts_that_say_the_same_have_the_hash_of_their_seal_whichever_items_say_it() {
    let mut hashes = Vec::new();
    for (said_before, goal) in [(false, "go"), (true, "go"), (false, "gO")] {
        let journal = MemoryJournal::new();
        let (agent, _) = agent(&journal, true);
        let mut request = agent.on(Log::default()).session("s");
        if said_before {
            // The layout shows fragments by their slots: the items are others, the prompt is the same.
            request = request.inject(note("one")).inject(rules());
        } else {
            request = request.inject(rules()).inject(note("one"));
        }
        let mut run = request.goal(goal).await.unwrap();
        run.finish().await.unwrap();
        let hash = run.prompt().unwrap().messages_hash();
        assert_eq!(seals(&journal, &"s".into()).await[0]["messages"], *hash);
        hashes.push(hash);
    }
    assert_eq!(hashes[0], hashes[1]);
    assert_ne!(hashes[0], hashes[2]);
}
