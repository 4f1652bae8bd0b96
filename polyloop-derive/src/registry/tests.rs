//! Every mistake gives its message, and only that one.

use quote::quote;

use super::declare;
use crate::common::testing::messages;

/// Asserts the messages of `registry! { … }`.
macro_rules! refused {
    ($name:ident, { $($item:tt)* } => [$($message:literal),* $(,)?]) => {
        #[test]
        fn $name() {
            assert_eq!(messages(declare(quote!($($item)*))), [$($message),*] as [&str; _]);
        }
    };
}

refused!(a_sound_registry_is_taken, {
    /// Everything.
    pub struct App {
        state: Store<Disk, Net>,
        fragments: [Skill, Note<Plan> as PlanNote, #[cfg(a)] x::Memo, #[cfg(not(a))] y::Memo],
        tools: [read_file, workspace_tools::read],
        retired: ["old.kind", Former<Plan>, #[cfg(a)] "older"],
        max_chars: 80_000,
        scalars: exact,
        crate: facade::polyloop,
    }
} => []);
refused!(an_empty_registry_is_taken, { struct App {} } => []);

refused!(nothing_is_no_registry, {} => ["a registry is declared like a struct; write `struct App { … }`"]);
refused!(an_enum_is_no_registry, { enum App {} } => ["a registry is declared like a struct; write `struct App { … }`"]);
refused!(the_parts_stand_in_braces, { struct App; } => [
    "a registry has its parts in braces; write `struct App { … }`",
]);
refused!(a_registry_is_not_generic, { struct App<T> {} } => [
    "a registry is one closed set, so it cannot be generic; leave out the parameters",
]);
refused!(one_registry_is_declared, { struct App {} struct Other {} } => [
    "`registry!` declares one registry; write another `registry!` for the next",
]);
refused!(an_unknown_part_is_refused, { struct App { fragment: [A], colour: 7, tools: [f] } } => [
    "`fragment` is no part of a registry; did you mean `fragments`?",
    "`colour` is no part of a registry; the parts are `state`, `fragments`, `tools`, `retired`, `max_chars`, `scalars`, `crate`",
]);
refused!(a_part_is_given_once, { struct App { tools: [f], tools: [g] } } => [
    "`tools` is given twice; keep one of them",
]);
refused!(a_part_takes_no_attributes, { struct App { #[cfg(a)] tools: [f] } } => [
    "a part of a registry takes no attributes; `#[cfg]` goes on the entries of a list",
]);
refused!(parts_are_separated, { struct App { tools: [f] max_chars: 0 } } => [
    "two parts stand side by side; put a `,` between them",
    "`max_chars` leaves no room at all; give a larger number, or leave it out",
]);
refused!(a_sum_is_a_number, { struct App { max_chars: LARGE } } => [
    "`max_chars` is a whole number; write for example `max_chars: 80_000`",
]);
refused!(scalars_has_two_values, { struct App { scalars: loose } } => [
    "`loose` is no value of `scalars`; write `near` or `exact`",
]);
refused!(a_list_stands_in_brackets, { struct App { tools: f } } => [
    "a list stands in brackets; write `[First, Second]`",
]);
refused!(entries_are_separated, { struct App { fragments: [A B, C] } } => ["two entries stand side by side; put a `,` between them"]);
refused!(an_entry_takes_few_attributes, { struct App { fragments: [#[allow(x)] A] } } => [
    "an entry takes `#[cfg]` and doc comments only; put the rest on the type",
]);
refused!(a_tool_names_itself, { struct App { tools: [f as G] } } => [
    "a tool's name is its own; give it another with `#[tool(name = \"…\")]`",
]);
refused!(a_method_stands_in_a_module, { struct App { tools: [Todo::read, a::HttpClient::get, a::read, todo_tools::read] } } => [
    "methods stand in a module of their own; write `todo_tools::read`",
    "methods stand in a module of their own; write `a::http_client_tools::get`",
]);
refused!(an_entry_is_registered_once, { struct App { fragments: [a::A, a::A, a::A as B], tools: [f, f] } } => [
    "`a::A` is registered twice; keep one of them",
    "`a::A` is registered twice; keep one of them",
    "`f` is registered twice; keep one of them",
]);
refused!(a_kind_has_its_own_name, { struct App { fragments: [a::A, b::A, C as A] } } => [
    "two fragments are called `A`; write `b::A as OtherName`",
    "two fragments are called `A`; write `C as OtherName`",
]);
refused!(a_kind_has_a_name, { struct App { fragments: [(A, B)] } } => [
    "no kind can be named after `(A,B)`; write `(A,B) as Name`",
]);

#[test]
fn what_is_well_formed_is_still_emitted() {
    let registry = quote!(pub struct App { fragments: [A, B C], tools: [f, f], colour: red });
    let expansion = declare(registry).to_string();
    assert!(expansion.contains("pub enum AppKind"), "{expansion}");
    assert!(expansion.contains("Listed < App > for A"), "{expansion}");
    assert_eq!(expansion.matches("ListedTool < App > for f").count(), 1, "{expansion}");
    assert!(!expansion.contains("check_kinds"), "{expansion}");
}

refused!(a_retired_kind_is_a_text_or_a_type_and_is_retired_once, {
    struct App { retired: ["a", 7, " ", "a", T, T, "b" "c"], tools: [f] }
} => [
    "this is no entry of `retired`; write the kind of a fragment in quotes, or the type that had it",
    "this is no entry of `retired`; write the kind of a fragment in quotes, or the type that had it",
    "two entries stand side by side; put a `,` between them",
    "`a` is retired twice; keep one of them",
    "`T` is retired twice; keep one of them",
]);
