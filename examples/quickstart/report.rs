//! What the agent hands in, and what a program gets with `--json`.

use polyloop::{Call, Report as RunReport, Share};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Is one remark, as the model hands it in.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    /// The file, relative to the root of the workspace.
    pub(crate) path: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The word that was looked for.
    pub(crate) word: String,
    /// What the comment says.
    pub(crate) text: String,
    /// Who wrote the line, if that is known.
    pub(crate) owner: Option<String>,
}

/// Is the report: the findings, grouped by file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) remarks: usize,
    pub(crate) files: Vec<FileReport>,
    pub(crate) notes: Vec<String>,
}

/// Is what one file holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FileReport {
    pub(crate) path: String,
    pub(crate) findings: Vec<Remark>,
}

/// Is one remark of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Remark {
    pub(crate) line: usize,
    pub(crate) word: String,
    pub(crate) text: String,
    pub(crate) owner: Option<String>,
}

impl Report {
    /// Groups findings by file, in order of path and line.
    pub(crate) fn new(mut findings: Vec<Finding>, notes: Vec<String>) -> Self {
        findings.sort_by(|left, right| (&left.path, left.line).cmp(&(&right.path, right.line)));
        let remarks = findings.len();
        let mut files: Vec<FileReport> = Vec::new();
        for Finding { path, line, word, text, owner } in findings {
            let remark = Remark { line, word, text, owner };
            match files.last_mut().filter(|file| file.path == path) {
                Some(file) => file.findings.push(remark),
                None => files.push(FileReport { path, findings: vec![remark] }),
            }
        }
        Self { remarks, files, notes }
    }
}

/// Is a call that the model made.
#[derive(Debug, Serialize)]
pub(crate) struct Called {
    pub(crate) tool: String,
    /// The arguments; left out of the last call, whose arguments are the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Value>,
}

impl Called {
    /// Keeps what is worth telling of a call.
    pub(crate) fn new(call: &Call) -> Self {
        let tool = call.action().label().to_owned();
        let is_report = tool == "submit_report";
        let arguments = (!is_report).then(|| serde_json::from_str(call.action().payload()).ok()).flatten();
        Self { tool, arguments }
    }
}

/// Is everything that came of a run, as data.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) model: String,
    pub(crate) directory: String,
    pub(crate) report: Report,
    pub(crate) calls: Vec<Called>,
    pub(crate) requests: usize,
    pub(crate) context: Context,
    pub(crate) journal: Kept,
}

/// Is where the events of the run are.
#[derive(Debug, Serialize)]
pub(crate) struct Kept {
    pub(crate) file: String,
    pub(crate) session: String,
}

/// Is what filled the last prompt.
#[derive(Debug, Serialize)]
pub(crate) struct Context {
    /// The size of the last prompt, in characters.
    pub(crate) chars: usize,
    /// The parts; their sum is `chars`.
    pub(crate) shares: Vec<Share>,
}

impl Outcome {
    /// Puts together what there is to tell.
    pub(crate) fn new(
        model: String,
        directory: String,
        report: Report,
        calls: Vec<Called>,
        run: &RunReport,
        journal: Kept,
    ) -> Self {
        let context = Context { chars: run.prompt_chars, shares: run.shares.clone() };
        Self { model, directory, report, calls, requests: run.requests, context, journal }
    }
}
