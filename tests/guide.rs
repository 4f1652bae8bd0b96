//! The guide and the README; the documentation tests of this crate compile every block of them.

/// Declares one item for each page; its documentation is the page.
macro_rules! pages {
    ($($name:ident = $file:literal),+ $(,)?) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../", $file))]
            pub struct $name;
        )+
    };
}

pages! {
    Readme = "README.md",
    Start = "docs/01-start.md",
    Fragments = "docs/02-fragments.md",
    Tools = "docs/03-tools.md",
    Registry = "docs/04-registry.md",
    Loop = "docs/05-loop.md",
    Generated = "docs/06-what-the-macros-generate.md",
    Errors = "docs/07-compile-errors.md",
    Journal = "docs/08-journal.md",
    Budgets = "docs/09-budgets.md",
    RealModels = "docs/10-real-models.md",
    Promises = "docs/11-promises.md",
    Layouts = "docs/14-layouts.md",
    Importing = "docs/15-importing.md",
    Providers = "docs/16-providers.md",
    Branches = "docs/13-compaction-fork-rollback.md",
    Schemas = "docs/18-schemas.md",
    Threats = "docs/19-threats.md",
    Chain = "docs/20-chain.md",
    Told = "docs/12-what-a-model-was-told.md",
    Protocol = "docs/17-mcp.md",
    Contributing = "CONTRIBUTING.md",
}

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]
mod limits;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
mod tests {
    use std::fs;
    use std::path::Path;

    /// What stands for everything that differs.
    const ANYTHING: char = '…';

    /// The page of expansions.
    const GENERATED: &str = include_str!("../docs/06-what-the-macros-generate.md");

    /// The page of compile errors.
    const PAGE: &str = include_str!("../docs/07-compile-errors.md");

    /// The messages that the page quotes, one in each line of a block of text.
    fn quoted() -> Vec<&'static str> {
        let mut lines = PAGE.lines();
        let mut messages = Vec::new();
        while lines.any(|line| line == "```text") {
            messages.extend(lines.by_ref().take_while(|line| *line != "```"));
        }
        messages
    }

    /// The errors of every fixture: code, and message.
    fn errors() -> Vec<(String, String)> {
        let mut errors = Vec::new();
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("ui"), &mut errors);
        errors
    }

    fn collect(folder: &Path, errors: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, errors);
            } else if path.extension().is_some_and(|extension| extension == "stderr") {
                errors.extend(fs::read_to_string(&path).unwrap().lines().filter_map(error));
            }
        }
    }

    fn error(line: &str) -> Option<(String, String)> {
        let (code, message) = line.strip_prefix("error")?.split_once(": ")?;
        let message = message.strip_prefix("evaluation panicked: ").unwrap_or(message);
        Some((code.trim_matches(['[', ']']).to_owned(), message.to_owned()))
    }

    /// Whether the message is the pattern with something in each of its gaps.
    fn fits(message: &str, pattern: &str) -> bool {
        match pattern.split_once(ANYTHING) {
            None => message == pattern,
            Some((start, rest)) => message.strip_prefix(start).is_some_and(|behind| {
                behind.char_indices().any(|(at, _)| fits(&behind[at..], rest)) || fits("", rest)
            }),
        }
    }

    #[test]
    fn every_quoted_message_is_what_the_compiler_says() {
        let errors = errors();
        let is_said = |pattern: &&str| errors.iter().any(|(_, message)| fits(message, pattern));
        let invented: Vec<&str> = quoted().into_iter().filter(|pattern| !is_said(pattern)).collect();
        assert!(invented.is_empty(), "no fixture in `tests/ui` says:\n{}", invented.join("\n"));
    }

    #[test]
    fn every_refusal_of_ours_is_explained() {
        let quoted = quoted();
        // Ours have no code, are panics of constants, or are the words of a trait that is not implemented.
        let is_ours = |code: &str| ["", "E0080", "E0277"].contains(&code);
        let is_explained = |message: &str| quoted.iter().any(|pattern| fits(message, pattern));
        let mut unexplained: Vec<String> = errors()
            .into_iter()
            .filter(|(code, message)| is_ours(code) && !is_explained(message))
            .map(|(_, message)| message)
            .collect();
        unexplained.sort();
        unexplained.dedup();
        assert!(unexplained.is_empty(), "`docs/07-compile-errors.md` lacks:\n{}", unexplained.join("\n"));
    }

    /// A piece of code without what formatting may change, and with the path of the library's names written out.
    fn plain(code: &str) -> String {
        let lines: Vec<&str> = code.lines().filter(|line| !line.starts_with("# ")).collect();
        let code = lines.join("\n").replace("::polyloop::__private::", "p::");
        code.chars().filter(|letter| !letter.is_whitespace() && !"{},".contains(*letter)).collect()
    }

    #[test]
    fn the_expansions_of_the_guide_are_those_of_the_macros() {
        let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../polyloop-derive/src/snapshots");
        let page = plain(GENERATED);
        for name in ["fragment", "state", "tool", "toolbox", "mcp_tools", "registry"] {
            let snapshot = fs::read_to_string(snapshots.join(name).with_extension("snap")).unwrap();
            let expansion = snapshot.splitn(3, "---\n").last().unwrap();
            assert!(
                page.contains(&plain(expansion)),
                "`docs/06-…` shows another expansion than `{name}.snap`"
            );
        }
    }

    #[test]
    fn a_pattern_fits_what_differs_in_its_gaps_only() {
        assert!(fits(
            "`a` is no field of `B`; there is `{c}`, `{d}`",
            "`…` is no field of `…`; there is `{…}`"
        ));
        assert!(!fits("`a` is no field", "`…` is no kind"));
        assert!(!fits("more behind the end", "more behind"));
    }
}
