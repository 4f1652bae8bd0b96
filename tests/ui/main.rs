//! What the compiler says.

#[test]
fn every_mistake_is_refused() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/fail/*.rs");
}
