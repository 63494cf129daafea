//! The queues whose priority can change.
//!
//! A queue exists while it has members: tasks that are in it, or will be when their delay has
//! passed. Each effective priority has a heap of its queues that have a task, by the enqueue order
//! of their first one, and another heap of such queues that belong to a flow.

use crate::heap::{IndexedHeap, KEPT_WHEN_EMPTY};
use crate::priority::EffectivePriority;
use crate::protocol::MAX_QUEUES;
use crate::task_queue::{Task, TaskId, TaskQueue};

#[derive(Debug)]
struct DynamicQueue {
    priority: EffectivePriority,
    queue: TaskQueue,
    members: u32,
    is_keyed: bool,
}

/// All dynamic queues of an event loop. Callers name them by their numbers.
#[derive(Debug, Default)]
pub struct DynamicQueues {
    /// By number; places of numbers that are not in use are empty.
    queues: Vec<Option<DynamicQueue>>,
    count: usize,
    /// First the queues without a flow, then the queues of flows.
    by_age: [ByAge; 2],
}

/// The queues that have a task, by priority.
type ByAge = [IndexedHeap<u64>; EffectivePriority::ALL.len()];

impl DynamicQueues {
    /// Makes the queue of this number unless it exists. `is_keyed` says whether it belongs to a
    /// flow. Returns whether there may be such a queue.
    pub fn open(&mut self, number: u32, priority: EffectivePriority, is_keyed: bool) -> bool {
        if number >= MAX_QUEUES {
            return false;
        }
        let index = number as usize;
        if index >= self.queues.len() {
            self.queues.resize_with(index + 1, || None);
        }
        if self.queues[index].is_none() {
            self.queues[index] = Some(DynamicQueue {
                priority,
                queue: TaskQueue::default(),
                members: 0,
                is_keyed,
            });
            self.count += 1;
        }
        true
    }

    /// The effective priority of a queue, if it exists.
    #[must_use]
    pub fn priority(&self, number: u32) -> Option<EffectivePriority> {
        let queue = self.queues.get(number as usize)?;
        queue.as_ref().map(|dynamic| dynamic.priority)
    }

    /// Moves a queue to another priority. Its tasks keep their enqueue order. Returns whether the
    /// queue has a task.
    pub fn set_priority(
        &mut self,
        tasks: &[Task],
        number: u32,
        priority: EffectivePriority,
    ) -> bool {
        let dynamic = existing(&mut self.queues, number);
        let before = std::mem::replace(&mut dynamic.priority, priority);
        let Some(first) = dynamic.queue.first() else {
            return false;
        };
        let by_age = &mut self.by_age[usize::from(dynamic.is_keyed)];
        by_age[before.index()].remove(number);
        by_age[priority.index()].set(number, tasks[first as usize].order);
        true
    }

    /// Counts a new member of a queue.
    pub fn join(&mut self, number: u32) {
        existing(&mut self.queues, number).members += 1;
    }

    /// Notes that a member has gone, queued or delayed. Removes the queue with its last member.
    /// Returns whether it has.
    pub fn leave(&mut self, number: u32) -> bool {
        let dynamic = existing(&mut self.queues, number);
        dynamic.members -= 1;
        if dynamic.members > 0 {
            return false;
        }
        self.queues[number as usize] = None;
        self.count -= 1;
        if self.count == 0 && self.queues.capacity() > KEPT_WHEN_EMPTY {
            self.queues = Vec::new();
        }
        true
    }

    /// Puts a member at the end of its queue. Returns the priority of the queue.
    pub fn append(&mut self, tasks: &mut [Task], number: u32, id: TaskId) -> EffectivePriority {
        let dynamic = existing(&mut self.queues, number);
        if dynamic.queue.is_empty() {
            let by_age = &mut self.by_age[usize::from(dynamic.is_keyed)];
            by_age[dynamic.priority.index()].set(number, tasks[id as usize].order);
        }
        dynamic.queue.append(tasks, id);
        dynamic.priority
    }

    /// Takes a member out of its queue. Returns the priority of the queue.
    pub fn remove(&mut self, tasks: &mut [Task], number: u32, id: TaskId) -> EffectivePriority {
        let dynamic = existing(&mut self.queues, number);
        let was_first = dynamic.queue.first() == Some(id);
        dynamic.queue.remove(tasks, id);
        let by_age = &mut self.by_age[usize::from(dynamic.is_keyed)];
        let by_age = &mut by_age[dynamic.priority.index()];
        match dynamic.queue.first() {
            None => by_age.remove(number),
            Some(first) if was_first => by_age.set(number, tasks[first as usize].order),
            Some(_) => {}
        }
        dynamic.priority
    }

    /// Whether no queue of this effective priority has a task.
    #[must_use]
    pub fn is_vacant(&self, priority: EffectivePriority) -> bool {
        let mut all = self.by_age.iter().map(|by_age| &by_age[priority.index()]);
        all.all(|queues| queues.first().is_none())
    }

    /// The number of queued tasks of this effective priority. Looks at all its queues.
    #[must_use]
    pub fn queued(&self, priority: EffectivePriority) -> u32 {
        let queues = self.queues.iter().flatten();
        let of_priority = queues.filter(|dynamic| dynamic.priority == priority);
        of_priority.map(|dynamic| dynamic.queue.length()).sum()
    }

    /// The oldest queued task of this effective priority that belongs to no flow, and its enqueue
    /// order.
    #[must_use]
    pub fn oldest(&self, priority: EffectivePriority) -> Option<(TaskId, u64)> {
        self.first_of(&self.by_age[0][priority.index()])
    }

    /// The oldest queued task of this effective priority that belongs to a flow, and its enqueue
    /// order.
    #[must_use]
    pub fn oldest_keyed(&self, priority: EffectivePriority) -> Option<(TaskId, u64)> {
        self.first_of(&self.by_age[1][priority.index()])
    }

    /// The oldest task of a queue.
    #[must_use]
    pub fn first(&self, number: u32) -> Option<TaskId> {
        self.queues.get(number as usize)?.as_ref()?.queue.first()
    }

    fn first_of(&self, by_age: &IndexedHeap<u64>) -> Option<(TaskId, u64)> {
        let (order, number) = by_age.first()?;
        Some((self.first(number)?, order))
    }
}

/// The queue of a task that waits.
fn existing(queues: &mut [Option<DynamicQueue>], number: u32) -> &mut DynamicQueue {
    queues[number as usize]
        .as_mut()
        .expect("a queue with members exists")
}

#[cfg(test)]
mod tests {
    use super::*;
    use EffectivePriority::*;

    #[test]
    fn there_is_no_queue_past_the_highest_number() {
        let mut queues = DynamicQueues::default();
        assert!(!queues.open(MAX_QUEUES, UserVisible, false));
        assert_eq!(queues.priority(MAX_QUEUES), None);
    }

    #[test]
    fn room_for_some_queues_is_kept_when_the_last_is_gone_and_the_rest_is_given_back() {
        for (count, is_kept) in [(KEPT_WHEN_EMPTY / 2, true), (KEPT_WHEN_EMPTY + 1, false)] {
            let mut queues = DynamicQueues::default();
            // The second round fails if the first one has left a wrong count of queues.
            for _ in 0..2 {
                for number in 0..count as u32 {
                    assert!(queues.open(number, UserVisible, false));
                    queues.join(number);
                }
                for number in 0..count as u32 {
                    assert!(queues.queues.capacity() > 0);
                    assert!(queues.leave(number));
                }
                assert_eq!(queues.queues.capacity() > 0, is_kept);
            }
        }
    }
}
