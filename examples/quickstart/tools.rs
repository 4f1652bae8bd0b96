//! The tools: what the model may do with the workspace.
//!
//! Each is a method with typed arguments. The documentation of a method and of its arguments is what the model
//! reads about them; the schema, the checks and the call come from the same lines.

use std::collections::BTreeMap;

use polyloop::{Json, ToolError, toolbox};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::comments;
use super::git;
use super::report::{Finding, Report};
use super::workspace::{Refused, Tree, Workspace, count};

/// A longer line is shown up to here, in characters.
const MOST_CHARS: usize = 200;

/// Is what `list_files` tells.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Listing {
    pub(crate) total: usize,
    pub(crate) files: Vec<String>,
    /// What to pass as `from` for the next page; none on the last one.
    pub(crate) next: Option<usize>,
    pub(crate) left_out: Vec<String>,
}

/// Is what `search` tells.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Matches {
    pub(crate) total: usize,
    pub(crate) remarks: Vec<Match>,
    /// What to pass as `from` for the next page; none on the last one.
    pub(crate) next: Option<usize>,
    pub(crate) files_searched: usize,
    pub(crate) left_out: Vec<String>,
}

/// Is one remark.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Match {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) word: String,
    pub(crate) text: String,
}

/// Is what `blame` tells.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Blame {
    pub(crate) path: String,
    /// Whether there is a repository to ask.
    pub(crate) repository: bool,
    pub(crate) owners: Vec<Owner>,
}

/// Says who wrote a line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) line: u32,
    pub(crate) name: String,
}

/// Is the line range of `read_file`; two arguments that belong together.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lines {
    /// The first line, counted from 1.
    #[schemars(range(min = 1))]
    from: usize,
    /// How many lines, from 1 to 400.
    #[schemars(range(min = 1, max = 400))]
    count: usize,
}

#[toolbox]
impl Workspace {
    /// Lists the files below a directory, in order, a page at a time.
    #[tool(replay = safe, concurrent, read_only)]
    pub(crate) async fn list_files(
        &self,
        /// The directory, relative to the root of the workspace.
        #[arg(default = ".")]
        under: String,
        /// How many files to pass over: what the page before gave as `next`.
        #[arg(default = 0)]
        from: usize,
        /// How many files to list.
        #[arg(default = 100, range(1..=500))]
        limit: usize,
    ) -> Result<Json<Listing>, ToolError> {
        let workspace = self.clone();
        let tree = off_the_loop(move || workspace.tree(&under)).await?;
        let Page { total, items: files, next } = Page::cut(tree.files, from, limit);
        Ok(Json(Listing { total, files, next, left_out: tree.left_out }))
    }

    /// Finds words in the comments of all text files below a directory, a page at a time.
    #[tool(replay = safe, concurrent, read_only)]
    pub(crate) async fn search(
        &self,
        /// The words, such as `HACK`; upper and lower case are different.
        words: Vec<String>,
        /// The directory, relative to the root of the workspace.
        #[arg(default = ".")]
        under: String,
        /// How many remarks to pass over: what the page before gave as `next`.
        #[arg(default = 0)]
        from: usize,
        /// How many remarks to tell.
        #[arg(default = 50, range(1..=200))]
        limit: usize,
    ) -> Result<Json<Matches>, ToolError> {
        let workspace = self.clone();
        Ok(Json(off_the_loop(move || find(&workspace, &words, &under, from, limit)).await?))
    }

    /// Reads some lines of a UTF-8 text file; each with its number before it.
    #[tool(replay = safe, concurrent, read_only)]
    pub(crate) async fn read_file(
        &self,
        /// The file, relative to the root of the workspace.
        path: String,
        /// Which lines.
        lines: Lines,
    ) -> Result<String, ToolError> {
        let workspace = self.clone();
        off_the_loop(move || workspace.read(&path).and_then(|text| numbered(&path, &text, &lines))).await
    }

    /// Tells who wrote lines of a file, by `git blame`. A line that is not committed has no owner.
    #[tool(replay = safe, concurrent, read_only, timeout = "30s")]
    pub(crate) async fn blame(
        &self,
        /// The file, relative to the root of the workspace.
        path: String,
        /// The lines, counted from 1.
        lines: Vec<u32>,
    ) -> Result<Json<Blame>, ToolError> {
        let workspace = self.clone();
        Ok(Json(off_the_loop(move || blame(&workspace, path, &lines)).await?))
    }

    /// Hands in the report and ends the run. Each finding must be in the file as it says.
    #[tool(completes_run)]
    pub(crate) async fn submit_report(
        &self,
        /// All remarks.
        findings: Vec<Finding>,
        /// What the reader must know besides, such as what was left out.
        #[arg(default)]
        notes: Vec<String>,
    ) -> Result<Json<Report>, ToolError> {
        let workspace = self.clone();
        off_the_loop(move || check(&workspace, &findings).map(|()| Json(Report::new(findings, notes)))).await
    }
}

