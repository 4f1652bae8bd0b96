//! Strategies of compaction that are not the stock one.

use polyloop::{Budget, Compaction, CompactionReason, Compactor, History, Reply, Update};

use crate::compaction::{budget, busy, summary};
use crate::support::{Log, builder};

/// Makes room by a plan of its own.
struct Plans(fn(&History) -> Option<Compaction>);

impl Compactor for Plans {
    async fn compact(&self, history: &History) -> Option<Compaction> {
        (self.0)(history)
    }
}

/// What a run with this strategy tells of compaction, and what it sends last.
async fn with(plan: fn(&History) -> Option<Compaction>) -> (Vec<Update>, Vec<String>) {
    let (agent, sent) = builder([busy("1", 500), busy("2", 500), Reply::text("done")]);
    let agent = agent.budget(budget()).compactor(Plans(plan)).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    let mut told = Vec::new();
    while let Some(update) = run.next().await {
        let update = update.unwrap();
        if matches!(
            update,
            Update::Compacting { .. } | Update::Compacted { .. } | Update::CompactionAbandoned { .. }
        ) {
            told.push(update);
        }
    }
    (told, sent.last())
}

#[tokio::test]
async fn a_strategy_of_ones_own_needs_no_model() {
    let (told, last) =
        with(|history| Some(Compaction::summary("s").replacing_all(history.exchanges()))).await;
    assert!(
        matches!(
            told[..],
            [Update::Compacting { reason: CompactionReason::Size, .. }, Update::Compacted { .. }]
        ),
        "{told:?}"
    );
    assert_eq!(last, ["go", &summary("s", &["1", "2"])]);
    let (_, last) =
        with(|history| Some(Compaction::without_summary().replacing(&history.exchanges()[0]))).await;
    let effects = "These calls took effect; do not repeat them:\ntally {\"line\": \"1\"} returned: wrote 1";
    assert_eq!(
        last,
        ["go", effects, &"x".repeat(500), "wrote 2"],
        "what must not be done again is not forgotten"
    );
}

#[tokio::test]
async fn a_summary_that_cannot_be_asked_for_within_the_budget_is_told() {
    let (told, _) =
        with(|history| Some(Compaction::asking("x".repeat(5_000)).replacing_all(history.exchanges()))).await;
    let [Update::CompactionAbandoned { why }, ..] = &told[..] else { panic!("{told:?}") };
    assert!(why.starts_with("the request for the summary would have "), "{why}");
    assert!(told.iter().all(|update| matches!(update, Update::CompactionAbandoned { .. })), "{told:?}");
}

#[tokio::test]
async fn a_strategy_that_gains_nothing_or_says_nothing_is_abandoned() {
    for (plan, why) in [
        (
            (|history| Some(Compaction::summary(" ").replacing_all(history.exchanges())))
                as fn(&History) -> _,
            "the summary is empty",
        ),
        (
            |history| Some(Compaction::summary("s".repeat(999)).replacing_all(history.exchanges())),
            "nothing is gained: 1052 characters became 1198, 5 items 2",
        ),
        (|_| Some(Compaction::summary("s")), "nothing is gained: 1052 characters became 1128, 5 items 6"),
    ] {
        let (told, last) = with(plan).await;
        let [Update::Compacting { .. }, Update::CompactionAbandoned { why: said }] = &told[..] else {
            panic!("{told:?}")
        };
        assert_eq!(said, why);
        assert_eq!(last.len(), 5, "the session stays what it was");
    }
    assert!(with(|_| None).await.0.is_empty());
}

#[tokio::test]
async fn many_items_are_a_reason_too_and_a_smaller_prompt_is_progress() {
    let replies = (0..12).map(|step| busy(&step.to_string(), 100)).chain([Reply::text("done")]);
    let (agent, sent) = builder(replies);
    let plan = |history: &History| {
        assert_eq!(history.reason(), CompactionReason::Count);
        Some(Compaction::summary("s").replacing_all(&history.exchanges()[..5]))
    };
    let agent = agent.budget(Budget::steps(20).compaction_items(12)).compactor(Plans(plan)).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert!(sent.texts().iter().all(|texts| texts.len() <= 13), "{:?}", sent.last());
}
