//! Descriptions that only the compiler can evaluate: `concat!`, `include_str!`, `env!`, constants.

use polyloop::{Registry, State, registry, tool, toolbox};

use crate::support::property;

const LIMIT: &str = "How many files, at most.";

/// Deletes files.
#[cfg_attr(all(), doc = "Only here.")]
#[cfg_attr(any(), doc = "Everywhere.")]
#[doc = concat!("Never more than ", 10, " files.")]
#[tool]
async fn delete_files(
    #[doc = include_str!("descriptions.txt")] pattern: String,
    #[arg(description = LIMIT)] limit: u8,
) -> String {
    format!("{pattern} {limit}")
}

#[tool(description = concat!("Version ", env!("CARGO_PKG_VERSION"), "."))]
async fn version() -> &'static str {
    "0"
}

#[tool(description = texts::LOOK)]
async fn look() -> &'static str {
    ""
}

mod texts {
    pub(super) const LOOK: &str = "\n  Looks.\n";
}

#[derive(Debug)]
struct Files;

#[toolbox]
impl Files {
    #[doc = concat!("Lists ", "all files.")]
    ///
    /// * in this folder
    /// * 2 = the folder above
    #[tool]
    async fn list(&self, #[doc = concat!("How ", "deep.")] depth: u8) -> String {
        format!("{self:?} {depth}")
    }
}

#[derive(State)]
struct AppState {
    files: Files,
}

registry! {
    struct App {
        state: AppState,
        tools: [delete_files, version, look, files_tools::list],
    }
}

fn description(name: &str) -> &'static str {
    App::tools().unwrap().get(name).unwrap().description
}

#[test]
fn a_doc_comment_a_condition_and_a_macro_are_all_in_the_description() {
    assert_eq!(description("delete_files"), "Deletes files.\nOnly here.\nNever more than 10 files.");
    assert_eq!(description("list"), "Lists all files.\n\n* in this folder\n* 2 = the folder above");
}

#[test]
fn a_description_may_be_a_macro_or_a_constant() {
    assert_eq!(description("version"), concat!("Version ", env!("CARGO_PKG_VERSION"), "."));
    assert_eq!(description("look"), "  Looks.");
}

#[test]
fn an_argument_is_described_by_a_file_a_macro_or_a_constant() {
    let described = |tool: &str, argument: &str, text: &str| {
        let property = property::<App>(tool, argument);
        assert!(property.contains(&format!(r#""description":"{text}""#)), "{property}");
    };
    described("delete_files", "pattern", "Which files.\\n\\n* `*` is any text.");
    described("delete_files", "limit", "How many files, at most.");
    described("list", "depth", "How deep.");
}
