//! Runs every example.
