//! Journals of earlier versions: each event is read, stands where it can, and each prompt that was sealed is made again.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;

use super::strictly;
use crate::agent::texts::Texts;
use crate::event::Event;
use crate::journal::{Chain, Journal, MemoryJournal, import_session};
use crate::layout::{Frame, Staged, Template};
use crate::registry::fragment_by_kind;
use crate::session::Session;
use crate::{ContextFragment, registry};

/// What is the same for all runs; as the journals have it.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = system, unmarked = "the system message", slot = run, max_chars = 500)]
#[fragment(body = "{text}")]
struct Rules {
    text: String,
}

registry! {
    struct App { fragments: [Rules], crate: crate }
}

/// How many prompts were sealed.
fn rebuilt(lines: &str, place: &Path) -> usize {
    let journal = MemoryJournal::new();
    let id = import_session(&journal, lines).now_or_never().unwrap().unwrap();
    let records = journal.read(&id, 0).now_or_never().unwrap().unwrap();
    let template = Template::parse("observation", &Texts::default().observation, "observation").unwrap();
    let observation = Frame { template, empty: Texts::default().empty_observation.into() };
    let mut session = Session::<App>::framed(Arc::new(Staged), observation);
    let (mut chain, mut seals) = (Chain::new(id), 0);
    for record in &records {
        chain.follow(record).unwrap();
        let event = Event::read(record, fragment_by_kind::<App>).unwrap().unwrap();
        assert_eq!(event.kind(), record.kind);
        assert_eq!(session.admits(&event), Ok(()), "{}: event {}", place.display(), record.seq);
        session.follow(&event);
        if let Event::PromptSealed { seal } = &event {
            let (prompt, purpose) = session.next_prompt();
            assert_eq!(strictly(&prompt), Ok(()));
            assert_eq!(
                session.messages_hash(&prompt, purpose),
                seal.messages,
                "{}: event {}",
                place.display(),
                record.seq
            );
            seals += 1;
        }
    }
    seals
}

#[test]
fn every_prompt_of_every_journal_that_an_earlier_version_wrote_is_made_again() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    let mut seals = 0;
    for version in fs::read_dir(golden).unwrap() {
        for file in fs::read_dir(version.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            seals += rebuilt(&fs::read_to_string(&path).unwrap(), &path);
        }
    }
    assert!(seals >= 15, "{seals}");
}
