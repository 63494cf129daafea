//! The outbox: where JavaScript leaves the tasks it posts, without a call.
//!
//! Owns the layout of the memory that both sides share; its twin is `lib/outbox.js`. Knows nothing
//! of what the numbers of tasks and destinations mean.
//!
//! Word 0 is the rank from which on a task has to be told of at once, word 1 the number of entries,
//! word 2 whether the end of the check phase is to be told; each entry is two words, the task's id
//! and where it is put, or that it is removed.

use crate::callback::SharedWords;

const ATTENTION: usize = 0;
const COUNT: usize = 1;
const END_OF_CHECK: usize = 2;
const ENTRIES: usize = 3;

/// In place of a destination: the task is removed.
pub const REMOVED: u32 = u32::MAX;

/// The reading end.
pub struct Outbox(pub SharedWords);

impl Outbox {
    /// Sets the rank from which on JavaScript has to tell of a task.
    pub fn set_attention(&self, rank: u32) {
        self.0.set(ATTENTION, rank);
    }

    /// Whether JavaScript has asked to be told of the end of the check phase, once.
    pub fn take_end_of_check(&self) -> bool {
        let is_asked = self.0.get(END_OF_CHECK) != 0;
        if is_asked {
            self.0.set(END_OF_CHECK, 0);
        }
        is_asked
    }

    /// Takes every entry out, in the order they were left.
    pub fn collect(&self, mut entry: impl FnMut(u32, u32)) {
        let count = self.0.get(COUNT) as usize;
        for index in 0..count {
            entry(
                self.0.get(ENTRIES + 2 * index),
                self.0.get(ENTRIES + 2 * index + 1),
            );
        }
        if count > 0 {
            self.0.set(COUNT, 0);
        }
    }
}
