//! A run at random: events in an order that a driver may write, kills in between, and what is left behind them.

use std::slice::Iter;
use std::sync::Arc;

use super::{App, Note};
use crate::agent::state::{Approval, Phase, RunState};
use crate::error::{ModelError, ModelErrorClass};
use crate::event::{
    Action, ActionOutcome, Call, CallId, Closing, Decision, Definitions, Ending, Event, Header, Intent,
    Measured, RecordedFragment, Reply, Seal, SealPurpose, Settled, UserInput, Verdict,
};
use crate::fragment::ContextFragment;
use crate::journal::{Chain, Entry, SessionId};
use crate::layout::{Frame, Layout};
use crate::ledger::Item;
use crate::message::{ItemId, Prompt};
use crate::registry::{Registry, fragment_by_kind};
use crate::session::Session;
use crate::tool::Replay;

/// What is chosen, one after another.
pub(super) struct Choices<'c>(Iter<'c, u8>);

impl<'c> Choices<'c> {
    pub(super) fn new(choices: &'c [u8]) -> Self {
        Self(choices.iter())
    }

    pub(super) fn are_left(&self) -> bool {
        self.0.len() > 0
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.next().map_or(0, |choice| usize::from(*choice) % end)
    }

    /// One time in `times`; never where nothing is left to choose.
    fn one_in(&mut self, times: usize) -> bool {
        self.are_left() && self.below(times) == times - 1
    }
}

/// Orders everything against the order in which it was recorded, and puts what is said later into one message.
struct Backwards;

impl Layout for Backwards {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        items.iter().rev().map(|item| vec![item.id()]).collect()
    }

    fn follow(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        vec![items.iter().rev().map(Item::id).collect()]
    }
}

/// Reads events back from records, as another process does.
pub(super) fn read(events: &[Event]) -> (Session<App>, RunState) {
    let mut chain = Chain::new(SessionId::from("random"));
    let mut session = Session::framed(Arc::new(Backwards), Frame::bare());
    let mut state = RunState::default();
    for event in events {
        let (kind, payload) = (event.kind(), event.payload().unwrap());
        let record = chain.extend(Entry { kind, v: 1, payload, run: 1, epoch: 1, at: 0 });
        let event = Event::read(&record, fragment_by_kind::<App>).unwrap().unwrap();
        session.follow(&event);
        state.apply(&event);
        if matches!(event, Event::PromptSealed { .. }) {
            session.prompt();
        }
    }
    (session, state)
}

/// A run, and what its journal has of it.
pub(super) struct Machine {
    pub(super) session: Session<App>,
    state: RunState,
    /// What the journal has.
    pub(super) kept: Vec<Event>,
    /// What it would have with the next commit.
    unwritten: Vec<Event>,
    /// Every prompt that was sealed.
    pub(super) prompts: Vec<Prompt>,
}

impl Machine {
    /// Does what is chosen, until nothing is left.
    pub(super) fn driven_by(choices: &[u8]) -> Self {
        let (session, state) = read(&[]);
        let mut machine =
            Self { session, state, kept: Vec::new(), unwritten: Vec::new(), prompts: Vec::new() };
        let mut choices = Choices::new(choices);
        machine.record(Event::SessionOpened {
            library: "1".to_owned(),
            registry: "r".to_owned(),
            fork: None,
        });
        machine.record(Event::LeaseTaken {});
        machine.start(&mut choices);
        while choices.are_left() {
            machine.step(&mut choices);
        }
        machine.commit();
        machine
    }

    fn record(&mut self, event: Event) {
        self.state.apply(&event);
        self.session.append(event.clone());
        self.unwritten.push(event);
    }

    fn commit(&mut self) {
        self.kept.append(&mut self.unwritten);
    }

    fn start(&mut self, choices: &mut Choices<'_>) {
        self.record(Event::RunStarted { definition: Definitions::new() });
        self.between(choices);
        self.say("go");
        self.commit();
    }

