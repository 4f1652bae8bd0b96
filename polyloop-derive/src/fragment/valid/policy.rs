//! Who speaks, where it stands, how long it holds, and what becomes of it.

use syn::LitStr;

use super::super::ast::Fragment;
use super::super::attr::Options;
use super::super::value::Slot;
use super::super::words::{Lifetime, OnCompact, OnFork, Role};
use super::{refuse, require};
use crate::common::sink::Sink;

pub(super) fn check(fragment: &Fragment, sink: &Sink) {
    if fragment.options.is_injection() {
        injection(fragment, sink);
    } else {
        role(fragment, sink);
    }
    cancellation(fragment, sink);
    compaction(&fragment.options, sink);
    fork(&fragment.options, sink);
    change(fragment, sink);
}

fn role(fragment: &Fragment, sink: &Sink) {
    // A slot that could not be read may have meant an injection, which needs no role.
    if fragment.options.slot.is_some() || fragment.options.reading.lacks("slot") {
        let message = "nothing says who speaks; add `role = user`, `developer`, `system` or `assistant`";
        require(fragment, "role", sink, message);
    }
}

/// An injection is the given text and nothing else: the slot fixes all that could add to it or move it.
fn injection(fragment: &Fragment, sink: &Sink) {
    if let Some(role) = &fragment.options.role
        && role.value != Role::User
    {
        sink.error(&role.ident, "an injection is always spoken by the user; remove `role`");
    }
    refuse(fragment, "markers", sink, "an injection is pasted as it is, without markers; remove `markers`");
    for option in ["rank", "pin"] {
        let message = format!("injections stand in the order in which they are given; remove `{option}`");
        refuse(fragment, option, sink, &message);
    }
    if let Some(Slot::Named(channel)) = &fragment.options.slot
        && channel.value().trim().is_empty()
    {
        sink.error(channel, "the channel has no name; write one, as in `injection(\"skill\")`");
    }
}

/// A statement that can become false needs its cancellation, and only such a one has any.
fn cancellation(fragment: &Fragment, sink: &Sink) {
    let options = &fragment.options;
    if let Some(absent) = options.absent.as_ref().filter(|absent| is_blank(absent)) {
        sink.error(absent, "`absent` is empty; write what is said when the fact no longer holds");
    }
    if options.reading.has("absent") {
        refuse(
            fragment,
            "never_retracted",
            sink,
            "`never_retracted` and `absent` contradict each other; keep one of them",
        );
    }
    if let Some(lifetime) = options.lifetime.as_ref().filter(|_| options.is_latest())
        && options.reading.lacks("absent")
        && options.reading.lacks("never_retracted")
    {
        let message = "what holds only for a while needs its cancellation; add `absent = \"…\"` or \
                       `never_retracted = \"why\"`";
        sink.error(&lifetime.ident, message);
    }
    if is_surely_not_latest(options) {
        for option in ["absent", "never_retracted"] {
            let message = format!("`{option}` belongs to `lifetime = latest`; add that or remove `{option}`");
            refuse(fragment, option, sink, &message);
        }
    }
}

fn compaction(options: &Options, sink: &Sink) {
    let Some(on_compact) = &options.on_compact else {
        return;
    };
    let is_once = options.lifetime.as_ref().is_some_and(|lifetime| lifetime.value == Lifetime::Once);
    if is_once && on_compact.value != OnCompact::Drop {
        let message = "`lifetime = once` is news of one turn, which compaction drops; remove `on_compact`";
        sink.error(&on_compact.ident, message);
    } else if on_compact.value == OnCompact::Restate && is_surely_not_latest(options) {
        let message = "only what has a latest value can be restated; add `lifetime = latest` or write `keep`";
        sink.error(&on_compact.ident, message);
    }
}

fn fork(options: &Options, sink: &Sink) {
    if let Some(on_fork) = &options.on_fork
        && on_fork.value == OnFork::Refresh
        && is_surely_not_latest(options)
    {
        let message =
            "only what has a latest value can be refreshed; add `lifetime = latest` or write `keep`";
        sink.error(&on_fork.ident, message);
    }
}

fn change(fragment: &Fragment, sink: &Sink) {
    let missing = match (is_surely_not_latest(&fragment.options), fragment.options.reading.lacks("state")) {
        (true, true) => "`lifetime = latest` and `state`",
        (true, false) => "`lifetime = latest`",
        (false, true) => "`state`",
        (false, false) => return,
    };
    let message = format!("`change` compares a value with the recorded one before it; add {missing}");
    refuse(fragment, "change", sink, &message);
}

/// Whether the lifetime is another one; not when what was written could not be read.
fn is_surely_not_latest(options: &Options) -> bool {
    !options.is_latest() && (options.lifetime.is_some() || options.reading.lacks("lifetime"))
}

fn is_blank(literal: &LitStr) -> bool {
    literal.value().trim().is_empty()
}
