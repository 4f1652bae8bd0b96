//! What the model is told, and the closed set of it.

use polyloop::{ContextFragment, registry};

use super::tools::workspace_tools;
use super::workspace::Workspace;

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<environment>", "</environment>"), max_chars = 6_000, at_most = 1)]
#[fragment(body = "\n  <cwd>{cwd}</cwd>\n  <system>{system}</system>\n  <access>read only</access>\n")]
pub(crate) struct Environment {
    pub(crate) cwd: String,
    pub(crate) system: &'static str,
}

/// How to work. The planner reads the limits back out of the text that it is shown.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<rules>", "</rules>"), max_chars = 1_000, at_most = 1)]
#[fragment(body = "\nHand in {most_remarks} remarks at most, and say how many there are.\n\
        Read more around a remark only where its line does not say enough.\n\
        Hand in what there is when the context has {most_chars} characters.\n\
        Name an owner only if `git blame` knows one.\n")]
pub(crate) struct Rules {
    pub(crate) most_remarks: usize,
    pub(crate) most_chars: usize,
}

registry! {
    /// Everything that this program may show a model. The compiler refuses whatever is not listed here.
    pub(crate) struct App {
        state: Workspace,
        fragments: [Rules, Environment],
        tools: [
            workspace_tools::list_files,
            workspace_tools::search,
            workspace_tools::read_file,
            workspace_tools::blame,
            workspace_tools::submit_report,
        ],
        max_chars: 7_000,
    }
}
