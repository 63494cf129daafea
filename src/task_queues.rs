//! All task queues of one event loop, and the choice of the next task over them.
//!
//! Owns every task from posting until it is taken or removed, the enqueue order, and the queues:
//! one for each fixed effective priority, and dynamic ones whose priority can change. Schedulers
//! share them: the next task is chosen over all schedulers of the event loop by priority and age,
//! so the fixed queues of two schedulers, merged by enqueue order, are one. Knows nothing of when a
//! task may run. Source: "Scheduling Tasks and Continuations", selecting the next scheduler task
//! queue from all schedulers.
//!
//! The choice takes constant time over the fixed queues and logarithmic time over the dynamic ones:
//! a bit for each effective priority that a queued task has, and for each of them a heap of its
//! dynamic queues by the age of their first task.
//!
//! Where the wait of background tasks is bounded, those that have waited for longer take part in
//! the choice as user-visible ones, where they are.

use std::cmp::Reverse;

use crate::background_timeout::BackgroundTimeout;
use crate::delayed_tasks::DelayedTasks;
use crate::heap::{IndexedHeap, KEPT_WHEN_EMPTY};
use crate::priority::EffectivePriority;
use crate::task_queue::{DELAYED, QueueId, Task, TaskId, TaskQueue};

const FIXED: usize = EffectivePriority::ALL.len();

/// The most tasks that can wait at once. Ids are below it.
pub const MAX_TASKS: usize = 1 << 30;

/// The most dynamic queues there can be at once. Their numbers are below it.
pub const MAX_QUEUES: usize = 1 << 28;

/// A queue whose priority can change. It exists while it has members and is then removed.
#[derive(Debug)]
struct DynamicQueue {
    priority: EffectivePriority,
    queue: TaskQueue,
    /// Tasks that are in the queue or will be when their delay has passed.
    members: u32,
}

/// The task to run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The oldest task of the highest effective priority.
    pub task: TaskId,
    /// Its effective priority; that of a user-visible one if it is a background task that has
    /// waited for too long.
    pub priority: EffectivePriority,
    /// Its enqueue order.
    pub order: u64,
}

/// What was asked cannot be done; nothing has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum QueueError {
    /// No queue has this id.
    NoSuchQueue(QueueId),
    /// No task has this id.
    NoSuchTask(TaskId),
    /// The id is that of a task that waits already, or not below [`MAX_TASKS`].
    BadTaskId(TaskId),
}

/// Every task that waits on an event loop.
#[derive(Debug, Default)]
pub struct TaskQueues {
    /// By id; places whose id is not in use are vacant.
    tasks: Vec<Task>,
    queued: usize,
    delayed_count: usize,
    delayed: DelayedTasks,
    fixed: [TaskQueue; FIXED],
    /// By number; places of numbers that are not in use are empty.
    dynamic: Vec<Option<DynamicQueue>>,
    dynamic_count: usize,
    /// For each effective priority, its dynamic queues that hold a task, by the enqueue order of
    /// their first one.
    by_age: [IndexedHeap<u64>; FIXED],
    /// Bit `i` is set while a queue of the effective priority of index `i` holds a task.
    occupied: u8,
    next_order: u64,
    background_timeout: BackgroundTimeout,
}

/// The queue of a task that waits.
fn existing(place: &mut Option<DynamicQueue>) -> &mut DynamicQueue {
    place.as_mut().expect("a queue with members exists")
}

impl TaskQueues {
    /// The id of the queue of all tasks whose priority is fixed at `priority`.
    #[must_use]
    pub const fn fixed_queue(priority: EffectivePriority) -> QueueId {
        priority.index() as QueueId
    }

    /// The id of the dynamic queue of this number.
    #[must_use]
    pub const fn dynamic_queue(number: u32) -> QueueId {
        FIXED as QueueId + number
    }

    /// Makes the dynamic queue of this id, unless it is there. It is removed when its last task has
    /// been taken or removed.
    pub fn open_queue(
        &mut self,
        queue: QueueId,
        priority: EffectivePriority,
    ) -> Result<(), QueueError> {
        let index = (queue as usize)
            .checked_sub(FIXED)
            .filter(|index| *index < MAX_QUEUES)
            .ok_or(QueueError::NoSuchQueue(queue))?;
        if index >= self.dynamic.len() {
            self.dynamic.resize_with(index + 1, || None);
        }
        if self.dynamic[index].is_none() {
            self.dynamic[index] = Some(DynamicQueue {
                priority,
                queue: TaskQueue::default(),
                members: 0,
            });
            self.dynamic_count += 1;
        }
        Ok(())
    }

