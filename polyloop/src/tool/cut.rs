//! Cuts a long observation: its beginning and its end stay, with a notice between them.

use std::sync::Arc;

/// Cuts texts to so many characters, the notice included; none where they are no longer than that. `notice` makes the notice
/// from the number of characters that are missing.
///
/// `missing` is how many characters of the whole were missing before, between the beginning and the end of these texts.
pub(crate) fn head_and_tail(
    parts: &[Arc<str>],
    missing: usize,
    most: usize,
    notice: impl Fn(usize) -> String,
) -> Option<Arc<[Arc<str>]>> {
    // Most observations are short, and need not be counted.
    if parts.iter().map(|part| part.len()).sum::<usize>() <= most {
        return None;
    }
    let sizes: Vec<usize> = parts.iter().map(|part| part.chars().count()).collect();
    let shown: usize = sizes.iter().sum();
    if shown <= most {
        return None;
    }
    let whole = shown.saturating_add(missing);
    let kept = most.saturating_sub(notice(whole).chars().count());
    let (head, tail) = (kept - kept / 2, kept / 2);
    let notice = notice(whole.saturating_sub(kept));
    let mut texts: Vec<Arc<str>> = Vec::new();
    let (mut from, mut is_noted) = (0, false);
    for (part, size) in parts.iter().zip(&sizes) {
        // How many characters at the beginning of this text stay, and how many at its end.
        let first = head.saturating_sub(from).min(*size);
        from += size;
        let last = from.saturating_sub(shown - tail).min(*size);
        let is_cut = first + last < *size;
        let mut text: String = part.chars().take(first).collect();
        if is_cut && !is_noted {
            text.push_str(&notice);
            is_noted = true;
        }
        text.extend(part.chars().skip(size - last));
        if !text.is_empty() {
            texts.push(text.into());
        }
    }
    Some(texts.into())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::head_and_tail;

    fn cut(parts: &[&str], most: usize) -> Option<Vec<String>> {
        let parts: Vec<Arc<str>> = parts.iter().map(|part| Arc::from(*part)).collect();
        let cut = head_and_tail(&parts, 0, most, |missing| format!("[{missing}]"));
        cut.map(|texts| texts.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_beginning_and_the_end_stay_and_the_notice_says_how_much_is_missing() {
        assert_eq!(cut(&["short"], 5), None);
        assert_eq!(cut(&["äöüß"], 4), None);
        assert_eq!(cut(&["0123456789"], 9).as_deref(), Some(&["012[5]89".to_owned()][..]));
        assert_eq!(cut(&["0123456789"], 2).as_deref(), Some(&["[10]".to_owned()][..]));
        let texts = cut(&["0123456789", "abcdefghij"], 14);
        assert_eq!(texts.as_deref(), Some(&["01234[10]".to_owned(), "fghij".to_owned()][..]));
    }

    proptest! {
        #[test]
        fn what_is_shown_is_a_beginning_a_notice_and_an_end_and_never_over_the_limit(
            parts in proptest::collection::vec("[a-zä😀]{0,40}", 1..6),
            most in 0_usize..120,
        ) {
            let whole = parts.concat();
            let texts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let size = whole.chars().count();
            match cut(&texts, most) {
                None => prop_assert!(size <= most),
                Some(cut) => {
                    prop_assert!(size > most);
                    let shown = cut.concat();
                    let (head, rest) = shown.split_once('[').unwrap_or_default();
                    let (missing, tail) = rest.split_once(']').unwrap_or_default();
                    prop_assert!(whole.starts_with(head) && whole.ends_with(tail));
                    let kept = head.chars().count() + tail.chars().count();
                    prop_assert_eq!(missing.parse::<usize>().ok(), Some(size - kept));
                    prop_assert!(shown.chars().count() <= most.max(missing.len() + 2) + 1);
                    prop_assert!(cut.iter().all(|text| !text.is_empty()));
                }
            }
        }
    }
}
