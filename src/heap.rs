//! A binary min-heap whose entries can be found again.
//!
//! Owns the order of small integer ids by a key, and the position of each id, so that a key can
//! change and an id can leave in logarithmic time. What ids and keys mean is its users' matter:
//! the dynamic priority task queues by the age of their first task, delayed tasks by deadline.

/// Marks an id that is not in the heap.
const ABSENT: u32 = u32::MAX;

/// Entries that a collection may keep room for when it is empty: a flood gives its memory back,
/// and what fills and empties again and again allocates nothing.
pub const KEPT_WHEN_EMPTY: usize = 1024;

/// Ids ordered by key, the smallest first.
///
/// Invariant: `positions[id]` is the place of `id` in `entries`, or [`ABSENT`].
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

    /// Puts `id` in its place for `key`, whether or not it is there already.
    pub fn set(&mut self, id: u32, key: K) {
        let index = id as usize;
        if index >= self.positions.len() {
            self.positions.resize(index + 1, ABSENT);
        }
        let position = self.positions[index];
        if position == ABSENT {
            self.positions[index] = self.entries.len() as u32;
            self.entries.push((key, id));
            self.sift_up(self.entries.len() - 1);
        } else {
            let position = position as usize;
            self.entries[position].0 = key;
            self.restore(position);
        }
    }

    /// Takes `id` out; an id that is not in the heap is left alone.
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
        if let Some((_, moved)) = self.entries.get(position) {
            self.positions[*moved as usize] = position as u32;
            self.restore(position);
        }
        if self.entries.is_empty() && self.positions.len() > KEPT_WHEN_EMPTY {
            *self = Self::default();
        }
    }

    fn restore(&mut self, position: usize) {
        self.sift_up(position);
        self.sift_down(position);
    }

    fn sift_up(&mut self, mut child: usize) {
        while child > 0 {
            let parent = (child - 1) / 2;
            if self.entries[parent].0 <= self.entries[child].0 {
                return;
            }
            self.swap(parent, child);
            child = parent;
        }
    }

    fn sift_down(&mut self, mut parent: usize) {
        loop {
            let mut child = 2 * parent + 1;
            if child >= self.entries.len() {
                return;
            }
            if child + 1 < self.entries.len() && self.entries[child + 1].0 < self.entries[child].0 {
                child += 1;
            }
            if self.entries[parent].0 <= self.entries[child].0 {
                return;
            }
            self.swap(parent, child);
            parent = child;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.entries.swap(a, b);
        self.positions[self.entries[a].1 as usize] = a as u32;
        self.positions[self.entries[b].1 as usize] = b as u32;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_entry_is_that_of_an_ordered_map(
            steps in prop::collection::vec((0u32..40, prop::option::of(0u64..1000)), 0..400)
        ) {
            let mut heap = IndexedHeap::default();
            let mut model = BTreeMap::new();
            for (id, key) in steps {
                // The id makes keys unique, as enqueue orders and call orders are.
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
                let expected = model.iter().map(|(id, key)| (*key, *id)).min();
                prop_assert_eq!(heap.first(), expected);
            }
        }
    }
}
