//! Sorts parcels to lanes.

use std::collections::VecDeque;

/// How often a parcel goes round before somebody must look.
const ROUNDS: u8 = 3;

/// A parcel on the belt.
pub struct Parcel {
    pub code: String,
    pub lane: Option<u8>,
    pub rounds: u8,
}

/* The belt is a ring: what no lane takes comes round again.
   TODO: measure how long a round takes when the belt is full. */
pub struct Belt {
    waiting: VecDeque<Parcel>,
}

impl Belt {
    /// Moves the belt by one parcel, and returns it if a lane takes it.
    pub fn step(&mut self) -> Option<Parcel> {
        let mut parcel = self.waiting.pop_front()?;
        if parcel.lane.is_some() {
            return Some(parcel);
        }
        parcel.rounds += 1;
        // FIXME: a parcel that went round too often is lost here; hand it to
        // the desk.
        if parcel.rounds < ROUNDS {
            self.waiting.push_back(parcel);
        }
        None
    }
}

// TODO
pub fn lanes() -> u8 {
    12
}