    /// The effective priority of a queue.
    pub fn priority(&self, queue: QueueId) -> Result<EffectivePriority, QueueError> {
        match EffectivePriority::ALL.get(queue as usize) {
            Some(priority) => Ok(*priority),
            None => match self.dynamic.get(queue as usize - FIXED) {
                Some(Some(dynamic)) => Ok(dynamic.priority),
                _ => Err(QueueError::NoSuchQueue(queue)),
            },
        }
    }

    /// Moves a dynamic queue to another priority. Its tasks keep their enqueue order. Says whether
    /// the queue holds a task.
    pub fn set_priority(
        &mut self,
        queue: QueueId,
        priority: EffectivePriority,
    ) -> Result<bool, QueueError> {
        let dynamic = (queue as usize)
            .checked_sub(FIXED)
            .and_then(|index| self.dynamic.get_mut(index)?.as_mut())
            .ok_or(QueueError::NoSuchQueue(queue))?;
        let before = std::mem::replace(&mut dynamic.priority, priority);
        let Some(first) = dynamic.queue.first() else {
            return Ok(false);
        };
        let order = self.tasks[first as usize].order;
        self.by_age[before.index()].remove(queue);
        self.update_occupied(before);
        self.by_age[priority.index()].set(queue, order);
        self.update_occupied(priority);
        Ok(true)
    }

    /// Bounds the wait of background tasks, in nanoseconds, or leaves it unbounded.
    pub fn set_background_timeout(&mut self, timeout: Option<u64>) {
        self.background_timeout.set(timeout);
    }

    /// Puts a new task at the end of a queue, with the next enqueue order.
    pub fn append(&mut self, task: TaskId, queue: QueueId) -> Result<(), QueueError> {
        self.add(task, queue)?;
        self.enqueue(task);
        Ok(())
    }

    /// Adds a new task that is to be put at the end of a queue when `deadline` has passed.
    pub fn append_delayed(
        &mut self,
        task: TaskId,
        queue: QueueId,
        deadline: u64,
    ) -> Result<(), QueueError> {
        self.add(task, queue)?;
        self.delayed.insert(task, deadline);
        self.delayed_count += 1;
        Ok(())
    }

    /// Time has passed: queues every delayed task whose deadline is `now` or before, and finds
    /// which background tasks have waited for too long.
    pub fn advance(&mut self, now: u64) {
        while let Some(task) = self.delayed.take_due(now) {
            self.delayed_count -= 1;
            self.enqueue(task);
        }
        self.background_timeout.advance(now, self.next_order);
    }

