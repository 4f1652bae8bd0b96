//! What each check of `#[derive(ContextFragment)]` says, and what is written when there is nothing to say.

mod bodies;
mod expansion;
mod mistakes;
mod policy;
mod recognition;
