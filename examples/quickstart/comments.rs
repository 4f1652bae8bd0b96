//! Remarks in comments: which part of a line is a comment, and which words stand in it.
//!
//! A line at a time, by the marks of the language; no language is parsed. A string that goes over several lines is
//! not known as one, so a remark inside is reported rather than missed.

/// Says how comments look in a language.
#[derive(Clone, Copy)]
struct Syntax {
    /// What begins a comment that ends with its line.
    line: &'static [&'static str],
    /// What begins and ends a comment that may go over several lines.
    block: &'static [(&'static str, &'static str)],
    /// What begins and ends a string.
    quotes: &'static str,
    /// Whether a comment must be the first thing of its line.
    at_start: bool,
}

const SLASHES: Syntax = Syntax { line: &["//"], block: &[("/*", "*/")], quotes: "\"'`", at_start: false };
const RUST: Syntax = Syntax { quotes: "\"", ..SLASHES };
const STYLE: Syntax = Syntax { line: &[], ..SLASHES };
const HASH: Syntax = Syntax { line: &["#"], block: &[], ..SLASHES };
const PYTHON: Syntax = Syntax { line: &["#"], block: &[("\"\"\"", "\"\"\""), ("'''", "'''")], ..SLASHES };
const DASHES: Syntax = Syntax { line: &["--"], ..SLASHES };
const SEMICOLON: Syntax = Syntax { line: &[";", "#"], block: &[], quotes: "\"", at_start: false };
const PERCENT: Syntax = Syntax { line: &["%"], block: &[], quotes: "", at_start: false };
const MARKUP: Syntax = Syntax { line: &[], block: &[("<!--", "-->")], quotes: "", at_start: false };
/// For files of which nothing is known.
const OTHER: Syntax = Syntax { line: &["//", "#", "--", ";", "%"], block: &[], quotes: "", at_start: true };

fn syntax(path: &str) -> Syntax {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
    match ending.to_ascii_lowercase().as_str() {
        "rs" => RUST,
        "c" | "cc" | "cpp" | "cs" | "dart" | "go" | "h" | "hpp" | "java" | "js" | "jsx" | "kt" | "m"
        | "mjs" | "php" | "proto" | "scala" | "scss" | "swift" | "ts" | "tsx" | "vue" | "zig" => SLASHES,
        "css" => STYLE,
        "bash" | "cmake" | "conf" | "dockerfile" | "ex" | "exs" | "gitignore" | "makefile" | "mk" | "nix"
        | "pl" | "r" | "rb" | "sh" | "tf" | "toml" | "yaml" | "yml" | "zsh" => HASH,
        "py" | "pyi" => PYTHON,
        "adb" | "elm" | "hs" | "lua" | "sql" => DASHES,
        "asm" | "clj" | "el" | "ini" | "lisp" | "scm" => SEMICOLON,
        "erl" | "sty" | "tex" => PERCENT,
        "htm" | "html" | "md" | "svg" | "xml" => MARKUP,
        _ => OTHER,
    }
}

/// Is a word that was looked for, in a comment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Remark<'t> {
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The word.
    pub(crate) word: &'t str,
    /// The rest of the comment in this line, or up to the next remark.
    pub(crate) text: &'t str,
}

/// Finds all remarks of a text.
pub(crate) fn remarks<'t>(path: &str, text: &'t str, words: &[String]) -> Vec<Remark<'t>> {
    // Most files hold none of the words at all.
    if !words.iter().any(|word| text.contains(word.as_str())) {
        return Vec::new();
    }
    let syntax = syntax(path);
    let mut open: Option<&'static str> = None;
    let mut found = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let holds_word = words.iter().any(|word| content.contains(word.as_str()));
        let may_turn = match open {
            Some(end) => content.contains(end),
            None => syntax.block.iter().any(|(begin, _)| content.contains(begin)),
        };
        // The look at each character is for the few lines that need it.
        if !holds_word && !may_turn {
            continue;
        }
        for comment in comments(&syntax, &mut open, content) {
            find_words(line, comment, words, &mut found);
        }
    }
    found
}

/// The comments of one line; `open` is what ends a comment that goes on from the line before.
fn comments<'t>(syntax: &Syntax, open: &mut Option<&'static str>, line: &'t str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut before = None;
    loop {
        if let Some(end) = *open {
            let Some((comment, behind)) = rest.split_once(end) else {
                found.push(rest);
                return found;
            };
            found.push(comment);
            (*open, rest) = (None, behind);
        }
        let Some(character) = rest.chars().next() else { return found };
        let begins = |mark: &&str| rest.starts_with(*mark) && may_begin(mark, before);
        if syntax.line.iter().any(begins) {
            found.push(rest);
            return found;
        }
        if let Some((begin, end)) = syntax.block.iter().find(|(begin, _)| rest.starts_with(begin)) {
            *open = Some(end);
            rest = rest.get(begin.len()..).unwrap_or_default();
            continue;
        }
        if syntax.at_start && !character.is_whitespace() {
            return found;
        }
        let length = if syntax.quotes.contains(character) { string(rest, character) } else { None };
        rest = rest.get(length.unwrap_or(character.len_utf8())..).unwrap_or_default();
        before = Some(character);
    }
}

/// Whether a mark behind this character begins a comment: in `http://`, `$#` and `\%` it does not.
fn may_begin(mark: &str, before: Option<char>) -> bool {
    match mark {
        "//" => before != Some(':'),
        "%" => before != Some('\\'),
        "#" | ";" => before.is_none_or(|before| before.is_whitespace() || before == ';'),
        _ => true,
    }
}

/// The length of the string at the start of `rest`, in bytes, if it ends in this line; else the quote is none.
fn string(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(at + quote.len_utf8()),
            _ => {}
        }
    }
    None
}

fn find_words<'t>(line: usize, comment: &'t str, words: &[String], found: &mut Vec<Remark<'t>>) {
    let mut places: Vec<(usize, usize)> = words
        .iter()
        .flat_map(|word| comment.match_indices(word.as_str()).map(|(at, word)| (at, at + word.len())))
        .filter(|(start, end)| stands_alone(comment, *start, *end))
        .collect();
    places.sort_unstable();
    // `A/B: text` is one remark.
    places.dedup_by(|later, earlier| {
        comment.get(earlier.1..later.0).is_none_or(|between| !between.contains(char::is_alphanumeric))
    });
    let ends = places.iter().skip(1).map(|(start, _)| *start).chain([comment.len()]);
    for ((start, end), next) in places.iter().zip(ends) {
        let word = comment.get(*start..*end).unwrap_or_default();
        let text = comment.get(*end..next).unwrap_or_default();
        found.push(Remark { line, word, text: tidy(text) });
    }
}

/// Whether a word is no part of a longer one, and no quotation.
fn stands_alone(comment: &str, start: usize, end: usize) -> bool {
    let before = comment.get(..start).and_then(|before| before.chars().next_back());
    let behind = comment.get(end..).and_then(|behind| behind.chars().next());
    let joins = |character: char| character.is_alphanumeric() || "_`\"'".contains(character);
    !before.is_some_and(joins) && !behind.is_some_and(joins)
}

/// The text without what separates it from the word, and without what ends the comment.
fn tidy(text: &str) -> &str {
    let text = text.trim_start_matches([':', '-', ' ', '\t', '/', '|', ',']).trim_end();
    let text = text.strip_suffix("*/").or_else(|| text.strip_suffix("-->")).unwrap_or(text);
    text.trim_end()
}
