//! The example `long_session`.

use crate::support::run_example;

const PRINTED: &str = "\
1. Everything is said once.
\x20 user      <place>/srv</place>
\x20 developer <approved>ls</approved>
\x20 user      What is here?
2. What is known is not said again, and of what grew only the new part.
\x20 user      <place>/srv</place>
\x20 developer <approved>ls</approved>
\x20 user      What is here?
\x20 assistant You asked: What is here? Here is a long answer. It goes on. It goes on…
\x20 developer <approved>also cat</approved>
\x20 user      (the channel is quiet)
\x20 user      And now?
3. A summary stands for what was said, and what holds is told anew.
\x20 [compacted; the request now has 187 characters]
\x20 user      What is here?
\x20 user      And now?
\x20 user      What happened so far, as a summary; the rest of it is not shown any mo…
\x20 developer <approved>ls, cat</approved>
\x20 user      <place>/tmp</place>
\x20 user      Go on.
4. A branch is told its own place in place of the other one.
\x20 user      What is here?
\x20 user      And now?
\x20 user      What happened so far, as a summary; the rest of it is not shown any mo…
\x20 developer <approved>ls, cat</approved>
\x20 user      <place>/home</place>
\x20 user      Go on.
\x20 assistant You asked: Go on. Here is a long answer. It goes on. It goes on. It go…
\x20 user      Elsewhere?
5. What holds no longer is taken back.
\x20 user      What is here?
\x20 user      And now?
\x20 user      What happened so far, as a summary; the rest of it is not shown any mo…
\x20 developer <approved>ls, cat</approved>
\x20 user      <place>/tmp</place>
\x20 user      Go on.
\x20 assistant You asked: Go on. Here is a long answer. It goes on. It goes on. It go…
\x20 user      <place>You work nowhere in particular.</place>
\x20 user      Done?
";

#[test]
fn a_session_that_lives_long_is_told_each_fact_once() {
    assert_eq!(run_example("long_session", &[]), PRINTED);
}
