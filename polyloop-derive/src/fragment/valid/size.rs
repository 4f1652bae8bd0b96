//! How much room a fragment may take, and what happens when it wants more.

use super::super::ast::Fragment;
use super::super::attr::Options;
use super::super::words::Overflow;
use super::{refuse, require, written};
use crate::common::sink::Sink;

/// Above this a fragment is large, and says why.
const LARGE: usize = 40_000;

pub(super) fn check(fragment: &Fragment, sink: &Sink) {
    max_chars(fragment, sink);
    at_most(fragment, sink);
    overflow(fragment, sink);
}

fn max_chars(fragment: &Fragment, sink: &Sink) {
    let options = &fragment.options;
    let message =
        "every fragment is bounded; add `max_chars = …`, the most characters it may take, markers included";
    require(fragment, "max_chars", sink, message);
    let Some(max) = &options.max_chars else { return };
    if max.value > LARGE {
        if options.reading.lacks("large") {
            let message =
                "more than 40_000 characters need a reason; lower `max_chars` or add `large = \"why\"`";
            sink.error(&max.literal, message);
        }
        return;
    }
    refuse(fragment, "large", sink, "`large` belongs to a `max_chars` over 40_000; remove it");
    if max.value == 0 {
        sink.error(&max.literal, "`max_chars = 0` leaves no room; write how many characters it may take");
        return;
    }
    let markers = least_chars(options);
    if markers >= max.value {
        let message = format!("the markers alone take {markers} characters; raise `max_chars` above that");
        sink.error(&max.literal, message);
        return;
    }
    if let Some(absent) = &options.absent {
        let chars = markers + absent.value().chars().count();
        if chars > max.value {
            let message = format!(
                "with its markers `absent` takes {chars} characters; shorten it or raise `max_chars`"
            );
            sink.error(absent, message);
        }
    }
}

fn least_chars(options: &Options) -> usize {
    let markers = options.markers.as_ref();
    markers.map_or(0, |pair| pair.both().iter().map(|marker| marker.least_chars()).sum())
}

fn at_most(fragment: &Fragment, sink: &Sink) {
    let Some(at_most) = &fragment.options.at_most else {
        return;
    };
    if at_most.value == 0 {
        sink.error(&at_most.literal, "`at_most = 0` could never be recorded; write 1 or more");
    }
}

fn overflow(fragment: &Fragment, sink: &Sink) {
    let options = &fragment.options;
    let cuts = match &options.overflow {
        Some(overflow) => overflow.value != Overflow::Refuse,
        None => !options.reading.lacks("overflow"),
    };
    if !cuts {
        let message = "`notice` stands where text was cut out; add `overflow = cut(tail)` or remove `notice`";
        refuse(fragment, "notice", sink, message);
    }
    let Some(notice) = options.notice.as_ref().filter(|notice| notice.is_sound) else {
        return;
    };
    for name in notice.placeholders().filter(|name| *name != "left_out") {
        let message =
            format!("`{{{name}}}` means nothing in a `notice`; its only placeholder is `{{left_out}}`");
        sink.error(written(fragment, "notice"), message);
    }
    if !notice.placeholders().any(|name| name == "left_out") {
        let message = "the `notice` does not say how many characters are missing; put `{left_out}` into it";
        sink.error(&notice.literal, message);
    }
}
