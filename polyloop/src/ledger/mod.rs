//! Events folded into live items: what a model has been told, as typed values, in the order in which it stands.

mod item;

use std::sync::Arc;

pub(crate) use item::ItemContent;
pub use item::{Item, ItemKind};

use crate::event::{Call, CallId, Decision, Event, Settled};
use crate::message::ItemId;

/// The live items of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    items: Vec<Item>,
    /// How many items stood here when the first prompt was sealed.
    head: Option<usize>,
    /// The calls of the last reply, with their observations as these arrive.
    open: Vec<(Call, Option<Item>)>,
    /// Whether these are native calls.
    open_native: bool,
    /// Whether a request is out: what the model answers to is what it was shown.
    asked: bool,
    /// What was recorded while a request was out or calls were open; it stands behind the reply and the results.
    waiting: Vec<Item>,
}

impl Ledger {
    /// Returns the items, in the order in which they stand.
    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }

    /// The items that a layout orders, and those that stand where they were recorded.
    pub(crate) fn split(&self) -> (&[Item], &[Item]) {
        self.items.split_at_checked(self.head.unwrap_or(self.items.len())).unwrap_or((&self.items, &[]))
    }

    /// Whether a prompt was sealed.
    pub(crate) fn is_sealed(&self) -> bool {
        self.head.is_some()
    }

    /// Whether a call waits for its result.
    pub(crate) fn has_open_calls(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes what happened.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::FragmentRecorded { item, fragment } => {
                self.place(Item::new(*item, ItemContent::Fragment(fragment.clone())));
            }
            Event::InputRecorded { item, input, forged_marker } => {
                let content = ItemContent::Input { input: input.clone(), forged_marker: *forged_marker };
                self.place(Item::new(*item, content));
            }
            Event::PromptSealed { .. } => {
                self.head.get_or_insert(self.items.len());
                self.asked = true;
            }
            Event::ModelFailed { closing: Some(closing), .. } => {
                self.asked = false;
                let (reply, text) = &closing.reply;
                self.place(Item::new(*reply, ItemContent::Synthetic { reply: true, text: text.clone() }));
                let (observation, text) = &closing.observation;
                self.place(Item::new(
                    *observation,
                    ItemContent::Synthetic { reply: false, text: text.clone() },
                ));
                self.close();
            }
            Event::Decided { item, decision, calls, native, explanation, .. } => {
                self.decided(*item, decision, calls, *native, *explanation);
            }
            Event::CallSettled { item, call, settled } => {
                self.settled(*item, call, settled);
            }
            // Of a request that nobody waits for any more, and of calls that a run left behind, nothing follows.
            Event::RunStarted { .. } | Event::RunEnded { .. } => {
                self.asked = false;
                self.close();
            }
            Event::ModelFailed { closing: None, .. }
            | Event::SessionOpened { .. }
            | Event::LeaseTaken {}
            | Event::RunResumed { .. }
            | Event::RunSuspended { .. }
            | Event::ToolsEnabled { .. }
            | Event::HeaderChanged { .. }
            | Event::PromptRefused { .. }
            | Event::CallVerified { .. }
            | Event::StopChecked { .. }
            | Event::ClockMarked { .. }
            | Event::ModelReplied { .. }
            | Event::ModelAbandoned {}
            | Event::ApprovalAsked { .. }
            | Event::ApprovalGiven { .. }
            | Event::CallStarted { .. }
            | Event::RemarkRecorded { .. }
            | Event::UnknownAcknowledged {}
            | Event::CancelRequested { .. }
            | Event::RunFaulted { .. } => {}
        }
    }

    fn decided(
        &mut self,
        item: ItemId,
        decision: &Decision,
        calls: &[Call],
        native: bool,
        explanation: Option<ItemId>,
    ) {
        self.asked = false;
        let text: Arc<str> = decision.history_text().into();
        self.place(Item::new(item, ItemContent::Reply { text, calls: calls.into(), native }));
        if let (Decision::Invalid { explanation: text, .. }, Some(id)) = (decision, explanation) {
            self.place(Item::new(id, ItemContent::Explanation { text: text.as_str().into() }));
        }
        self.open = calls.iter().map(|call| (call.clone(), None)).collect();
        self.open_native = native;
        self.close();
    }

    fn settled(&mut self, item: ItemId, id: &CallId, settled: &Settled) {
        let Some((call, place)) = self.open.iter_mut().find(|(open, _)| open.id() == id) else { return };
        let content = ItemContent::Observation {
            call: id.clone(),
            tool: call.action().label().into(),
            native: self.open_native,
            parts: settled.shown(),
        };
        *place = Some(Item::new(item, content));
        self.close();
    }

    /// Puts an item where it stands: at the end, or behind what the model still says and does.
    fn place(&mut self, item: Item) {
        if self.open.is_empty() && !self.asked { self.items.push(item) } else { self.waiting.push(item) }
    }

    /// Places the results once the last of them is there, in the order of the calls, and then what waited.
    fn close(&mut self) {
        if self.open.iter().all(|(_, observation)| observation.is_some()) {
            let results =
                std::mem::take(&mut self.open).into_iter().filter_map(|(_, observation)| observation);
            self.items.extend(results);
            self.items.append(&mut self.waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Ledger;
    use crate::event::{
        Action, ActionOutcome, Call, CallId, Decision, Ending, Event, Seal, Settled, UserInput,
    };
    use crate::message::ItemId;

    fn sealed() -> Event {
        Event::PromptSealed { seal: Seal::default() }
    }

    fn said(ledger: &mut Ledger, item: u64, text: &str) {
        let input = UserInput::from(text);
        ledger.apply(&Event::InputRecorded { item: ItemId(item), input, forged_marker: false });
    }

    fn settled(ledger: &mut Ledger, item: u64, call: u64, text: &str) {
        let shown: Arc<[Arc<str>]> = Arc::from([Arc::from(text)]);
        let settled = Settled::new(ActionOutcome::executed(text), shown);
        let call = CallId::numbered(call);
        ledger.apply(&Event::CallSettled { item: ItemId(item), call, settled });
    }

    fn decided(ledger: &mut Ledger, item: u64, calls: &[u64]) {
        let action = Action::tool("tally", "{}");
        let decision = Decision::act("I act.", vec![action.clone(); calls.len()]);
        let calls = calls.iter().map(|call| Call::new(CallId::numbered(*call), action.clone())).collect();
        ledger.apply(&Event::Decided {
            item: ItemId(item),
            decision,
            calls,
            native: true,
            explanation: None,
            interpreter: String::new(),
        });
    }

    fn texts(ledger: &Ledger) -> Vec<String> {
        ledger.items().iter().map(|item| item.text().into_owned()).collect()
    }

    #[test]
    fn what_is_recorded_while_calls_are_open_stands_behind_the_last_of_their_results() {
        let mut ledger = Ledger::default();
        said(&mut ledger, 1, "goal");
        ledger.apply(&sealed());
        decided(&mut ledger, 2, &[1, 2]);
        said(&mut ledger, 3, "remark");
        settled(&mut ledger, 4, 2, "second");
        said(&mut ledger, 5, "another");
        assert_eq!(texts(&ledger), ["goal", "I act."], "no result stands before all are there");
        settled(&mut ledger, 6, 1, "first");
        assert_eq!(texts(&ledger), ["goal", "I act.", "first", "second", "remark", "another"]);
    }

    #[test]
    fn what_is_recorded_while_a_request_is_out_stands_behind_its_reply() {
        let mut ledger = Ledger::default();
        said(&mut ledger, 1, "goal");
        ledger.apply(&sealed());
        said(&mut ledger, 2, "remark");
        ledger.apply(&Event::ModelAbandoned {});
        ledger.apply(&sealed());
        assert_eq!(texts(&ledger), ["goal"], "a second attempt shows what the first one did");
        decided(&mut ledger, 3, &[]);
        assert_eq!(texts(&ledger), ["goal", "I act.", "remark"]);
    }

    #[test]
    fn what_waited_for_a_request_that_nobody_waits_for_any_more_stands_when_the_run_ended() {
        let mut ledger = Ledger::default();
        said(&mut ledger, 1, "goal");
        ledger.apply(&sealed());
        said(&mut ledger, 2, "remark");
        ledger.apply(&Event::ModelAbandoned {});
        ledger.apply(&Event::RunEnded { ending: Ending::Cancelled });
        assert_eq!(texts(&ledger), ["goal", "remark"]);
    }

    #[test]
    fn what_is_recorded_behind_the_first_seal_is_not_ordered_by_a_layout() {
        let mut ledger = Ledger::default();
        said(&mut ledger, 1, "goal");
        ledger.apply(&sealed());
        decided(&mut ledger, 3, &[]);
        said(&mut ledger, 2, "later");
        ledger.apply(&sealed());
        let (head, tail) = ledger.split();
        assert_eq!((head.len(), tail.len()), (1, 2), "the first seal counts");
    }

    #[test]
    fn a_call_is_answered_once_and_an_unknown_one_never() {
        let mut ledger = Ledger::default();
        decided(&mut ledger, 1, &[1]);
        settled(&mut ledger, 2, 9, "of no call");
        settled(&mut ledger, 3, 1, "first");
        settled(&mut ledger, 4, 1, "again");
        assert_eq!(texts(&ledger), ["I act.", "first"]);
    }
}
