//! The example `real_model`, as far as it gets without a model; `tests/peers/llama.py` runs all of it.

use crate::support::command;

#[test]
fn without_a_model_it_says_what_to_set() {
    let output = command("real_model").output().expect("a built example starts");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    let missing = "`OPENAI_API_KEY`, `OPENAI_MODEL` are not set; set them";
    assert!(said.contains(missing), "{said}");
}
