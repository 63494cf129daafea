//! One event loop's scheduler: its queues, its drains and where the loop stands.
//!
//! Owns the state that the loop hooks and JavaScript's calls work on, and decides what each of
//! them means for the hooks: when a checkpoint is needed, when the loop may not block, when the
//! process is held. Knows nothing of how any of that is done. Plain Rust.

use crate::drain::{CheckDrain, CheckpointDrain, DEFAULT_SLICE, Host};
use crate::priority::EffectivePriority;
use crate::task_queue::{QueueId, TaskId};
use crate::task_queues::{QueueError, TaskQueues};

/// From which effective priority on a task that is posted has to be told of at once, so that the
/// loop hooks or a checkpoint can be set up for it. All others can wait until the next question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// Any task: nothing is set up for the first one yet.
    Any,
    /// Tasks that run at a checkpoint: none is scheduled.
    Urgent,
    /// None: what is posted now is found in time.
    None,
}

/// Where a task is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The queue of all tasks of this priority.
    Fixed(EffectivePriority),
    /// A queue whose priority can change. It lasts until its last task is gone; the next task makes
    /// it anew, with this priority.
    Dynamic {
        /// Its id.
        queue: QueueId,
        /// Its priority now.
        priority: EffectivePriority,
    },
}

/// The scheduler's side of one libuv loop.
#[derive(Debug)]
pub struct EventLoop {
    queues: TaskQueues,
    checkpoint: CheckpointDrain,
    slice: u64,
    /// Between the prepare and the check hook. False until the first prepare hook, also where the
    /// loop is in its poll phase already, and for the rest of a poll phase that a nested run was
    /// part of: then a checkpoint does what the check hook would do.
    in_poll_phase: bool,
    /// A check drain is under way, here or further up the stack.
    draining: bool,
}

impl Default for EventLoop {
    fn default() -> Self {
        Self {
            queues: TaskQueues::default(),
            checkpoint: CheckpointDrain::default(),
            slice: DEFAULT_SLICE,
            in_poll_phase: false,
            draining: false,
        }
    }
}

impl EventLoop {
    /// Sets how long tasks may hold one turn of the loop, in nanoseconds, from the next drain on.
    pub fn set_time_slice(&mut self, slice: u64) {
        self.slice = slice;
    }

    /// Bounds the wait of background tasks, in nanoseconds, or leaves it unbounded.
    pub fn set_background_timeout(&mut self, timeout: Option<u64>) {
        self.queues.set_background_timeout(timeout);
    }

    /// Puts a new task at the end of a queue; returns the queue's priority.
    pub fn post(
        &mut self,
        task: TaskId,
        queue: Destination,
    ) -> Result<EffectivePriority, QueueError> {
        let queue = self.open(queue)?;
        self.queues.append(task, queue)?;
        self.queues.priority(queue)
    }

    /// Adds a new task that is put at the end of a queue when `deadline` has passed.
    pub fn post_delayed(
        &mut self,
        task: TaskId,
        queue: Destination,
        deadline: u64,
    ) -> Result<(), QueueError> {
        let queue = self.open(queue)?;
        self.queues.append_delayed(task, queue, deadline)
    }

    fn open(&mut self, queue: Destination) -> Result<QueueId, QueueError> {
        match queue {
            Destination::Fixed(priority) => Ok(TaskQueues::fixed_queue(priority)),
            Destination::Dynamic { queue, priority } => {
                self.queues.open_queue(queue, priority)?;
                Ok(queue)
            }
        }
    }

    /// Takes a waiting task out.
    pub fn remove(&mut self, task: TaskId) -> Result<(), QueueError> {
        self.queues.remove(task)
    }

    /// Moves a queue to another priority; says whether a checkpoint drain has to be started.
    pub fn set_priority(
        &mut self,
        queue: QueueId,
        priority: EffectivePriority,
    ) -> Result<bool, QueueError> {
        let holds_tasks = self.queues.set_priority(queue, priority)?;
        Ok(holds_tasks && self.needs_checkpoint(priority))
    }

    /// The loop is about to poll. Says whether it must not block there: while tasks are queued, and
    /// when the last one went without a check phase, which is yet to release the process.
    pub fn prepare(&mut self) -> bool {
        self.in_poll_phase = true;
        self.queues.queued() > 0 || self.queues.is_empty()
    }

    /// The loop has polled: begins the drain of its check phase, unless nothing waits. The value
    /// beside the drain goes back to [`end_check`](Self::end_check).
    pub fn begin_check(&mut self, host: &impl Host) -> Option<(CheckDrain, bool)> {
        self.in_poll_phase = false;
        self.checkpoint.begin_turn();
        if self.queues.is_empty() {
            return None;
        }
        let outer = std::mem::replace(&mut self.draining, true);
        Some((CheckDrain::begin(&mut self.queues, host, self.slice), outer))
    }

    /// Takes the next task of a check drain.
    pub fn next_in_check(&mut self, drain: &mut CheckDrain, host: &impl Host) -> Option<TaskId> {
        drain.next(&mut self.queues, host)
    }

    /// The drain that [`begin_check`](Self::begin_check) began is over.
    pub fn end_check(&mut self, outer: bool) {
        self.draining = outer;
    }

    /// Takes the next task of the checkpoint drain; none ends it.
    pub fn next_at_checkpoint(&mut self, host: &impl Host) -> Option<TaskId> {
        self.checkpoint.next(&mut self.queues, host, self.slice)
    }

    /// Queues the delayed tasks that are due.
    pub fn queue_due(&mut self, host: &impl Host) {
        self.queues.advance(host.now());
    }

    /// When the next delayed task is due.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.queues.next_deadline()
    }

    /// Whether no task waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Whether the loop is in its poll phase, as far as the hooks have told.
    #[must_use]
    pub fn is_in_poll_phase(&self) -> bool {
        self.in_poll_phase
    }

    /// Whether a check drain is under way: a prepare hook that comes now belongs to a nested run.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.draining
    }

    /// Whether a checkpoint drain has to be started for a task of this priority that was queued or
    /// raised. Inside the poll phase and inside a drain the task is found without one.
    pub fn needs_checkpoint(&mut self, priority: EffectivePriority) -> bool {
        self.starts_at_checkpoints() && self.checkpoint.schedule(priority, self.slice)
    }

    /// What has to be told at once, where the hooks are set up for tasks that wait.
    #[must_use]
    pub fn attention(&self) -> Attention {
        if self.starts_at_checkpoints() && self.checkpoint.can_schedule(self.slice) {
            Attention::Urgent
        } else {
            Attention::None
        }
    }

    fn starts_at_checkpoints(&self) -> bool {
        !self.in_poll_phase && !self.draining
    }
}
