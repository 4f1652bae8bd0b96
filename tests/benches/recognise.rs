//! Recognising a text: against the number of kinds, the length of the text, and a scan over all kinds.

use std::hint::black_box;

use polyloop::Registry;

use super::kinds::{All, Forty, One, PAIRS, Pair, Ten};
use super::measure::{memchr, ratio};
use super::table::{Goal, Table};

const TEN_KB: usize = 10_000;
const ONE_MB: usize = 1_000_000;
const PROSE: &str = "The build takes four minutes, and the tests take two. Nothing else was said about it. ";

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    kinds(table);
    length(table);
    scan(table);
}

/// Recognises a text again and again; it must be what is expected, or the measuring is wrong.
fn recognise<R: Registry>(text: &str, hit: bool) -> impl FnMut() {
    assert_eq!(R::recognize(text).is_some(), hit);
    move || {
        black_box(R::recognize(black_box(text)));
    }
}

/// One table of begin markers is walked, whatever their number: the goal leaves room for what a larger table costs the
/// caches, and for the noise of a measurement of ten nanoseconds.
fn kinds(table: &mut Table) {
    Table::group("recognising with more kinds / with one kind");
    for (size, length) in [("short", 60), ("10 KB", TEN_KB), ("1 MB", ONE_MB)] {
        for (what, text, hit) in
            [("miss", prose(length), false), ("hit", marked("k000", &prose(length)), true)]
        {
            let text = text.as_str();
            let mut line = |number: usize, ratio: f64| {
                table.line(&format!("{number:>3} kinds / 1, {size} {what}"), ratio, Goal::AtMost(1.5));
            };
            line(10, ratio(recognise::<Ten>(text, hit), recognise::<One>(text, hit)));
            line(40, ratio(recognise::<Forty>(text, hit), recognise::<One>(text, hit)));
            line(200, ratio(recognise::<All>(text, hit), recognise::<One>(text, hit)));
        }
    }
    // The tags of all kinds differ in their last characters only, so a near miss walks as far as a hit does.
    let (near, hit) = ("<k0> is not a marker, nor is <k1>", marked("k199", "the last kind"));
    let near_miss = ratio(recognise::<All>(near, false), recognise::<One>(near, false));
    table.line("200 kinds / 1, short near miss", near_miss, Goal::AtMost(1.5));
    let first = marked("k000", "the last kind");
    let last = ratio(recognise::<All>(&hit, true), recognise::<All>(&first, true));
    table.line("the last of 200 kinds / the first", last, Goal::AtMost(1.5));
}

fn length(table: &mut Table) {
    Table::group("recognising a longer text, 200 kinds");
    let short = prose(60);
    for (size, length) in [("10 KB", TEN_KB), ("1 MB", ONE_MB)] {
        let prose = prose(length);
        let miss = ratio(recognise::<All>(&prose, false), recognise::<All>(&short, false));
        table.line(&format!("miss in {size} / miss in 60 bytes"), miss, Goal::AtMost(1.5));
    }
    // It begins like a kind, and does not end like one.
    let (open, long_open) = (format!("<k007>{short}"), format!("<k007>{}", prose(ONE_MB)));
    let miss = ratio(recognise::<All>(&long_open, false), recognise::<All>(&open, false));
    table.line("miss with a begin marker in 1 MB / in 60 bytes", miss, Goal::AtMost(1.5));
    for (size, length, goal) in [("10 KB", TEN_KB, Goal::None), ("1 MB", ONE_MB, Goal::AtMost(2.0))] {
        let text = marked("k007", &prose(length));
        let pass = ratio(recognise::<All>(&text, true), memchr(text.clone()));
        table.line(&format!("hit in {size} of prose / one pass of memchr for `<`"), pass, goal);
    }
    let dense = |unit: &str, length: usize| marked("k007", &unit.repeat(length / unit.len()));
    for unit in ["<", "</k00", "<k007"] {
        let (text, part) = (dense(unit, ONE_MB), dense(unit, TEN_KB));
        let mut once = recognise::<All>(&part, true);
        // As many bytes on both sides, so that both take as long if the cost is linear.
        let grown = ratio(recognise::<All>(&text, true), || (0..ONE_MB / TEN_KB).for_each(|_| once()));
        table.line(&format!("hit in 1 MB of `{unit}{unit}…` / 100 in 10 KB"), grown, Goal::AtMost(1.5));
    }
    let memchr = ratio(recognise::<All>(&dense("<", ONE_MB), true), memchr(prose(ONE_MB)));
    table.line("hit in 1 MB of `<<<<…` / one pass of memchr over prose", memchr, Goal::None);
}

fn scan(table: &mut Table) {
    Table::group("a scan over all kinds / recognising");
    let forty = PAIRS.get(..40).expect("there are more");
    for (size, length) in [("short", 60), ("10 KB", TEN_KB), ("1 MB", ONE_MB)] {
        let miss = prose(length);
        table.line(
            &format!("40 kinds, {size} miss"),
            against::<Forty>(forty, &miss, false),
            Goal::AtLeast(10.0),
        );
        table.line(
            &format!("200 kinds, {size} miss"),
            against::<All>(PAIRS, &miss, false),
            Goal::AtLeast(10.0),
        );
    }
    let near = "<k0> is not a marker, nor is <k1>";
    table.line("40 kinds, short near miss", against::<Forty>(forty, near, false), Goal::AtLeast(10.0));
    // The scan does not look for sandwiches, so it gives a wrong answer where recognising pays a pass for a right one.
    let text = marked("k000", "short");
    table.line(
        "1 kind, short hit",
        against::<One>(PAIRS.get(..1).expect("there is one"), &text, true),
        Goal::None,
    );
    let text = marked("k039", "short");
    table.line("40 kinds, short hit of the last", against::<Forty>(forty, &text, true), Goal::None);
}

fn against<R: Registry>(pairs: &'static [Pair], text: &str, hit: bool) -> f64 {
    assert_eq!(scanned(pairs, text).is_some(), hit);
    ratio(
        || {
            black_box(scanned(black_box(pairs), black_box(text)));
        },
        recognise::<R>(text, hit),
    )
}

/// What is written by hand where there is no index: each kind in order, up to the first hit.
fn scanned(pairs: &[Pair], text: &str) -> Option<usize> {
    pairs.iter().position(|(begin, end)| {
        let text = text.trim().as_bytes();
        let (begin, end) = (begin.as_bytes(), end.as_bytes());
        text.len() >= begin.len() + end.len()
            && text.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin))
            && text.get(text.len() - end.len()..).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    })
}

/// Prose of a length, which ends with a full stop.
fn prose(length: usize) -> String {
    PROSE.chars().cycle().take(length - 1).chain(['.']).collect()
}

fn marked(kind: &str, body: &str) -> String {
    format!("<{kind}>{body}</{kind}>")
}
