//! Every mistake gives its message, and only that one.

use quote::quote;

use super::attribute;
use crate::common::testing::messages;

/// Asserts the messages of `#[tool(options)] item`.
macro_rules! refused {
    ($name:ident, ($($options:tt)*) { $($item:tt)* } => [$($message:literal),* $(,)?]) => {
        #[test]
        fn $name() {
            let expansion = attribute(quote!($($options)*), quote!($($item)*));
            assert_eq!(messages(expansion), [$($message),*] as [&str; _]);
        }
    };
}

refused!(a_sound_tool_is_taken, (replay = safe, timeout = "2m", read_only, crate = facade::polyloop) {
    /// Reads.
    pub async fn read(
        #[state] db: &Db,
        #[call] _: &CallContext,
        /// Path.
        #[arg(default = 1, range(-1.5..=7), example = 2, example = 3)] mut path: f64,
        /// Names.
        #[arg(length(..20), pattern = "^[a-z]+$", rename = "all.names")] names: Vec<String>,
    ) -> Result<String, ToolError> { body }
} => []);

refused!(a_schema_is_taken_without_a_body, (schema_only) {
    /// Searches.
    async fn search(/** Words. */ query: String) -> String;
} => []);

// The item.
refused!(a_struct_is_no_tool, () { struct Tool; } => ["this is no function; `#[tool]` goes on an `async fn`"]);
refused!(an_impl_is_a_toolbox, () { impl Tool {} } => [
    "`#[tool]` goes on a method; put `#[toolbox]` on the `impl`",
]);
refused!(one_mark_is_enough, () {
    /// Reads.
    #[polyloop::tool]
    async fn read() -> String { body }
} => ["`#[tool]` stands on this function twice; keep one of them"]);

// The qualifiers.
refused!(a_tool_is_async, () {
    /// Reads.
    fn read() -> String { body }
} => ["a tool is an `async fn`; write `async` in front"]);
refused!(a_tool_is_not_const, () {
    /// Reads.
    const async fn read() -> String { body }
} => ["a tool is a plain `async fn`; leave out `const`"]);
refused!(a_tool_is_not_unsafe, () {
    /// Reads.
    async unsafe fn read() -> String { body }
} => ["a model cannot keep to a safety contract; leave out `unsafe`"]);
refused!(a_tool_is_not_extern, () {
    /// Reads.
    async extern "C" fn read() -> String { body }
} => ["a tool is a plain `async fn`; leave out `extern`"]);
refused!(a_tool_is_not_variadic, () {
    /// Reads.
    async fn read(...) -> String { body }
} => ["a tool's arguments are named one by one; leave out `...`"]);
refused!(a_tool_is_not_generic, () {
    /// Reads.
    async fn read<'a, T, const N: usize>() -> String where T: Copy { body }
} => [
    "a tool takes no lifetimes; leave out `'a` and return an owned value",
    "a tool has one schema, so it cannot be generic; write a type in place of `T`",
    "a tool has one schema, so it cannot be generic; write a value in place of `N`",
    "a tool is not generic, so there is nothing to bound; leave out the `where`",
]);
refused!(a_receiver_needs_a_toolbox, () {
    /// Reads.
    async fn read(&self) -> String { body }
} => ["a tool with `self` is a method; put `#[toolbox]` on its `impl`"]);
refused!(an_owner_needs_a_toolbox, () {
    /// Reads.
    async fn read(/** Other. */ other: Self) -> String { body }
} => ["a tool with `Self` is a method; put `#[toolbox]` on its `impl`"]);
refused!(a_tool_returns_something, () {
    /// Reads.
    async fn read() { body }
} => ["a tool tells the model something; return `String`, `Json(value)` or `Observation`"]);
refused!(nothing_is_not_something, () {
    /// Reads.
    async fn read() -> () { body }
} => ["a tool tells the model something; return `String`, `Json(value)` or `Observation`"]);
refused!(what_is_returned_has_a_name, () {
    /// Reads.
    async fn read() -> impl Display { body }
} => ["what a tool returns has a name; write the type in place of `impl`"]);
refused!(a_schema_has_no_body, (schema_only) {
    /// Reads.
    async fn read() -> String { body }
} => ["`schema_only` is for a function without a body; end it with `;` or leave the option out"]);
refused!(a_body_is_not_left_out_by_accident, () {
    /// Reads.
    async fn read() -> String;
} => ["the tool has no body; write one, or `#[tool(schema_only)]` if an executor of yours carries it out"]);

