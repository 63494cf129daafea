//! All task queues of one event loop, and the choice of the next task.
//!
//! Each fixed effective priority has a queue; dynamic queues have a priority that can change. All
//! schedulers of the loop share them: the next task is chosen over all schedulers by priority and
//! age, so the fixed queues of two schedulers, merged by enqueue order, are one. Source:
//! "Scheduling Tasks and Continuations", selecting the next scheduler task queue from all
//! schedulers.
//!
//! The choice takes constant time for fixed queues and logarithmic time for dynamic ones: a bit
//! says whether an effective priority has a queued task, and a heap orders its dynamic queues by
//! the age of their first task. Overdue tasks stay in their queues. Tasks that have a bound of
//! their own on their wait count as members of their queues, but are in lists of their own. For
//! dynamic queues that belong to a flow, [`fair_queues`](crate::fair_queues) makes the choice, not
//! age.

mod choice;

use std::fmt;

use crate::bounded_tasks::{BoundedTasks, Position};
use crate::delayed_tasks::DelayedTasks;
use crate::dynamic_queues::DynamicQueues;
use crate::fair_queues::FairQueues;
use crate::heap::KEPT_WHEN_EMPTY;
use crate::max_wait::MaxWait;
use crate::priority::EffectivePriority;
use crate::protocol::{Destination, FlowId, MAX_QUEUES, MAX_TASKS, RANK_BITS};
use crate::shares::KeyId;
use crate::task_queue::{DELAYED, QueueId, Task, TaskId, TaskQueue, oldest_of};

pub use choice::Choice;

/// The bits of background work in the bits of occupied priorities.
const BACKGROUND: u8 = (1 << EffectivePriority::UserVisible.index()) - 1;

/// The ranks of user-visible work, as bits.
const USER_VISIBLE: u8 = (1 << EffectivePriority::UserVisible.index())
    | (1 << EffectivePriority::UserVisibleContinuation.index());

const FIXED: usize = EffectivePriority::ALL.len();

/// How a new task is queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Post {
    /// The time at which the task is queued. `None`: at once.
    pub deadline: Option<u64>,
    /// The task is overdue when it has waited for longer than this since it was queued. `None`: the
    /// setting decides.
    pub max_wait: Option<u64>,
}

/// A task in the list of waiting tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The id of the task.
    pub task: TaskId,
    /// The effective priority of its queue.
    pub priority: EffectivePriority,
    /// Whether it still waits for its delay.
    pub is_delayed: bool,
}

impl Waiting {
    /// The two numbers that JavaScript receives: the id, and the rank of the queue, plus 8 if the
    /// task is delayed.
    #[must_use]
    pub fn numbers(self) -> [u32; 2] {
        let delayed = u32::from(self.is_delayed) << RANK_BITS;
        [self.task, self.priority.rank() + delayed]
    }
}

/// The error of an operation that is not possible. The operation has changed nothing.
#[derive(Debug, PartialEq, Eq)]
pub enum QueueError {
    /// No queue has this id.
    NoSuchQueue(QueueId),
    /// No task has this id.
    NoSuchTask(TaskId),
    /// The id belongs to a waiting task, or is not below [`MAX_TASKS`].
    BadTaskId(TaskId),
    /// The flow cannot be opened, closed or given a queue.
    BadFlow(FlowId),
}

impl fmt::Display for QueueError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchQueue(queue) => write!(formatter, "there is no queue {queue}"),
            Self::NoSuchTask(task) => write!(formatter, "there is no task {task}"),
            Self::BadTaskId(task) => write!(formatter, "{task} cannot be the id of a new task"),
            Self::BadFlow(flow) => {
                write!(formatter, "flow {flow} cannot be opened, closed or bound")
            }
        }
    }
}

/// All waiting tasks of an event loop.
#[derive(Debug, Default)]
pub struct TaskQueues {
    /// By id; the places of unused ids are vacant.
    tasks: Vec<Task>,
    queued: usize,
    delayed_count: usize,
    /// The number of waiting tasks that do not keep the process alive.
    unreferenced: usize,
    delayed: DelayedTasks,
    fixed: [TaskQueue; FIXED],
    dynamic: DynamicQueues,
    bounded: BoundedTasks,
    fair: FairQueues,
    /// Bit `i` is set while a queue of the effective priority of index `i` has a task.
    occupied: u8,
    next_order: u64,
    /// The priority of the queue that a task was last taken from.
    last_taken: Option<EffectivePriority>,
    max_wait: MaxWait,
    /// The time at which the first bound on waits was set.
    max_wait_set_at: u64,
}

