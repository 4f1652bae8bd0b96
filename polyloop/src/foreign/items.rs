//! What a registry knows of a history: fragments by their text, and whose words the rest is.

use std::sync::Arc;

use super::{Author, ForeignHistory, ForeignMessage, LeftOut, Part, Spoken, Tally};
use crate::event::{Action, Call, CallId, ImportedItem, ImportedPart, InputPart, RecordedFragment};
use crate::fragment::{Absent, Channel, FragmentSpec, Lifetime, Rendered, Slot};
use crate::message::{Image, ItemId, Role};
use crate::registry::{Registry, hold_marker};
use crate::session::Session;

/// A history as items, and what cannot be seen from them.
pub(crate) struct Imported {
    pub(crate) items: Vec<ImportedItem>,
    /// How many fragments were recognised by an old form.
    pub(crate) legacy: usize,
    /// How many results said nothing.
    pub(crate) silent: usize,
    /// As how many characters an image counts; none where images are left out.
    image_chars: Option<usize>,
    /// Whether a text of the role `user` is a person's input if the program recorded no author for it.
    assumes_person: bool,
    /// What was left out, here and where the history was read.
    pub(crate) left_out: Tally,
}

/// Makes the items of a history, with ids of the session.
pub(crate) fn imported<R: Registry>(
    history: &ForeignHistory,
    session: &mut Session<R>,
    empty_observation: &Arc<str>,
    image_chars: Option<usize>,
) -> Imported {
    let count = history.messages.iter().map(|message| message.spoken.calls.len()).sum();
    let mut ids = session.new_calls().take(count).collect::<Vec<_>>().into_iter();
    let mut imported = Imported {
        items: Vec::new(),
        legacy: 0,
        silent: 0,
        image_chars,
        assumes_person: !history.records_typed,
        left_out: history.left_out.clone(),
    };
    for message in &history.messages {
        let calls: Vec<Call> = message.spoken.calls.iter().zip(&mut ids).map(called).collect();
        let outcomes = outcomes::<R>(message, &calls, empty_observation, &mut imported.silent);
        for (number, part) in parts::<R>(&message.spoken, calls, &mut imported).into_iter().enumerate() {
            imported.push(session.new_item(), part, number > 0);
        }
        for outcome in outcomes {
            imported.push(session.new_item(), outcome, false);
        }
    }
    imported
}

impl Imported {
    /// Takes an image with the measure that the host states.
    fn image(&mut self, url: &str) -> Option<Image> {
        let image = self.image_chars.and_then(|chars| Image::at(url, chars).ok());
        self.left_out.add_many(LeftOut::Image, usize::from(image.is_none()));
        image
    }

    fn push(&mut self, item: ItemId, part: ImportedPart, joined: bool) {
        self.items.push(ImportedItem { item, part, joined });
    }
}

fn called((call, id): (&super::Call, CallId)) -> Call {
    Call::new(id, Action::tool(&*call.name, &*call.arguments))
}

/// The parts of what was said. What a person said with nothing between is one input, and the calls stand in the last reply.
fn parts<R: Registry>(spoken: &Spoken, calls: Vec<Call>, imported: &mut Imported) -> Vec<ImportedPart> {
    let mut parts: Vec<ImportedPart> = Vec::new();
    for (number, part) in spoken.parts.iter().enumerate() {
        let is_input = spoken.is_input(number, imported.assumes_person);
        let part = match part {
            Part::Image(url) if is_input => {
                imported.image(url).map(|image| by_a_person(InputPart::Image(image)))
            }
            Part::Image(_) => {
                imported.left_out.add(LeftOut::Image);
                None
            }
            Part::Text(text) => Some(text_part::<R>(spoken, number, text, imported)),
        };
        match (parts.last_mut(), part) {
            (Some(ImportedPart::Input { input, .. }), Some(ImportedPart::Input { input: more, .. })) => {
                *input = input.parts().iter().chain(more.parts()).cloned().collect();
            }
            (_, part) => parts.extend(part),
        }
    }
    for part in &mut parts {
        if let ImportedPart::Input { input, forged_marker } = part {
            *forged_marker = R::holds_marker(input.as_str());
        }
    }
    let in_calls = calls.iter().any(Call::holds_marker::<R>);
    if let Some(ImportedPart::Reply { calls: none_yet, forged_marker, .. }) = parts.last_mut() {
        *none_yet = calls;
        *forged_marker |= in_calls;
    } else if !calls.is_empty() {
        parts.push(ImportedPart::Reply { text: Arc::from(""), calls, forged_marker: in_calls });
    }
    parts
}

