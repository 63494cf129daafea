//! Queued tasks that have a bound of their own on their wait.
//!
//! These tasks are not in the lists of their queues. There, the first task becomes overdue first;
//! here, the bound of each task decides. Times are passed in, in nanoseconds of any monotonic
//! clock.

use std::collections::BTreeMap;

use crate::heap::IndexedHeap;
use crate::priority::EffectivePriority;
use crate::task_queue::{QueueId, TaskId, oldest_of};

/// The position of a queued task: its queue, with the properties of that, and its enqueue order.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The queue.
    pub queue: QueueId,
    /// Its priority.
    pub priority: EffectivePriority,
    /// Whether the queue belongs to a flow.
    pub is_keyed: bool,
    /// The enqueue order of the task.
    pub order: u64,
}

/// Tasks by queue and enqueue order.
#[derive(Debug, Default)]
struct ByAge {
    tasks: BTreeMap<(QueueId, u64), TaskId>,
    /// The queues that have a task, by priority and by the enqueue order of their first one: first
    /// the queues without a flow, then the queues of flows.
    queues: [[IndexedHeap<u64>; EffectivePriority::ALL.len()]; 2],
}

impl ByAge {
    fn insert(&mut self, position: Position, task: TaskId) {
        self.tasks.insert((position.queue, position.order), task);
        self.update(position);
    }

    fn remove(&mut self, position: Position) {
        if self
            .tasks
            .remove(&(position.queue, position.order))
            .is_some()
        {
            self.update(position);
        }
    }

    /// Moves the queue of a position to the priority there. Returns whether it has a task.
    fn set_priority(&mut self, before: EffectivePriority, position: Position) -> bool {
        self.queues[usize::from(position.is_keyed)][before.index()].remove(position.queue);
        self.update(position);
        self.first(position.queue).is_some()
    }

    fn oldest(&self, priority: EffectivePriority, is_keyed: bool) -> Option<(TaskId, u64)> {
        let (_, queue) = self.queues[usize::from(is_keyed)][priority.index()].first()?;
        self.first(queue)
    }

    fn first(&self, queue: QueueId) -> Option<(TaskId, u64)> {
        let mut tasks = self.tasks.range((queue, 0)..=(queue, u64::MAX));
        tasks.next().map(|((_, order), task)| (*task, *order))
    }

    fn update(&mut self, position: Position) {
        let first = self.first(position.queue);
        let queues = &mut self.queues[usize::from(position.is_keyed)][position.priority.index()];
        match first {
            Some((_, order)) => queues.set(position.queue, order),
            None => queues.remove(position.queue),
        }
    }
}

/// All tasks of an event loop that have a bound of their own.
#[derive(Debug, Default)]
pub struct BoundedTasks {
    /// The last moment at which a task is not overdue, for each task that is not overdue yet,
    /// queued or delayed.
    latest: IndexedHeap<u64>,
    queued: ByAge,
    /// The queued tasks that are overdue.
    overdue: ByAge,
}

impl BoundedTasks {
    /// Adds a task, queued or delayed, that is overdue when `latest` has passed.
    pub fn add(&mut self, task: TaskId, latest: u64) {
        self.latest.set(task, latest);
    }

    /// Removes a task that is not queued.
    pub fn remove_delayed(&mut self, task: TaskId) {
        self.latest.remove(task);
    }

    /// Queues a task.
    pub fn append(&mut self, position: Position, task: TaskId) {
        self.queued.insert(position, task);
    }

    /// Removes a queued task.
    pub fn remove(&mut self, position: Position, task: TaskId) {
        self.latest.remove(task);
        self.queued.remove(position);
        self.overdue.remove(position);
    }

    /// Moves the queue of a position to the priority there. Its tasks keep their age. Returns
    /// whether the queue has a task.
    pub fn set_priority(&mut self, before: EffectivePriority, position: Position) -> bool {
        self.overdue.set_priority(before, position);
        self.queued.set_priority(before, position)
    }

    /// Takes a queued task that has become overdue by now, for [`Self::add_overdue`].
    pub fn take_late(&mut self, now: u64) -> Option<TaskId> {
        let (latest, task) = self.latest.first()?;
        if latest >= now {
            return None;
        }
        self.latest.remove(task);
        Some(task)
    }

    /// Adds a queued task to the overdue ones.
    pub fn add_overdue(&mut self, position: Position, task: TaskId) {
        self.overdue.insert(position, task);
    }

    /// The oldest task of this priority without a flow, or with `is_keyed` the oldest of a flow;
    /// and its enqueue order.
    #[must_use]
    pub fn oldest(&self, priority: EffectivePriority, is_keyed: bool) -> Option<(TaskId, u64)> {
        self.queued.oldest(priority, is_keyed)
    }

    /// The oldest task of a queue, and its enqueue order.
    #[must_use]
    pub fn first(&self, queue: QueueId) -> Option<(TaskId, u64)> {
        self.queued.first(queue)
    }

    /// The oldest overdue task of this priority, and its enqueue order.
    #[must_use]
    pub fn oldest_overdue(&self, priority: EffectivePriority) -> Option<(TaskId, u64)> {
        oldest_of([false, true].map(|is_keyed| self.overdue.oldest(priority, is_keyed)))
    }

    /// The time at which the next task becomes overdue, of any priority; 0 if one of background
    /// work is overdue.
    #[must_use]
    pub fn next_overdue(&self) -> Option<u64> {
        use EffectivePriority::*;
        let is_overdue = |priority| self.oldest_overdue(priority).is_some();
        if is_overdue(Background) || is_overdue(BackgroundContinuation) {
            return Some(0);
        }
        let first = self.latest.first();
        first.map(|(latest, _)| latest.saturating_add(1))
    }

    /// Whether a task of any priority is overdue.
    #[must_use]
    pub fn has_overdue(&self) -> bool {
        !self.overdue.tasks.is_empty()
    }

    /// The queue of each queued task.
    pub fn queues(&self) -> impl Iterator<Item = QueueId> {
        self.queued.tasks.keys().map(|(queue, _)| *queue)
    }
}