/// The number of a dynamic queue; `None` for the id of a fixed queue.
fn number(queue: QueueId) -> Option<u32> {
    queue.checked_sub(FIXED as QueueId)
}

impl TaskQueues {
    /// The id of the dynamic queue with this number.
    #[must_use]
    pub const fn dynamic_queue(number: u32) -> QueueId {
        FIXED as QueueId + number
    }

    /// Makes sure that the queue of a destination exists. A missing dynamic queue is created with
    /// the destination's priority; it is removed with its last task.
    pub fn open(&mut self, destination: Destination) -> Result<QueueId, QueueError> {
        let Destination {
            queue, priority, ..
        } = destination;
        match number(queue) {
            Some(number) => {
                let is_keyed = self.fair.flow_of(number).is_some();
                let exists = self.dynamic.open(number, priority, is_keyed);
                exists
                    .then_some(queue)
                    .ok_or(QueueError::NoSuchQueue(queue))
            }
            None => Ok(queue),
        }
    }

    /// Opens a flow of a key.
    pub fn open_flow(&mut self, flow: FlowId, key: KeyId) -> Result<(), QueueError> {
        let opened = self.fair.open(flow, key);
        opened.then_some(()).ok_or(QueueError::BadFlow(flow))
    }

    /// Gives a flow a dynamic queue that does not exist yet, until the queue is removed.
    pub fn bind(&mut self, queue: QueueId, flow: FlowId) -> Result<(), QueueError> {
        let number = number(queue).ok_or(QueueError::NoSuchQueue(queue))?;
        if number >= MAX_QUEUES || self.dynamic.priority(number).is_some() {
            return Err(QueueError::NoSuchQueue(queue));
        }
        let bound = self.fair.bind(number, flow);
        bound.then_some(()).ok_or(QueueError::BadFlow(flow))
    }

    /// Closes a flow that has nothing queued or delayed. Asks for the time only if the flow runs.
    pub fn close_flow(
        &mut self,
        flow: FlowId,
        has_finished: bool,
        now: impl FnOnce() -> u64,
    ) -> Result<(), QueueError> {
        let has_member = |number| self.dynamic.priority(number).is_some();
        let is_vacant = !self.fair.queues_of(flow).any(has_member);
        let closed = is_vacant && self.fair.close(flow, has_finished, now);
        closed.then_some(()).ok_or(QueueError::BadFlow(flow))
    }

    /// The flows and their keys. A flow is opened, closed and given queues by the functions of the
    /// queues, which know what waits in it.
    pub fn flows_mut(&mut self) -> &mut FairQueues {
        &mut self.fair
    }

    /// The effective priority of a queue.
    pub fn priority(&self, queue: QueueId) -> Result<EffectivePriority, QueueError> {
        let priority = match number(queue) {
            None => Some(EffectivePriority::ALL[queue as usize]),
            Some(number) => self.dynamic.priority(number),
        };
        priority.ok_or(QueueError::NoSuchQueue(queue))
    }

    /// Moves a dynamic queue to another priority. Its tasks keep their enqueue order. Returns
    /// whether the queue has a task.
    pub fn set_priority(
        &mut self,
        queue: QueueId,
        priority: EffectivePriority,
    ) -> Result<bool, QueueError> {
        let number = number(queue).ok_or(QueueError::NoSuchQueue(queue))?;
        let before = self.priority(queue)?;
        let has_task = self.dynamic.set_priority(&self.tasks, number, priority);
        let position = Position {
            queue,
            priority,
            is_keyed: self.fair.flow_of(number).is_some(),
            order: 0,
        };
        let has_bounded = self.bounded.set_priority(before, position);
        self.update_fair(number, priority);
        self.update_occupied(before);
        self.update_occupied(priority);
        Ok(has_task || has_bounded)
    }

