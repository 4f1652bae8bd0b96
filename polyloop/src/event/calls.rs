//! The calls of one reply, found by id.

use std::collections::BTreeMap;

use super::parts::CallId;

/// One entry for each call of a reply, in the order of the calls.
///
/// An entry is found by id in logarithmic time, so the cost of a call does not depend on how many others the reply makes.
#[derive(Clone, Debug)]
pub(crate) struct CallTable<T> {
    entries: Vec<Entry<T>>,
    places: BTreeMap<CallId, usize>,
    /// The number of entries that are not settled.
    open: usize,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    value: T,
    settled: bool,
}

impl<T> CallTable<T> {
    /// Returns the open entry of a call.
    pub(crate) fn open_entry(&self, id: &CallId) -> Option<&T> {
        let entry = self.entries.get(*self.places.get(id)?)?;
        (!entry.settled).then_some(&entry.value)
    }

    /// Returns the entry of a call, settled or not.
    pub(crate) fn get_mut(&mut self, id: &CallId) -> Option<&mut T> {
        let entry = self.entries.get_mut(*self.places.get(id)?)?;
        Some(&mut entry.value)
    }

    /// Marks a call as settled, and returns its entry.
    pub(crate) fn settle(&mut self, id: &CallId) -> Option<&mut T> {
        let entry = self.entries.get_mut(*self.places.get(id)?)?;
        if !std::mem::replace(&mut entry.settled, true) {
            self.open -= 1;
        }
        Some(&mut entry.value)
    }

    /// Returns all entries, settled or not.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|entry| &entry.value)
    }

    /// Returns all entries, settled or not.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|entry| &mut entry.value)
    }

    /// Returns the entries that are not settled.
    pub(crate) fn iter_open(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().filter(|entry| !entry.settled).map(|entry| &entry.value)
    }

    /// Returns all entries by value, settled or not.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.entries.into_iter().map(|entry| entry.value)
    }

    /// Returns `true` if there is no entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns `true` if every call is settled.
    pub(crate) fn is_settled(&self) -> bool {
        self.open == 0
    }
}

impl<T> FromIterator<(CallId, T)> for CallTable<T> {
    fn from_iter<I: IntoIterator<Item = (CallId, T)>>(calls: I) -> Self {
        let mut table = Self::default();
        for (id, value) in calls {
            table.places.entry(id).or_insert(table.entries.len());
            table.entries.push(Entry { value, settled: false });
        }
        table.open = table.entries.len();
        table
    }
}

impl<T> Default for CallTable<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: BTreeMap::new(), open: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::CallTable;
    use crate::event::CallId;

    #[test]
    fn a_table_is_settled_with_its_last_call_and_settling_twice_counts_once() {
        let ids = [1, 2].map(CallId::numbered);
        let mut table: CallTable<u32> = ids.iter().cloned().zip([10, 20]).collect();
        assert_eq!(table.settle(&ids[1]).copied(), Some(20));
        assert_eq!(table.settle(&ids[1]).copied(), Some(20));
        assert!(!table.is_settled());
        assert_eq!(table.iter_open().copied().collect::<Vec<_>>(), [10]);
        assert_eq!((table.open_entry(&ids[0]), table.open_entry(&ids[1])), (Some(&10), None));
        assert_eq!(table.settle(&CallId::numbered(3)), None);
        table.settle(&ids[0]);
        assert!(table.is_settled() && !table.is_empty());
        assert_eq!(table.into_values().collect::<Vec<_>>(), [10, 20]);
    }
}
