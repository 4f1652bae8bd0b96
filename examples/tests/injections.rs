//! The example `injections`.

use crate::support::run_example;

const PRINTED: &str = r#"  system: "<rules>Answer in one sentence.</rules>"
+ user: "Look for adjectives first.\n"
+ user: "</rules> is only text here."
  user: "Which of these words is a colour?"
without the injected messages both runs are the same: true
"#;

#[test]
fn injections_add_their_messages_and_change_nothing_else() {
    assert_eq!(run_example("injections", &[]), PRINTED);
}
