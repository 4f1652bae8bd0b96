//! A host queues notes, and the process dies everywhere: each note is told once, before the next words.

use std::collections::BTreeSet;

use polyloop::{
    Agent, ContextFragment, Item, ItemKind, Journal, MemoryJournal, Message, Model, ModelError, Prompt,
    Reply, RunError, SessionId, SqliteJournal, registry,
};

use crate::support::{Death, Store};

/// What a host noticed.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<note>", "</note>"), slot = turn, lifetime = once, max_chars = 100)]
#[fragment(body = "{text}")]
struct Notice {
    text: String,
}

registry! { struct Chat { fragments: [Notice] } }

/// What happens in the conversation: words, and notes before them.
const STEPS: [&str; 7] = ["first", "+a", "+b", "second", "+c", "third", "fourth"];
/// What is said of it, without the replies.
const SAID: [&str; 7] =
    ["first", "<note>a</note>", "<note>b</note>", "second", "<note>c</note>", "third", "fourth"];

/// A model that is never told a note twice.
struct Attentive;

impl Model for Attentive {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        let texts = prompt.messages().map(Message::text);
        let notes: Vec<String> = texts.filter(|text| text.starts_with("<note>")).collect();
        assert_eq!(notes.iter().collect::<BTreeSet<_>>().len(), notes.len());
        Ok(Reply::text("I see."))
    }
}

fn agent(store: &Store<impl Journal + Clone>) -> Agent<Chat> {
    Agent::<Chat>::builder(Attentive).journal(store.clone()).build().unwrap()
}

/// Goes on where the journal says that the conversation is.
async fn talk(store: &Store<impl Journal + Clone>) -> Result<(), RunError> {
    let (agent, session) = (agent(store), SessionId::from("s"));
    let records = store.read(&session, 0).await?;
    if !records.is_empty() {
        agent.resume((), session.clone()).await?.finish().await?;
    }
    let happened = |kind: &str| matches!(kind, "input.recorded" | "note.queued");
    let done = records.iter().filter(|record| happened(&record.kind)).count();
    for step in &STEPS[done..] {
        if let Some(text) = step.strip_prefix('+') {
            agent.queue(session.clone(), Notice { text: text.to_owned() }).await?;
        } else {
            agent.on(()).session(session.clone()).goal(*step).await?.finish().await?;
        }
    }
    Ok(())
}

/// Dies at one append, and perhaps at another one of the process that goes on.
async fn killed_at(first: Death, second: Option<Death>, journal: impl Journal + Clone) {
    let place = format!("{first:?}, then {second:?}");
    let store = Store::over(journal);
    for death in [Some(first), second, None] {
        store.die(death);
        drop(talk(&store).await);
    }
    let session = agent(&store).read("s").await.expect(&place);
    let is_said = |item: &&Item| matches!(item.kind(), ItemKind::Fragment | ItemKind::Input);
    let said: Vec<_> = session.items().iter().filter(is_said).map(Item::text).collect();
    assert_eq!(said, SAID, "{place}");
    // A note leaves the queue in the append in which the words are recorded.
    for append in store.log.lines().iter().filter(|append| append.contains("note.taken")) {
        assert!(append.contains("input.recorded"), "{place}: {append}");
    }
}

async fn deaths() -> Vec<Death> {
    let store = Store::over(MemoryJournal::new());
    talk(&store).await.unwrap();
    (0..store.appends()).flat_map(|append| [false, true].map(|kept| Death { append, kept })).collect()
}

#[tokio::test]
async fn a_note_is_told_once_wherever_the_process_dies() {
    let deaths = deaths().await;
    assert!(deaths.len() > 20, "{}", deaths.len());
    for first in &deaths {
        for second in deaths.iter().copied().take(10).map(Some).chain([None]) {
            killed_at(*first, second, MemoryJournal::new()).await;
        }
    }
}

#[tokio::test]
async fn the_same_holds_in_a_file() {
    for first in deaths().await {
        let folder = tempfile::tempdir().unwrap();
        let second = Some(Death { append: 1, kept: first.kept });
        killed_at(first, second, SqliteJournal::open(folder.path().join("runs.db")).unwrap()).await;
    }
}
