//! Sets two pieces of work against each other.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How many times the two are compared.
const ROUNDS: usize = 201;
/// How long one of the two takes in a round, about: long against the clock, short against the time after which a busy
/// machine gives the processor to somebody else.
const BATCH: Duration = Duration::from_micros(300);

/// Returns how many times as long `work` takes as `base`: the median over rounds in which both were measured, one
/// directly after the other, each first in every second round.
pub(crate) fn ratio(mut work: impl FnMut(), mut base: impl FnMut()) -> f64 {
    let (works, bases) = (batch(&mut work), batch(&mut base));
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|round| {
            let (of_work, of_base);
            if round % 2 == 0 {
                of_work = each(&mut work, works);
                of_base = each(&mut base, bases);
            } else {
                of_base = each(&mut base, bases);
                of_work = each(&mut work, works);
            }
            of_work / of_base
        })
        .collect();
    median(&mut ratios)
}

/// Passes over a text with `memchr`, from one `<` to the next.
pub(crate) fn memchr(text: String) -> impl FnMut() {
    move || {
        let mut rest = black_box(text.as_bytes());
        while let Some(at) = memchr::memchr(b'<', rest) {
            rest = rest.get(at + 1..).unwrap_or_default();
        }
        black_box(rest);
    }
}

/// Returns the middle value.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    *values.get(values.len() / 2).expect("something was measured")
}

/// How many times a piece of work fits into a batch; it is warm afterwards.
fn batch(work: &mut impl FnMut()) -> u32 {
    let mut number = 1u32;
    loop {
        let begin = Instant::now();
        (0..number).for_each(|_| work());
        let took = begin.elapsed();
        if took >= BATCH || number >= 1 << 24 {
            return number;
        }
        number *= 2;
    }
}

/// Seconds of one piece of work.
fn each(work: &mut impl FnMut(), number: u32) -> f64 {
    let begin = Instant::now();
    (0..number).for_each(|_| work());
    begin.elapsed().as_secs_f64() / f64::from(number)
}
