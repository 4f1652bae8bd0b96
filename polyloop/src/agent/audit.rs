//! What a journal says of every request: which prompt it was, where each part of it comes from, and where it was no
//! continuation of the request before.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::slice;
use std::sync::Arc;

use serde::Serialize;

use super::definition::Definition;
use super::lineage::{Ancestor, ancestors};
use super::mirror::Mirror;
use super::redacted::Redactions;
use crate::error::{JournalError, RunError};
use crate::event::{Event, Seal, SealPurpose};
use crate::fragment::FragmentSpec;
use crate::journal::{Record, SessionId, tombstone};
use crate::message::{ItemId, Message, Origin, Prompt, Stretch};
use crate::registry::{Registry, fragment_by_kind, retired_types};
use crate::session::new_items;

/// Where something that a model was shown comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// The recorded item.
    pub item: ItemId,
    /// Its kind: a fragment's kind, or a built-in one such as `polyloop.input`.
    pub kind: String,
    /// The session in whose journal that stands: its own, or one that it inherits.
    pub session: SessionId,
    /// The place there of the event that recorded it.
    pub seq: u64,
    /// What kind of event that is, such as `fragment.recorded`.
    pub event: Arc<str>,
    /// The tool of a call or an observation.
    pub tool: Option<Arc<str>>,
    /// Where the type of a fragment is declared.
    pub declared: Option<Declared>,
}

/// Where a fragment's type is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Declared {
    /// The name of the type.
    pub type_name: &'static str,
    /// The file, as the compiler names it; empty where it is not known.
    pub file: &'static str,
    /// The line, counted from 1; 0 where it is not known.
    pub line: u32,
}

/// A stretch of a sent prompt, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Traced {
    /// The message, counted from 0.
    pub message: usize,
    /// Where it is in [`Message::written`], in bytes.
    pub bytes: Range<usize>,
    /// Where it is there, in characters.
    pub chars: Range<usize>,
    /// Where it comes from.
    pub source: Source,
}

/// A request that does not begin with all of the request before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PrefixBreak {
    /// The place in the session of the event that sealed the request.
    pub seq: u64,
    /// How many characters it shares with the request before, from the start.
    pub shared_chars: usize,
    /// How many the request before had.
    pub chars_before: usize,
    /// The first item that did not stand there; where nothing stands in its place, the first that is gone.
    pub source: Source,
}

/// What the journal of a session says of all its requests. Made by [`Agent::audit`](crate::Agent::audit).
#[derive(Clone, Debug)]
pub struct Audit {
    /// The last request that is inherited.
    inherited: Option<AuditedRequest>,
    requests: Vec<AuditedRequest>,
}

impl Audit {
    /// Returns the requests that were sealed in this session, in order.
    #[must_use]
    pub fn requests(&self) -> &[AuditedRequest] {
        &self.requests
    }

    /// Returns each request that does not begin with all of the request before it, with the item that is the cause. Before
    /// the first request of a branch stands the last one that it inherits.
    #[must_use]
    pub fn breaks(&self) -> Vec<PrefixBreak> {
        let all = || self.inherited.iter().chain(&self.requests);
        let pairs = all().zip(all().skip(1));
        let breaks = pairs.filter_map(|(before, request)| {
            let item = request.sealed.seal.broken_at?;
            let source = [request, before].into_iter().find_map(|request| request.source_of(item))?;
            let (seq, shared_chars) = (request.sealed.seq, request.sealed.seal.shared_chars);
            Some(PrefixBreak { seq, shared_chars, chars_before: before.sealed.seal.chars, source })
        });
        breaks.collect()
    }
}

/// One request that was sealed, as its journal has it.
#[derive(Clone, Debug)]
pub struct AuditedRequest {
    sealed: Sealed,
    sources: Arc<Sources>,
}

/// What was sealed.
#[derive(Clone, Debug)]
struct Sealed {
    seq: u64,
    seal: Seal,
    prompt: Prompt,
    comes_out_again: bool,
    redacted: bool,
}

