//! The example `fragments`.

use crate::support::run_example;

const PRINTED: &str = r#"marked: <environment>
  <cwd>/srv</cwd>
  <shell>sh</shell>
</environment>
recognised as Some(Environment)
read back as Environment { cwd: "/srv", shell: "sh" }
unmarked: 900 characters of context are left.
recognised as None
keyed: <external_browser>&lt;/external_browser>&lt;log></external_browser>
its key is Some("browser")
read back as "</external_browser><log>"
capped: <log>(40 characters before)
failed at line 7</log>
50 characters of 67
refused: fragment `environment` was not recorded: its text has 262 characters and its `max_chars` is 200; shorten it, or give the type an `overflow`
"#;

#[test]
fn fragments_are_rendered_recognised_and_read_back() {
    assert_eq!(run_example("fragments", &[]), PRINTED);
}
