//! What a fragment type answers, as data.

use super::marker::Marker;
use super::vocabulary::{
    Absent, Channel, Legacy, Lifetime, Marking, Memory, OnCompact, OnFork, OnRollback, Overflow, Piece, Pin,
    Slot,
};
use crate::message::Role;

/// The largest `max_chars` that needs no reason, in characters.
pub(crate) const LARGE: usize = 40_000;

/// How many of one kind a turn may record unless the type says otherwise.
const AT_MOST: usize = 8;

/// The description of a fragment type: who speaks, how it is marked, where it stands, how long it lives, how big it may be.
///
/// `#[derive(ContextFragment)]` writes it; an implementation by hand builds it with [`FragmentSpec::new`] and the
/// setters, all of which are `const`.
///
/// ```
/// use polyloop::{Body, ContextFragment, FragmentSpec, Render, Role};
///
/// struct Clock(u64);
///
/// impl ContextFragment for Clock {
///     const SPEC: FragmentSpec = FragmentSpec::new("clock", Role::Developer, 60).markers("<clock>", "</clock>");
///
///     fn body(&self) -> Body {
///         Body::new().text("seconds since the start: ").value(self.0)
///     }
/// }
///
/// assert_eq!(Clock(7).render().unwrap().text(), "<clock>seconds since the start: 7</clock>");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the attribute, with its name")]
pub struct FragmentSpec {
    /// The stable identity in journals; unique in a registry.
    pub kind: &'static str,
    /// Former kinds, which old journals may hold.
    pub was: &'static [&'static str],
    /// The name of the type, for people.
    pub type_name: &'static str,
    /// The file that declares the type.
    pub file: &'static str,
    /// The line that declares the type, counted from 1; 0 where it is not known.
    pub line: u32,
    /// Who speaks.
    pub role: Role,
    /// How the text is recognised, or why it is not.
    pub marking: Marking,
    /// Old forms: recognised for ever, never rendered.
    pub legacy: &'static [Legacy],
    /// Whether it must be its own message.
    pub standalone: bool,
    /// Where it stands.
    pub slot: Slot,
    /// The order inside a slot; ties keep the order of recording.
    pub rank: i32,
    /// Whether it stands first or last in its group.
    pub pin: Option<Pin>,
    /// How long it lives.
    pub lifetime: Lifetime,
    /// What is said when the fact stops holding.
    pub absent: Option<Absent>,
    /// Whether a person sees it as an item.
    pub visible: bool,
    /// What compaction does with it.
    pub on_compact: OnCompact,
    /// Whether the type states what compaction does with it; else `on_compact` is the default of the lifetime.
    pub on_compact_stated: bool,
    /// What a fork does with it.
    pub on_fork: OnFork,
    /// What a rollback does with it.
    pub on_rollback: OnRollback,
    /// Whether long-term memory may read it.
    pub memory: Memory,
    /// Whether only what changed may be said, by [`ChangedFragment`](crate::ChangedFragment).
    pub change: bool,
    /// Whether the value itself is recorded beside its text.
    pub state: bool,
    /// The hard cap of the rendered text in characters, markers and notices included.
    pub max_chars: usize,
    /// Why the cap is over 40 000 characters.
    pub large: Option<&'static str>,
    /// How many of this kind one turn may record.
    pub at_most: usize,
    /// What happens over the cap.
    pub overflow: Overflow,
    /// The notice that stands where something was cut; `{left_out}` is the number of characters.
    pub notice: Option<&'static str>,
    /// Whether markers inside values are left as they are.
    pub raw: bool,
    /// The templates of the body, one for a struct, one for each variant of an enum; empty for a body by function.
    pub templates: &'static [&'static [Piece]],
}

impl FragmentSpec {
    /// Starts a description from what has no default: the kind, the role and the cap in characters.
    ///
    /// Say next how it is marked, with [`markers`](Self::markers) or [`unmarked`](Self::unmarked); a registry
    /// refuses a description that does not.
    #[must_use]
    pub const fn new(kind: &'static str, role: Role, max_chars: usize) -> Self {
        Self {
            kind,
            was: &[],
            type_name: kind,
            file: "",
            line: 0,
            role,
            marking: Marking::Unmarked(""),
            legacy: &[],
            standalone: false,
            slot: Slot::Run,
            rank: 0,
            pin: None,
            lifetime: Lifetime::Sticky,
            absent: None,
            visible: false,
            on_compact: OnCompact::Keep,
            on_compact_stated: false,
            on_fork: OnFork::Keep,
            on_rollback: OnRollback::Trim,
            memory: Memory::Exclude,
            change: false,
            state: false,
            max_chars,
            large: None,
            at_most: AT_MOST,
            overflow: Overflow::Refuse,
            notice: None,
            raw: false,
            templates: &[],
        }
    }

    /// Says which type this is and where it is declared.
    #[must_use]
    pub const fn declared(mut self, type_name: &'static str, file: &'static str, line: u32) -> Self {
        self.type_name = type_name;
        self.file = file;
        self.line = line;
        self
    }

