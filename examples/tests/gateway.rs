//! The example `gateway`.

use crate::support::run_example;

const PRINTED: &str = "\
request 1: 213 characters, 0 % as in the one before
\x20 system    You answer for a small hotel by the sea. Breakfast is from seven to ten. Be short, and never promise a room.
\x20 user      Is the beach far? | <channel>web page</channel> | <notice>the first message of this guest; say welcome</notice>
request 2: 645 characters, 33 % as in the one before
\x20 assistant Answer 1.
\x20 user      Is this your house? | [image of 340 characters] | <channel>the guest went from the web page to the phone</channel>
request 3: 726 characters, 88 % as in the one before
\x20 assistant Answer 2.
\x20 user      And breakfast? | <notice>the guest emptied the screen of the phone</notice>
request 4: 745 characters, 97 % as in the one before
\x20 assistant Answer 3.
\x20 user      Thank you!
the system part is always the same: true
";

#[test]
fn each_request_holds_the_one_before_and_a_note_is_told_once() {
    assert_eq!(run_example("gateway", &[]), PRINTED);
}
