//! Every mistake gives its message, and only that one.

use quote::quote;

use super::attribute;
use crate::common::testing::messages;

/// Asserts the messages of `#[toolbox(options)] item`.
macro_rules! refused {
    ($name:ident, ($($options:tt)*) { $($item:tt)* } => [$($message:literal),* $(,)?]) => {
        #[test]
        fn $name() {
            let expansion = attribute(quote!($($options)*), quote!($($item)*));
            assert_eq!(messages(expansion), [$($message),*] as [&str; _]);
        }
    };
}

refused!(a_sound_toolbox_is_taken, (module = files, crate = facade::polyloop) {
    impl Workspace {
        /// Reads.
        #[tool(replay = safe)]
        pub async fn read(&self, /** Path. */ path: String) -> Result<String, <Self as Fails>::Error> { body }
        /// Searches.
        #[tool(schema_only)]
        async fn search(&self, /** Words. */ query: String) -> String;
        fn other(self) {}
    }
} => []);
refused!(a_function_is_no_toolbox, () { async fn read() {} } => [
    "`#[toolbox]` goes on an `impl`; put `#[tool]` on a function",
]);
refused!(a_struct_is_no_toolbox, () { struct Workspace; } => [
    "this is no `impl`; `#[toolbox]` goes on an `impl` with methods",
]);
refused!(a_trait_is_no_toolbox, () { impl Clone for Workspace {} } => [
    "a toolbox holds methods of the type itself; move the tools to an `impl` without a trait",
]);
refused!(a_toolbox_is_not_generic, () { impl<T> Workspace<T> where T: Copy {} } => [
    "a tool has one schema, so its `impl` cannot be generic; write concrete types",
    "a toolbox is not generic, so there is nothing to bound; leave out the `where`",
]);
refused!(a_toolbox_has_a_tool, () { impl Workspace { fn other(&self) {} } } => [
    "this toolbox has no tool; mark a method with `#[tool]`",
]);
refused!(a_type_without_a_name_needs_a_module, () {
    impl [u8] {
        /// Reads.
        #[tool]
        async fn read(&self) -> String { body }
    }
} => ["no module can be named after this type; write `#[toolbox(module = …)]`"]);
refused!(an_unknown_option_is_refused, (modul = x) {
    impl Workspace {
        /// Reads.
        #[tool]
        async fn read(&self) -> String { body }
    }
} => ["`modul` is no option of `#[toolbox]`; did you mean `module`?"]);
refused!(the_receiver_is_shared, () {
    impl Workspace {
        /// Reads.
        #[tool]
        async fn a(self) -> String { body }
        /// Reads.
        #[tool]
        async fn b(&mut self) -> String { body }
        /// Reads.
        #[tool]
        async fn c(self: Arc<Self>) -> String { body }
        /// Reads.
        #[tool]
        async fn d() -> String { body }
        /// Reads.
        #[tool]
        async fn e(&'static self) -> String { body }
    }
} => [
    "the receiver is the state, which is shared; take `&self`",
    "the receiver is the state, which is shared; take `&self`",
    "the receiver is the state, which is shared; take `&self`",
    "the tool `d` has no receiver; take `&self`, or make it a function",
    "the receiver is borrowed for one call; take `&self`",
]);
refused!(a_method_is_checked_like_a_function, () {
    impl Workspace {
        #[tool(replay = maybe)]
        #[tool]
        fn read(&self, path: &str) {}
        #[tool]
        const LINES: u8 = 1;
    }
} => [
    "`maybe` is no value of `replay`; write `safe`, `never` or `child`",
    "this is no function; `#[tool]` goes on an `async fn`",
    "`#[tool]` stands on this function twice; keep one of them",
    "a tool is an `async fn`; write `async` in front",
    "a tool tells the model something; return `String`, `Json(value)` or `Observation`",
    "the tool `read` has no description; write a doc comment above it",
    "an argument owns its value; take an owned type such as `String`, or mark it `#[state]` or `#[call]`",
]);

#[test]
fn the_module_is_named_after_the_type() {
    let toolbox = |owner| {
        let item = quote! {
            impl #owner {
                /// Reads.
                #[tool]
                pub(crate) async fn read(&self) -> String { body }
            }
        };
        attribute(quote!(), item).to_string()
    };
    assert!(toolbox(quote!(a::HttpClient)).contains("pub (crate) mod http_client_tools"));
    assert!(toolbox(quote!(HTTPClient)).contains("pub (crate) mod http_client_tools"));
    assert!(toolbox(quote!(Store<Disk>)).contains("pub (crate) mod store_tools"));
}

#[test]
fn self_is_the_owner_outside() {
    let item = quote! {
        impl Workspace {
            /// Reads.
            #[tool]
            async fn read(&self, #[state] all: &Self, /** One. */ #[arg(default = Self::ONE)] one: u8) -> Self { body }
        }
    };
    let expansion = attribute(quote!(), item).to_string();
    assert!(expansion.contains("json (& (< Workspace > :: ONE))"), "{expansion}");
    assert!(expansion.contains("< Workspace as :: polyloop :: __private :: ToolReturn >"), "{expansion}");
    assert!(expansion.contains("all : & Self"), "{expansion}");
}