fn by_a_person(part: InputPart) -> ImportedPart {
    ImportedPart::Input { input: [part].into_iter().collect(), forged_marker: false }
}

fn text_part<R: Registry>(
    spoken: &Spoken,
    number: usize,
    text: &Arc<str>,
    imported: &mut Imported,
) -> ImportedPart {
    let is_recorded_input = spoken.is_input(number, false);
    if !is_recorded_input && let Some((fragment, is_legacy)) = recognised::<R>(spoken, text) {
        imported.legacy += usize::from(is_legacy);
        return ImportedPart::Fragment(fragment);
    }
    let forged_marker = R::holds_marker(text);
    let text = text.clone();
    match spoken.role {
        Role::Assistant => ImportedPart::Reply { text, calls: Vec::new(), forged_marker },
        Role::User if spoken.is_input(number, imported.assumes_person) => by_a_person(InputPart::Text(text)),
        role => ImportedPart::Text { role, text, forged_marker },
    }
}

/// Knows a text again. What a person typed is never taken for a fragment, nor what somebody said in whose role the kind
/// does not speak, nor what the type would not have let through.
fn recognised<R: Registry>(spoken: &Spoken, text: &str) -> Option<(RecordedFragment, bool)> {
    if spoken.author == Author::Summary {
        return None;
    }
    let hit = R::recognize(text)?;
    let spec = R::SPEC.fragments.iter().find(|entry| entry.kind == hit.kind)?.spec;
    let rendered = Rendered::imported(text, channel(spec));
    if !speaks_as(spec.role, spoken.role) || rendered.chars() > spec.max_chars {
        return None;
    }
    let retracts = spec.lifetime == Lifetime::Latest
        && matches!(spec.absent, Some(Absent::Says(says)) if text.get(hit.body) == Some(says));
    Some((RecordedFragment { retracts, ..RecordedFragment::new(spec, rendered) }, hit.legacy))
}

/// Whether a kind speaks in the role of a message. A server that does not know `developer` is sent `system` in its place.
fn speaks_as(kind: Role, message: Role) -> bool {
    let operates = |role| matches!(role, Role::System | Role::Developer);
    kind == message || operates(kind) && operates(message)
}

/// The channel, where the type names it.
fn channel(spec: &FragmentSpec) -> Option<String> {
    match spec.slot {
        Slot::Injection(Channel::Named(name)) => Some(name.to_owned()),
        _ => None,
    }
}

/// What came of the calls of a message.
fn outcomes<R: Registry>(
    message: &ForeignMessage,
    calls: &[Call],
    empty_observation: &Arc<str>,
    silent: &mut usize,
) -> Vec<ImportedPart> {
    let outcome = |(number, parts): &(usize, Vec<Arc<str>>)| {
        let call = calls.get(*number)?;
        *silent += usize::from(parts.is_empty());
        let parts: Arc<[Arc<str>]> =
            if parts.is_empty() { Arc::from([empty_observation.clone()]) } else { parts.as_slice().into() };
        let forged_marker = hold_marker::<R>(&parts);
        let tool = Arc::from(call.action().label());
        Some(ImportedPart::Result { call: call.id().clone(), tool, parts, shown: None, forged_marker })
    };
    message.outcomes.iter().filter_map(outcome).collect()
}
