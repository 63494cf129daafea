//! The oracle: the behaviour of the queues, written after the specification.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::FlowId;
use uv_scheduler_core::protocol::MAX_TASKS;
use uv_scheduler_core::shares::KeyId;
use uv_scheduler_core::task_queue::{QueueId, TaskId};
use uv_scheduler_core::task_queues::{Choice, Post, QueueError};

use crate::fair::{Fair, Queued};

/// The oracle, close to the specification: a list of tasks, each with its queue. Every question is
/// a scan.
#[derive(Debug, Default)]
pub struct Oracle {
    pub queues: BTreeMap<QueueId, EffectivePriority>,
    pub tasks: BTreeMap<TaskId, (QueueId, Wait)>,
    /// The time at which each task was queued; not before a bound was set, unless the task has a
    /// bound of its own.
    queued_at: BTreeMap<TaskId, u64>,
    /// The bounds that tasks have of their own.
    own_bounds: BTreeMap<TaskId, u64>,
    /// The tasks that do not keep the process alive.
    unreferenced: BTreeSet<TaskId>,
    max_wait: MaxWait,
    fair: Fair,
    pub next_order: u64,
    next_call: u64,
}

/// The state in which a task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// In a queue, with this enqueue order.
    Queued(u64),
    /// For its delay, with this deadline and call order.
    Delayed(u64, u64),
}

impl Oracle {
    pub fn priority(&self, queue: QueueId) -> Result<EffectivePriority, QueueError> {
        EffectivePriority::ALL
            .get(queue as usize)
            .or_else(|| self.queues.get(&queue))
            .copied()
            .ok_or(QueueError::NoSuchQueue(queue))
    }

    pub fn set_priority(
        &mut self,
        queue: QueueId,
        priority: EffectivePriority,
    ) -> Result<bool, QueueError> {
        let Some(current) = self.queues.get_mut(&queue) else {
            return Err(QueueError::NoSuchQueue(queue));
        };
        *current = priority;
        Ok(self.queued().any(|(_, other, _)| other == queue))
    }

    pub fn set_max_wait(&mut self, max_wait: MaxWait, now: u64) {
        if !self.max_wait.is_set() {
            // The wait of queued tasks counts from now.
            for (task, queued_at) in &mut self.queued_at {
                if !self.own_bounds.contains_key(task) {
                    *queued_at = now;
                }
            }
        }
        self.max_wait = max_wait;
    }

    pub fn post(
        &mut self,
        task: TaskId,
        queue: QueueId,
        post: Post,
        now: u64,
    ) -> Result<(), QueueError> {
        if let Some(deadline) = post.deadline {
            self.add(task, queue, Wait::Delayed(deadline, self.next_call))?;
            self.next_call += 1;
        } else {
            self.add(task, queue, Wait::Queued(self.next_order))?;
            self.queued_at.insert(task, now);
            self.next_order += 1;
        }
        if let Some(max_wait) = post.max_wait {
            self.own_bounds.insert(task, max_wait);
        }
        Ok(())
    }

    fn add(&mut self, task: TaskId, queue: QueueId, wait: Wait) -> Result<(), QueueError> {
        self.priority(queue)?;
        if task >= MAX_TASKS || self.tasks.contains_key(&task) {
            return Err(QueueError::BadTaskId(task));
        }
        self.tasks.insert(task, (queue, wait));
        Ok(())
    }

    pub fn unreference(&mut self, task: TaskId) -> Result<(), QueueError> {
        if !self.tasks.contains_key(&task) {
            return Err(QueueError::NoSuchTask(task));
        }
        self.unreferenced.insert(task);
        Ok(())
    }

    pub fn keeps_alive(&self) -> bool {
        self.tasks
            .keys()
            .any(|task| !self.unreferenced.contains(task))
    }

    pub fn queue_due(&mut self, now: u64) {
        let mut due: Vec<(Wait, TaskId)> = Vec::new();
        for (task, (_, wait)) in &self.tasks {
            if matches!(*wait, Wait::Delayed(deadline, _) if deadline <= now) {
                due.push((*wait, *task));
            }
        }
        due.sort_unstable();
        for (was, task) in due {
            let (_, wait) = self.tasks.get_mut(&task).unwrap();
            *wait = Wait::Queued(self.next_order);
            self.next_order += 1;
            if let Wait::Delayed(deadline, _) = was {
                self.queued_at.insert(task, deadline);
            }
        }
        if self.fair.is_unused() {
            return;
        }
        self.observe();
        self.fair.advance(&self.with_queues(), now);
    }

