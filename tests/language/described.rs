//! Descriptions arrive exactly as they were written.

use polyloop::{registry, tool};

/// Says "what" it does: {braces}, {{doubled}}, a back\slash, \n no line end, and 日本語 – `ü`.
///
/// A second paragraph, with 'quotes' and a list:
///
/// - one
///   - indented
///
/// ```json
/// {"a": "\u00e4"}
/// ```
#[tool]
async fn slashes(
    /// The "argument" {0} \ 🦀.
    ///
    /// Its second paragraph.
    argument: u8,
) -> String {
    argument.to_string()
}

/**
 * Says "what" it does.
 *
 * Over {several} lines.
 */
#[tool]
async fn starred(
    /** The argument. */
    argument: u8,
) -> String {
    argument.to_string()
}

#[doc = "Says \"what\"\tit does."]
#[doc = ""]
#[doc = r"On a raw \line."]
#[tool]
async fn attributes(
    #[doc = " One."]
    #[doc = "Two."]
    argument: u8,
) -> String {
    argument.to_string()
}

/// Is what people read.
#[tool(description = "Is what \"models\" read.\n  {Exactly}.")]
async fn given(
    /// Is what people read.
    #[arg(description = "Is \\ what {models} read.")]
    argument: u8,
) -> String {
    argument.to_string()
}

#[rustfmt::skip]
mod every_order {
    use polyloop::tool;

    /// Order.
    #[allow(clippy::unused_async, reason = "a tool is async")]
    #[tool]
    pub(super) async fn doc_allow_tool() -> String { String::new() }

    /// Order.
    #[tool]
    #[allow(clippy::unused_async, reason = "a tool is async")]
    pub(super) async fn doc_tool_allow() -> String { String::new() }

    #[tool]
    /// Order.
    #[allow(clippy::unused_async, reason = "a tool is async")]
    pub(super) async fn tool_doc_allow() -> String { String::new() }

    #[tool]
    #[allow(clippy::unused_async, reason = "a tool is async")]
    /// Order.
    pub(super) async fn tool_allow_doc() -> String { String::new() }

    #[allow(clippy::unused_async, reason = "a tool is async")]
    #[tool]
    /// Order.
    pub(super) async fn allow_tool_doc() -> String { String::new() }

    #[allow(clippy::unused_async, reason = "a tool is async")]
    /// Order.
    #[tool]
    pub(super) async fn allow_doc_tool() -> String { String::new() }

    /// Order
    #[tool]
    /// by parts.
    #[allow(clippy::unused_async, reason = "a tool is async")]
    pub(super) async fn doc_tool_doc(
        #[arg(default = 1)]
        /// Before
        #[allow(unused_variables, reason = "only its description counts")]
        /// and behind.
        count: u8,
    ) -> String { String::new() }
}

use every_order::{
    allow_doc_tool, allow_tool_doc, doc_allow_tool, doc_tool_allow, doc_tool_doc, tool_allow_doc,
    tool_doc_allow,
};

registry! {
    struct Described {
        tools: [
            slashes, starred, attributes, given, allow_doc_tool, allow_tool_doc, doc_allow_tool, doc_tool_allow,
            doc_tool_doc, tool_allow_doc, tool_doc_allow,
        ],
    }
}

fn argument(tool: &str) -> String {
    let schema = crate::schema::<Described>(tool);
    schema["properties"]["argument"]["description"].as_str().unwrap().to_owned()
}

#[test]
fn a_doc_comment_arrives_exactly() {
    let text = "Says \"what\" it does: {braces}, {{doubled}}, a back\\slash, \\n no line end, and 日本語 – `ü`.\n\n\
                A second paragraph, with 'quotes' and a list:\n\n- one\n  - indented\n\n```json\n\
                {\"a\": \"\\u00e4\"}\n```";
    assert_eq!(crate::description::<Described>("slashes"), text);
    assert_eq!(argument("slashes"), "The \"argument\" {0} \\ 🦀.\n\nIts second paragraph.");
}

#[test]
fn a_block_comment_arrives_without_its_stars() {
    assert_eq!(crate::description::<Described>("starred"), "Says \"what\" it does.\n\nOver {several} lines.");
    assert_eq!(argument("starred"), "The argument.");
}

#[test]
fn a_doc_attribute_is_a_doc_comment() {
    let text = "Says \"what\"\tit does.\n\nOn a raw \\line.";
    assert_eq!(crate::description::<Described>("attributes"), text);
    assert_eq!(argument("attributes"), "One.\nTwo.");
}

#[test]
fn a_given_description_wins_over_the_doc_comment() {
    assert_eq!(crate::description::<Described>("given"), "Is what \"models\" read.\n  {Exactly}.");
    assert_eq!(argument("given"), "Is \\ what {models} read.");
}

#[test]
fn the_order_of_attributes_does_not_matter() {
    for tool in [
        "allow_doc_tool",
        "allow_tool_doc",
        "doc_allow_tool",
        "doc_tool_allow",
        "tool_allow_doc",
        "tool_doc_allow",
    ] {
        assert_eq!(crate::description::<Described>(tool), "Order.", "{tool}");
    }
    assert_eq!(crate::description::<Described>("doc_tool_doc"), "Order\nby parts.");
    let schema = crate::schema::<Described>("doc_tool_doc");
    assert_eq!(schema["properties"]["count"]["description"], "Before\nand behind.");
}
