//! A min-heap with entries that can be changed and removed by id.
//!
//! It orders small integer ids by a key and remembers the position of each id, so that changing a
//! key and removing an id take logarithmic time. It orders the queues of one priority by the age of
//! their first task, and delayed tasks by their deadline.

/// Marks an id that is not in the heap.
const ABSENT: u32 = u32::MAX;

/// The number of children of an entry. With eight there are a third as many levels as with two, and
/// the eight are adjacent in memory.
const CHILDREN: usize = 8;

/// The capacity that an empty collection keeps: enough to be filled and emptied repeatedly without
/// allocating, while the memory of a flood is released.
pub const KEPT_WHEN_EMPTY: usize = 1024;

/// Ids ordered by key, the smallest first.
///
/// Invariant: `positions[id]` is the position of `id` in `entries`, or [`ABSENT`].
#[derive(Debug)]
pub struct IndexedHeap<K> {
    entries: Vec<(K, u32)>,
    positions: Vec<u32>,
}

impl<K> Default for IndexedHeap<K> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            positions: Vec::new(),
        }
    }
}

impl<K: Ord + Copy> IndexedHeap<K> {
    /// The entry with the smallest key.
    #[must_use]
    pub fn first(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    /// The entry with the second smallest key.
    #[must_use]
    pub fn second(&self) -> Option<(K, u32)> {
        let children = self.entries.iter().skip(1).take(CHILDREN);
        children.min_by_key(|(key, _)| *key).copied()
    }

    /// The key of `id`, if it is in the heap.
    #[must_use]
    pub fn key(&self, id: u32) -> Option<K> {
        let position = *self.positions.get(id as usize)?;
        self.entries.get(position as usize).map(|(key, _)| *key)
    }

    /// Adds `id` with this key, or changes its key.
    pub fn set(&mut self, id: u32, key: K) {
        let index = id as usize;
        if index >= self.positions.len() {
            self.positions.resize(index + 1, ABSENT);
        }
        let mut position = self.positions[index] as usize;
        if position == ABSENT as usize {
            position = self.entries.len();
            self.entries.push((key, id));
        }
        self.place(position, (key, id));
    }

    /// Removes `id`, if it is in the heap.
    pub fn remove(&mut self, id: u32) {
        let Some(position) = self
            .positions
            .get(id as usize)
            .copied()
            .filter(|p| *p != ABSENT)
        else {
            return;
        };
        self.positions[id as usize] = ABSENT;
        let position = position as usize;
        self.entries.swap_remove(position);
        if let Some(moved) = self.entries.get(position) {
            self.place(position, *moved);
        }
        if self.entries.is_empty() && self.positions.len() > KEPT_WHEN_EMPTY {
            *self = Self::default();
        }
    }

    /// Puts the entry where it belongs. `position` is free.
    fn place(&mut self, position: usize, entry: (K, u32)) {
        let position = self.sift_up(position, entry.0);
        let position = self.sift_down(position, entry.0);
        self.put(position, entry);
    }

    /// Moves entries larger than `key` down. Returns the position that is free then.
    fn sift_up(&mut self, mut free: usize, key: K) -> usize {
        while free > 0 {
            let parent = (free - 1) / CHILDREN;
            if self.entries[parent].0 <= key {
                break;
            }
            self.put(free, self.entries[parent]);
            free = parent;
        }
        free
    }

    /// Moves entries smaller than `key` up. Returns the position that is free then.
    fn sift_down(&mut self, mut free: usize, key: K) -> usize {
        loop {
            let first = CHILDREN * free + 1;
            let children = first..self.entries.len().min(first + CHILDREN);
            let Some(child) = children.min_by_key(|child| self.entries[*child].0) else {
                break;
            };
            if key <= self.entries[child].0 {
                break;
            }
            self.put(free, self.entries[child]);
            free = child;
        }
        free
    }

    fn put(&mut self, position: usize, entry: (K, u32)) {
        self.entries[position] = entry;
        self.positions[entry.1 as usize] = position as u32;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_heap_keeps_room_for_some_entries_and_gives_the_rest_back() {
        for (count, is_kept) in [(KEPT_WHEN_EMPTY, true), (KEPT_WHEN_EMPTY + 1, false)] {
            let mut heap = IndexedHeap::default();
            let ids = 0..count as u32;
            ids.clone().for_each(|id| heap.set(id, id));
            ids.for_each(|id| heap.remove(id));
            assert_eq!(heap.entries.capacity() > 0, is_kept);
            assert_eq!(heap.positions.capacity() > 0, is_kept);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_first_two_entries_equal_those_of_a_sorted_list(
            steps in prop::collection::vec((0u32..200, prop::option::of(0u64..1000)), 0..if cfg!(miri) { 20 } else { 400 })
        ) {
            let mut heap = IndexedHeap::default();
            let mut model = BTreeMap::new();
            for (id, key) in steps {
                // The id makes keys unique, as enqueue orders and call orders are unique.
                match key {
                    Some(key) => {
                        heap.set(id, (key, id));
                        model.insert(id, (key, id));
                    }
                    None => {
                        heap.remove(id);
                        model.remove(&id);
                    }
                }
                prop_assert_eq!(heap.key(id), model.get(&id).copied());
                let mut expected: Vec<_> = model.iter().map(|(id, key)| (*key, *id)).collect();
                expected.sort_unstable();
                prop_assert_eq!(heap.first(), expected.first().copied());
                prop_assert_eq!(heap.second(), expected.get(1).copied());
            }
        }
    }
}
