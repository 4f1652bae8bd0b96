//! Two who begin a session under one id at the same time: one of them has it, and the other one is told that it exists.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use polyloop::{
    Durability, ForeignHistory, ImportError, Journal, JournalError, Lease, MemoryJournal, Record, Reply,
    RunError, SessionId,
};

use crate::support::{Log, builder};

/// A store in which somebody else is faster: what they do comes between the lease of a session and its first append.
#[derive(Clone, Default)]
struct Overtaken {
    kept: MemoryJournal,
    faster: Arc<Mutex<Option<BoxFuture<'static, ()>>>>,
}

impl Overtaken {
    fn by(&self, faster: impl Future<Output = ()> + Send + 'static) {
        *self.faster.lock().unwrap() = Some(Box::pin(faster));
    }
}

impl Journal for Overtaken {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.kept.lease(session).await
    }

    async fn lease_at(&self, session: &SessionId, seq: u64) -> Result<Lease, JournalError> {
        self.kept.lease_at(session, seq).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        rows: Vec<Record>,
        how: Durability,
    ) -> Result<(), JournalError> {
        let faster = self.faster.lock().unwrap().take();
        if let Some(faster) = faster {
            faster.await;
        }
        self.kept.append(lease, seq, rows, how).await
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.kept.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.kept.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.kept.watermark(session).await
    }
}

#[tokio::test]
async fn of_two_who_begin_a_session_under_one_id_the_loser_is_told_that_it_exists() {
    let journal = Overtaken::default();
    let (agent, _) = builder(["one", "two", "three", "four", "five", "six"].map(Reply::text));
    let agent = agent.journal(journal.clone()).build().unwrap();
    agent.on(Log::default()).session("parent").goal("go").await.unwrap().finish().await.unwrap();
    let history = || ForeignHistory::open_ai(r#"[{"role": "user", "content": "mine"}]"#).unwrap();
    for kind in ["fork", "request", "import"] {
        let other = agent.clone();
        journal.by(async move {
            let begun = other.fork(Log::default(), "parent").session(kind).goal("theirs").await;
            begun.unwrap().finish().await.unwrap();
        });
        let exists = JournalError::SessionExists { session: kind.to_owned() };
        match kind {
            "fork" => {
                let lost = agent.fork(Log::default(), "parent").session(kind).goal("mine").await.map(drop);
                assert_eq!(lost, Err(RunError::Journal(exists)));
            }
            "request" => {
                let lost = agent.on(Log::default()).session(kind).goal("mine").await.map(drop);
                assert_eq!(lost, Err(RunError::Journal(exists)));
            }
            _ => {
                let lost = agent.import(history()).session(kind).await.map(drop);
                assert_eq!(lost, Err(ImportError::Journal(exists)));
            }
        }
        let session = agent.read(kind).await.unwrap();
        assert_eq!(session.preview(9), Some("theirs"), "nothing of the loser is in it");
        assert!(agent.sessions().await.unwrap().node(&kind.into()).unwrap().rests());
    }
}
