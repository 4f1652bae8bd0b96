//! The table of all ratios, each beside its goal.

/// What a ratio is to be.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
    /// Anything; it is printed for comparison.
    None,
}

impl Goal {
    fn holds(self, ratio: f64) -> bool {
        match self {
            Self::AtMost(most) => ratio <= most,
            Self::AtLeast(least) => ratio >= least,
            Self::None => true,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(most) => format!("≤ {most}"),
            Self::AtLeast(least) => format!("≥ {least}"),
            Self::None => String::new(),
        }
    }
}

/// Prints lines as they are measured.
pub(crate) struct Table {
    missed: usize,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { missed: 0 }
    }

    /// Begins a group of lines.
    pub(crate) fn group(title: &str) {
        println!("\n{title}\n{:<66} {:>9} {:>7}", "", "ratio", "goal");
    }

    /// Adds what is no ratio, and has no goal: it says what the others were measured with.
    pub(crate) fn note(what: &str) {
        println!("{what}");
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, what: &str, ratio: f64, goal: Goal) {
        assert!(ratio.is_finite() && ratio > 0.0, "`{what}` was not measured: {ratio}");
        let mark = match goal {
            Goal::None => "",
            _ if goal.holds(ratio) => "holds",
            _ => "MISSED",
        };
        self.missed += usize::from(!goal.holds(ratio));
        println!("{what:<66} {ratio:>9.2} {:>7}  {mark}", goal.text());
    }

    /// Says how it went.
    pub(crate) fn finish(&self) {
        match self.missed {
            0 => println!("\nall goals hold"),
            missed => println!("\n{missed} goals are missed"),
        }
    }
}
