//! The fast search for where a marker may begin.

use memchr::{memchr, memchr2, memchr3};

use super::pattern::Pattern;

/// The bytes that a marker may begin with, upper and lower case; and the fastest way to find one of them.
#[derive(Debug)]
pub(crate) enum FirstBytes {
    None,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many(Box<[bool; 256]>),
}

impl FirstBytes {
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = &'p Pattern>) -> Self {
        Self::of(bytes_of(patterns))
    }

    /// Finds escaped markers as well: an escaped `<` begins with `&`.
    pub(crate) fn with_escapes<'p>(patterns: impl IntoIterator<Item = &'p Pattern>) -> Self {
        let mut bytes = bytes_of(patterns);
        if bytes.contains(&b'<') {
            bytes.push(b'&');
        }
        Self::of(bytes)
    }

    fn of(mut bytes: Vec<u8>) -> Self {
        bytes.sort_unstable();
        bytes.dedup();
        match *bytes.as_slice() {
            [] => Self::None,
            [one] => Self::One(one),
            [one, two] => Self::Two(one, two),
            [one, two, three] => Self::Three(one, two, three),
            _ => {
                let mut table = Box::new([false; 256]);
                for byte in &bytes {
                    if let Some(cell) = table.get_mut(usize::from(*byte)) {
                        *cell = true;
                    }
                }
                Self::Many(table)
            }
        }
    }

    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        match self {
            Self::None => None,
            Self::One(one) => memchr(*one, text),
            Self::Two(one, two) => memchr2(*one, *two, text),
            Self::Three(one, two, three) => memchr3(*one, *two, *three, text),
            Self::Many(table) => {
                text.iter().position(|byte| table.get(usize::from(*byte)).copied().unwrap_or_default())
            }
        }
    }
}

fn bytes_of<'p>(patterns: impl IntoIterator<Item = &'p Pattern>) -> Vec<u8> {
    let firsts = patterns.into_iter().filter_map(|pattern| pattern.head().bytes().next());
    firsts.flat_map(|first| [first.to_ascii_lowercase(), first.to_ascii_uppercase()]).collect()
}