// The options.
refused!(an_unknown_option_is_refused, (tiemout = "1s", colour) {
    /// Reads.
    async fn read() -> String { body }
} => [
    "`tiemout` is no option of `#[tool]`; did you mean `timeout`?",
    "`colour` is no option of `#[tool]`; the options are `name`, `description`, `replay`, `completes_run`, \
     `concurrent`, `timeout`, `approval`, `read_only`, `destructive`, `idempotent`, `open_world`, `hidden`, \
     `lenient`, `schema_only`, `max_chars`, `keep_result`, `type`, `crate`",
]);
refused!(an_option_that_cannot_be_read_hides_no_other, (replay = unsafe, type = struct,, "x", timeout: "3", hiden) {
    /// Reads.
    async fn read(/** Pairs. */ #[arg(default = HashMap::<u8, u8>::new(), exmaple = 1)] a: u8) -> String { body }
} => [
    "no option stands in front of this `,`; leave it out",
    "an option begins with its name; write for example `name = \"read_file\"`",
    "the value of `timeout` stands behind `=`; write for example `timeout = \"30s\"`",
    "`hiden` is no option of `#[tool]`; did you mean `hidden`?",
    "`unsafe` is no value of `replay`; write `safe`, `never` or `child`",
    "`type` takes a name; write for example `type = ReadFile`",
    "`3` is no duration; write `500ms`, `30s` or `2m`",
    "`exmaple` is no option of `#[arg]`; did you mean `example`?",
]);
refused!(replay_has_three_values, (replay = maybe) {
    /// Reads.
    async fn read() -> String { body }
} => ["`maybe` is no value of `replay`; write `safe`, `never` or `child`"]);
refused!(a_run_inside_needs_the_call, (replay = child) {
    /// Delegates.
    async fn delegate(#[state] agent: &Agent) -> String { body }
} => ["`replay = child` finds its run again through the call; add a parameter `#[call] call: &CallContext`"]);
refused!(a_run_inside_with_the_call_is_taken, (replay = child) {
    /// Delegates.
    async fn delegate(#[call] call: &CallContext) -> String { body }
} => []);
refused!(a_run_inside_of_an_executor_needs_no_call, (replay = child, schema_only) {
    /// Delegates.
    async fn delegate() -> String;
} => []);
refused!(a_timeout_has_a_unit, (timeout = "30") {
    /// Reads.
    async fn read() -> String { body }
} => ["`30` is no duration; write `500ms`, `30s` or `2m`"]);
refused!(a_timeout_is_not_nothing, (timeout = "0s") {
    /// Reads.
    async fn read() -> String { body }
} => ["a timeout of nothing ends every call; leave `timeout` out for none"]);
refused!(a_limit_of_a_result_leaves_something, (max_chars = 0) {
    /// Reads.
    async fn read() -> String { body }
} => ["`max_chars = 0` shows nothing of a result; write how many characters a model may see of one"]);
refused!(a_limit_of_a_result_is_a_number, (max_chars = 99999999999999999999999, keep_result) {
    /// Reads.
    async fn read() -> String { body }
} => ["`max_chars` is a number of characters; write for example `max_chars = 20_000`"]);
refused!(reading_destroys_nothing, (read_only, destructive) {
    /// Reads.
    async fn read() -> String { body }
} => ["`read_only` and `destructive` contradict each other; keep one of them"]);
refused!(a_name_is_plain, (name = "read file") {
    /// Reads.
    async fn read() -> String { body }
} => [
    "`read file` is no name that every provider takes; use 1 to 64 letters, digits, `_` or `-`, and a letter or `_` \
     first",
]);
refused!(a_function_of_another_alphabet_is_renamed, () {
    /// Reads.
    async fn größe() -> String { body }
} => [
    "`größe` is no name that every provider takes; use 1 to 64 letters, digits, `_` or `-`, and a letter or `_` first \
     in `#[tool(name = \"…\")]`",
]);
refused!(a_primitive_is_not_hidden, () {
    /// Reads.
    async fn char() -> String { body }
} => ["`char` is a primitive type, which this would hide; give the tool's type another name with `#[tool(type = …)]`"]);
refused!(another_type_name_is_taken, (type = CharTool) {
    /// Reads.
    async fn char() -> String { body }
} => []);
refused!(a_tool_is_described, () { async fn read() -> String { body } } => [
    "the tool `read` has no description; write a doc comment above it",
]);
refused!(a_description_says_something, (description = " ") { async fn read() -> String { body } } => [
    "the description is empty; say what the tool does",
]);
refused!(a_misspelled_description_is_one_mistake, (descripton = "Reads.") { async fn read() -> String { body } } => [
    "`descripton` is no option of `#[tool]`; did you mean `description`?",
]);

// The parameters.
refused!(an_argument_is_described, () {
    /// Reads.
    async fn read(path: String, #[arg(description = "")] line: u32) -> String { body }
} => [
    "the argument `path` has no description; write a doc comment above it",
    "the description is empty; say what `line` is",
]);
refused!(a_reference_without_a_mark_is_one_mistake, () {
    /// Reads.
    async fn read(store: &Store) -> String { body }
} => ["an argument owns its value; take an owned type such as `String`, or mark it `#[state]` or `#[call]`"]);
refused!(a_description_is_any_constant_text, (description = concat!("Re", "ads.")) {
    async fn read(#[doc = include_str!("path.md")] path: String, #[arg(description = LINE)] line: u8) -> String {
        body
    }
} => []);
refused!(a_description_is_a_text, (description = 5) {
    async fn read(#[arg(description = true)] path: String) -> String { body }
} => [
    "`description` takes a string in quotes, a macro such as `concat!`, or a constant; write for example \
     `description = \"…\"`",
    "`description` takes a string in quotes, a macro such as `concat!`, or a constant; write for example \
     `description = \"…\"`",
]);
refused!(a_condition_hides_no_part_of_a_parameter, () {
    /// Reads.
    async fn read(
        #[cfg_attr(feature = "x", arg(range(1..)))]
        /// Where.
        path: u8,
        #[cfg_attr(feature = "x", doc = "What.")] line: u8,
    ) -> String { body }
} => [
    "`arg` in `cfg_attr` cannot be read here; write the parameter once for each case, with `#[cfg(…)]` on it",
    "`doc` in `cfg_attr` cannot be read here; write the parameter once for each case, with `#[cfg(…)]` on it",
]);
refused!(an_argument_has_a_name, () {
    /// Reads.
    async fn read(/** Two. */ (a, b): (u8, u8), /** One. */ _: u8) -> String { body }
} => [
    "this argument has no name; give it one, because the model sees it",
    "this argument has no name; give it one, because the model sees it",
]);
refused!(an_argument_has_a_plain_name, () {
    /// Reads.
    async fn read(/** One. */ größe: u8, /** Two. */ #[arg(rename = "a b")] b: u8) -> String { body }
} => [
    "`größe` is no name that every provider takes; use 1 to 64 letters, digits, `_`, `.` or `-` in \
     `#[arg(rename = \"…\")]`",
    "`a b` is no name that every provider takes; use 1 to 64 letters, digits, `_`, `.` or `-`",
]);
refused!(an_argument_has_its_own_name, () {
    /// Reads.
    async fn read(/** One. */ a: u8, /** Two. */ #[arg(rename = "a")] b: u8) -> String { body }
} => ["two arguments are called `a`; rename one of them"]);
refused!(an_argument_owns_its_value, () {
    /// Reads.
    async fn read(/** One. */ a: &str, /** Two. */ b: Option<&str>, /** Three. */ c: Cow<'static, str>) -> String { body }
} => [
    "an argument owns its value; take an owned type such as `String`, or mark it `#[state]` or `#[call]`",
    "an argument owns its value; take a type without references and lifetimes",
    "an argument owns its value; take a type without references and lifetimes",
]);
refused!(an_argument_has_one_type, () {
    /// Reads.
    async fn read(/** One. */ a: impl Into<String>, /** Two. */ b: _) -> String { body }
} => [
    "an argument has one schema, so its type has a name; write it in place of `impl`",
    "an argument's type cannot be left open; write it out",
]);
refused!(state_is_borrowed, () {
    /// Reads.
    async fn read(#[state] a: Store<Disk, dyn Net>, #[state] b: &mut Db, #[state] c: &'static Db, #[state] d: &impl Db) -> String { body }
} => [
    "a `#[state]` is lent for one call; take a reference such as `&Store<Disk, dyn Net>`",
    "a `#[state]` is shared by all calls; leave out `mut`",
    "a `#[state]` is lent for one call; leave out `'static`",
    "a `#[state]` is found by its type; write the type in place of `impl`",
]);
refused!(a_call_is_borrowed_once, () {
    /// Reads.
    async fn read(#[call] a: CallContext, #[call] b: &CallContext) -> String { body }
} => [
    "a `#[call]` is lent for one call; take a reference such as `&CallContext`",
    "`#[call]` is given twice; one parameter is enough",
]);
refused!(a_parameter_has_one_mark, () {
    /// Reads.
    async fn read(#[state(x)] a: &Db, #[call] #[state] b: &Db, #[arg(default)] #[state] #[state] c: &Db) -> String { body }
} => [
    "`#[state]` takes no options; write it bare",
    "a parameter is `#[state]` or `#[call]`; keep one of them",
    "the model does not fill in a `#[state]`; leave out `#[arg]`",
    "`#[state]` is given twice; keep one of them",
]);
refused!(an_unknown_option_of_an_argument_is_refused, () {
    /// Reads.
    async fn read(/** One. */ #[arg(defualt = 1, timeout = "1s")] a: u8) -> String { body }
} => [
    "`defualt` is no option of `#[arg]`; did you mean `default`?",
    "`timeout` is an option of a tool, not of a parameter; move it there",
]);
refused!(flatten_stands_alone, () {
    /// Reads.
    async fn read(#[arg(flatten, default)] a: All, /** Two. */ b: u8) -> String { body }
} => [
    "`flatten` takes all arguments; move the others into its struct",
    "`default` has no place beside `flatten`; put it on a field of the struct",
]);

// The limits.
refused!(a_limit_is_given_once, () {
    /// Reads.
    async fn read(/** One. */ #[arg(range(1..), range(..2))] a: u8) -> String { body }
} => ["`range` is given twice; keep one of them"]);
refused!(a_limit_is_a_range, () {
    /// Reads.
    async fn read(/** One. */ #[arg(range(7), length(..))] a: u8, /** Two. */ #[arg(range(LEAST..))] b: u8) -> String { body }
} => [
    "`range` takes one range; write `range(1..=7)`, `range(1..)` or `range(..=7)`",
    "`length(..)` limits nothing; give a bound or leave it out",
    "a bound of `range` is a number; write it out",
]);
refused!(a_limit_leaves_something, () {
    /// Reads.
    async fn read(
        /** One. */ #[arg(range(7..=1))] a: u8,
        /** Two. */ #[arg(range(0.5..0.5))] b: f32,
        /** Three. */ #[arg(length(5..5))] c: String,
        /** Four. */ #[arg(length(..0))] d: String,
    ) -> String { body }
} => [
    "no number is in this range; put the smaller bound first",
    "no number is in this range; put the smaller bound first",
    "no length is in this range; put the smaller bound first",
    "no length is in this range; put the smaller bound first",
]);
refused!(a_length_is_whole, () {
    /// Reads.
    async fn read(/** One. */ #[arg(length(-1..=2.5))] a: String) -> String { body }
} => ["a length is a whole number that is not negative; write for example `length(1..=20)`"]);
refused!(a_pattern_is_one, () {
    /// Reads.
    async fn read(/** One. */ #[arg(pattern = "[a-z")] a: String) -> String { body }
} => ["this is no regular expression: unclosed character class; correct the pattern"]);

#[test]
fn a_half_open_length_ends_one_earlier() {
    let tool = quote! {
        /// Reads.
        async fn read(/** One. */ #[arg(length(2..5))] a: String) -> String { body }
    };
    let expansion = attribute(quote!(), tool).to_string();
    assert!(expansion.contains("MinLength (2usize)"), "{expansion}");
    assert!(expansion.contains("MaxLength (4usize)"), "{expansion}");
}

#[test]
fn the_function_stays_when_something_is_wrong() {
    let expansion = attribute(
        quote!(),
        quote!(
            fn read(path: &str) -> String {
                body
            }
        ),
    )
    .to_string();
    assert!(expansion.contains("fn read (path : & str) -> String { body }"), "{expansion}");
    assert!(expansion.contains("struct read { }"), "{expansion}");
    assert!(expansion.contains("Tool < __S > for read"), "{expansion}");
}
