//! Tasks that wait for their delay.
//!
//! They are ordered by deadline, then by call order. Times are passed in, in nanoseconds of any
//! monotonic clock.

use crate::heap::IndexedHeap;
use crate::task_queue::TaskId;

/// All tasks of an event loop that wait for their delay.
#[derive(Debug, Default)]
pub struct DelayedTasks {
    by_deadline: IndexedHeap<(u64, u64)>,
    next_call: u64,
}

impl DelayedTasks {
    /// Adds a task that waits until `deadline`.
    pub fn insert(&mut self, task: TaskId, deadline: u64) {
        self.by_deadline.set(task, (deadline, self.next_call));
        self.next_call += 1;
    }

    /// Removes a task.
    pub fn remove(&mut self, task: TaskId) {
        self.by_deadline.remove(task);
    }

    /// The sort key of a delayed task; `None` for a task that does not wait for its delay.
    #[must_use]
    pub fn order(&self, task: TaskId) -> Option<(u64, u64)> {
        self.by_deadline.key(task)
    }

    /// Takes the next task whose deadline is `now` or before. Returns it with its deadline.
    pub fn take_due(&mut self, now: u64) -> Option<(TaskId, u64)> {
        let ((deadline, _), task) = self.by_deadline.first()?;
        if deadline > now {
            return None;
        }
        self.remove(task);
        Some((task, deadline))
    }

    /// The earliest deadline.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.by_deadline.first().map(|((deadline, _), _)| deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_become_due_by_deadline_then_by_call_order() {
        let mut delayed = DelayedTasks::default();
        for (task, deadline) in [(0, 20), (1, 10), (2, 20), (3, 10)] {
            delayed.insert(task, deadline);
        }
        assert_eq!(delayed.next_deadline(), Some(10));
        let due: Vec<(TaskId, u64)> = std::iter::from_fn(|| delayed.take_due(20)).collect();
        assert_eq!(due, [(1, 10), (3, 10), (0, 20), (2, 20)]);
        assert_eq!(delayed.next_deadline(), None);
    }

    #[test]
    fn no_task_is_due_before_its_deadline() {
        let mut delayed = DelayedTasks::default();
        delayed.insert(7, 100);
        assert_eq!(delayed.take_due(99), None);
        assert_eq!(delayed.take_due(100), Some((7, 100)));
    }

    #[test]
    fn a_removed_task_never_becomes_due_and_its_deadline_no_longer_counts() {
        let mut delayed = DelayedTasks::default();
        delayed.insert(1, 10);
        delayed.insert(2, 30);
        delayed.remove(1);
        assert_eq!(delayed.next_deadline(), Some(30));
        assert_eq!(delayed.take_due(20), None);
        assert_eq!(delayed.take_due(30), Some((2, 30)));
    }
}
