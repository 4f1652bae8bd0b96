//! Markers are a contract: a committed file keeps every form that was ever written.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{Registry, retired_types};
use crate::fragment::{FragmentSpec, Legacy, Marking};

/// What a fresh lock file begins with.
const HEAD: &str = "# Every marker that a journal may hold; written by `assert_marker_lock!`. Commit it.\n";

/// Compares a registry with its lock file; what `assert_marker_lock!` calls.
///
/// New forms are added to the file. A form that the file has and the registry does not know any more is an error
/// that says which line to add to the type.
#[doc(hidden)]
pub fn assert_marker_lock<R: Registry>(folder: &str, file: &str) -> Result<(), String> {
    let path = Path::new(folder).join(file);
    let locked = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(format!("`{file}` cannot be read: {error}")),
    };
    let known: BTreeSet<String> = R::SPEC
        .fragments
        .iter()
        .map(|entry| entry.spec)
        .chain(retired_types::<R>())
        .flat_map(lines)
        .collect();
    let old: BTreeSet<String> =
        locked.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect();
    let lost: Vec<String> = old.difference(&known).map(|line| remedy::<R>(line)).collect();
    if !lost.is_empty() {
        return Err(format!(
            "markers that journals may hold are not recognised any more:\n{}",
            lost.join("\n")
        ));
    }
    let fresh: Vec<&String> = known.difference(&old).collect();
    if fresh.is_empty() {
        return Ok(());
    }
    let mut text = locked;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for line in fresh {
        text.push_str(line);
        text.push('\n');
    }
    fs::write(&path, text).map_err(|error| format!("`{file}` cannot be written: {error}"))
}

/// A line for each form of a type, under its kind and its former kinds.
fn lines(spec: &FragmentSpec) -> Vec<String> {
    let mut forms = Vec::new();
    if let Marking::Marked { begin, end } = &spec.marking {
        forms.push(format!("{:?} {:?}", begin.as_str(), end.as_str()));
    }
    forms.extend(spec.legacy.iter().map(|legacy| match legacy {
        Legacy::Pair(begin, end) => format!("{begin:?} {end:?}"),
        Legacy::Prefix(begin) => format!("{begin:?}"),
    }));
    let kinds = std::iter::once(&spec.kind).chain(spec.was);
    kinds.flat_map(|kind| forms.iter().map(move |form| format!("{kind} {form}"))).collect()
}

/// What to write where, for a line of the lock file that nothing knows any more.
fn remedy<R: Registry>(line: &str) -> String {
    let (kind, form) = line.split_once(' ').unwrap_or((line, ""));
    let owner =
        R::SPEC.fragments.iter().find(|entry| entry.spec.kind == kind || entry.spec.was.contains(&kind));
    let attribute = match form.split_once("\" \"") {
        Some((begin, end)) => format!("legacy({begin}\", \"{end})"),
        None => format!("legacy_prefix = {form}"),
    };
    match owner {
        Some(entry) => format!("  add to `{}`: #[fragment({attribute})]", entry.spec.type_name),
        None => format!("  add to the type that replaces it: #[fragment(was = \"{kind}\", {attribute})]"),
    }
}
