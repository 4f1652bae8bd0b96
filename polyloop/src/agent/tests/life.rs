//! The life of a session at random: facts change and end, sessions are compacted, branch off, are rolled back and read
//! again; a model is always told what holds, once.

mod redacting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::kinds::{App, Count, Later, News, Note, Place, Rights};
use super::machine::Choices;
use super::{compactions, config, strictly};
use crate::ContextFragment;
use crate::compact::{Effect, History, Size};
use crate::event::{
    Action, ActionOutcome, Call, CompactionReason, Decision, Definitions, Ending, Event, Seal, SealPurpose,
    Settled,
};
use crate::journal::{Chain, Entry, Fork, Record, SessionId};
use crate::layout::{Frame, Grouped, Layout, Staged, Turn};
use crate::ledger::{Item, ItemKind, Statement};
use crate::message::{ItemId, Prompt};
use crate::registry::{Registry, fragment_by_kind};
use crate::session::{Session, Words};

/// The kinds of which a model is told what holds now.
const LATEST: [&str; 3] = ["place", "rights", "count"];

/// A session, what its journal has of it, and what holds in the world.
struct Life {
    layout: Arc<dyn Layout>,
    session: Session<App>,
    events: Vec<Event>,
    /// What holds of each kind, by the number that stands for it.
    world: BTreeMap<&'static str, usize>,
    /// The last request, and how often what stood had been changed then.
    sent: Option<(Prompt, u64)>,
    under_way: bool,
    numbers: usize,
    /// What stood before each turn that was not rolled back; none where a fork changed it since.
    before: Vec<Option<Vec<ItemId>>>,
    /// How many events there were when texts were removed last: prompts that were sealed before may be other ones.
    redacted: usize,
    /// Facts of which a statement was removed: how the others of them come to what holds cannot be read off.
    unsure: BTreeSet<&'static str>,
}

impl Life {
    fn new(choices: &mut Choices<'_>) -> Self {
        let layout: Arc<dyn Layout> = match choices.below(3) {
            0 => Arc::new(Staged),
            1 => Arc::new(Grouped),
            _ => Arc::new(Turn),
        };
        let session = Session::framed(layout.clone(), Frame::bare());
        let (events, world, sent) = (Vec::new(), BTreeMap::new(), None);
        Self {
            layout,
            session,
            events,
            world,
            sent,
            under_way: false,
            numbers: 0,
            before: Vec::new(),
            redacted: 0,
            unsure: BTreeSet::new(),
        }
    }

    fn record(&mut self, event: Event) {
        self.session.append(event.clone());
        self.events.push(event);
    }

    fn say(&mut self, words: Words) {
        let mut copy = self.session.twin().journaled();
        copy.record(words).unwrap();
        for event in copy.unwritten() {
            self.record(event.clone());
        }
    }

    fn tell_of(&mut self, kind: &str) {
        let words = match (kind, self.world.get(kind).copied()) {
            ("place", Some(name)) => Words::latest::<App, Place>(Place { name }).unwrap(),
            ("place", None) => Words::retract::<App, Place>(),
            ("rights", Some(level)) => Words::latest::<App, Rights>(Rights { level }).unwrap(),
            ("rights", None) => Words::retract::<App, Rights>(),
            (_, Some(number)) => Words::latest::<App, Count>(Count { number }).unwrap(),
            (_, None) => Words::retract::<App, Count>(),
        };
        self.say(words);
    }

    /// Records what a turn begins with: its input, and the notes that wait.
    fn open_turn(&mut self) {
        let mut copy = self.session.twin().journaled();
        let turn = copy.turn(&[Words::input("go".into()).unwrap()]).unwrap();
        copy.begin(&turn);
        for event in copy.unwritten() {
            self.record(event.clone());
        }
    }

