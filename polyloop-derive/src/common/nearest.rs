//! The nearest of several names, for "did you mean".

/// Returns the candidate that differs least from `word`, if it is close enough to be a slip of the finger.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(word.len().max(candidate.len()) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, in characters.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, from) in left.chars().enumerate() {
        let mut diagonal = line;
        let mut left_cell = line + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&right) {
            let above = *cell;
            let substituted = diagonal + usize::from(from != *to);
            left_cell = substituted.min(above + 1).min(left_cell + 1);
            diagonal = above;
            *cell = left_cell;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        assert_eq!(nearest("lifetme", ["lifetime", "slot"]), Some("lifetime"));
        assert_eq!(nearest("colour", ["lifetime", "slot"]), None);
    }
}
