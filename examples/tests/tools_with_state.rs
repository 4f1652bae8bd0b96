//! The example `tools_with_state`.

use crate::support::run_example;

const PRINTED: &str = r#"count {"artikle": "nails"} -> not executed: invalid arguments for `count`: unknown argument `artikle`; did you mean `article`?; argument `article` is missing
count {"article": "nails"} -> 3 pieces
order {"article": "nails", "pieces": 40} -> 40 nails, 40 pieces in all
I ordered 40 nails.
"#;

#[test]
fn tools_borrow_two_types_of_one_state() {
    assert_eq!(run_example("tools_with_state", &[]), PRINTED);
}
