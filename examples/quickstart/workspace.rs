//! The directory that the tools may read, and nothing outside of it.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Files over this size are not read, in bytes.
pub(crate) const MOST_BYTES: u64 = 1_000_000;
/// A file with a zero byte among its first ones is taken for a binary one.
const SNIFFED: usize = 8_000;
/// Directories that hold what others wrote or what can be made again.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// Says why a path is not read. The text is written for the model that sent it.
#[derive(Debug)]
pub(crate) enum Refused {
    Outside { path: String },
    Link { path: String },
    Missing { path: String },
    NoFile { path: String },
    NoDirectory { path: String },
    Huge { path: String },
    Binary { path: String },
    NotUtf8 { path: String },
    Unreadable { path: String, error: io::Error },
    Argument { reason: String },
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside { path } => {
                write!(out, "`{path}` may lead out of the workspace; name a path below it, without `..`")
            }
            Self::Link { path } => write!(out, "`{path}` is behind a link that leads out of the workspace"),
            Self::Missing { path } => write!(out, "there is no `{path}` in the workspace"),
            Self::NoFile { path } => write!(out, "`{path}` is no regular file"),
            Self::NoDirectory { path } => write!(out, "`{path}` is no directory"),
            Self::Huge { path } => write!(out, "`{path}` has over {MOST_BYTES} bytes; it is not read"),
            Self::Binary { path } => write!(out, "`{path}` is a binary file; it is not read"),
            Self::NotUtf8 { path } => write!(out, "`{path}` is not UTF-8 text; it is not read"),
            Self::Unreadable { path, error } => write!(out, "`{path}` cannot be read: {error}"),
            Self::Argument { reason } => out.write_str(reason),
        }
    }
}

/// Is the state that the tools borrow.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
}

/// Holds what a walk found.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The paths of the files, relative to the root, in order.
    pub(crate) files: Vec<String>,
    /// What was passed over, for the model to know.
    pub(crate) left_out: Vec<String>,
}

impl Workspace {
    /// Opens a directory that holds at least one text file.
    pub(crate) fn open(directory: &Path) -> anyhow::Result<Self> {
        let shown = directory.display();
        let metadata = fs::metadata(directory).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow::anyhow!("there is no directory `{shown}`"),
            io::ErrorKind::PermissionDenied => anyhow::anyhow!("no permission to look at `{shown}`"),
            _ => anyhow::anyhow!("`{shown}` cannot be opened: {error}"),
        })?;
        anyhow::ensure!(metadata.is_dir(), "`{shown}` is not a directory; name the directory that it is in");
        if let Err(error) = fs::read_dir(directory) {
            anyhow::bail!("`{shown}` cannot be listed: {error}");
        }
        let workspace = Self { root: directory.canonicalize()? };
        let files = workspace.walk(&workspace.root).files;
        anyhow::ensure!(!files.is_empty(), "`{shown}` holds no files ({} are skipped)", SKIPPED.join(", "));
        let is_text = |path: &String| workspace.read(path).is_ok();
        anyhow::ensure!(files.iter().any(is_text), "none of the {} files in `{shown}` is text", files.len());
        Ok(workspace)
    }

    /// Returns the directory, without links in its path.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Finds the place that a path names, if it is inside; a link counts as the place that it leads to.
    pub(crate) fn resolve(&self, path: &str) -> Result<PathBuf, Refused> {
        let named = || path.to_owned();
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(path).components().all(inside) {
            return Err(Refused::Outside { path: named() });
        }
        let place = self.root.join(path).canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Refused::Missing { path: named() },
            _ => Refused::Unreadable { path: named(), error },
        })?;
        if place.starts_with(&self.root) { Ok(place) } else { Err(Refused::Link { path: named() }) }
    }

    /// Reads a file as text.
    pub(crate) fn read(&self, path: &str) -> Result<String, Refused> {
        let named = || path.to_owned();
        let unreadable = |error| Refused::Unreadable { path: named(), error };
        let place = self.resolve(path)?;
        // Opening a pipe would wait for its other end, so look first.
        if !fs::metadata(&place).map_err(unreadable)?.is_file() {
            return Err(Refused::NoFile { path: named() });
        }
        // One byte more than allowed tells a huge file, also where the file system states no size.
        let mut file = File::open(&place).map_err(unreadable)?.take(MOST_BYTES + 1);
        let mut bytes = Vec::new();
        file.by_ref().take(SNIFFED as u64).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.contains(&0) {
            return Err(Refused::Binary { path: named() });
        }
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Refused::Huge { path: named() });
        }
        String::from_utf8(bytes).map_err(|_| Refused::NotUtf8 { path: named() })
    }

    /// Finds all files below a path; for a file that file alone.
    pub(crate) fn tree(&self, under: &str) -> Result<Tree, Refused> {
        let place = self.resolve(under)?;
        if place.is_dir() {
            Ok(self.walk(&place))
        } else {
            Err(Refused::NoDirectory { path: under.to_owned() })
        }
    }

    fn walk(&self, place: &Path) -> Tree {
        let mut walk = Walk::default();
        let mut waiting = vec![place.to_owned()];
        while let Some(directory) = waiting.pop() {
            let Ok(entries) = fs::read_dir(&directory) else {
                walk.unreadable += 1;
                continue;
            };
            for entry in entries {
                match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
                    Ok((path, kind)) if kind.is_dir() => walk.directory(path, &mut waiting),
                    Ok((path, kind)) if kind.is_file() => {
                        walk.file(path.strip_prefix(&self.root).unwrap_or(&path));
                    }
                    Ok((_, kind)) if kind.is_symlink() => walk.links += 1,
                    Ok(_) => walk.special += 1,
                    Err(_) => walk.unreadable += 1,
                }
            }
        }
        walk.into_tree()
    }
}

/// Counts what a walk meets.
#[derive(Default)]
struct Walk {
    files: Vec<String>,
    skipped: usize,
    links: usize,
    special: usize,
    unreadable: usize,
    unnamed: usize,
}

impl Walk {
    fn directory(&mut self, path: PathBuf, waiting: &mut Vec<PathBuf>) {
        let skipped = path.file_name().is_some_and(|name| SKIPPED.iter().any(|skipped| name == *skipped));
        if skipped { self.skipped += 1 } else { waiting.push(path) }
    }

    fn file(&mut self, path: &Path) {
        let parts: Option<Vec<&str>> = path.components().map(|part| part.as_os_str().to_str()).collect();
        match parts {
            Some(parts) => self.files.push(parts.join("/")),
            None => self.unnamed += 1,
        }
    }

    fn into_tree(mut self) -> Tree {
        self.files.sort_unstable();
        let left_out = [
            count(self.skipped, &format!("directories named {}, skipped", SKIPPED.join(" or "))),
            count(self.links, "links, not followed"),
            count(self.special, "neither files nor directories"),
            count(self.unreadable, "directories or entries that cannot be read"),
            count(self.unnamed, "files with names that are not UTF-8"),
        ];
        Tree { files: self.files, left_out: left_out.into_iter().flatten().collect() }
    }
}

/// Says how many there are, if there are any.
pub(crate) fn count(number: usize, what: &str) -> Option<String> {
    (number > 0).then(|| format!("{what}: {number}"))
}