    /// Sets the former kinds.
    #[must_use]
    pub const fn was(mut self, kinds: &'static [&'static str]) -> Self {
        self.was = kinds;
        self
    }

    /// Sets the markers around the body; `{key}` stands for the fragment's key.
    #[must_use]
    pub const fn markers(mut self, begin: &'static str, end: &'static str) -> Self {
        self.marking = Marking::Marked { begin: Marker::new(begin), end: Marker::new(end) };
        self
    }

    /// Gives up recognition, and says why.
    #[must_use]
    pub const fn unmarked(mut self, why: &'static str) -> Self {
        self.marking = Marking::Unmarked(why);
        self
    }

    /// Sets the old forms.
    #[must_use]
    pub const fn legacy(mut self, forms: &'static [Legacy]) -> Self {
        self.legacy = forms;
        self
    }

    /// Makes it its own message.
    #[must_use]
    pub const fn standalone(mut self) -> Self {
        self.standalone = true;
        self
    }

    /// Sets where it stands. An injection is a user message of its own, unmarked, its content as given.
    #[must_use]
    pub const fn slot(mut self, slot: Slot) -> Self {
        self.slot = slot;
        if matches!(slot, Slot::Injection(_)) {
            self.role = Role::User;
            self.standalone = true;
            self.raw = true;
            self.marking = Marking::Unmarked("an injection is given as it is");
        }
        self
    }

    /// Sets the order inside the slot.
    #[must_use]
    pub const fn rank(mut self, rank: i32) -> Self {
        self.rank = rank;
        self
    }

    /// Sets it first or last in its group.
    #[must_use]
    pub const fn pin(mut self, pin: Pin) -> Self {
        self.pin = Some(pin);
        self
    }

    /// Sets how long it lives, with that lifetime's own defaults for compaction, forks and `at_most`.
    #[must_use]
    pub const fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        match lifetime {
            Lifetime::Sticky => {}
            Lifetime::Latest => {
                self.on_compact = OnCompact::Restate;
                self.on_fork = OnFork::Refresh;
                self.at_most = 1;
            }
            Lifetime::Once => self.on_compact = OnCompact::Drop,
        }
        self
    }

    /// Sets what is said when the fact stops holding.
    #[must_use]
    pub const fn absent(mut self, text: &'static str) -> Self {
        self.absent = Some(Absent::Says(text));
        self
    }

    /// Says why the fact never stops holding.
    #[must_use]
    pub const fn never_retracted(mut self, why: &'static str) -> Self {
        self.absent = Some(Absent::Never(why));
        self
    }

    /// Lets a person see it as an item.
    #[must_use]
    pub const fn visible(mut self) -> Self {
        self.visible = true;
        self
    }

    /// Sets what compaction does with it.
    #[must_use]
    pub const fn on_compact(mut self, policy: OnCompact) -> Self {
        self.on_compact = policy;
        self.on_compact_stated = true;
        self
    }

    /// Sets what a fork does with it.
    #[must_use]
    pub const fn on_fork(mut self, policy: OnFork) -> Self {
        self.on_fork = policy;
        self
    }

    /// Sets what a rollback does with it.
    #[must_use]
    pub const fn on_rollback(mut self, policy: OnRollback) -> Self {
        self.on_rollback = policy;
        self
    }

    /// Sets whether long-term memory may read it.
    #[must_use]
    pub const fn memory(mut self, policy: Memory) -> Self {
        self.memory = policy;
        self
    }

    /// Lets only what changed be said.
    #[must_use]
    pub const fn change(mut self) -> Self {
        self.change = true;
        self
    }

    /// Records the value beside its text.
    #[must_use]
    pub const fn state(mut self) -> Self {
        self.state = true;
        self
    }

    /// Says why the cap is over 40 000 characters.
    #[must_use]
    pub const fn large(mut self, why: &'static str) -> Self {
        self.large = Some(why);
        self
    }

    /// Sets how many of this kind one turn may record.
    #[must_use]
    pub const fn at_most(mut self, number: usize) -> Self {
        self.at_most = number;
        self
    }

    /// Sets what happens over the cap.
    #[must_use]
    pub const fn overflow(mut self, policy: Overflow) -> Self {
        self.overflow = policy;
        self
    }

    /// Sets the notice that stands where something was cut.
    #[must_use]
    pub const fn notice(mut self, notice: &'static str) -> Self {
        self.notice = Some(notice);
        self
    }

    /// Leaves markers inside values as they are.
    #[must_use]
    pub const fn raw(mut self) -> Self {
        self.raw = true;
        self
    }

    /// Returns `true` if an unmarked type still renders texts that begin so: a prefix of its present form.
    pub(crate) fn begins_with(&self, prefix: &str) -> bool {
        let begins = |template: &&[Piece]| matches!(template.first(), Some(Piece::Text(text)) if text.starts_with(prefix));
        matches!(self.marking, Marking::Unmarked(_)) && self.templates.iter().any(begins)
    }

    /// Sets the templates of the body.
    #[must_use]
    pub const fn templates(mut self, templates: &'static [&'static [Piece]]) -> Self {
        self.templates = templates;
        self
    }

    /// Whether the body is always empty, so that the markers are all there is to say.
    pub(crate) fn is_all_markers(&self) -> bool {
        let is_blank = |piece: &Piece| matches!(piece, Piece::Text(text) if text.trim().is_empty());
        !self.templates.is_empty() && self.templates.iter().copied().flatten().all(is_blank)
    }

    /// Returns the channel that the type states, where it states one.
    #[must_use]
    pub const fn channel(&self) -> Option<&'static str> {
        match self.slot {
            Slot::Injection(Channel::Named(name)) => Some(name),
            _ => None,
        }
    }
}
