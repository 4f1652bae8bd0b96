//! `#[cfg]` and `#[cfg_attr]` wherever they may stand; `any()` is never true, `test` is here.

use polyloop::{ContextFragment, ParseFragment, Registry, Render, State, registry, tool, toolbox};

#[derive(ContextFragment, Debug, PartialEq)]
#[cfg_attr(all(), fragment(role = user, markers("<cfg>", "</cfg>")))]
#[cfg_attr(any(), fragment(role = developer))]
#[fragment(max_chars = 100, body = "{kept}")]
struct Conditional {
    #[cfg(test)]
    kept: u8,
    #[cfg(any())]
    dropped: NoSuchType,
}

#[derive(ContextFragment)]
#[fragment(role = user, markers("<variants>", "</variants>"), max_chars = 100)]
enum Variants {
    #[cfg(any())]
    #[fragment(body = "{0}")]
    Dropped(NoSuchType),
    #[cfg(test)]
    #[cfg_attr(all(), fragment(body = "{x}"))]
    Kept {
        #[cfg(any())]
        dropped: u8,
        x: u8,
    },
}

#[cfg(any())]
#[derive(ContextFragment)]
#[fragment(role = user, markers("<never>", "</never>"), max_chars = 100, body = "")]
struct Never;

#[derive(State)]
struct Everything {
    #[cfg(test)]
    number: u8,
    #[cfg(any())]
    nothing: NoSuchType,
    #[cfg_attr(all(), state(skip))]
    _skipped: u8,
}

/// Takes what is there.
#[tool]
async fn take(
    #[cfg(test)]
    #[state]
    number: &u8,
    #[cfg(any())]
    #[state]
    nothing: &NoSuchType,
    /// Is there.
    #[cfg(test)]
    #[arg(default = 2)]
    first: u8,
    /// Is not there.
    #[cfg(any())]
    second: NoSuchType,
    /// Is there, and last.
    #[cfg(not(any()))]
    third: u8,
) -> String {
    format!("{number} {first} {third}")
}

/// Takes one argument or the other.
#[tool]
async fn either(
    /// Is there.
    #[cfg(test)]
    value: u8,
    /// Is not there.
    #[cfg(not(test))]
    value: NoSuchType,
) -> String {
    value.to_string()
}

/// Is not there.
#[tool]
#[cfg(any())]
async fn before(
    /** Nothing. */
    nothing: NoSuchType,
) -> String {
    nothing.into()
}

/// Is not there either.
#[cfg(any())]
#[tool]
async fn behind(
    /** Nothing. */
    nothing: NoSuchType,
) -> String {
    nothing.into()
}

/// Is deprecated, on a condition.
#[tool]
#[cfg_attr(test, deprecated)]
#[cfg_attr(all(), allow(clippy::unused_async, reason = "a tool is async"))]
async fn old() -> String {
    "old".to_owned()
}

struct Methods;

#[toolbox]
impl Methods {
    /// Is there.
    #[cfg(test)]
    #[tool]
    async fn there(&self) -> String {
        "there".to_owned()
    }

    /// Is not there.
    #[tool]
    #[cfg(any())]
    async fn gone(&self) -> NoSuchType {}
}

#[cfg(any())]
#[toolbox]
impl NoSuchType {
    /// Is not there.
    #[tool]
    async fn gone(&self) -> String {}
}

registry! {
    struct Chosen {
        state: Everything,
        fragments: [
            #[cfg(any())]
            Never,
            #[cfg(test)]
            Conditional,
            #[cfg(not(test))]
            Conditional as Other,
            #[cfg(any())]
            NoSuchType as Nothing,
            /// Has variants.
            Variants,
        ],
        tools: [#[cfg(any())] before, #[cfg(any())] behind, #[cfg(test)] take, either, old],
        max_chars: 10_000,
    }
}

registry! {
    struct Boxed {
        state: Methods,
        tools: [methods_tools::there, #[cfg(any())] methods_tools::gone],
    }
}

registry! {
    #[cfg(any())]
    struct Unknown {
        state: NoSuchType,
        fragments: [NoSuchType],
        tools: [no_such_tool],
        max_chars: 1,
    }
}

registry! {
    #[cfg_attr(test, derive(PartialEq, Eq))]
    struct Emptied {
        fragments: [#[cfg(any())] NoSuchType],
        tools: [#[cfg(any())] no_such_tool],
        max_chars: 10,
    }
}

fn everything() -> Everything {
    Everything { number: 1, _skipped: 0 }
}

#[test]
fn a_field_that_is_not_compiled_is_not_asked_for() {
    assert_eq!(Conditional { kept: 7 }.render().unwrap().text(), "<cfg>7</cfg>");
    assert_eq!(Conditional::parse("<cfg>7</cfg>").unwrap(), Conditional { kept: 7 });
    assert_eq!(Variants::Kept { x: 7 }.render().unwrap().text(), "<variants>7</variants>");
}

#[test]
fn a_parameter_that_is_not_compiled_is_not_in_the_schema() {
    assert_eq!(crate::arguments::<Chosen>("take"), ["first", "third"]);
    assert_eq!(crate::observed::<Chosen>(everything(), "take", r#"{"third": 3}"#), "1 2 3");
    assert_eq!(crate::observed::<Chosen>(everything(), "either", r#"{"value": 3}"#), "3");
}

#[test]
fn an_entry_that_is_not_compiled_is_not_registered() {
    let kinds: Vec<ChosenKind> = Chosen::SPEC.fragments.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [ChosenKind::Conditional, ChosenKind::Variants]);
    let tools = Chosen::tools().unwrap();
    assert_eq!(tools.tools().map(|(name, _)| name).collect::<Vec<_>>(), ["take", "either", "old"]);
    assert_eq!(Boxed::tools().unwrap().len(), 1);
    assert_eq!(crate::observed::<Boxed>(Methods, "there", "{}"), "there");
}

#[test]
fn a_conditional_deprecation_leaves_the_tool_callable() {
    assert_eq!(crate::observed::<Chosen>(everything(), "old", "{}"), "old");
}

#[test]
fn a_registry_may_lose_all_its_entries() {
    assert!(Emptied::SPEC.fragments.is_empty());
    assert!(Emptied::tools().unwrap().is_empty());
    assert!(Emptied == Emptied);
}