impl AuditedRequest {
    /// Returns the place in the session of the event that sealed it.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.sealed.seq
    }

    /// Returns the step of the run, counted from 1.
    #[must_use]
    pub fn step(&self) -> usize {
        self.sealed.seal.step
    }

    /// Returns which request of the step it is, counted from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.sealed.seal.attempt
    }

    /// Whether the model was asked for a summary, in place of a decision.
    #[must_use]
    pub fn asks_for_a_summary(&self) -> bool {
        self.sealed.seal.purpose == SealPurpose::Summary
    }

    /// Returns the messages, made again from the journal. Native tools are not part of it.
    #[must_use]
    pub fn prompt(&self) -> &Prompt {
        &self.sealed.prompt
    }

    /// Whether the prompt is, byte for byte, the one that was sealed. It is not where the agent has another layout, other
    /// texts or another registry than the one that sealed it, where a layout is no pure function, and where a text was
    /// [redacted](Self::is_redacted) since.
    #[must_use]
    pub fn comes_out_again(&self) -> bool {
        self.sealed.comes_out_again
    }

    /// Returns `true` where the prompt is not the one that was sealed because texts in it were redacted since. What was
    /// sent then can no longer be shown, and no longer be proved.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.sealed.redacted
    }

    /// Returns how many characters it shares with the request before, from the start.
    #[must_use]
    pub fn shared_chars(&self) -> usize {
        self.sealed.seal.shared_chars
    }

    /// Tells where a range of a message comes from, in bytes of [`Message::written`]: every character from exactly one item, in
    /// order and without a gap. Messages are counted from 0.
    #[must_use]
    pub fn trace(&self, message: usize, bytes: Range<usize>) -> Vec<Traced> {
        self.traced(message, |found| found.trace(bytes))
    }

    /// Tells where a range of a message comes from, in characters; as [`trace`](Self::trace).
    #[must_use]
    pub fn trace_chars(&self, message: usize, chars: Range<usize>) -> Vec<Traced> {
        self.traced(message, |found| found.trace_chars(chars))
    }

    /// Tells where all of it comes from, message by message.
    #[must_use]
    pub fn sources(&self) -> Vec<Traced> {
        let messages = 0..self.sealed.prompt.messages().len();
        messages.flat_map(|message| self.trace(message, 0..usize::MAX)).collect()
    }

    fn traced(&self, message: usize, trace: impl FnOnce(&Message) -> Vec<Stretch>) -> Vec<Traced> {
        let stretches = self.sealed.prompt.message(message).map(trace).unwrap_or_default();
        let traced = stretches.into_iter().filter_map(|Stretch { bytes, chars, origin }| {
            Some(Traced { message, bytes, chars, source: self.sources.source(&origin)? })
        });
        traced.collect()
    }

    /// The source of an item that stands in the prompt.
    fn source_of(&self, item: ItemId) -> Option<Source> {
        let mut blocks = self.sealed.prompt.messages().flat_map(Message::blocks);
        let block = blocks.find(|block| block.origin().item() == item)?;
        self.sources.source(block.origin())
    }
}

/// Where the items of a session come from.
#[derive(Debug, Default)]
struct Sources {
    /// The event that recorded each: its session, its place there, and its kind.
    recorded: BTreeMap<ItemId, (SessionId, u64, Arc<str>)>,
    /// Where the type of each registered kind is declared.
    declared: BTreeMap<&'static str, Declared>,
}

impl Sources {
    fn of<R: Registry>() -> Self {
        let specs = R::SPEC.fragments.iter().map(|entry| entry.spec).chain(retired_types::<R>());
        let declared = specs.map(|spec| {
            let FragmentSpec { kind, type_name, file, line, .. } = *spec;
            (kind, Declared { type_name, file, line })
        });
        Self { recorded: BTreeMap::new(), declared: declared.collect() }
    }

