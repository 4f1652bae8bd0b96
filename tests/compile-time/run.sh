#!/usr/bin/env bash
# Measures what declaring things costs a compiler, and prints one table of ratios.
#
# The crates of generate.sh are checked in turns, several rounds, each alone: its dependencies are built, its source is
# touched, nothing is incremental. What counts is the CPU time (user and system) of `cargo check`; a line is the median
# over the rounds. Exits 0 whether or not the goals hold, and otherwise only when measuring goes wrong.
#
# A registry without its checks is the same expansion with checks that look at nothing. All that `registry!` adds bounds
# them from above: it holds the table, the kinds, and the statements that name a culprit as well.
#
# usage: tests/compile-time/run.sh [ROUNDS]
set -euo pipefail
rounds=${1:-7}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
work=${CARGO_TARGET_DIR:-$repository/target}/compile-time
crates=(empty tools_polyloop tools_by_hand kinds_400_derives kinds_400_unchecked kinds_400 kinds_500_unchecked kinds_500)

"$here/generate.sh" "$work" "$repository"
cd "$work"
export CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$work/target CARGO_TERM_COLOR=never
unset RUSTFLAGS
cargo check --quiet --workspace

# The seconds of CPU that a command takes.
cpu() {
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>check.log; } 2>&1 || { cat check.log >&2; return 1; }
}

rm -f ./*.times
for ((round = 1; round <= rounds; round++)); do
    for crate in "${crates[@]}"; do
        touch "$crate/src/lib.rs"
        cpu cargo check --quiet --offline --package "$crate" | awk '{ print $1 + $2 }' >>"$crate.times"
    done
done

# A sum of times of each round, then the median: median 'a - b' reads the crates a and b.
median() {
    local -a files=()
    local -i column=0
    local name expression=$1
    for name in $(grep -oE '[a-z_]+[a-z0-9_]*' <<<"$expression" | sort -ur); do
        column+=1
        files+=("$name.times")
        expression=${expression//$name/\$$column}
    done
    paste "${files[@]}" | awk "{ print $expression }" | sort -n |
        awk '{ value[NR] = $1 } END { if (NR % 2) print value[(NR + 1) / 2]; else print (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

line() {
    awk -v what="$1" -v value="$(median "$2")" -v goal="${3:-}" 'BEGIN {
        mark = goal == "" ? "" : (value <= goal ? "holds" : "MISSED")
        printf "%-66s %9.2f %7s  %s\n", what, value, goal == "" ? "" : "<= " goal, mark
    }'
}

printf '\nseconds of CPU, median of %s rounds\n' "$rounds"
for crate in "${crates[@]}"; do line "$crate" "$crate"; done
printf '\n%-66s %9s %7s\n' 'ratios' ratio goal
line '50 tools with their registry / the same by hand' 'tools_polyloop / tools_by_hand' 0.5
line 'the same, without what an empty crate takes' '(tools_polyloop - empty) / (tools_by_hand - empty)'
line 'checks of 400 kinds / their derives' '(kinds_400 - kinds_400_unchecked) / (kinds_400_derives - empty)' 1
line 'all that registry! adds to 400 kinds / their derives' '(kinds_400 - kinds_400_derives) / (kinds_400_derives - empty)' 1
printf '\n%-66s %9s %7s\n' 'checks' seconds goal
line 'of 400 kinds' 'kinds_400 - kinds_400_unchecked'
line 'of 500 kinds' 'kinds_500 - kinds_500_unchecked' 2