/// Reading a disk may block; the loop goes on meanwhile.
async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, ToolError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

/// Is one page of a longer list.
struct Page<T> {
    total: usize,
    items: Vec<T>,
    next: Option<usize>,
}

impl<T> Page<T> {
    fn cut(all: impl IntoIterator<Item = T>, from: usize, limit: usize) -> Self {
        let end = from.saturating_add(limit);
        let (mut total, mut items) = (0, Vec::new());
        for item in all {
            if (from..end).contains(&total) {
                items.push(item);
            }
            total += 1;
        }
        Self { total, items, next: (end < total).then_some(end) }
    }
}

fn find(
    workspace: &Workspace,
    words: &[String],
    under: &str,
    from: usize,
    limit: usize,
) -> Result<Matches, Refused> {
    let is_word = |word: &String| !word.is_empty() && word.chars().all(char::is_alphanumeric);
    if words.is_empty() || !words.iter().all(is_word) {
        return Err(Refused::Argument {
            reason: "`words` takes words of letters and digits, at least one".into(),
        });
    }
    let Tree { files, mut left_out } = workspace.tree(under)?;
    let (mut all, mut searched) = (Vec::new(), 0);
    let (mut huge, mut binary, mut foreign, mut unreadable) = (0, 0, 0, 0);
    for path in files {
        match workspace.read(&path) {
            Ok(text) => {
                searched += 1;
                let found = comments::remarks(&path, &text, words);
                all.extend(found.into_iter().map(|remark| Match {
                    path: path.clone(),
                    line: remark.line,
                    word: remark.word.to_owned(),
                    text: shortened(remark.text),
                }));
            }
            Err(Refused::Huge { .. }) => huge += 1,
            Err(Refused::Binary { .. }) => binary += 1,
            Err(Refused::NotUtf8 { .. }) => foreign += 1,
            Err(_) => unreadable += 1,
        }
    }
    left_out.extend(count(huge, "files too big to be searched"));
    left_out.extend(count(binary, "binary files, not searched"));
    left_out.extend(count(foreign, "files that are not UTF-8, not searched"));
    left_out.extend(count(unreadable, "files that cannot be read"));
    let Page { total, items: remarks, next } = Page::cut(all, from, limit);
    Ok(Matches { total, remarks, next, files_searched: searched, left_out })
}

fn numbered(path: &str, text: &str, lines: &Lines) -> Result<String, Refused> {
    let total = text.lines().count();
    if lines.from > total {
        let reason = format!("`{path}` has {total} lines; there is no line {}", lines.from);
        return Err(Refused::Argument { reason });
    }
    let asked = (1..).zip(text.lines()).skip(lines.from - 1).take(lines.count);
    let shown: Vec<String> = asked.map(|(number, line)| format!("{number}: {}", shortened(line))).collect();
    let last = lines.from - 1 + shown.len();
    let rest = (last < total).then(|| format!("more lines: {}; go on from line {}", total - last, last + 1));
    Ok(shown.into_iter().chain(rest.map(|rest| format!("({rest})"))).collect::<Vec<_>>().join("\n"))
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn blame(workspace: &Workspace, path: String, lines: &[u32]) -> Result<Blame, Refused> {
    let place = workspace.resolve(&path)?;
    let (Some(directory), Some(name)) = (place.parent(), place.file_name().and_then(|name| name.to_str()))
    else {
        return Err(Refused::NoFile { path });
    };
    if !place.is_file() {
        return Err(Refused::NoFile { path });
    }
    let repository = git::is_repository(directory);
    let authors =
        if repository && !lines.is_empty() { git::authors(directory, name, lines) } else { BTreeMap::new() };
    let owners = authors.into_iter().map(|(line, name)| Owner { line, name }).collect();
    Ok(Blame { path, repository, owners })
}

/// Looks whether each finding is where it says, so that the report is true whatever model wrote it.
fn check(workspace: &Workspace, findings: &[Finding]) -> Result<(), Refused> {
    let mut texts = BTreeMap::new();
    let mut wrong = Vec::new();
    for finding in findings {
        let text = texts.entry(&finding.path).or_insert_with(|| workspace.read(&finding.path));
        let line = text.as_ref().ok().and_then(|text| text.lines().nth(finding.line.checked_sub(1)?));
        if !line.is_some_and(|line| line.contains(&finding.word)) {
            wrong.push(format!("`{}:{}` does not say `{}`", finding.path, finding.line, finding.word));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Refused::Argument { reason: wrong.join("; ") }) }
}
