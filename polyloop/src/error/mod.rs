//! One error for each boundary, and none that is a bare string.

mod agent;
mod dialect;
mod fragment;
mod history;
mod image;
mod import;
mod journal;
mod tool;

pub use agent::{BuildError, ModelError, ModelErrorClass, RunError};
pub use dialect::{DecodeError, SchemaError, ToolRefusal, ToolsRefused};
pub use fragment::{KeyError, ParseError, ParseErrorKind, RecordError, RecordErrorKind};
pub use history::{HistoryError, HistoryFault, HistoryPlace};
pub use image::ImageError;
pub use import::{ImportError, LineError};
pub use journal::JournalError;
pub use tool::{ArgumentError, CallError, SetError, SetProblem};