    /// Lets a place wait for the next input; sometimes it is withdrawn, and sometimes another place is known before. Returns the
    /// kind that the input states.
    fn queue(&mut self, choices: &mut Choices<'_>) -> Option<&'static str> {
        if choices.below(3) > 0 {
            return None;
        }
        let known = self.world.insert("place", choices.below(5));
        let mut copy = self.session.twin().journaled();
        for name in [choices.below(5), self.world["place"]] {
            copy.queue(Place { name }).unwrap();
        }
        let is_withdrawn = choices.below(4) == 0;
        if is_withdrawn {
            assert_eq!(copy.withdraw_notes::<Place>(), 1, "an earlier value waits no longer");
        }
        for event in copy.unwritten() {
            self.record(event.clone());
        }
        match choices.below(3) {
            // What is told afterwards is newer than the note.
            0 => drop(self.world.insert("place", choices.below(5))),
            1 => drop(self.world.remove("place")),
            _ if is_withdrawn => match known {
                Some(known) => drop(self.world.insert("place", known)),
                None => drop(self.world.remove("place")),
            },
            _ => return Some("place"),
        }
        None
    }

    fn change(&mut self, choices: &mut Choices<'_>) -> &'static str {
        let kind = LATEST[choices.below(LATEST.len())];
        match choices.below(5) {
            0 => drop(self.world.remove(kind)),
            value => drop(self.world.insert(kind, value)),
        }
        kind
    }

    fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    fn begin(&mut self, choices: &mut Choices<'_>) {
        self.before.push(Some(self.session.items().iter().map(Item::id).collect()));
        self.record(Event::RunStarted { definition: Definitions::new() });
        self.under_way = true;
        let is_branch = self.session.ledger().refreshes(&const { Place::SPEC });
        let waits = self.queue(choices);
        for kind in LATEST.into_iter().filter(|kind| Some(*kind) != waits) {
            self.tell_of(kind);
        }
        let first = self.numbers;
        for _ in 0..choices.below(3) {
            self.inject(choices);
        }
        self.open_turn();
        if choices.below(3) == 0 {
            self.compact(choices);
        }
        if is_branch {
            // It was told its own values in the place of what it inherited.
            self.before.fill(None);
        }
        self.ask();
        // What this turn says first is in its first request, whatever was compacted in front of it.
        let sent = self.sent.iter().flat_map(|(prompt, _)| prompt.messages());
        let said = sent.flat_map(crate::Message::blocks).filter_map(crate::Block::text);
        let told = said.filter_map(|text| {
            let number = text.strip_prefix("news ").or_else(|| text.strip_prefix("note "))?;
            number.parse::<usize>().ok()
        });
        assert_eq!(told.filter(|number| *number > first).count(), self.numbers - first);
    }

    fn inject(&mut self, choices: &mut Choices<'_>) {
        let number = self.number();
        self.say(match choices.below(2) {
            0 => Words::fragment::<App, News>(News { number }).unwrap(),
            _ => Words::fragment::<App, Note>(Note { number }).unwrap(),
        });
    }

    /// Seals the next request, and checks everything that holds of one.
    fn ask(&mut self) {
        let (prompt, purpose) = self.session.next_prompt();
        assert_eq!(purpose, SealPurpose::Step);
        let messages = self.session.messages_hash(&prompt, purpose);
        self.record(Event::PromptSealed { seal: Seal { messages, ..Seal::default() } });
        assert_eq!(strictly(&prompt), Ok(()), "{:?}", texts(&prompt));
        self.each_fact_is_told_once(&prompt);
        self.every_character_has_one_origin(&prompt);
        let breaks = self.session.ledger().breaks();
        if let Some((last, before)) = &self.sent
            && *before == breaks
        {
            assert_eq!(
                prompt.shared_with(last),
                (last.chars(), None),
                "{:?} {:?}",
                texts(last),
                texts(&prompt)
            );
        }
        self.sent = Some((prompt, breaks));
    }

    /// What the statements of a kind come to, one after another, is what holds; and none says what is known.
    fn each_fact_is_told_once(&self, prompt: &Prompt) {
        for kind in &self.unsure {
            // A statement that was removed counts as none: what holds is told again, in full.
            let latest = self.session.ledger().latest(kind).filter(|(_, latest)| !latest.retracts);
            let told = latest.map(|(_, latest)| latest.in_full().text());
            let holds = self.world.get(kind).map(ToString::to_string);
            assert_eq!(told.is_some(), holds.is_some(), "{kind}: {:?}", texts(prompt));
            assert!(told.zip(holds).is_none_or(|(told, holds)| told.contains(&holds)));
        }
        for kind in LATEST.into_iter().filter(|kind| !self.unsure.contains(kind)) {
            let mut known = None;
            for item in self.session.items().iter().filter(|item| item.kind_name() == kind) {
                let text = item.text();
                let number = text.chars().filter(char::is_ascii_digit).collect::<String>().parse::<usize>();
                let now = match (item.statement().unwrap(), known) {
                    (Statement::Full, _) => number.ok(),
                    (Statement::Change, Some(before)) => number.ok().map(|more| before + more),
                    (Statement::Change, None) => unreachable!("a change of nothing: {:?}", texts(prompt)),
                    (Statement::Retraction, _) => None,
                };
                assert_ne!(now, known, "{kind} is told again: {:?}", texts(prompt));
                known = now;
            }
            assert_eq!(known.as_ref(), self.world.get(kind), "{kind}: {:?}", texts(prompt));
        }
    }

    fn every_character_has_one_origin(&self, prompt: &Prompt) {
        let items: BTreeMap<_, &Item> = self.session.items().iter().map(|item| (item.id(), item)).collect();
        let mut left: BTreeMap<_, String> =
            items.iter().map(|(id, item)| (*id, item.text().into_owned())).collect();
        let blocks: Vec<_> = prompt.messages().flat_map(crate::Message::blocks).collect();
        assert_eq!(blocks.iter().map(|block| block.chars()).sum::<usize>(), prompt.chars());
        for block in blocks {
            let item = block.origin().item();
            assert_eq!(block.origin().kind(), items[&item].kind_name());
            if let Some(text) = block.text() {
                let rest = left.get_mut(&item).unwrap();
                *rest = rest.strip_prefix(text).unwrap().to_owned();
            }
        }
        left.retain(|id, _| items[id].kind() != ItemKind::Observation);
        assert!(left.values().all(String::is_empty), "{left:?}");
    }

    fn reply(&mut self, choices: &mut Choices<'_>) {
        // Each call has arguments of its own, by which it is known again.
        let number = self.number();
        let action = |call: usize| Action::tool("tally", format!("{number}.{call}"));
        let actions: Vec<Action> = (0..choices.below(3)).map(action).collect();
        let decision = Decision::act("I act.", actions.clone());
        let calls = self.session.new_calls().zip(actions).map(|(id, action)| Call::new(id, action));
        let calls: Vec<Call> = calls.collect();
        let ids: Vec<_> = calls.iter().map(|call| call.id().clone()).collect();
        let item = self.session.new_item();
        let (explanation, interpreter) = (None, String::new());
        self.record(Event::Decided {
            item,
            decision,
            calls,
            native: true,
            explanation,
            interpreter,
            forged_marker: false,
        });
        for call in ids {
            if choices.below(3) == 0 {
                let kind = self.change(choices);
                self.tell_of(kind);
            }
            let outcome = match choices.below(4) {
                0 => ActionOutcome::unknown("nobody knows"),
                1 => ActionOutcome::executed("it broke").as_error(),
                _ => ActionOutcome::executed("done"),
            };
            let settled = Settled::new(outcome, Arc::from([Arc::from("seen")]));
            let item = self.session.new_item();
            self.record(Event::CallSettled { item, call, settled });
        }
    }

    fn compact(&mut self, choices: &mut Choices<'_>) {
        let ledger = self.session.ledger();
        let before = ledger.first_unseen();
        let history = History::new(ledger, before, CompactionReason::Asked, Size::default());
        let exchanges = history.exchanges().iter().filter(|_| choices.below(3) > 0);
        let replaced: Vec<_> = exchanges.flat_map(|exchange| exchange.items().iter().map(Item::id)).collect();
        let instruction = (choices.below(2) == 0).then(|| (self.session.new_item(), "sum up".into()));
        self.record(Event::CompactionStarted { reason: CompactionReason::Asked, before, instruction });
        if choices.below(4) == 0 {
            return self.record(Event::CompactionAbandoned { why: "no".to_owned(), chars: None });
        }
        let effects = history.effects(&replaced.iter().copied().collect(), |_| Some(Effect::Receipt));
        let says = choices.below(4) > 0 || !effects.is_empty();
        let summary = says.then(|| (self.session.new_item(), "a summary".into()));
        let (restated, in_place) = self.session.new_statements(before);
        let together = choices.below(2) == 0;
        let (keeps_present_notes, present) = (choices.below(2) == 0, self.session.ledger().turn());
        let stood = self.session.items().to_vec();
        self.record(Event::CompactionApplied {
            replaced,
            summary,
            restated,
            effects,
            forged_marker: false,
            shortened: Vec::new(),
            keeps_present_notes,
            in_place,
            together,
        });
        compactions::check(&stood, self.session.items(), present, keeps_present_notes);
        for _ in 0..choices.below(3) {
            // A host supplies present values.
            let kind = self.change(choices);
            self.tell_of(kind);
        }
    }

    /// The session goes on in another process, which knows its journal only; or another one branches off.
    fn read_again(&mut self) {
        let shown = texts(&self.session.prompt());
        self.session = self.read::<App>();
        assert_eq!(texts(&self.session.prompt()), shown);
    }

    /// Reads everything that happened by the kinds of a registry; every prompt that was sealed after the last redaction comes
    /// out again.
    fn read<R: Registry>(&self) -> Session<R> {
        let mut chain = Chain::new(SessionId::from("life"));
        let mut session = Session::<R>::framed(self.layout.clone(), Frame::bare());
        for (place, record) in self.records(&mut chain).iter().enumerate() {
            let event = Event::read(record, fragment_by_kind::<R>).unwrap().unwrap();
            assert_eq!(session.admits(&event), Ok(()), "{event:?}");
            session.follow(&event);
            if let Event::PromptSealed { seal } = &event {
                let (prompt, purpose) = session.next_prompt();
                let is_sealed = session.messages_hash(&prompt, purpose) == seal.messages;
                assert!(is_sealed || place < self.redacted, "{place}");
            }
        }
        session
    }

    /// The events as records, chained; each as it is without the texts that were redacted.
    fn records(&self, chain: &mut Chain) -> Vec<Record> {
        let record = |event: &Event| {
            let (kind, payload) = (event.kind(), event.payload().unwrap());
            chain.extend(Entry { kind, v: 2, payload, run: 1, epoch: 1, at: 0 })
        };
        self.events.iter().map(record).collect()
    }

    fn fork(&mut self) {
        let fork = Fork { parent: SessionId::from("life"), records: 1, hash: String::new() };
        let fork = Some(fork);
        self.before.fill(None);
        self.record(Event::SessionOpened { library: String::new(), registry: String::new(), fork });
        // What is refreshed takes the place of what was inherited.
        let inherited = self.session.ledger().latest("place").map(|(_, fragment)| fragment.retracts);
        if inherited != Some(false) {
            return;
        }
        let told = self.events.len();
        self.tell_of("place");
        if self.events.len() == told {
            return;
        }
        let places = self.session.items().iter().filter(|item| item.kind_name() == "place").count();
        assert_eq!(
            places,
            usize::from(self.world.contains_key("place")),
            "a child is told one place, or none"
        );
    }

    /// What stood before stands again, and behind it only what is kept.
    fn roll_back(&mut self, turns: usize) {
        self.record(Event::HistoryRolledBack { turns: turns as u64, keeps_context: true });
        let gone = self.before.split_off(self.before.len() - turns);
        let live = self.session.ledger().turns();
        assert!(live.len() == self.before.len() && live.is_sorted_by(|one, next| one < next), "{live:?}");
        let Some(before) = &gone[0] else { return };
        let (old, new) = self.session.items().split_at(before.len());
        assert_eq!(old.iter().map(Item::id).collect::<Vec<_>>(), *before);
        assert!(new.iter().all(|item| item.kind_name() == "note"), "{new:?}");
    }

    fn live(&mut self, choices: &mut Choices<'_>) {
        match (choices.below(9), self.under_way) {
            (0 | 1, true) => {
                let (ending, told) = match choices.below(3) {
                    0 => (Ending::Cancelled, Some((self.session.new_item(), "cancelled".into()))),
                    _ => (Ending::FinalAnswer, None),
                };
                self.record(Event::RunEnded { ending, told });
                self.under_way = false;
            }
            (2, true) => {
                self.reply(choices);
                self.compact(choices);
                self.ask();
            }
            (3, true) => {
                let kind = self.change(choices);
                // It stands behind the reply that is still to come.
                self.tell_of(kind);
                self.reply(choices);
                self.ask();
            }
            (_, true) => {
                self.reply(choices);
                if choices.below(3) == 0 {
                    self.inject(choices);
                }
                self.ask();
            }
            (0, false) if choices.below(3) == 0 => self.redact(choices),
            (0, false) => self.fork(),
            (1, false) => self.read_again(),
            (2, false) if !self.session.ledger().turns().is_empty() => {
                let turns = 1 + choices.below(self.session.ledger().turns().len());
                self.roll_back(turns);
            }
            (3 | 4, false) => drop(self.change(choices)),
            (_, false) => self.begin(choices),
        }
    }
}

fn texts(prompt: &Prompt) -> Vec<String> {
    prompt.messages().map(crate::Message::text).collect()
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn whatever_becomes_of_a_session_a_model_is_told_what_holds_once(choices in vec(any::<u8>(), 0..200)) {
        let mut choices = Choices::new(&choices);
        let mut life = Life::new(&mut choices);
        while choices.are_left() {
            life.live(&mut choices);
        }
        life.read_again();
        // A program that retired a kind reads the same.
        prop_assert_eq!(texts(&life.read::<Later>().prompt()), texts(&life.session.prompt()));
    }
}
