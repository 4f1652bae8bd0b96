//! A picture of what filled the context: one bar of all parts, and a line for each.

use std::fmt::Write;

use console::{Color, measure_text_width, style};

use super::report::Context;
use super::text::{fitted, grouped, plain, wrapped};

/// Told apart by shade as well as by colour.
const FILLS: [(char, Color); 8] = [
    ('█', Color::Cyan),
    ('▓', Color::Magenta),
    ('▒', Color::Yellow),
    ('░', Color::Green),
    ('█', Color::Blue),
    ('▓', Color::Red),
    ('▒', Color::White),
    ('░', Color::Cyan),
];
/// What the library's own kinds are; the others are the program's fragments.
const LEGEND: &str = "input: the goal; reply: the model and its calls; observation: what tools said";
/// The bars behind the lines are drawn only where there is room for this many columns.
const LEAST_BAR: usize = 10;

/// One line of the table.
struct Row {
    kind: String,
    tool: String,
    chars: usize,
    /// In tenths of a percent; all rows together have 1 000.
    share: usize,
    fill: (char, Color),
}

/// Draws the picture.
pub(crate) fn draw(context: &Context, width: usize) -> String {
    let rows = rows(context);
    let mut text = format!("What filled the last prompt, {} characters\n", grouped(context.chars));
    for line in wrapped(LEGEND, width) {
        let _ = writeln!(text, "{}", style(line).dim());
    }
    text.push('\n');
    let parts: Vec<usize> = rows.iter().map(|row| row.chars).collect();
    for (row, columns) in rows.iter().zip(split(width, &parts)) {
        text.push_str(&filled(row.fill, columns));
    }
    text.push_str("\n\n");
    let kind = column("sum", rows.iter().map(|row| &row.kind));
    let tool = column("", rows.iter().map(|row| &row.tool));
    let chars = grouped(context.chars).len();
    // The swatch, two spaces between the columns, and a percentage such as ` 57.3 %`.
    let bar = width.saturating_sub(2 + kind + 2 + tool + 2 + chars + 2 + 7 + 2);
    for row in &rows {
        let _ = write!(
            text,
            "{} {}  {}  {:>chars$}  {:>7}",
            filled(row.fill, 1),
            fitted(&row.kind, kind),
            fitted(&row.tool, tool),
            grouped(row.chars),
            percent(row.share),
        );
        if bar >= LEAST_BAR {
            let _ = write!(text, "  {}", style(eighths(row.chars, context.chars, bar)).fg(row.fill.1));
        }
        text.push('\n');
    }
    let sum: usize = parts.iter().sum();
    let shares: usize = rows.iter().map(|row| row.share).sum();
    let label = fitted("sum", kind + 2 + tool);
    let _ = writeln!(text, "  {label}  {:>chars$}  {:>7}", style(grouped(sum)).bold(), percent(shares));
    text
}

/// The parts, the biggest first.
fn rows(context: &Context) -> Vec<Row> {
    let mut shares: Vec<_> = context.shares.iter().collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.chars));
    let parts: Vec<usize> = shares.iter().map(|share| share.chars).collect();
    let row = |((share, tenths), fill): ((&&polyloop::Share, usize), _)| Row {
        kind: plain(&share.kind),
        tool: plain(share.tool.as_deref().unwrap_or_default()),
        chars: share.chars,
        share: tenths,
        fill,
    };
    shares.iter().zip(split(1_000, &parts)).zip(FILLS.into_iter().cycle()).map(row).collect()
}

/// Splits a number in proportion to the parts so that the sum is exact: the largest remainders are rounded up.
fn split(whole: usize, parts: &[usize]) -> Vec<usize> {
    let sum = parts.iter().sum::<usize>().max(1);
    let mut shares: Vec<usize> = parts.iter().map(|part| part * whole / sum).collect();
    let missing = if parts.iter().all(|part| *part == 0) { 0 } else { whole - shares.iter().sum::<usize>() };
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(parts.get(*at).map(|part| part * whole % sum)));
    for at in order.into_iter().take(missing) {
        if let Some(share) = shares.get_mut(at) {
            *share += 1;
        }
    }
    shares
}

fn column<'t>(title: &str, texts: impl Iterator<Item = &'t String>) -> usize {
    texts.map(|text| measure_text_width(text)).max().unwrap_or(0).max(title.len())
}

fn filled((character, colour): (char, Color), columns: usize) -> String {
    style(character.to_string().repeat(columns)).fg(colour).to_string()
}

fn percent(tenths: usize) -> String {
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// A bar with a resolution of an eighth of a column; what there is at all is visible.
fn eighths(part: usize, whole: usize, width: usize) -> String {
    let eighths = (part * width * 8 / whole.max(1)).max(usize::from(part > 0));
    let last = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(eighths % 8).copied().unwrap_or_default();
    format!("{}{last}", "█".repeat(eighths / 8))
}
