//! One mistake each, and the one message for it.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::derive;
use crate::common::testing::messages;

/// A sound fragment whose options can be exchanged: an empty replacement leaves the option out.
pub(super) fn said(changes: &[(&str, &str)]) -> Vec<String> {
    let mut fields = "{ a: String, b: String }";
    let mut options = vec![
        ("role", "role = user"),
        ("markers", r#"markers("<note>", "</note>")"#),
        ("max_chars", "max_chars = 100"),
        ("body", r#"body = "{a} {b}""#),
    ];
    for (name, written) in changes {
        match options.iter_mut().find(|(known, _)| known == name) {
            Some(option) => option.1 = written,
            None if *name == "fields" => fields = written,
            None => options.push((name, written)),
        }
    }
    let attributes = options.iter().filter(|(_, option)| !option.is_empty());
    let attributes: Vec<String> = attributes.map(|(_, option)| format!("#[fragment({option})]")).collect();
    let item = format!("{} struct Note {fields}", attributes.concat());
    messages(derive(item.parse().unwrap_or_default()))
}

/// Each case is a list of changes and the start of the only message.
pub(super) fn each_says(cases: &[(&[(&str, &str)], &str)]) {
    for (changes, message) in cases {
        let said = said(changes);
        let is_it = matches!(said.as_slice(), [only] if only.contains(message));
        assert!(is_it, "{changes:?} says {said:#?}, not `{message}`");
    }
}

#[test]
fn what_is_required_is_asked_for() {
    each_says(&[
        (&[("role", "")], "nothing says who speaks; add `role = user`"),
        (&[("markers", "")], "nothing says how the text is recognised; add `markers("),
        (&[("max_chars", "")], "every fragment is bounded; add `max_chars"),
        (&[("body", "")], "`Note` has no body; add"),
    ]);
    assert_eq!(
        messages(derive(quote!(
            struct Note;
        )))
        .len(),
        4
    );
}

#[test]
fn a_misspelled_option_is_not_missing_as_well() {
    each_says(&[
        (&[("role", "rol = user")], "`rol` is no option of `#[fragment]`; did you mean `role`?"),
        (&[("role", "role(user)")], "`role` takes a value; write for example `role = user`"),
        (&[("role", "role = usr")], "`role` cannot be `usr`; did you mean `user`?"),
        (&[("role", "role = wizard")], "`role` cannot be `wizard`; write `user`, `developer`, `system` or"),
        (
            &[("role", "role = \"user\"")],
            "`role` takes a bare word; write `user`, `developer`, `system` or `assistant`",
        ),
        (
            &[("slot", "slot = somewhere")],
            "there is no such slot; write `run`, `injection(\"channel\")`, `injection`, `goal` or",
        ),
        (
            &[("x", "overflow = cut(front)")],
            "there is no such `overflow`; write `refuse`, `cut(head)`, `cut(tail)` or",
        ),
        (&[("x", "rank = 3_000_000_000")], "`rank` takes an integer that fits into an `i32`"),
        (&[("max_chars", "max_chars = \"9\"")], "`max_chars` takes an integer"),
        (
            &[("markers", "markers(\"<note>\")")],
            "`markers` takes two strings; write the begin and the end marker",
        ),
        (
            &[("body", "body = 7")],
            "`body` is a string in quotes or the path of a function; write for example",
        ),
        (&[("x", "max_chars = 50")], "`max_chars` is given twice; keep one of them"),
    ]);
}

#[test]
fn options_stand_where_they_belong() {
    each_says(&[
        (&[("x", "id")], "`id` is an option of a field, not of the type; move it there"),
        (
            &[("fields", "{ a: u8, #[fragment(max_chars = 9)] b: u8 }")],
            "`max_chars` is an option of the type, not of a",
        ),
        (
            &[("fields", "{ a: u8, #[fragment(body = \"\")] b: u8 }")],
            "`body` is an option of the type, not of a field",
        ),
        (
            &[("fields", "{ a: u8, #[fragment(idd)] b: u8 }")],
            "`idd` is no option of `#[fragment]`; did you mean `id`?",
        ),
    ]);
}

#[test]
fn a_kind_is_lower_case_words() {
    each_says(&[
        (&[("x", "kind = \"Note\"")], "`Note` is no kind; write words of"),
        (&[("x", "kind = \"a..b\"")], "`a..b` is no kind"),
        (&[("x", "kind = \"polyloop.note\"")], "`polyloop.note` is reserved"),
        (&[("x", "was = \"note\"")], "`note` is the kind itself; `was` names only former ones"),
        (&[("x", "was = \"a\", was = \"a\"")], "`a` is already a former kind; remove one of the two"),
        (&[("x", "was = \"A\"")], "`A` is no kind"),
    ]);
}

/// The item's only message.
pub(super) fn one(item: TokenStream, message: &str) {
    assert_eq!(messages(derive(item)), [message]);
}

#[test]
fn what_cannot_be_a_fragment_says_why() {
    let union = quote!(union Note { a: u8 });
    one(union, "a union cannot be a fragment; use a struct or an enum");
    one(
        quote!(
            enum Note {}
        ),
        "an enum without variants says nothing; add a variant with a body",
    );
    let borrowed = quote! {
        #[fragment(role = user, unmarked = "why", max_chars = 9, body = "{0}")] struct Note<'a>(&'a str);
    };
    one(borrowed, "a fragment owns its text; use `String` instead of a reference");
    let foreign = quote! {
        #[fragment(role = user, unmarked = "why", max_chars = 9, body = "x")] struct Übersicht;
    };
    one(foreign, "`übersicht` is no kind; name it with `kind = \"feature.name\"`");
}

#[test]
fn a_stub_stands_in_for_a_mistaken_fragment() {
    let text = derive(quote! { struct Note<'a, T, const N: usize>(&'a T); }).to_string();
    assert!(text.contains("for Note < 'static , T , N >"), "{text}");
    assert!(
        text.contains("impl < T , const N : usize > :: polyloop :: __private :: ParseFragment"),
        "{text}"
    );
}
