//! Names as readers take them.

/// How many characters a name has at most.
const LONGEST: usize = 64;

/// The name with `_` for everything that is no ASCII letter, digit or one of the `marks`, cut to 64 characters; it does
/// not begin with what no identifier begins with, if so asked.
pub(crate) fn portable_key(name: &str, marks: &[u8], begins: bool) -> String {
    let is_taken = |letter: &char| {
        letter.is_ascii_alphanumeric() || u8::try_from(*letter).is_ok_and(|byte| marks.contains(&byte))
    };
    let mut key: String =
        name.chars().map(|letter| if is_taken(&letter) { letter } else { '_' }).take(LONGEST).collect();
    if key.is_empty()
        || (begins && key.starts_with(|first: char| !first.is_ascii_alphabetic() && first != '_'))
    {
        key.insert(0, '_');
        key.truncate(LONGEST);
    }
    key
}
