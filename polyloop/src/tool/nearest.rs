//! The nearest of several names, for "did you mean".

/// A longer word is no slip of a name; comparing it would cost its length times that of each name.
const LONGEST: usize = 200;

/// Returns the candidate that differs least from `word`, if it is close enough to be a slip.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if word.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(word.len().max(candidate.len()) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}