    /// What a driver does next, and at times what meets it.
    fn step(&mut self, choices: &mut Choices<'_>) {
        if choices.one_in(12) {
            return self.kill(choices);
        }
        if choices.one_in(5) {
            self.between(choices);
        }
        if self.state.ending.is_some() {
            return self.start(choices);
        }
        match self.state.phase.clone() {
            Phase::Assembling => self.ask(choices),
            Phase::Sealed => self.answer(choices),
            Phase::Replied(reply) => self.decide(&reply, choices),
            Phase::Acting => self.act(choices),
            Phase::Settled => self.check(choices),
        }
    }

    /// What a person, a host or a clock adds, whatever the run does.
    fn between(&mut self, choices: &mut Choices<'_>) {
        match choices.below(8) {
            0 | 1 => self.say("a remark"),
            2 | 3 => {
                let rendered = App::render(&Note { text: "a note".to_owned() }).unwrap();
                let fragment = RecordedFragment::new(&const { Note::SPEC }, rendered);
                let item = self.session.new_item();
                self.record(Event::FragmentRecorded { item, fragment, instead_of: None });
            }
            4 => self.record(Event::ClockMarked { millis: 1 }),
            5 => self.record(Event::ToolsEnabled { tools: vec!["tally".to_owned()] }),
            6 => self.record(Event::HeaderChanged { header: Header::default() }),
            _ => self.record(Event::CancelRequested { now: choices.below(2) == 1 }),
        }
    }

    fn say(&mut self, words: &str) {
        let (item, input) = (self.session.new_item(), UserInput::from(words));
        self.record(Event::InputRecorded { item, input, typed: None, forged_marker: false });
    }

    /// As much of the last commit is there as is chosen; another process goes on.
    fn kill(&mut self, choices: &mut Choices<'_>) {
        let written = choices.below(self.unwritten.len() + 1);
        self.kept.extend(self.unwritten.drain(..written));
        self.unwritten.clear();
        (self.session, self.state) = read(&self.kept);
        if self.state.ending.is_some() {
            return;
        }
        self.record(Event::LeaseTaken {});
        self.record(Event::RunResumed { definition: Definitions::new(), changed: Vec::new() });
        if matches!(self.state.phase, Phase::Sealed) {
            self.record(Event::ModelAbandoned {});
        }
        for (call, intent) in self.open() {
            if intent.is_some() && choices.below(2) == 1 {
                let verdict = Verdict::Unknown;
                self.record(Event::CallVerified { call: call.clone(), verdict });
                self.settle(call, ActionOutcome::unknown("killed"));
            }
        }
        self.commit();
    }

    fn ask(&mut self, choices: &mut Choices<'_>) {
        let prompt = self.session.prompt();
        if choices.one_in(30) {
            self.record(Event::PromptRefused { chars: prompt.chars(), limit: 1, bytes: None });
            return self.end(Ending::ContextOverflow { chars: prompt.chars() });
        }
        let seal = Seal {
            step: self.state.steps + 1,
            attempt: self.state.attempts + 1,
            chars: prompt.chars(),
            messages: self.session.messages_hash(&prompt, SealPurpose::Step),
            ..Seal::default()
        };
        self.record(Event::PromptSealed { seal });
        self.commit();
        self.prompts.push(prompt);
    }

    fn answer(&mut self, choices: &mut Choices<'_>) {
        let failed = |class| ModelError::new(class, "told so");
        let called = |reply: Reply, times| (0..times).fold(reply, |reply, _| reply.call("tally", "{}"));
        let reply = match choices.below(8) {
            0 => {
                let error = failed(ModelErrorClass::Server);
                return self.record(Event::ModelFailed { error, closing: None });
            }
            1 => {
                let closing = Closing {
                    reply: (self.session.new_item(), "(no reply)".into()),
                    observation: (self.session.new_item(), "go on".into()),
                };
                let error = failed(ModelErrorClass::Timeout);
                return self.record(Event::ModelFailed { error, closing: Some(closing) });
            }
            2 => Reply::text("done"),
            3 => Reply::text("what?"),
            4 => called(Reply::default(), 1),
            calls => called(Reply::text("I act."), calls - 4),
        };
        self.record(Event::ModelReplied { reply: Arc::new(reply) });
    }

