//! What holds for any event stream, also one that is cut, spliced, repeated or reordered; the fuzz target checks it as well.

mod corpus;
mod facts;

use polyloop::__private::read_stream;
use polyloop::{ChatCompletions, GenerateContent, Messages, ModelError, Reply, Responses};

/// An interface of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interface {
    Chat,
    Responses,
    Messages,
    Generate,
}

impl Interface {
    const ALL: [Self; 4] = [Self::Chat, Self::Responses, Self::Messages, Self::Generate];

    fn read<'a>(self, chunks: impl Iterator<Item = &'a [u8]>) -> Result<Reply, ModelError> {
        match self {
            Self::Chat => read_stream::<ChatCompletions>(chunks),
            Self::Responses => read_stream::<Responses>(chunks),
            Self::Messages => read_stream::<Messages>(chunks),
            Self::Generate => read_stream::<GenerateContent>(chunks),
        }
    }
}

/// Choices, made by bytes.
pub(crate) struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    /// Chooses a number below a limit; 0 once the bytes are used up.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let mut number = 0;
        for _ in 0..if limit > 256 { 2 } else { 1 } {
            let Some((first, rest)) = self.0.split_first() else { break };
            self.0 = rest;
            number = number * 256 + usize::from(*first);
        }
        number % limit.max(1)
    }

    fn is_over(&self) -> bool {
        self.0.is_empty()
    }
}

/// The parts of a reply that are compared.
fn parts(reply: &Reply) -> (String, Vec<(String, String, String)>) {
    let call = |call: &polyloop::ReplyCall| (call.id.clone(), call.name.clone(), call.arguments.clone());
    (reply.as_text().to_owned(), reply.calls().iter().map(call).collect())
}

fn bytes_of(events: &[String]) -> Vec<u8> {
    events.iter().flat_map(|data| format!("data: {data}\n\n").into_bytes()).collect()
}

/// Checks a stream that some bytes choose.
pub(crate) fn check(bytes: &[u8]) {
    let choices = &mut Choices(bytes);
    let interface = Interface::ALL[choices.below(Interface::ALL.len())];
    let streams: Vec<Vec<String>> = (0..3).map(|tag| corpus::stream(interface, tag, choices)).collect();
    assert!(interface.read([&*bytes_of(&streams[0])].into_iter()).is_ok(), "{streams:#?}");
    check_prefix(interface, &streams[0], choices);
    check_changed(interface, &streams, choices);
}

/// A stream that is cut anywhere is the whole reply or none.
fn check_prefix(interface: Interface, stream: &[String], choices: &mut Choices<'_>) {
    let whole = bytes_of(stream);
    let expected = interface.read([&*whole].into_iter()).map(|reply| parts(&reply));
    let size = 1 + choices.below(64);
    let cut = &whole[..choices.below(whole.len() + 1)];
    if let Ok(reply) = interface.read(cut.chunks(size)) {
        assert_eq!(Ok(parts(&reply)), expected, "{}", String::from_utf8_lossy(cut));
    }
    assert_eq!(interface.read(whole.chunks(size)).map(|reply| parts(&reply)), expected);
}

/// A stream that is changed anyhow is a reply only if its events are those of one reply that ended.
fn check_changed(interface: Interface, streams: &[Vec<String>], choices: &mut Choices<'_>) {
    let mut events = streams[0].clone();
    while !choices.is_over() {
        change(&mut events, streams, choices);
        if events.len() > 60 {
            break;
        }
    }
    let mut bytes = bytes_of(&events);
    check_against_facts(interface, &bytes);
    for _ in 0..choices.below(3) {
        let at = choices.below(bytes.len() + 1);
        let end = (at + choices.below(40)).min(bytes.len());
        if choices.below(2) == 0 {
            bytes.drain(at..end);
        } else {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        check_against_facts(interface, &bytes);
    }
}

/// Changes the events in one way.
fn change(events: &mut Vec<String>, streams: &[Vec<String>], choices: &mut Choices<'_>) {
    let at = choices.below(events.len() + 1);
    match choices.below(6) {
        0 => events.truncate(at),
        1 if at < events.len() => drop(events.remove(at)),
        2 if at < events.len() => events.insert(at, events[at].clone()),
        3 if at < events.len() => {
            let other = choices.below(events.len());
            events.swap(at, other);
        }
        // The rest of another stream.
        4 => {
            let other = &streams[choices.below(streams.len())];
            events.truncate(at);
            events.extend_from_slice(&other[choices.below(other.len())..]);
        }
        // A piece of another stream, in between.
        5 => {
            let other = &streams[choices.below(streams.len())];
            let from = choices.below(other.len());
            let to = (from + 1 + choices.below(4)).min(other.len());
            events.splice(at..at, other[from..to].to_vec());
        }
        _ => {}
    }
}

fn check_against_facts(interface: Interface, bytes: &[u8]) {
    let Ok(reply) = interface.read([bytes].into_iter()) else { return };
    let shown = String::from_utf8_lossy(bytes);
    let facts = facts::Facts::of(interface, &shown);
    assert_eq!(facts.fault, None, "{shown}");
    let (_, calls) = parts(&reply);
    let named = || calls.iter().filter(|(_, name, _)| !name.is_empty());
    assert!(named().count() <= facts.calls.len(), "{calls:?} of {:?} in {shown}", facts.calls);
    for (position, call) in named().enumerate() {
        let is_again = !call.0.is_empty() && named().take(position).any(|earlier| earlier == call);
        assert!(!is_again, "{call:?} twice in {shown}");
    }
}

#[test]
fn a_reply_is_made_only_of_one_message_that_ended() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u8::try_from(state >> 56).unwrap_or_default()
    };
    for _ in 0..3_000 {
        let length = usize::from(byte()) % 48;
        let bytes: Vec<u8> = (0..length).map(|_| byte()).collect();
        check(&bytes);
    }
}
