//! The macros inside a user's `macro_rules!`, with every part handed in.

use polyloop::{ContextFragment, ParseFragment, Registry, Render, State, registry, tool, toolbox};

macro_rules! fragment {
    ($(#[$meta:meta])* $vis:vis $name:ident as $kind:literal, $role:ident, $begin:literal, $end:literal,
        $max:expr, $slot:ident, $absent:expr; $body:literal; $($(#[$fmeta:meta])* $field:ident: $ty:ty),*) => {
        $(#[$meta])*
        #[derive(ContextFragment)]
        #[fragment(kind = $kind, role = $role, markers($begin, $end), max_chars = $max, slot = $slot)]
        #[fragment(lifetime = latest, absent = $absent, body = $body)]
        $vis struct $name { $($(#[$fmeta])* $field: $ty),* }
    };
}

fragment! {
    /// A fragment that a macro writes.
    #[derive(Debug, PartialEq)]
    pub(crate) Made as "made.by_macro", user, "<made>", "</made>", 1_000, run, "Gone.";
    "{left} / {r}"; left: u32, #[fragment(raw)] r: Vec1
}

type Vec1 = u8;

macro_rules! choices {
    ($name:ident { $($variant:ident($ty:ty) = $body:literal),* $(,)? }) => {
        #[derive(ContextFragment)]
        #[fragment(role = user, markers("<choice>", "</choice>"), max_chars = 100)]
        enum $name { $(#[fragment(body = $body)] $variant($ty)),* }
    };
}

choices!(Choice { Number(i64) = "number {0}", Text(String) = "text {0}" });

/// Names that the macro brings along: they are other names than those of its caller.
macro_rules! own_names {
    ($name:ident, $field:ident) => {
        #[derive(ContextFragment)]
        #[fragment(role = user, markers("<own>", "</own>"), max_chars = 100, body = "{own}{gap} {text}")]
        struct $name {
            own: $crate::by_macro::Vec1,
            #[fragment(raw)]
            gap: char,
            $field: String,
        }
    };
}

own_names!(Own, text);

macro_rules! adder {
    ($(#[$meta:meta])* $vis:vis fn $name:ident / $tool:literal ($($doc:literal $arg:ident: $ty:ty = $default:expr),*)
        -> $out:ty $body:block) => {
        $(#[$meta])*
        #[tool(name = $tool, timeout = "2s")]
        $vis async fn $name(
            #[state] number: &Number,
            $(#[doc = $doc] #[arg(default = $default, range(0..=100))] $arg: $ty),*
        ) -> $out {
            // Proves that the state is the macro's own name, not the caller's.
            assert_eq!(number.0, 5);
            $body
        }
    };
}

adder! {
    /// Adds two numbers.
    fn add / "plus" ("First." a: u32 = 1, "Second." b: u32 = 1 + 1) -> Result<String, String> {
        Ok((a + b).to_string())
    }
}

struct Number(u32);

macro_rules! describes {
    ($text:expr, $name:ident, $state:ty) => {
        #[doc = $text]
        #[tool]
        async fn $name(#[state] state: &$state, #[doc = $text] count: Option<u8>) -> String {
            format!("{} {count:?}", state.0)
        }
    };
}

describes!("One text for both.", both, Number);

macro_rules! box_of_tools {
    ($owner:ty, $module:ident, $($method:ident = $answer:expr),*) => {
        #[toolbox(module = $module)]
        impl $owner {
            $(
                /// Answers.
                #[tool]
                async fn $method(&self) -> String { $answer.to_string() }
            )*
        }
    };
}

box_of_tools!(Number, numbers, one = 1, two = 2);

macro_rules! whole_state {
    ($name:ident { $($field:ident: $ty:ty),* }) => {
        #[derive(State)]
        pub(crate) struct $name { $($field: $ty),* }
    };
}

whole_state!(Whole { number: Number, name: String });

macro_rules! close {
    ($(#[$meta:meta])* $vis:vis $name:ident, $state:ty, [$($fragment:ty),*], [$($tool:path),*], $max:expr) => {
        registry! {
            $(#[$meta])*
            $vis struct $name {
                state: $state,
                fragments: [$($fragment),*],
                tools: [$($tool),*],
                max_chars: $max,
            }
        }
    };
}

close!(
    /// All of it.
    #[derive(PartialEq)]
    pub(crate) Closed, Whole, [Made, Choice, Own], [add, both, numbers::one, numbers::two], 9_000
);

fn whole() -> Whole {
    Whole { number: Number(5), name: "x".to_owned() }
}

#[test]
fn a_macro_declares_fragments_from_its_arguments() {
    let made = Made { left: 3, r: 4 }.render().unwrap();
    assert_eq!(made.text(), "<made>3 / 4</made>");
    assert_eq!(Made::parse(made.text()).unwrap(), Made { left: 3, r: 4 });
    assert_eq!(Made::SPEC.kind, "made.by_macro");
    assert_eq!(Choice::Number(-1).render().unwrap().text(), "<choice>number -1</choice>");
    assert_eq!(Choice::Text("a".to_owned()).render().unwrap().text(), "<choice>text a</choice>");
}

#[test]
fn fields_of_the_macro_and_fields_of_its_caller_go_together() {
    let own = Own { own: 1, gap: ',', text: "x".to_owned() };
    assert_eq!(own.render().unwrap().text(), "<own>1, x</own>");
}

#[test]
fn a_macro_declares_tools_from_its_arguments() {
    assert_eq!(crate::observed::<Closed>(whole(), "plus", r#"{"a": 40}"#), "42");
    assert_eq!(crate::observed::<Closed>(whole(), "both", "{}"), "5 None");
    assert_eq!(crate::observed::<Closed>(whole(), "two", "{}"), "2");
    assert_eq!(crate::description::<Closed>("plus"), "Adds two numbers.");
    assert_eq!(crate::schema::<Closed>("plus")["properties"]["b"]["description"], "Second.");
}

#[test]
fn a_description_may_come_through_an_expression() {
    assert_eq!(crate::description::<Closed>("both"), "One text for both.");
    assert_eq!(crate::schema::<Closed>("both")["properties"]["count"]["description"], "One text for both.");
}

#[test]
fn a_macro_declares_a_registry_from_its_arguments() {
    assert_eq!(Closed::recognize("<made>3 / 4</made>").unwrap().kind, ClosedKind::Made);
    assert_eq!(Closed::SPEC.max_chars, Some(9_000));
    assert_eq!(<Whole as polyloop::Provide<String>>::provide(&whole()), "x");
}