    fn decide(&mut self, reply: &Reply, choices: &mut Choices<'_>) {
        let native = choices.below(4) > 0;
        let actions = vec![Action::tool("tally", "{}"); reply.calls().len()];
        let text = if native || !reply.as_text().is_empty() { reply.as_text() } else { "(no text)" };
        let decision = match reply.as_text() {
            _ if !actions.is_empty() => Decision::act(text, actions.clone()),
            "done" => Decision::answer("done"),
            _ => Decision::invalid(text, "it cannot be used"),
        };
        let calls: Vec<Call> =
            self.session.new_calls().zip(actions).map(|(id, action)| Call::new(id, action)).collect();
        let item = self.session.new_item();
        let explanation = matches!(decision, Decision::Invalid { .. }).then(|| self.session.new_item());
        let interpreter = "random".to_owned();
        self.record(Event::Decided {
            item,
            decision,
            calls,
            native,
            explanation,
            interpreter,
            forged_marker: false,
        });
    }

    /// The open calls, with what is intended of each.
    fn open(&self) -> Vec<(CallId, Option<Intent>)> {
        let open = self.state.calls.iter_open();
        open.map(|pending| (pending.call.id().clone(), pending.intent.clone())).collect()
    }

    /// Something happens to one of the open calls, whichever it is.
    fn act(&mut self, choices: &mut Choices<'_>) {
        let open: Vec<_> = self.state.calls.iter_open().cloned().collect();
        let pending = &open[choices.below(open.len())];
        let call = pending.call.id().clone();
        match (&pending.intent, pending.approval) {
            (None, Approval::Asked) => match choices.below(4) {
                0 => self.record(Event::RunSuspended { ending: Ending::AwaitingApproval }),
                1 => self.settle(call, ActionOutcome::not_executed("denied")),
                _ => self.record(Event::ApprovalGiven { call, always: false }),
            },
            (None, Approval::NotAsked) if choices.below(4) == 0 => {
                self.record(Event::ApprovalAsked { call, arguments: None });
            }
            (None, _) if choices.below(5) == 0 => self.settle(call, ActionOutcome::not_executed("no")),
            (before, _) if before.is_none() || choices.below(6) == 0 => {
                let intent = Intent {
                    attempt: before.as_ref().map_or(0, |intent| intent.attempt) + 1,
                    replay: Replay::Safe,
                    arguments: "{}".to_owned(),
                    spec: None,
                    completes_run: false,
                    child: None,
                };
                self.record(Event::CallStarted { call, intent });
                self.commit();
            }
            _ => self.settle(
                call,
                match choices.below(4) {
                    0 => ActionOutcome::environment_error("down"),
                    1 => ActionOutcome::unknown("nobody knows"),
                    2 => ActionOutcome::executed("failed").as_error(),
                    _ => ActionOutcome::executed("done"),
                },
            ),
        }
    }

    fn settle(&mut self, call: CallId, outcome: ActionOutcome) {
        let item = self.session.new_item();
        let settled = Settled::new(outcome, Arc::from([Arc::from("seen")]));
        self.record(Event::CallSettled { item, call, settled });
    }

    fn check(&mut self, choices: &mut Choices<'_>) {
        self.record(Event::StopChecked { measured: Measured::default(), matches: Vec::new() });
        match choices.below(12) {
            0 => self.end(Ending::FinalAnswer),
            1 => self.record(Event::UnknownAcknowledged {}),
            2 if choices.one_in(8) => {
                self.record(Event::RunFaulted { message: "a fault".to_owned() });
                self.end(Ending::FinalAnswer);
            }
            _ => self.ask(choices),
        }
    }

    fn end(&mut self, ending: Ending) {
        let told = self.state.is_cancelled().then(|| (self.session.new_item(), "cancelled".into()));
        self.record(Event::RunEnded { ending, told });
        self.commit();
    }
}
