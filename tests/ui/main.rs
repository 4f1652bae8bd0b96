//! What the compiler says.
//!
//! A `fail` fixture is one mistake, named by its file; beside it stands what the compiler says. A few hold five mistakes
//! of one item, all told in one build. After a wording changes, write them anew with `TRYBUILD=overwrite`, and read
//! them. A `pass` fixture looks like a mistake and is none; it is a module here, so that all of them are linked once.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    dead_code,
    reason = "a test that cannot go on has failed; a fixture need not use what it declares"
)]

mod rules;

/// Declares each `pass` fixture as a module, and as a test that runs it.
macro_rules! passes {
    ($($name:ident = $file:literal),+ $(,)?) => {
        $(
            #[path = $file]
            mod $name;

            #[test]
            fn $name() {
                $name::main();
            }
        )+

        /// The files of the fixtures that are taken.
        const PASSES: &[&str] = &[$($file),+];
    };
}

passes! {
    unmarked_with_a_reason = "fragment/pass/unmarked-with-a-reason.rs",
    key_in_both_markers = "fragment/pass/key-in-both-markers.rs",
    key_only_in_the_begin = "fragment/pass/key-only-in-the-begin.rs",
    braces_in_the_body = "fragment/pass/braces-in-the-body.rs",
    field_named_like_a_keyword = "fragment/pass/field-named-like-a-keyword.rs",
    fields_without_names = "fragment/pass/fields-without-names.rs",
    empty_body_between_markers = "fragment/pass/empty-body-between-markers.rs",
    latest_that_is_never_retracted = "fragment/pass/latest-that-is-never-retracted.rs",
    large_for_a_reason = "fragment/pass/large-for-a-reason.rs",
    notice_of_a_cut = "fragment/pass/notice-of-a-cut.rs",
    channel_in_a_field = "fragment/pass/channel-in-a-field.rs",
    body_for_each_variant = "fragment/pass/body-for-each-variant.rs",
    generic_over_what_it_shows = "fragment/pass/generic-over-what-it-shows.rs",
    former_kind_and_former_markers = "fragment/pass/former-kind-and-former-markers.rs",
    change_of_a_recorded_value = "fragment/pass/change-of-a-recorded-value.rs",
    optional_argument = "tool/pass/optional-argument.rs",
    flattened_arguments = "tool/pass/flattened-arguments.rs",
    schema_without_a_body = "tool/pass/schema-without-a-body.rs",
    name_that_a_function_cannot_have = "tool/pass/name-that-a-function-cannot-have.rs",
    named_like_a_primitive_type = "tool/pass/named-like-a-primitive-type.rs",
    error_of_an_own_type = "tool/pass/error-of-an-own-type.rs",
    state_and_call = "tool/pass/state-and-call.rs",
    default_of_the_type = "tool/pass/default-of-the-type.rs",
    value_as_json = "tool/pass/value-as-json.rs",
    methods_that_are_no_tools = "toolbox/pass/methods-that-are-no-tools.rs",
    module_of_another_name = "toolbox/pass/module-of-another-name.rs",
    nothing_in_it = "registry/pass/nothing-in-it.rs",
    markers_that_share_a_beginning = "registry/pass/markers-that-share-a-beginning.rs",
    sum_of_caps_at_the_limit = "registry/pass/sum-of-caps-at-the-limit.rs",
    one_generic_type_twice = "registry/pass/one-generic-type-twice.rs",
    entry_behind_a_condition = "registry/pass/entry-behind-a-condition.rs",
    part_that_is_not_provided = "state/pass/part-that-is-not-provided.rs",
    parts_without_names = "state/pass/parts-without-names.rs",
    fragment_of_two_registries = "session/pass/fragment-of-two-registries.rs",
    state_behind_an_arc = "session/pass/state-behind-an-arc.rs",
    narrower_set_of_tools = "session/pass/narrower-set-of-tools.rs",
    two_registries_in_one_program = "session/pass/two-registries-in-one-program.rs",
}

#[test]
fn every_mistake_is_refused_as_written_beside_it() {
    trybuild::TestCases::new().compile_fail("ui/*/fail/*.rs");
}
