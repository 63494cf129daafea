//! The numbers that JavaScript and Rust share: limits, ranks, marks and the layout of the shared
//! words. `lib/protocol.js` holds the same numbers; [`NUMBERS`] is compared when an environment
//! starts.
//!
//! A task crosses the boundary as its id, a place in JavaScript's table. Where it goes is one word:
//! the id of its queue in the upper bits, the rank of the queue's priority in the lower three.
//! Queues with a fixed priority have that rank as their id; ids from [`RANKS`] on belong to queues
//! whose priority can change.

use crate::priority::EffectivePriority;
use crate::task_queue::{QueueId, TaskId};

/// The version of the whole protocol between copies of the package.
pub const PROTOCOL: u32 = 1;

/// How many ranks there are, and fixed queues with them.
pub const RANKS: u32 = EffectivePriority::ALL.len() as u32;

/// How far the id of a queue is shifted to make room for a rank.
pub const RANK_BITS: u32 = 3;

/// The most tasks that can wait at once. Their ids are below it.
pub const MAX_TASKS: u32 = 1 << 30;

/// The most queues with a changeable priority that can exist at once.
pub const MAX_QUEUES: u32 = 1 << 28;

/// In place of a task's id: there is none.
pub const NO_TASK: u32 = MAX_TASKS;

/// In place of a destination: the task is removed.
pub const REMOVED: u32 = u32::MAX;

/// Shared word: JavaScript has to flush at once after posting a task of this rank or above.
pub const NOTIFY_RANK: usize = 0;

/// Shared word: how many entries there are.
pub const COUNT: usize = 1;

/// Shared word: 1 if JavaScript wants to be called at the end of the check phase, once.
pub const END_OF_CHECK: usize = 2;

/// Shared word: the first entry. Each takes two words, a task's id and its destination.
pub const ENTRIES: usize = 3;

/// How many entries there is room for.
pub const CAPACITY: usize = 255;

/// How many words are shared.
pub const WORDS: usize = ENTRIES + 2 * CAPACITY;

/// Everything above by name, in the order of `lib/protocol.js`.
pub const NUMBERS: [(&str, u32); 12] = [
    ("PROTOCOL", PROTOCOL),
    ("RANKS", RANKS),
    ("RANK_BITS", RANK_BITS),
    ("MAX_TASKS", MAX_TASKS),
    ("MAX_QUEUES", MAX_QUEUES),
    ("NO_TASK", NO_TASK),
    ("REMOVED", REMOVED),
    ("NOTIFY_RANK", NOTIFY_RANK as u32),
    ("COUNT", COUNT as u32),
    ("END_OF_CHECK", END_OF_CHECK as u32),
    ("ENTRIES", ENTRIES as u32),
    ("CAPACITY", CAPACITY as u32),
];

/// Where a task goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The id of the queue. A changeable queue that does not exist is made.
    pub queue: QueueId,
    /// The priority that the queue has at the moment.
    pub priority: EffectivePriority,
}

impl Destination {
    /// The queue of all tasks whose priority is fixed at `priority`.
    #[must_use]
    pub const fn fixed(priority: EffectivePriority) -> Self {
        Self {
            queue: priority.rank(),
            priority,
        }
    }

    /// Reads the word that names a destination. A rank off the scale means the highest one.
    #[must_use]
    pub fn from_word(word: u32) -> Self {
        let rank = word & ((1 << RANK_BITS) - 1);
        let highest = EffectivePriority::UserBlockingContinuation;
        Self {
            queue: word >> RANK_BITS,
            priority: EffectivePriority::from_rank(rank).unwrap_or(highest),
        }
    }

    /// The word that names this destination.
    #[must_use]
    pub const fn to_word(self) -> u32 {
        self.queue << RANK_BITS | self.priority.rank()
    }
}

/// What JavaScript leaves in the shared words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A new task.
    Post(TaskId, Destination),
    /// A waiting task is removed.
    Remove(TaskId),
}

impl Entry {
    /// Reads the two words of an entry.
    #[must_use]
    pub fn from_words(task: u32, word: u32) -> Self {
        if word == REMOVED {
            Self::Remove(task)
        } else {
            Self::Post(task, Destination::from_word(word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_survives_its_way_through_a_word() {
        for priority in EffectivePriority::ALL {
            for queue in [RANKS, RANKS + 1, RANKS + MAX_QUEUES - 1] {
                let destination = Destination { queue, priority };
                assert_eq!(Destination::from_word(destination.to_word()), destination);
            }
            let fixed = Destination::fixed(priority);
            assert_eq!(Destination::from_word(fixed.to_word()), fixed);
        }
    }

    #[test]
    fn no_destination_reads_as_a_removal() {
        let last = Destination {
            queue: RANKS + MAX_QUEUES - 1,
            priority: EffectivePriority::UserBlockingContinuation,
        };
        assert_ne!(last.to_word(), REMOVED);
        assert_eq!(Entry::from_words(5, REMOVED), Entry::Remove(5));
        assert_eq!(Entry::from_words(5, last.to_word()), Entry::Post(5, last));
    }

    #[test]
    fn no_task_has_the_id_that_stands_for_none() {
        const { assert!(NO_TASK >= MAX_TASKS) };
    }
}
