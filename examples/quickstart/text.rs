//! The report as text, as wide as the terminal.

use std::fmt::Write;

use console::{measure_text_width, style, truncate_str};

use super::report::{Called, FileReport, Report};

/// A column is never narrower than this.
const NARROW: usize = 20;

/// Makes text from elsewhere harmless: a control character would command the terminal, and some others would turn
/// the direction of what stands behind them.
pub(crate) fn plain(text: &str) -> String {
    let turns = |character| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let harmless =
        |character: char| if character.is_control() || turns(character) { '\u{fffd}' } else { character };
    text.chars().map(harmless).collect()
}

/// Writes one and many: `1 file`, `2 files`.
pub(crate) fn counted(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {what}{ending}", grouped(number))
}

/// Writes a number with a comma behind each thousand.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Cuts a text to a width, and fills it up to it.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let cut = truncate_str(text, width, "…");
    let missing = width.saturating_sub(measure_text_width(&cut));
    format!("{cut}{}", " ".repeat(missing))
}

/// Draws the report: the remarks under the file that they are in, the owners at the right.
pub(crate) fn report(report: &Report, width: usize) -> String {
    let mut text = match report.remarks {
        0 => "No remarks.\n".to_owned(),
        remarks => format!("{} in {}\n", counted(remarks, "remark"), counted(report.files.len(), "file")),
    };
    let all = || report.files.iter().flat_map(|file| &file.findings);
    let owners =
        all().filter_map(|remark| remark.owner.as_deref()).map(|owner| measure_text_width(&plain(owner)));
    let widest = all().map(|remark| measure_text_width(&plain(&remark.text))).max().unwrap_or(0);
    let mut columns = Columns {
        line: all().map(|remark| remark.line.to_string().len()).max().unwrap_or(0).max(4),
        word: all().map(|remark| remark.word.len()).max().unwrap_or(0),
        owner: 0,
        width,
    };
    // What the remarks leave free, and a quarter of the page where they would take it all.
    let free = width.saturating_sub(columns.before() + widest + 2);
    columns.owner = owners.max().unwrap_or(0).min(free.max(width / 4).max(NARROW));
    for file in &report.files {
        let _ = writeln!(text, "\n{}", style(plain(&file.path)).bold());
        columns.file(&mut text, file);
    }
    for note in &report.notes {
        for (number, line) in wrapped(&plain(note), width.saturating_sub(2)).iter().enumerate() {
            let bullet = if number == 0 { "\n·" } else { "\n " };
            let _ = write!(text, "{} {}", style(bullet).dim(), style(line).dim());
        }
    }
    if !report.notes.is_empty() {
        text.push('\n');
    }
    text
}

/// The widths of the columns of a table of remarks.
struct Columns {
    line: usize,
    word: usize,
    owner: usize,
    width: usize,
}

impl Columns {
    /// The columns before the text of a remark.
    fn before(&self) -> usize {
        self.line + self.word + 4
    }

    fn file(&self, text: &mut String, file: &FileReport) {
        let before = self.before();
        let behind = if self.owner > 0 { self.owner + 2 } else { 0 };
        let middle = self.width.saturating_sub(before + behind).max(NARROW);
        for remark in &file.findings {
            let lines = wrapped(&plain(&remark.text), middle);
            for (number, part) in lines.iter().enumerate() {
                if number > 0 {
                    let _ = writeln!(text, "{}{part}", " ".repeat(before));
                    continue;
                }
                let line = style(format!("{:>1$}", remark.line, self.line)).dim();
                let word = coloured(&fitted(&remark.word, self.word), &remark.word);
                let owner = remark.owner.as_deref().map(|owner| {
                    let gap = " ".repeat((middle + 2).saturating_sub(measure_text_width(part)));
                    format!("{gap}{}", style(truncate_str(&plain(owner), self.owner, "…")).magenta())
                });
                let _ = writeln!(text, "{line}  {word}  {part}{}", owner.unwrap_or_default());
            }
        }
    }
}

fn coloured(text: &str, word: &str) -> String {
    match word {
        "FIXME" | "XXX" => style(text).red().to_string(),
        "HACK" => style(text).yellow().to_string(),
        _ => style(text).cyan().to_string(),
    }
}

/// Breaks a text between words into lines of a width; there is at least one line.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if measure_text_width(&line) + gap + measure_text_width(word) <= width {
            line.push_str(&" ".repeat(gap));
            line.push_str(word);
            continue;
        }
        if gap > 0 {
            lines.push(std::mem::take(&mut line));
        }
        // A word that is wider than a line is broken anywhere.
        for character in word.chars() {
            if measure_text_width(&line) + measure_text_width(character.encode_utf8(&mut [0; 4])) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.push(line);
    lines
}

/// Says in one line which tools were called, in order; the same one in a row is counted.
pub(crate) fn calls(calls: &[Called], width: usize) -> String {
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for call in calls {
        match runs.last_mut() {
            Some((tool, times)) if *tool == call.tool => *times += 1,
            _ => runs.push((&call.tool, 1)),
        }
    }
    let times = |(tool, times): (&str, usize)| {
        if times == 1 { plain(tool) } else { format!("{} ×{times}", plain(tool)) }
    };
    let text = format!(
        "{}: {}",
        counted(calls.len(), "call"),
        runs.into_iter().map(times).collect::<Vec<_>>().join(" → ")
    );
    wrapped(&text, width).join("\n")
}