    /// The earliest deadline of a delayed task.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.delayed.next_deadline()
    }

    /// The oldest task of the highest effective priority among all that are queued.
    #[must_use]
    pub fn choose(&self) -> Option<Choice> {
        let highest = EffectivePriority::ALL[self.occupied.checked_ilog2()? as usize];
        let choice = self.oldest(highest)?;
        let expired_below = self.background_timeout.expired_below();
        if expired_below == 0 {
            return Some(choice);
        }
        let expired =
            EffectivePriority::RAISED_IN_TIME
                .into_iter()
                .filter_map(|(priority, raised)| {
                    let choice = self.oldest(priority)?;
                    (choice.order < expired_below).then_some(Choice {
                        priority: raised,
                        ..choice
                    })
                });
        expired
            .chain([choice])
            .max_by_key(|choice| (choice.priority, Reverse(choice.order)))
    }

    /// Takes the chosen task out, to run it.
    pub fn take(&mut self, choice: Choice) -> TaskId {
        let taken = self.remove(choice.task);
        debug_assert_eq!(taken, Ok(()), "a choice is a queued task");
        choice.task
    }

    /// Takes a task out, queued or delayed.
    pub fn remove(&mut self, task: TaskId) -> Result<(), QueueError> {
        if !self.contains(task) {
            return Err(QueueError::NoSuchTask(task));
        }
        let Task { queue, order, .. } = self.tasks[task as usize];
        if order == DELAYED {
            self.delayed.remove(task);
            self.delayed_count -= 1;
        } else {
            self.unlink(task, queue);
            self.queued -= 1;
        }
        self.tasks[task as usize] = Task::VACANT;
        if let Some(index) = (queue as usize).checked_sub(FIXED) {
            let dynamic = existing(&mut self.dynamic[index]);
            dynamic.members -= 1;
            if dynamic.members == 0 {
                self.dynamic[index] = None;
                self.dynamic_count -= 1;
            }
        }
        self.shrink();
        Ok(())
    }

    /// Whether a task of this id waits.
    #[must_use]
    pub fn contains(&self, task: TaskId) -> bool {
        self.tasks
            .get(task as usize)
            .is_some_and(|place| !place.is_vacant())
    }

    /// Tasks in all queues, without those that wait for their delay.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queued
    }

    /// Whether no task waits, neither in a queue nor for its delay.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queued == 0 && self.delayed_count == 0
    }

    /// The enqueue order of the next task that is queued: all orders below it are older.
    #[must_use]
    pub fn next_order(&self) -> u64 {
        self.next_order
    }

    fn add(&mut self, id: TaskId, queue: QueueId) -> Result<(), QueueError> {
        self.priority(queue)?;
        let index = id as usize;
        if index >= MAX_TASKS {
            return Err(QueueError::BadTaskId(id));
        }
        if index >= self.tasks.len() {
            self.tasks.resize(index + 1, Task::VACANT);
        }
        if !self.tasks[index].is_vacant() {
            return Err(QueueError::BadTaskId(id));
        }
        self.tasks[index] = Task::new(queue);
        if let Some(index) = (queue as usize).checked_sub(FIXED) {
            existing(&mut self.dynamic[index]).members += 1;
        }
        Ok(())
    }

    fn enqueue(&mut self, id: TaskId) {
        let task = &mut self.tasks[id as usize];
        let (order, queue) = (self.next_order, task.queue);
        task.order = order;
        self.next_order += 1;
        self.queued += 1;
        match (queue as usize).checked_sub(FIXED) {
            None => {
                self.fixed[queue as usize].append(&mut self.tasks, id);
                self.occupied |= 1 << queue;
            }
            Some(index) => {
                let dynamic = existing(&mut self.dynamic[index]);
                let priority = dynamic.priority.index();
                if dynamic.queue.is_empty() {
                    self.by_age[priority].set(queue, order);
                    self.occupied |= 1 << priority;
                }
                dynamic.queue.append(&mut self.tasks, id);
            }
        }
    }

    fn unlink(&mut self, id: TaskId, queue: QueueId) {
        match (queue as usize).checked_sub(FIXED) {
            None => {
                self.fixed[queue as usize].remove(&mut self.tasks, id);
                if self.fixed[queue as usize].is_empty() {
                    self.update_occupied(EffectivePriority::ALL[queue as usize]);
                }
            }
            Some(index) => {
                let dynamic = existing(&mut self.dynamic[index]);
                let priority = dynamic.priority;
                let was_first = dynamic.queue.first() == Some(id);
                dynamic.queue.remove(&mut self.tasks, id);
                match dynamic.queue.first() {
                    None => {
                        self.by_age[priority.index()].remove(queue);
                        self.update_occupied(priority);
                    }
                    Some(first) if was_first => {
                        let order = self.tasks[first as usize].order;
                        self.by_age[priority.index()].set(queue, order);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn update_occupied(&mut self, priority: EffectivePriority) {
        let index = priority.index();
        if self.fixed[index].is_empty() && self.by_age[index].first().is_none() {
            self.occupied &= !(1 << index);
        } else {
            self.occupied |= 1 << index;
        }
    }

    /// The oldest queued task of this effective priority.
    fn oldest(&self, priority: EffectivePriority) -> Option<Choice> {
        let fixed = self.fixed[priority.index()].first().map(|task| Choice {
            task,
            priority,
            order: self.tasks[task as usize].order,
        });
        let Some((order, queue)) = self.by_age[priority.index()].first() else {
            return fixed;
        };
        // Two tasks never have the same enqueue order, so there are no ties.
        if fixed.is_some_and(|fixed| fixed.order < order) {
            return fixed;
        }
        let dynamic = self.dynamic[queue as usize - FIXED].as_ref()?;
        let task = dynamic.queue.first()?;
        Some(Choice {
            task,
            priority,
            order,
        })
    }

    fn shrink(&mut self) {
        if self.is_empty() && self.tasks.capacity() > KEPT_WHEN_EMPTY {
            self.tasks = Vec::new();
        }
        if self.dynamic_count == 0 && self.dynamic.capacity() > KEPT_WHEN_EMPTY {
            self.dynamic = Vec::new();
        }
    }
}

#[cfg(test)]
#[path = "task_queues_tests.rs"]
mod tests;
