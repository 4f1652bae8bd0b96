//! What is shown while the agent works: a line for each call, and a bar of how full the context is.

use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use polyloop::{Call, Status, Update};
use serde_json::Value;

use super::text::{fitted, grouped, plain};

/// A longer summary of arguments is cut here, in columns.
const MOST_COLUMNS: usize = 48;

/// Shows progress on the standard error; hidden where that is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts, with an empty context of this size in characters.
    pub(crate) fn new(most_chars: usize) -> Self {
        let bar = ProgressBar::new(most_chars as u64);
        let template =
            "{spinner:.cyan} {msg:<24}  context {bar:24.cyan/black.bright} {count} of {most} characters";
        let count = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{}", HumanCount(state.pos()));
        };
        let most = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{}", HumanCount(state.len().unwrap_or_default()));
        };
        // The template is fixed; were it wrong, the plain bar would still do.
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.with_key("count", count).with_key("most", most).progress_chars("━╸─"));
        bar.enable_steady_tick(Duration::from_millis(80));
        Self { bar }
    }

    /// Shows what happened.
    pub(crate) fn show(&self, update: &Update) {
        match update {
            Update::Asked { step, chars } => {
                self.bar.set_position(*chars as u64);
                self.bar.set_message(format!("step {step}: thinking"));
            }
            Update::Replied { reply } if !reply.as_text().is_empty() && !reply.calls().is_empty() => {
                self.bar.println(format!("  {}", console::style(plain(reply.as_text())).for_stderr().dim()));
            }
            Update::Called { call } => self.bar.set_message(plain(call.action().label())),
            Update::Observed { call, outcome, shown } => {
                let is_fine = outcome.status == Status::Executed && !outcome.is_error;
                let sign = if is_fine {
                    console::style("✓").for_stderr().green()
                } else {
                    console::style("✗").for_stderr().red()
                };
                let size = grouped(shown.chars().count());
                self.bar.println(format!("{sign} {} {size:>8} characters", summary(call)));
            }
            _ => {}
        }
    }

    /// Takes the bar away; the lines stay.
    pub(crate) fn finish(&self) {
        self.bar.println("");
        self.bar.finish_and_clear();
    }
}

/// The tool and what it is about.
fn summary(call: &Call) -> String {
    let arguments: Value = serde_json::from_str(call.action().payload()).unwrap_or_default();
    let words = arguments.get("words").and_then(Value::as_array);
    let path = ["path", "under"].iter().find_map(|name| arguments.get(*name)?.as_str()).map(str::to_owned);
    let about = path.or_else(|| Some(words?.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")));
    let about = plain(&about.unwrap_or_default());
    let tool = plain(call.action().label());
    // The sign, the size and its word stand beside it.
    let columns = usize::from(console::Term::stderr().size().1).saturating_sub(24);
    fitted(&format!("{tool:<13} {about}"), columns.clamp(16, MOST_COLUMNS))
}
