//! What all macros share: the sink for mistakes, the reading of options, doc comments, the crate's path.

pub(crate) mod docs;
mod grammar;
pub(crate) mod krate;
pub(crate) mod nearest;
pub(crate) mod options;
pub(crate) mod place;
pub(crate) mod sink;
#[cfg(test)]
pub(crate) mod testing;