    pub fn remove(&mut self, task: TaskId) -> Result<(), QueueError> {
        let Some((queue, _)) = self.tasks.remove(&task) else {
            return Err(QueueError::NoSuchTask(task));
        };
        self.queued_at.remove(&task);
        self.own_bounds.remove(&task);
        self.unreferenced.remove(&task);
        if self.queues.contains_key(&queue) && self.tasks.values().all(|(q, _)| *q != queue) {
            self.queues.remove(&queue);
            self.fair.unbind(queue);
        }
        Ok(())
    }

    pub fn choose(&self, now: u64, with_overdue_background: bool) -> Option<Choice> {
        let first = self
            .choices(now, with_overdue_background)
            .min_by_key(rank)?;
        if first.is_overdue {
            return Some(first);
        }
        Some(self.fair.next(&self.with_queues(), first))
    }

    pub fn open_flow(&mut self, flow: FlowId, key: KeyId, weight: f64) -> Result<(), QueueError> {
        if self.fair.is_open(flow) {
            return Err(QueueError::BadFlow(flow));
        }
        self.fair.open(flow, key, weight);
        Ok(())
    }

    pub fn bind(&mut self, queue: QueueId, flow: FlowId) -> Result<(), QueueError> {
        if !self.fair.is_open(flow) {
            return Err(QueueError::BadFlow(flow));
        }
        self.fair.bind(queue, flow);
        Ok(())
    }

    pub fn close_flow(&mut self, flow: FlowId, now: u64) -> Result<(), QueueError> {
        if self.fair.has_queue(flow) || !self.fair.is_open(flow) {
            return Err(QueueError::BadFlow(flow));
        }
        self.fair.close(flow, false, now);
        Ok(())
    }

    /// Must be called while the task is still queued.
    pub fn start(&mut self, choice: Choice, now: u64) {
        let queued = self.with_queues();
        let (queue, _) = self.tasks[&choice.task];
        self.fair.start(&queued, (queue, choice), now);
    }

    pub fn end_task(&mut self, now: u64) {
        self.fair.end(&self.with_queues(), now);
    }

    /// Must be called after each step.
    pub fn observe(&mut self) {
        if self.fair.is_unused() {
            return;
        }
        self.fair.observe(&self.with_queues());
    }

    fn with_queues(&self) -> Vec<Queued> {
        let queued = self.queued().map(|(task, queue, order)| {
            let choice = Choice {
                task,
                priority: self.priority(queue).unwrap(),
                order,
                is_overdue: false,
            };
            (queue, choice)
        });
        queued.collect()
    }

    fn choices(&self, now: u64, with_overdue_background: bool) -> impl Iterator<Item = Choice> {
        self.queued().map(move |(task, queue, order)| {
            let priority = self.priority(queue).unwrap();
            let waited = now.saturating_sub(self.queued_at[&task]);
            let is_late = self
                .bound(task, priority)
                .is_some_and(|bound| waited > bound);
            let is_background = priority < EffectivePriority::UserVisible;
            Choice {
                task,
                priority,
                order,
                is_overdue: is_late && (with_overdue_background || !is_background),
            }
        })
    }

    fn bound(&self, task: TaskId, priority: EffectivePriority) -> Option<u64> {
        use EffectivePriority::*;
        let own = self.own_bounds.get(&task).copied();
        match priority {
            Idle | UserBlocking | UserBlockingContinuation => None,
            _ => own.or(self.max_wait.of(priority)),
        }
    }

    pub fn next_deadline(&self) -> Option<u64> {
        let delayed = self.tasks.values().filter_map(|(_, wait)| match wait {
            Wait::Delayed(deadline, _) => Some(*deadline),
            Wait::Queued(_) => None,
        });
        delayed.min()
    }

    pub fn queued_of(&self, priority: EffectivePriority) -> u32 {
        let queues = self.queued().map(|(_, queue, _)| self.priority(queue));
        queues.filter(|of| *of == Ok(priority)).count() as u32
    }

    pub fn queued(&self) -> impl Iterator<Item = (TaskId, QueueId, u64)> {
        self.tasks
            .iter()
            .filter_map(|(task, (queue, wait))| match wait {
                Wait::Queued(order) => Some((*task, *queue, *order)),
                Wait::Delayed(..) => None,
            })
    }
}

/// The highest effective priority comes first, then the oldest task. Overdue tasks rank between
/// user-visible continuations and user-blocking tasks.
fn rank(choice: &Choice) -> (Reverse<u32>, u64) {
    let rank = match choice.is_overdue {
        true => 2 * EffectivePriority::UserVisibleContinuation.rank() + 1,
        false => 2 * choice.priority.rank(),
    };
    (Reverse(rank), choice.order)
}
