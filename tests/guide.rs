//! The guide and the README; the documentation tests of this crate compile every block of them.