    /// Sets how long queued tasks may wait before they are overdue. The wait of tasks that were
    /// queued while no bound was set counts from `now`.
    pub fn set_max_wait(&mut self, max_wait: MaxWait, now: u64) {
        if !self.max_wait.is_set() {
            self.max_wait_set_at = now;
        }
        self.max_wait = max_wait;
    }

    /// How long queued tasks may wait before they are overdue.
    #[must_use]
    pub fn max_wait(&self) -> MaxWait {
        self.max_wait
    }

    /// Adds a new task. Without a deadline it goes to the end of its queue, with the next enqueue
    /// order. `now` is the time if such a task has a bound of its own, or a bound on waits is set;
    /// else it may be 0.
    pub fn post(
        &mut self,
        task: TaskId,
        queue: QueueId,
        post: Post,
        now: u64,
    ) -> Result<(), QueueError> {
        self.add(task, queue)?;
        if let Some(max_wait) = post.max_wait {
            let since = post.deadline.unwrap_or(now);
            self.tasks[task as usize].is_bounded = true;
            self.bounded.add(task, since.saturating_add(max_wait));
        }
        match post.deadline {
            None => self.enqueue(task, now),
            Some(deadline) => {
                self.delayed.insert(task, deadline);
                self.delayed_count += 1;
            }
        }
        Ok(())
    }

    /// Lets the process end while this task waits.
    pub fn unreference(&mut self, task: TaskId) -> Result<(), QueueError> {
        if !self.contains(task) {
            return Err(QueueError::NoSuchTask(task));
        }
        let place = &mut self.tasks[task as usize];
        self.unreferenced += usize::from(place.is_referenced);
        place.is_referenced = false;
        Ok(())
    }

    /// Queues every delayed task whose deadline is `now` or before, and notes which tasks have
    /// waited for longer than their own bounds. Must be called before a task is chosen.
    pub fn queue_due(&mut self, now: u64) {
        while let Some((task, deadline)) = self.delayed.take_due(now) {
            self.delayed_count -= 1;
            self.enqueue(task, deadline);
        }
        while let Some(task) = self.bounded.take_late(now) {
            let position = self.position(task);
            self.bounded.add_overdue(position, task);
        }
        self.fair.advance(now);
    }

