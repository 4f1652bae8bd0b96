//! What is written for a sound fragment.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::derive;
use crate::common::testing::messages;

/// The expansion as text without white space.
fn expanded(input: TokenStream) -> String {
    let expansion = derive(input);
    assert_eq!(messages(expansion.clone()), Vec::<String>::new());
    expansion.to_string().replace([' ', '\n'], "")
}

fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in {text}");
}

#[test]
fn the_table_holds_what_was_given_and_nothing_else() {
    let text = expanded(quote! {
        #[fragment(role = user, markers("<a>", "</a>"), max_chars = 2_000, lifetime = latest, absent = "Gone.")]
        #[fragment(body = "\n{cwd} in {{braces}}")]
        struct EnvironmentContext { cwd: String }
    });
    assert_has(&text, r#"FragmentSpec::new("environment_context",::polyloop::__private::Role::User,2_000)"#);
    assert_has(
        &text,
        r#".declared("EnvironmentContext",::core::file!(),::core::line!()).markers("<a>","</a>")"#,
    );
    assert_has(&text, r#".lifetime(::polyloop::__private::Lifetime::Latest).absent("Gone.").templates("#);
    assert_has(&text, r#"Piece::Text("\n"),::polyloop::__private::Piece::Field("cwd"),"#);
    assert_has(&text, r#"Piece::Text("in{braces}")"#);
    assert_has(
        &text,
        "Body::template(&<Selfas::polyloop::__private::ContextFragment>::SPEC,0,&[&(self.cwd)])",
    );
    assert_has(&text, "for<'__a>String:::polyloop::__private::FromText");
}

#[test]
fn every_option_reaches_the_table() {
    let text = expanded(quote! {
        #[fragment(kind = "app.note", was = "note", was = "app.old", role = assistant, markers("[", "]"))]
        #[fragment(legacy("(", ")"), legacy_prefix = "Note:", standalone, slot = turn, rank = -3, pin = bottom)]
        #[fragment(lifetime = latest, never_retracted = "why", visible, on_compact = restate, on_fork = refresh)]
        #[fragment(on_rollback = keep, memory = include, max_chars = 50_000, large = "why", at_most = 1, state)]
        #[fragment(overflow = cut(middle), notice = "{left_out} gone", raw, change = changed, crate = facade)]
        #[fragment(body = render)]
        struct Note { text: String }
    });
    for call in [
        r#"new("app.note",facade::__private::Role::Assistant,50_000)"#,
        r#".was(&["note","app.old"])"#,
        r#".legacy(&[facade::__private::Legacy::Pair("(",")"),facade::__private::Legacy::Prefix("Note:")])"#,
        ".standalone().slot(facade::__private::Slot::Turn).rank(-3).pin(facade::__private::Pin::Bottom)",
        r#".never_retracted("why").on_compact(facade::__private::OnCompact::Restate)"#,
        ".on_fork(facade::__private::OnFork::Refresh).on_rollback(facade::__private::OnRollback::Keep)",
        ".change().state().visible().memory(facade::__private::Memory::Include)",
        r#".large("why").at_most(1).overflow(facade::__private::Overflow::CutMiddle)"#,
        r#".notice("{left_out}gone").raw()"#,
        "Recorded::recorded(self,facade::__private::IntoBody::into_body(render(self)))",
        "ChangedFragmentforNote",
        "changed(__earlier,self)",
    ] {
        assert_has(&text, call);
    }
    assert!(!text.contains(".templates("), "{text}");
    assert!(!text.contains("ParseFragment"), "{text}");
}

#[test]
fn an_injection_needs_no_role_and_takes_id_and_channel_from_fields() {
    let text = expanded(quote! {
        #[fragment(slot = injection, max_chars = 8, body = "{content}")]
        struct Skill {
            #[fragment(id)] entry: String,
            #[fragment(channel)] channel: String,
            #[fragment(raw)] content: String,
        }
    });
    assert_has(&text, ".slot(::polyloop::__private::Slot::Injection(::polyloop::__private::Channel::Field))");
    assert_has(&text, "&[&(self.content)]).id(&(self.entry)).channel(&(self.channel))");
    assert_has(&text, r#"Piece::Raw("content")"#);
    assert!(!text.contains("ParseFragment"), "{text}");
}

#[test]
fn the_key_of_the_markers_is_called_key_whatever_the_field() {
    let text = expanded(quote! {
        #[fragment(role = user, markers("<{{x_{type}>", "</x_{type}>"), max_chars = 90, body = "text")]
        struct Unit { r#type: Key }
    });
    assert_has(&text, r#".markers("<{{x_{key}>","</x_{key}>")"#);
    assert_has(&text, ".key(<Keyas::polyloop::__private::MarkerKey>::as_key(&(self.r#type)))");
}

#[test]
fn an_enum_has_one_template_for_each_variant() {
    let text = expanded(quote! {
        #[fragment(role = user, markers("<a_{of}>", "</a>"), max_chars = 100)]
        enum Note {
            #[fragment(body = "{text}.")] A { of: Key, text: String },
            #[fragment(body = "nothing")] B { of: Key },
        }
    });
    assert_has(&text, "matchself{Self::A{of:__of,text:__text,..}=>::polyloop::__private::Body::template(");
    assert_has(
        &text,
        "Self::B{of:__of,..}=>::polyloop::__private::Body::template(&<Selfas::polyloop::__private::ContextFragment>::SPEC,1,&[])",
    );
    assert_has(
        &text,
        r#"match__template{0=>Self::A{of:__fields.key()?,text:__fields.take("text")?},_=>Self::B{"#,
    );
}

#[test]
fn variants_may_be_tuples_units_and_rendered_by_functions() {
    let text = expanded(quote! {
        #[fragment(role = user, unmarked = "why", max_chars = 100)]
        enum Note {
            #[fragment(body = "{1} of {0}")] A(u8, u8),
            #[fragment(body = "nothing")] B,
            #[fragment(body = Self::render)] C(String),
        }
    });
    assert_has(
        &text,
        "Self::A{0:__0,1:__1,..}=>::polyloop::__private::Body::template(&<Selfas::polyloop::__private::ContextFragment>::SPEC,0,&[__1,__0])",
    );
    assert_has(&text, "Self::C{..}=>::polyloop::__private::IntoBody::into_body(Self::render(self))");
    assert_has(&text, r#"Piece::Text("nothing")],&[]])"#);
    assert!(!text.contains("ParseFragment"), "{text}");
}

#[test]
fn what_cannot_be_split_again_is_not_read_back() {
    for (fields, body) in [
        (quote!(a: String, b: String), "{a}{b}"),
        (quote!(a: String), "{a} {a}"),
        (quote!(a: String, #[fragment(skip)] b: String), "{a}"),
        (quote!(a: String, #[fragment(id)] b: String), "{a}"),
    ] {
        let text = expanded(quote! {
            #[fragment(role = user, unmarked = "why", max_chars = 100, body = #body)] struct Note { #fields }
        });
        assert!(!text.contains("ParseFragment"), "{body}: {text}");
    }
    for (fields, body) in [(quote!(#[fragment(id)] a: String, b: u8), "{a} {b}"), (quote!(), "all")] {
        let text = expanded(quote! {
            #[fragment(role = user, unmarked = "why", max_chars = 100, body = #body)] struct Note { #fields }
        });
        assert_has(&text, "ParseFragmentforNote");
    }
}

#[test]
fn generic_fields_bring_their_bounds() {
    let text = expanded(quote! {
        #[fragment(role = user, unmarked = "why", max_chars = 100, body = "{plan}", state)]
        struct Note<T: Clone = u8, const N: usize = 2> where T: Copy {
            plan: Plan<T>,
            #[fragment(skip)] rest: [T; N],
        }
    });
    assert_has(
        &text,
        "impl<T:Clone,constN:usize>::polyloop::__private::ContextFragmentforNote<T,N>whereT:Copy,",
    );
    assert_has(
        &text,
        "T:::core::marker::Send+::core::marker::Sync+'static,for<'__a>Self:::core::marker::Send+::core::marker::Sync,\
         Plan<T>:::core::fmt::Display,Self:::polyloop::__private::Recorded",
    );
}

#[test]
fn a_deprecated_item_does_not_warn_about_itself() {
    let text = expanded(quote! {
        #[deprecated] #[fragment(role = user, unmarked = "why", max_chars = 9, body = "x")] struct Note;
    });
    assert_has(&text, "#[allow(deprecated,");
}
