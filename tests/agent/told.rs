//! When a host is told.

use std::sync::Arc;

use polyloop::{Reply, Scripted, Update};

use crate::support::{Log, builder, tallies};

#[tokio::test]
async fn a_host_hears_of_each_thing_before_the_next_one_takes_the_thread() {
    let model = Scripted::replies([tallies(["a", "b"]), Reply::text("done")]);
    let log = Arc::new(Log::default());
    let agent = builder(model.clone()).build().unwrap();
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    let mut seen = Vec::new();
    while let Some(update) = run.next().await {
        let what = match update.unwrap() {
            Update::Asked { .. } => "asked",
            Update::Replied { .. } => "replied",
            Update::Called { .. } => "called",
            Update::Observed { .. } => "observed",
            Update::Ended { .. } => "ended",
            other => panic!("{other:?}"),
        };
        seen.push((what, model.requests().len(), log.lines().len()));
    }
    // Neither the model nor a tool has anything to wait for here.
    assert_eq!(
        seen,
        [
            ("asked", 0, 0),
            ("replied", 1, 0),
            ("called", 1, 0),
            ("observed", 1, 1),
            ("called", 1, 1),
            ("observed", 1, 2),
            ("asked", 1, 2),
            ("replied", 2, 2),
            ("ended", 2, 2)
        ]
    );
}
