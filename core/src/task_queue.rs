//! One scheduler task queue: first in, first out, with removal from anywhere.
//!
//! The links between the tasks of a queue lie in the tasks themselves, so append and removal take
//! constant time and allocate nothing. Source: "Scheduling Tasks and Continuations", scheduler task
//! queue.

/// Identifies a task from when it is posted until it is taken or removed. The poster chooses small
/// numbers and reuses them: they are indices into a table.
pub type TaskId = u32;

/// Identifies a task queue.
pub type QueueId = u32;

/// No task: the end of a queue.
const NONE: TaskId = TaskId::MAX;

/// The enqueue order of a task that waits for its delay.
pub const DELAYED: u64 = u64::MAX;

/// The older of two tasks, each with its enqueue order. Two tasks never have the same one.
#[must_use]
pub fn oldest_of(tasks: [Option<(TaskId, u64)>; 2]) -> Option<(TaskId, u64)> {
    match tasks {
        [Some(one), Some(other)] => Some(if one.1 < other.1 { one } else { other }),
        [one, other] => one.or(other),
    }
}

/// A scheduler task, as the queues see it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The queue that the task is in, or will be in when its delay has passed.
    pub queue: QueueId,
    /// Enqueue order: smaller is older. [`DELAYED`] while the task waits for its delay.
    pub order: u64,
    /// When the task was posted, or its delay had passed. 0 if it had no delay and no bound on
    /// waits was set.
    pub queued_at: u64,
    /// Whether the task keeps the process alive while it waits.
    pub is_referenced: bool,
    /// Whether the task has a bound of its own on its wait.
    pub is_bounded: bool,
    previous: TaskId,
    next: TaskId,
}

/// The queue of a vacant place in the table.
const NO_QUEUE: QueueId = QueueId::MAX;

impl Task {
    /// A place in the table without a task.
    pub const VACANT: Self = Self {
        queue: NO_QUEUE,
        order: DELAYED,
        queued_at: 0,
        is_referenced: true,
        is_bounded: false,
        previous: NONE,
        next: NONE,
    };

    /// A task that is in no queue yet.
    #[must_use]
    pub fn new(queue: QueueId) -> Self {
        Self {
            queue,
            ..Self::VACANT
        }
    }

    /// Whether this place has no task.
    #[must_use]
    pub fn is_vacant(&self) -> bool {
        self.queue == NO_QUEUE
    }
}

/// The tasks of one queue, the oldest first.
///
/// Invariant: `first` and `last` are both [`NONE`], or both tasks of this queue, and following
/// `next` from `first` leads to `last`, with rising enqueue orders.
#[derive(Debug)]
pub struct TaskQueue {
    first: TaskId,
    last: TaskId,
    length: u32,
}

impl Default for TaskQueue {
    fn default() -> Self {
        Self {
            first: NONE,
            last: NONE,
            length: 0,
        }
    }
}

impl TaskQueue {
    /// The oldest task.
    #[must_use]
    pub fn first(&self) -> Option<TaskId> {
        (self.first != NONE).then_some(self.first)
    }

    /// Whether the queue has no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// The number of tasks.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Appends a task, which must be in no queue.
    pub fn append(&mut self, tasks: &mut [Task], id: TaskId) {
        let task = &mut tasks[id as usize];
        task.previous = self.last;
        task.next = NONE;
        match self.last {
            NONE => self.first = id,
            last => tasks[last as usize].next = id,
        }
        self.last = id;
        self.length += 1;
    }

    /// Removes a task from anywhere in the queue. It must be in this queue.
    pub fn remove(&mut self, tasks: &mut [Task], id: TaskId) {
        let Task { previous, next, .. } = tasks[id as usize];
        match previous {
            NONE => self.first = next,
            previous => tasks[previous as usize].next = next,
        }
        match next {
            NONE => self.last = previous,
            next => tasks[next as usize].previous = previous,
        }
        self.length -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: TaskId) -> (Vec<Task>, TaskQueue) {
        let mut tasks = vec![Task::new(0); count as usize];
        let mut queue = TaskQueue::default();
        for id in 0..count {
            queue.append(&mut tasks, id);
        }
        (tasks, queue)
    }

    fn emptied(mut tasks: Vec<Task>, mut queue: TaskQueue) -> Vec<TaskId> {
        let mut ids = Vec::new();
        let length = queue.length();
        while let Some(id) = queue.first() {
            queue.remove(&mut tasks, id);
            ids.push(id);
        }
        assert_eq!((length as usize, queue.length()), (ids.len(), 0));
        ids
    }

    #[test]
    fn tasks_leave_a_queue_in_the_order_they_were_appended() {
        let (tasks, queue) = filled(4);
        assert_eq!(emptied(tasks, queue), [0, 1, 2, 3]);
    }

    #[test]
    fn removing_a_task_keeps_the_order_of_the_others() {
        for removed in 0..4 {
            let (mut tasks, mut queue) = filled(4);
            queue.remove(&mut tasks, removed);
            let left: Vec<TaskId> = (0..4).filter(|id| *id != removed).collect();
            assert_eq!(emptied(tasks, queue), left);
        }
    }

    #[test]
    fn a_queue_that_was_emptied_can_be_filled_again() {
        let (mut tasks, mut queue) = filled(1);
        queue.remove(&mut tasks, 0);
        assert!(queue.is_empty());
        queue.append(&mut tasks, 0);
        assert_eq!(queue.first(), Some(0));
    }
}
