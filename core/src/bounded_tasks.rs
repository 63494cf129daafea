//! Queued tasks that have a bound of their own on their wait.
//!
//! They are not in the lists of their queues: there the first task is the first to become overdue,
//! while here that depends on each one's bound. Times are passed in, in nanoseconds of any
//! monotonic clock.

use std::collections::BTreeMap;

use crate::heap::IndexedHeap;
use crate::priority::EffectivePriority;
use crate::task_queue::{QueueId, TaskId};

/// Where a queued task is: its queue, the priority of that queue, and its enqueue order.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The queue.
    pub queue: QueueId,
    /// Its priority.
    pub priority: EffectivePriority,
    /// The enqueue order of the task.
    pub order: u64,
}

/// Tasks by queue and enqueue order.
#[derive(Debug, Default)]
struct ByAge {
    tasks: BTreeMap<(QueueId, u64), TaskId>,
    /// By priority: the queues that hold a task, by the enqueue order of their first one.
    queues: [IndexedHeap<u64>; EffectivePriority::ALL.len()],
}

impl ByAge {
    fn insert(&mut self, place: Place, task: TaskId) {
        self.tasks.insert((place.queue, place.order), task);
        self.update(place.queue, place.priority);
    }

    fn remove(&mut self, place: Place) {
        if self.tasks.remove(&(place.queue, place.order)).is_some() {
            self.update(place.queue, place.priority);
        }
    }

    /// Returns whether the queue holds a task.
    fn set_priority(
        &mut self,
        queue: QueueId,
        before: EffectivePriority,
        priority: EffectivePriority,
    ) -> bool {
        self.queues[before.index()].remove(queue);
        self.update(queue, priority);
        self.first(queue).is_some()
    }

    fn oldest(&self, priority: EffectivePriority) -> Option<(TaskId, u64)> {
        let (_, queue) = self.queues[priority.index()].first()?;
        self.first(queue)
    }

    fn first(&self, queue: QueueId) -> Option<(TaskId, u64)> {
        let mut tasks = self.tasks.range((queue, 0)..=(queue, u64::MAX));
        tasks.next().map(|((_, order), task)| (*task, *order))
    }

    fn update(&mut self, queue: QueueId, priority: EffectivePriority) {
        let first = self.first(queue);
        let queues = &mut self.queues[priority.index()];
        match first {
            Some((_, order)) => queues.set(queue, order),
            None => queues.remove(queue),
        }
    }
}

/// All tasks of an event loop that have a bound of their own.
#[derive(Debug, Default)]
pub struct BoundedTasks {
    /// The last moment at which each is not overdue, of those that are not, delayed ones included.
    latest: IndexedHeap<u64>,
    queued: ByAge,
    /// Of the queued ones.
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
    pub fn append(&mut self, place: Place, task: TaskId) {
        self.queued.insert(place, task);
    }

    /// Removes a queued task.
    pub fn remove(&mut self, place: Place, task: TaskId) {
        self.latest.remove(task);
        self.queued.remove(place);
        self.overdue.remove(place);
    }

    /// Moves a queue to another priority. Its tasks keep their age. Returns whether it holds one.
    pub fn set_priority(
        &mut self,
        queue: QueueId,
        before: EffectivePriority,
        priority: EffectivePriority,
    ) -> bool {
        self.overdue.set_priority(queue, before, priority);
        self.queued.set_priority(queue, before, priority)
    }

    /// Takes a task that has become overdue by now, for [`Self::add_overdue`]. It is queued.
    pub fn take_late(&mut self, now: u64) -> Option<TaskId> {
        let (latest, task) = self.latest.first()?;
        if latest >= now {
            return None;
        }
        self.latest.remove(task);
        Some(task)
    }

    /// Adds a queued task to those that are overdue.
    pub fn add_overdue(&mut self, place: Place, task: TaskId) {
        self.overdue.insert(place, task);
    }

    /// The oldest task of this priority, and its enqueue order.
    #[must_use]
    pub fn oldest(&self, priority: EffectivePriority) -> Option<(TaskId, u64)> {
        self.queued.oldest(priority)
    }

    /// The oldest overdue task of this priority, and its enqueue order.
    #[must_use]
    pub fn oldest_overdue(&self, priority: EffectivePriority) -> Option<(TaskId, u64)> {
        self.overdue.oldest(priority)
    }

    /// When the next task that has a bound becomes overdue, whatever its priority; 0 if one of
    /// background work is.
    #[must_use]
    pub fn next_overdue(&self) -> Option<u64> {
        use EffectivePriority::*;
        let is_overdue = |priority| self.overdue.oldest(priority).is_some();
        if is_overdue(Background) || is_overdue(BackgroundContinuation) {
            return Some(0);
        }
        let first = self.latest.first();
        first.map(|(latest, _)| latest.saturating_add(1))
    }

    /// Whether any task is overdue, whatever its priority.
    #[must_use]
    pub fn has_overdue(&self) -> bool {
        !self.overdue.tasks.is_empty()
    }

    /// The queue of each queued task.
    pub fn queues(&self) -> impl Iterator<Item = QueueId> {
        self.queued.tasks.keys().map(|(queue, _)| *queue)
    }
}
