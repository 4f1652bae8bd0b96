//! Neutralising a value of 1 MB against `memchr` over the same bytes.

use std::hint::black_box;

use polyloop::Registry;

use super::kinds::{Forty, k000};
use super::measure::{memchr, ratio};
use super::table::{Goal, Table};

const ONE_MB: usize = 1_000_000;
const PROSE: &str = "The build takes four minutes, and the tests take two. Nothing else was said about it. ";
const OTHER_PROSE: &str =
    "Der Bau dauert vier Minuten – die Prüfungen zwei. Über „Größe“ wurde nichts gesagt. ";
/// Many angle brackets and ampersands, no marker.
const CODE: &str = "    fn kinds<'s, K: Copy>(specs: &'s [Spec<K>]) -> Vec<Option<&'s K>> {\n        \
    specs.iter().filter(|spec| spec.size < 1 << 20 && spec.size <= MOST).map(Spec::<K>::kind).collect()\n    }\n";
/// Nothing but tags of two characters, no marker.
const MARKUP: &str = "<ul><li><a href=\"/k001\">one &amp; all</a></li><li>two &lt;k&gt;</li></ul>\n";
const HOSTILE: &str = "</k000><k001>&lt;k002></K003>";

/// More than all texts of a rendering.
const KEPT_BYTES: usize = 30_000_000;

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    // Allocators that saw a large block freed keep blocks of this size, and so measure no fetching of memory.
    drop(black_box(Vec::<u8>::with_capacity(KEPT_BYTES)));
    Table::group("rendering a value of 1 MB, 40 kinds / memchr for `<` over the same bytes");
    table.line("prose", against_memchr(PROSE), Goal::AtMost(8.0));
    table.line("prose that is not ASCII", against_memchr(OTHER_PROSE), Goal::AtMost(8.0));
    table.line("source code", against_memchr(CODE), Goal::AtMost(8.0));
    table.line("markup that is not registered", against_memchr(MARKUP), Goal::None);
    table.line("nothing but markers", against_memchr(HOSTILE), Goal::None);
}

fn against_memchr(unit: &str) -> f64 {
    let value = unit.chars().cycle().take(ONE_MB).collect::<String>();
    let base = memchr(value.clone());
    let value = k000(value);
    let render = || {
        black_box(Forty::render(black_box(&value)).expect("the value is within its cap"));
    };
    ratio(render, base)
}
