//! A crate that hands polyloop on under another name, and has a fragment and tools of its own.

pub mod strict;

pub use renamed;

use renamed::{ContextFragment, Provide, tool, toolbox};

/// A fragment for other crates to register.
#[derive(ContextFragment)]
#[fragment(crate = renamed, role = developer, markers("<motd>", "</motd>"), max_chars = 500, body = "{text}")]
pub struct MessageOfTheDay {
    /// What is said.
    pub text: String,
}

/// What the tools of this crate borrow.
#[derive(Debug)]
pub struct Clock {
    /// The hour, from 0 to 23.
    pub hour: u8,
}

/// Tells the hour.
#[tool(crate = renamed, replay = safe, read_only)]
pub async fn hour(
    #[state] clock: &Clock,
    /// How many hours later.
    #[arg(default, range(0..=23))]
    later: u8,
) -> String {
    format!("{} o'clock", (clock.hour + later) % 24)
}

#[toolbox(crate = renamed)]
impl Clock {
    /// Tells whether it is night.
    #[tool]
    pub async fn is_night(&self) -> String {
        (self.hour < 6).to_string()
    }
}

/// Asks any state for the clock, as a tool of this crate does.
pub fn clock_of(state: &impl Provide<Clock>) -> &Clock {
    state.provide()
}

/// Declares a fragment and its registry in the crate that calls it, with the polyloop of this crate.
#[macro_export]
macro_rules! remark_registry {
    ($registry:ident, $fragment:ident, $begin:literal, $end:literal) => {
        #[derive($crate::renamed::ContextFragment)]
        #[fragment(crate = $crate::renamed, role = user, markers($begin, $end), max_chars = 100)]
        #[fragment(body = "{text}")]
        struct $fragment {
            text: String,
        }

        $crate::renamed::registry! {
            struct $registry {
                crate: $crate::renamed,
                fragments: [$fragment, $crate::MessageOfTheDay],
                state: $crate::Clock,
                tools: [$crate::hour],
            }
        }
    };
}