    /// The earliest deadline of a delayed task.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.delayed.next_deadline()
    }

    /// Removes the chosen task, to run it now.
    pub fn take(&mut self, choice: Choice, now: u64) -> TaskId {
        if self.fair.is_in_use() {
            let is_unkeyed_queued = self.oldest_unkeyed(choice.priority).is_some();
            let queue = number(self.tasks[choice.task as usize].queue);
            self.fair
                .start(queue, choice.priority, is_unkeyed_queued, now);
        }
        let taken = self.remove(choice.task);
        debug_assert_eq!(taken, Ok(()), "a choice is a queued task");
        self.last_taken = Some(choice.priority);
        choice.task
    }

    /// The time up to which the task that was last taken is charged, if it is.
    #[must_use]
    pub fn charged_until(&self) -> Option<u64> {
        self.fair.charged_until()
    }

    /// Leaves out this time, in nanoseconds, when the task that was last taken is charged.
    pub fn leave_out(&mut self, time: u64) {
        self.fair.leave_out(time);
    }

    /// Notes that the callback of the task last taken has ended, with its ticks and microtasks.
    pub fn end_task(&mut self, now: u64) {
        if !self.fair.is_running() {
            return;
        }
        self.fair.end(now);
        if let Some(priority) = self.last_taken
            && !self.fair.has_equal(priority)
            && self.oldest_unkeyed(priority).is_none()
        {
            self.fair.rest(priority, now);
        }
    }

    /// Whether code should yield to entries of its priority that have a key, or to those without a
    /// key if the code has one: see [`FairQueues::is_behind`].
    #[must_use]
    pub fn is_behind(
        &self,
        flow: Option<FlowId>,
        priority: EffectivePriority,
        time: u64,
        now: u64,
    ) -> bool {
        if !self.fair.is_in_use() {
            return false;
        }
        let is_unkeyed_queued = self.oldest_unkeyed(priority).is_some();
        self.fair
            .is_behind(flow, priority, is_unkeyed_queued, time, now)
    }

    /// The effective priority that the task last taken had in its queue.
    #[must_use]
    pub fn last_taken(&self) -> Option<EffectivePriority> {
        self.last_taken
    }

    /// Removes a queued or delayed task.
    pub fn remove(&mut self, task: TaskId) -> Result<(), QueueError> {
        if !self.contains(task) {
            return Err(QueueError::NoSuchTask(task));
        }
        let Task {
            queue,
            order,
            is_referenced,
            is_bounded,
            ..
        } = self.tasks[task as usize];
        self.unreferenced -= usize::from(!is_referenced);
        if order == DELAYED {
            self.delayed.remove(task);
            self.delayed_count -= 1;
            if is_bounded {
                self.bounded.remove_delayed(task);
            }
        } else {
            self.unlink(task, queue);
            self.queued -= 1;
        }
        self.tasks[task as usize] = Task::VACANT;
        if let Some(number) = number(queue)
            && self.dynamic.leave(number)
        {
            self.fair.unbind(number);
        }
        if self.is_empty() && self.tasks.capacity() > KEPT_WHEN_EMPTY {
            self.tasks = Vec::new();
        }
        Ok(())
    }

    /// Whether a task with this id waits.
    #[must_use]
    pub fn contains(&self, task: TaskId) -> bool {
        self.tasks
            .get(task as usize)
            .is_some_and(|place| !place.is_vacant())
    }

    /// Lists all tasks that wait: the queued ones by enqueue order, then the delayed ones by
    /// deadline and call order.
    #[must_use]
    pub fn waiting(&self) -> Vec<Waiting> {
        let ids = 0..self.tasks.len() as TaskId;
        let mut ids: Vec<TaskId> = ids.filter(|id| self.contains(*id)).collect();
        ids.sort_by_cached_key(|id| (self.tasks[*id as usize].order, self.delayed.order(*id)));
        let waiting = |task: TaskId| Waiting {
            task,
            priority: self.position(task).priority,
            is_delayed: self.tasks[task as usize].order == DELAYED,
        };
        ids.into_iter().map(waiting).collect()
    }

    /// The number of queued tasks of this effective priority. Looks at all dynamic queues, and at
    /// all tasks that have a bound of their own.
    #[must_use]
    pub fn queued_of(&self, priority: EffectivePriority) -> u32 {
        let of_bounded = self.bounded.queues().map(|queue| self.priority(queue));
        let bounded = of_bounded.filter(|of| *of == Ok(priority)).count();
        self.fixed[priority.index()].length() + self.dynamic.queued(priority) + bounded as u32
    }

    /// The time at which a waiting task was queued, or 0 if the time is unknown. It is known of
    /// tasks whose delay has passed, and of all tasks that were queued while a bound on waits was
    /// set.
    #[must_use]
    pub fn queued_at(&self, task: TaskId) -> u64 {
        self.tasks[task as usize].queued_at
    }

    /// The number of queued tasks, without delayed ones.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queued
    }

    /// The number of tasks, queued or delayed, that keep the process alive.
    #[must_use]
    pub fn referenced(&self) -> usize {
        self.queued + self.delayed_count - self.unreferenced
    }

    /// Whether a task waits, in a queue or for its delay, that keeps the process alive.
    #[must_use]
    pub fn keeps_alive(&self) -> bool {
        self.referenced() > 0
    }

    /// Whether no task waits, neither in a queue nor for its delay.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queued == 0 && self.delayed_count == 0
    }

    /// The highest effective priority of the queued tasks.
    #[must_use]
    pub fn highest(&self) -> Option<EffectivePriority> {
        let index = self.occupied.checked_ilog2()?;
        Some(EffectivePriority::ALL[index as usize])
    }

    /// Whether a background task, a continuation of one or an idle callback is queued.
    #[must_use]
    pub fn has_background(&self) -> bool {
        self.occupied & BACKGROUND != 0
    }

    /// Whether a user-visible task or a continuation of one is queued.
    #[must_use]
    pub fn has_user_visible(&self) -> bool {
        self.occupied & USER_VISIBLE != 0
    }

    /// The enqueue order of the next task to be queued. Lower orders are older.
    #[must_use]
    pub fn next_order(&self) -> u64 {
        self.next_order
    }

    fn add(&mut self, id: TaskId, queue: QueueId) -> Result<(), QueueError> {
        self.priority(queue)?;
        let index = id as usize;
        if id >= MAX_TASKS {
            return Err(QueueError::BadTaskId(id));
        }
        if index >= self.tasks.len() {
            self.tasks.resize(index + 1, Task::VACANT);
        }
        if !self.tasks[index].is_vacant() {
            return Err(QueueError::BadTaskId(id));
        }
        self.tasks[index] = Task::new(queue);
        if let Some(number) = number(queue) {
            self.dynamic.join(number);
        }
        Ok(())
    }

    fn enqueue(&mut self, id: TaskId, queued_at: u64) {
        let task = &mut self.tasks[id as usize];
        let (order, queue) = (self.next_order, task.queue);
        task.order = order;
        task.queued_at = queued_at;
        self.next_order += 1;
        self.queued += 1;
        let priority = match number(queue) {
            _ if task.is_bounded => {
                let position = self.position(id);
                self.bounded.append(position, id);
                position.priority
            }
            None => {
                self.fixed[queue as usize].append(&mut self.tasks, id);
                EffectivePriority::ALL[queue as usize]
            }
            Some(number) => self.dynamic.append(&mut self.tasks, number, id),
        };
        if let Some(number) = number(queue) {
            self.update_fair(number, priority);
        }
        self.occupied |= 1 << priority.index();
    }

    fn unlink(&mut self, id: TaskId, queue: QueueId) {
        let priority = match number(queue) {
            _ if self.tasks[id as usize].is_bounded => {
                let position = self.position(id);
                self.bounded.remove(position, id);
                position.priority
            }
            None => {
                self.fixed[queue as usize].remove(&mut self.tasks, id);
                EffectivePriority::ALL[queue as usize]
            }
            Some(number) => self.dynamic.remove(&mut self.tasks, number, id),
        };
        if let Some(number) = number(queue) {
            self.update_fair(number, priority);
        }
        self.update_occupied(priority);
    }

    /// Passes on the first task and the priority of a dynamic queue, which may have changed.
    fn update_fair(&mut self, number: u32, priority: EffectivePriority) {
        if self.fair.flow_of(number).is_some() {
            let first = self.first(number).map(|(_, order)| order);
            self.fair.update(number, priority, first);
        }
    }

    /// The oldest task of a dynamic queue, and its enqueue order.
    fn first(&self, number: u32) -> Option<(TaskId, u64)> {
        let listed = self.dynamic.first(number);
        let listed = listed.map(|task| (task, self.tasks[task as usize].order));
        let bounded = self.bounded.first(Self::dynamic_queue(number));
        oldest_of([listed, bounded])
    }

    /// The queue, the priority and the enqueue order of a waiting task.
    fn position(&self, id: TaskId) -> Position {
        let Task { queue, order, .. } = self.tasks[id as usize];
        let priority = self.priority(queue);
        debug_assert!(priority.is_ok(), "the queue of a waiting task exists");
        Position {
            queue,
            priority: priority.unwrap_or(EffectivePriority::Idle),
            is_keyed: number(queue).is_some_and(|number| self.fair.flow_of(number).is_some()),
            order,
        }
    }

    fn update_occupied(&mut self, priority: EffectivePriority) {
        let index = priority.index();
        let is_vacant = self.fixed[index].is_empty() && self.dynamic.is_vacant(priority);
        let has_bounded = |is_keyed| self.bounded.oldest(priority, is_keyed).is_some();
        if is_vacant && !has_bounded(false) && !has_bounded(true) {
            self.occupied &= !(1 << index);
        } else {
            self.occupied |= 1 << index;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_for_some_tasks_is_kept_when_none_waits_and_the_rest_is_given_back() {
        for (count, is_kept) in [(KEPT_WHEN_EMPTY / 2, true), (KEPT_WHEN_EMPTY + 1, false)] {
            let mut queues = TaskQueues::default();
            let ids = 0..count as TaskId;
            let added = ids
                .clone()
                .try_for_each(|id| queues.post(id, 0, Post::default(), 0));
            let removed = ids.clone().try_for_each(|id| {
                assert!(queues.tasks.capacity() > 0);
                queues.remove(id)
            });
            assert_eq!((added, removed), (Ok(()), Ok(())));
            assert_eq!(queues.tasks.capacity() > 0, is_kept);
        }
    }
}
