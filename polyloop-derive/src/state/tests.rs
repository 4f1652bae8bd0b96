//! What each check of `#[derive(State)]` says, and what is provided all the same.

use proc_macro2::TokenStream;
use quote::quote;

use super::derive;
use crate::common::testing::messages;

fn expanded(input: TokenStream) -> String {
    derive(input).to_string()
}

#[test]
fn each_field_that_is_not_skipped_is_provided() {
    let text = expanded(quote! {
        struct App { db: Db, #[state(skip)] started: Instant, r#mail: Mail }
    });
    assert!(text.contains(":: polyloop :: __private :: Provide < Db > for App"), "{text}");
    assert!(text.contains("Provide < Mail > for App"), "{text}");
    assert!(!text.contains("Instant"), "{text}");
}

#[test]
fn a_tuple_struct_provides_by_index_and_from_a_renamed_crate() {
    let text = expanded(quote! { #[state(crate = facade::inner)] struct App(Db, #[state(skip)] u8, Mail); });
    assert!(text.contains("facade :: inner :: __private :: Provide < Mail >"), "{text}");
    assert!(text.contains("& self . 2"), "{text}");
}

#[test]
fn a_type_that_is_there_twice_is_refused_and_the_first_is_provided() {
    let input = quote! { struct App { one: Db, two: Db } };
    let said = messages(derive(input.clone()));
    assert_eq!(said, ["`Db` is provided twice; wrap one in a newtype or mark it `#[state(skip)]`"]);
    assert!(expanded(input).contains("Provide < Db >"));
}

#[test]
fn only_a_struct_with_fields_is_a_state() {
    for (input, message) in [
        (
            quote!(
                enum App {
                    A,
                }
            ),
            "an enum does not always have the same parts; derive `State` for a struct",
        ),
        (quote!(union App { a: u8 }), "a union does not know its parts; derive `State` for a struct"),
        (
            quote!(
                struct App;
            ),
            "the state provides nothing; add a field without `#[state(skip)]`",
        ),
    ] {
        assert_eq!(messages(derive(input)), [message]);
    }
}

#[test]
fn an_option_at_the_wrong_place_is_told_where_it_belongs() {
    let said = messages(derive(
        quote! { #[state(skip)] struct App { #[state(crate = a, skp)] db: Db, mail: Mail } },
    ));
    let expected = [
        "`skip` is an option of a field, not of the type; move it there",
        "`crate` is an option of the type, not of a field; move it there",
        "`skp` is no option of `#[state]`; did you mean `skip`?",
    ];
    assert_eq!(said, expected);
}
