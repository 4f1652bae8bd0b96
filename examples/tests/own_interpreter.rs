//! The example `own_interpreter`.

use crate::support::run_example;

const PRINTED: &str = r#"search: not executed: invalid arguments for `search`: argument `query`: "" is shorter than 1 character
search: notes.txt: the door opens at nine
sh: exit code 0
completed, by evidence of the environment
by evidence: true, by a tool: false
"#;

#[test]
fn an_executor_gets_checked_calls_and_code_as_it_is() {
    assert_eq!(run_example("own_interpreter", &[]), PRINTED);
}
