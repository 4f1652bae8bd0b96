//! Mistakes of markers and of their key.

use super::mistakes::each_says;

#[test]
fn markers_must_be_recognisable() {
    each_says(&[
        (&[("x", "unmarked = \"why\"")], "`unmarked` and `markers` contradict each other; keep one of them"),
        (&[("markers", "unmarked")], "`unmarked` stands without its reason; write `unmarked = \"why\"`"),
        (&[("markers", "unmarked = \" \"")], "`unmarked` stands without its reason"),
        (&[("markers", "markers(\"\", \"</a>\")")], "an empty marker could never be recognised"),
        (&[("markers", "markers(\"<a>\", \"\")")], "an empty marker could never be recognised"),
        (
            &[("markers", "markers(\" <a>\", \"</a>\")")],
            "a begin marker cannot start with white space, which is trimmed",
        ),
        (
            &[("markers", "markers(\"<a>\", \"</a>\\n\")")],
            "an end marker cannot end with white space, which is trimmed",
        ),
        (&[("x", "legacy(\" <a>\", \"</a>\")")], "a begin marker cannot start with white space"),
        (&[("x", "legacy_prefix = \" a\"")], "a begin marker cannot start with white space"),
        (&[("x", "legacy_prefix = \"\"")], "an empty marker could never be recognised"),
        (
            &[("x", "legacy(\"<NOTE>\", \"</note>\")")],
            "these are the markers of today; `legacy` names only former",
        ),
        (&[("x", "legacy(\"<{b}>\", \"</b>\")")], "`{b}` is no key; write `{key}`, or `{{`"),
        (
            &[("markers", "markers(\"<a{>\", \"</a>\")")],
            "a `{` is never closed; write `{{` for a brace in the text",
        ),
    ]);
}

#[test]
fn a_key_must_be_found_by_what_is_around_it() {
    each_says(&[
        (&[("markers", "markers(\"<{a}_{b}>\", \"</a>\")")], "a marker has one key; keep one placeholder"),
        (
            &[("markers", "markers(\"<{aa}>\", \"</a>\")")],
            "`{aa}` is no field of `Note`; did you mean `{a}`?",
        ),
        (
            &[("markers", "markers(\"<a>\", \"</{a}>\")")],
            "the end marker has a key that the begin marker lacks",
        ),
        (
            &[("markers", "markers(\"<{a}>\", \"</{b}>\")")],
            "the end marker has another key; write `{a}` in both",
        ),
        (
            &[("markers", "markers(\"<{a}X>\", \"</a>\")")],
            "nothing shows where the key ends; put a character after",
        ),
        (
            &[("markers", "markers(\"<{a}\", \"</a>\")")],
            "nothing shows where the key ends; put a character after",
        ),
        (
            &[("markers", "markers(\"{a}>\", \"</a>\")")],
            "a marker starts with text of its own; put some before",
        ),
        (
            &[("markers", "markers(\"<{a:?}>\", \"</a>\")")],
            "the placeholder `{a:?}` has a format; write `{a}`",
        ),
    ]);
}
