//! Finds which of many texts stand at a position: one step a byte, whatever their number.

/// Where no text leads.
const DEAD: u32 = u32::MAX;

/// A trie over lower-cased bytes. Bytes that no text holds share one class, so that a node is one short row.
#[derive(Debug)]
pub(crate) struct Trie {
    /// The class of each byte; 0 for bytes that stand in no text.
    classes: [u8; 256],
    width: usize,
    rows: Vec<u32>,
    /// The numbers of the texts that end in a node.
    ends: Vec<Vec<u32>>,
}

impl Trie {
    /// Builds a trie; the position of a text is its number.
    pub(crate) fn new<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mut classes = [0u8; 256];
        let mut width = 1usize;
        for byte in texts.clone().flat_map(str::bytes).map(|byte| byte.to_ascii_lowercase()) {
            if let Some(class) = classes.get_mut(usize::from(byte))
                && *class == 0
            {
                // At most 230 distinct values: UTF-8 without ASCII capitals.
                *class = u8::try_from(width).unwrap_or(u8::MAX);
                width += 1;
            }
        }
        for upper in b'A'..=b'Z' {
            let lower = classes.get(usize::from(upper.to_ascii_lowercase())).copied().unwrap_or_default();
            if let Some(class) = classes.get_mut(usize::from(upper)) {
                *class = lower;
            }
        }
        let mut trie = Self { classes, width, rows: vec![DEAD; width], ends: vec![Vec::new()] };
        for (number, text) in (0u32..).zip(texts) {
            trie.insert(text.as_bytes(), number);
        }
        trie
    }

    fn insert(&mut self, text: &[u8], number: u32) {
        let mut node = 0usize;
        for byte in text {
            let at = self.cell(node, *byte);
            let next = self.rows.get(at).copied().unwrap_or(DEAD);
            node = if next == DEAD {
                let fresh = self.ends.len();
                self.ends.push(Vec::new());
                self.rows.extend(std::iter::repeat_n(DEAD, self.width));
                if let Some(cell) = self.rows.get_mut(at) {
                    *cell = u32::try_from(fresh).unwrap_or(DEAD);
                }
                fresh
            } else {
                next as usize
            };
        }
        if let Some(ends) = self.ends.get_mut(node) {
            ends.push(number);
        }
    }

    fn cell(&self, node: usize, byte: u8) -> usize {
        node * self.width + self.classes.get(usize::from(byte)).map_or(0, |class| usize::from(*class))
    }

    /// Gives the numbers of all texts that stand at the start of `text`, shortest first.
    pub(crate) fn at_start(&self, mut text: impl Iterator<Item = u8>) -> impl Iterator<Item = usize> {
        let mut node = 0usize;
        let mut ends: std::slice::Iter<'_, u32> = [].iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(number) = ends.next() {
                    return Some(*number as usize);
                }
                let next = self.rows.get(self.cell(node, text.next()?)).copied().unwrap_or(DEAD);
                if next == DEAD {
                    return None;
                }
                node = next as usize;
                ends = self.ends.get(node).map(|found| found.iter()).unwrap_or_default();
            }
        })
        .fuse()
    }
}

#[cfg(test)]
mod tests {
    use super::Trie;

    #[test]
    fn all_prefixes_are_found_without_case() {
        let trie = Trie::new(["<a", "<ab>", "# Ä"].into_iter());
        assert_eq!(trie.at_start("<AB>x".bytes()).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(trie.at_start("# Ä".bytes()).collect::<Vec<_>>(), [2]);
        assert_eq!(trie.at_start("plain".bytes()).count(), 0);
        assert_eq!(trie.at_start("".bytes()).count(), 0);
    }
}
