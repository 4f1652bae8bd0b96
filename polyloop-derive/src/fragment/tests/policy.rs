//! Mistakes of room, lifetime and slot.

use super::mistakes::{each_says, said};

#[test]
fn every_fragment_has_its_room() {
    each_says(&[
        (&[("max_chars", "max_chars = 0")], "`max_chars = 0` leaves no room"),
        (
            &[("max_chars", "max_chars = 40_001")],
            "more than 40_000 characters need a reason; lower `max_chars`",
        ),
        (&[("x", "large = \"why\"")], "`large` belongs to a `max_chars` over 40_000; remove it"),
        (
            &[("max_chars", "max_chars = 50_000, large")],
            "`large` stands without its reason; write `large = \"why\"`",
        ),
        (
            &[("max_chars", "max_chars = 13")],
            "the markers alone take 13 characters; raise `max_chars` above that",
        ),
        (&[("x", "at_most = 0")], "`at_most = 0` could never be recorded; write 1 or more"),
        (
            &[("x", "notice = \"{left_out}\"")],
            "`notice` stands where text was cut out; add `overflow = cut(tail)`",
        ),
        (&[("x", "overflow = refuse, notice = \"{left_out}\"")], "`notice` stands where text was cut out"),
        (
            &[("x", "overflow = cut(tail), notice = \"x\"")],
            "the `notice` does not say how many characters are",
        ),
        (&[("x", "overflow = cut(tail), notice = \"{left_out}{x}\"")], "`{x}` means nothing in a `notice`"),
    ]);
}

#[test]
fn a_lifetime_has_its_consequences() {
    each_says(&[
        (&[("x", "lifetime = latest")], "what holds only for a while needs its cancellation; add `absent"),
        (
            &[("x", "lifetime = latest, absent = \"x\", never_retracted = \"y\"")],
            "contradict each other; keep one",
        ),
        (&[("x", "absent = \"x\"")], "`absent` belongs to `lifetime = latest`; add that or remove `absent`"),
        (&[("x", "never_retracted = \"x\"")], "`never_retracted` belongs to `lifetime = latest`"),
        (&[("x", "lifetime = latest, absent = \"\"")], "`absent` is empty; write what is said"),
        (
            &[("max_chars", "max_chars = 20"), ("x", "lifetime = latest, absent = \"12345678\"")],
            "with its markers `absent` takes 21 characters; shorten it or raise `max_chars`",
        ),
        (&[("x", "lifetime = latest, never_retracted")], "`never_retracted` stands without its reason"),
        (&[("x", "on_compact = restate")], "only what has a latest value can be restated"),
        (&[("x", "lifetime = once, on_compact = keep")], "`lifetime = once` is news of one turn"),
        (&[("x", "lifetime = once, on_compact = restate")], "`lifetime = once` is news of one turn"),
        (&[("x", "on_fork = refresh")], "only what has a latest value can be refreshed"),
        (&[("x", "change = f")], "add `lifetime = latest` and `state`"),
        (&[("x", "change = f, state")], "with the recorded one before it; add `lifetime = latest`"),
        (
            &[("x", "change = f, lifetime = latest, absent = \"x\"")],
            "with the recorded one before it; add `state`",
        ),
    ]);
    let fits = [("max_chars", "max_chars = 20"), ("x", "lifetime = latest, absent = \"äöü4567\"")];
    assert_eq!(said(&fits), [""; 0]);
}

#[test]
fn an_injection_is_the_given_text_and_nothing_else() {
    let injection = ("slot", "slot = injection(\"skill\")");
    let sound = [injection, ("role", ""), ("markers", "")];
    assert_eq!(said(&sound), Vec::<String>::new());
    let with = |change: (&'static str, &'static str)| [&sound[..], &[change]].concat();
    for (change, message) in [
        (("role", "role = system"), "an injection is always spoken by the user; remove `role`"),
        (("markers", "markers(\"<a>\", \"</a>\")"), "an injection is pasted as it is, without markers"),
        (("x", "rank = 1"), "injections stand in the order in which they are given; remove `rank`"),
        (("x", "pin = top"), "injections stand in the order in which they are given; remove `pin`"),
        (("slot", "slot = injection(\"\")"), "the channel has no name; write one"),
        (
            ("slot", "slot = injection"),
            "nothing names the channel; write `injection(\"channel\")` or mark a field",
        ),
        (("fields", "{ #[fragment(channel)] a: u8, b: u8 }"), "the slot names the channel already"),
        (("body", "body = \"\", crate = x"), "an empty body without markers would never be recorded"),
    ] {
        let mut change = with(change);
        if change.iter().any(|(_, written)| written.starts_with("body = \"\"")) {
            change.push(("fields", "{}"));
        }
        each_says(&[(&change, message)]);
    }
    let outside = [("fields", "{ #[fragment(channel)] a: u8, b: u8 }")];
    each_says(&[(&outside, "only an injection has a channel; add `slot = injection` or remove `channel`")]);
}
