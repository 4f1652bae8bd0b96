//! The example `import`.

use crate::support::run_example;

const IMPORTED: &str = "\
messages
environment           1
polyloop.imported     1
polyloop.input        2
polyloop.observation  2
polyloop.reply        4
results without text  1
left out: reasoning   1

I see 10 messages; where I work stands in 1 of them.

rollout
environment             1
polyloop.input          2
polyloop.observation    2
polyloop.reply          3
known by an old form    1
flagged, hold a marker  1
left out: reasoning     1
left out: instructions  1
left out: rolled back   2

I see 10 messages; where I work stands in 2 of them.
A person wrote a marker of this program: <environment>/</environment>

with a result lost
line 10: the call `call_8` has no result; add the result, or leave the call out
";

#[test]
fn a_history_tells_what_it_came_to_and_goes_on() {
    assert_eq!(run_example("import", &[]), IMPORTED);
}
