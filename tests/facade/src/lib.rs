//! A crate that hands polyloop on under another name.
