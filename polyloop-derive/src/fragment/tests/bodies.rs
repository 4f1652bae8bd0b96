//! Mistakes of bodies and fields.

use quote::quote;

use super::mistakes::{each_says, one};

#[test]
fn a_body_and_its_fields_fit() {
    each_says(&[
        (&[("body", "body = \"{aa} {b}\"")], "`{aa}` is no field of `Note`; did you mean `{a}`?"),
        (&[("body", "body = \"{a} {b} {other}\"")], "`{other}` is no field of `Note`; there is `{a}`, `{b}`"),
        (&[("body", "body = \"{a} {b} {}\"")], "the placeholder `{}` has no name"),
        (&[("body", "body = \"{a} {b:?}\"")], "the placeholder `{b:?}` has a format; write `{b}`"),
        (&[("body", "body = \"{a} {b} {a b}\"")], "the placeholder `{a b}` is no field's name"),
        (&[("body", "body = \"{a} {b\"")], "a `{` is never closed"),
        (&[("body", "body = \"{a} {b} }\"")], "a `}` was never opened; write `}}`"),
        (
            &[("body", "body = \"{a}\"")],
            "`b` is used nowhere; put `{b}` into the body or mark it `#[fragment(skip)]`",
        ),
        (&[("body", "body = \"{a}{b}</NOTE>\"")], "the body contains the marker `</note>`"),
        (
            &[("body", "body = \"{b}<x_y1>\""), ("markers", "markers(\"<x_{a}>\", \"</x>\")")],
            "the body contains the marker `<x_{a}>`",
        ),
        (&[("fields", "{ #[fragment(skip)] a: u8, b: u8 }")], "`a` is skipped, yet the body names it"),
        (
            &[
                ("fields", "{ #[fragment(skip)] a: u8, b: u8 }"),
                ("body", "body = \"{b}\""),
                ("markers", "markers(\"<{a}>\", \"</x>\")"),
            ],
            "`a` is skipped, yet the markers name it",
        ),
        (
            &[("fields", "{ a: u8, #[fragment(id, raw)] b: u8 }"), ("body", "body = \"{a}\"")],
            "`raw` is about a value in the body, and `b` is not put there",
        ),
        (
            &[("fields", "{ #[fragment(id)] a: u8, #[fragment(id)] b: u8 }")],
            "an item has one id; keep one `id`",
        ),
    ]);
}

#[test]
fn each_variant_has_a_body_of_its_own() {
    let shared = quote! {
        #[fragment(role = user, unmarked = "why", max_chars = 9, body = "x")] enum Note { A, B }
    };
    one(shared, "an enum has no body of its own; give each variant its own body");
    let missing = quote! {
        #[fragment(role = user, unmarked = "why", max_chars = 9)] enum Note { #[fragment(body = "x")] A, B }
    };
    one(
        missing,
        "`B` has no body; add `#[fragment(body = \"…\")]`, a template over its fields or the path of a function",
    );
    let misplaced = quote! {
        #[fragment(role = user, unmarked = "why", max_chars = 9)] enum Note { #[fragment(body = "x", visible)] A }
    };
    one(misplaced, "`visible` is an option of the type, not of a variant; move it there");
    let unkeyed = quote! {
        #[fragment(role = user, markers("<{a}>", "</a>"), max_chars = 9)]
        enum Note { #[fragment(body = "x")] A { a: Key }, #[fragment(body = "x")] B }
    };
    one(unkeyed, "`{a}` is no field of `Note::B`; it has no fields");
}