    fn record(&mut self, event: &Event, record: &Record) {
        let kind: Arc<str> = event.kind().into();
        let source = || (record.session.clone(), record.seq, kind.clone());
        self.recorded.extend(new_items(event).into_iter().map(|item| (item, source())));
    }

    fn source(&self, origin: &Origin) -> Option<Source> {
        let (session, seq, event) = self.recorded.get(&origin.item())?;
        Some(Source {
            item: origin.item(),
            kind: origin.kind().to_owned(),
            session: session.clone(),
            seq: *seq,
            event: event.clone(),
            tool: origin.tool().map(Arc::from),
            declared: self.declared.get(origin.kind()).copied(),
        })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { item, kind, session, seq, event, tool, declared } = self;
        write!(formatter, "`{kind}`")?;
        if let Some(tool) = tool {
            write!(formatter, " of `{tool}`")?;
        }
        write!(formatter, ", {item}, recorded by event {seq} `{event}` of `{session}`")?;
        match declared {
            Some(Declared { type_name, file, line }) => {
                write!(formatter, ", declared as `{type_name}` in {file}:{line}")
            }
            None => Ok(()),
        }
    }
}

/// Reads a session as its journal has it, and makes every prompt again that was sealed. A fault of the session stops
/// nothing here: what was sent before it is what somebody looks for.
pub(super) async fn audit<R: Registry>(
    definition: &Definition<R>,
    session: SessionId,
) -> Result<Audit, RunError> {
    let journal = definition.journal_of(&session)?;
    let records = journal.read_boxed(&session, 0).await?;
    let Some(first) = records.first() else {
        return Err(JournalError::NoSuchSession { session: session.to_string() }.into());
    };
    tombstone::check(&records)?;
    let lineage = ancestors(&*journal, &session, first).await?;
    let redactions = Redactions::of(&lineage, &records)?;
    let mut mirror = Mirror::new(session.clone(), definition).redacted(redactions);
    let (mut sources, mut inherited) = (Sources::of::<R>(), Vec::new());
    for Ancestor { session, records, .. } in &lineage {
        mirror.branch(session.clone());
        inherited = sealed_in(records, &mut mirror, &mut sources)?;
    }
    mirror.branch(session);
    let sealed = sealed_in(&records, &mut mirror, &mut sources)?;
    let sources = Arc::new(sources);
    let audited = |sealed: Sealed| AuditedRequest { sealed, sources: sources.clone() };
    let inherited = inherited.pop().map(audited);
    Ok(Audit { inherited, requests: sealed.into_iter().map(audited).collect() })
}

/// Follows records, and makes every prompt again that was sealed there.
fn sealed_in<R: Registry>(
    records: &[Record],
    mirror: &mut Mirror<R>,
    sources: &mut Sources,
) -> Result<Vec<Sealed>, RunError> {
    let mut sealed = Vec::new();
    for record in records {
        let followed = mirror.follow(slice::from_ref(record), 0, |event| sources.record(event, record));
        if !matches!(followed, Err(RunError::SealDiffers { .. })) {
            followed?;
        }
        if let (Some(seal), Some(prompt)) = (seal_of::<R>(record)?, mirror.prompt()) {
            let comes_out_again = mirror.sent().is_some();
            let redacted = !comes_out_again && mirror.was_redacted(record.seq);
            sealed.push(Sealed { seq: record.seq, seal, prompt: prompt.clone(), comes_out_again, redacted });
        }
    }
    Ok(sealed)
}

/// What was sealed, if that is what the record says.
fn seal_of<R: Registry>(record: &Record) -> Result<Option<Seal>, JournalError> {
    if record.kind != "prompt.sealed" {
        return Ok(None);
    }
    Ok(match Event::read(record, fragment_by_kind::<R>)? {
        Some(Event::PromptSealed { seal }) => Some(seal),
        _ => None,
    })
}
