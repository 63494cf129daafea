//! The task queues beside a naive oracle.
//!
//! Owns the oracle, the steps that both take, and the comparison after each. Knows nothing of where
//! steps come from: strategies of proptest (`task_queues_tests.rs`) or bytes of a fuzzer (`fuzz/`).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use crate::priority::EffectivePriority;
use crate::task_queue::{QueueId, TaskId};
use crate::task_queues::{Choice, MAX_TASKS, QueueError, TaskQueues};

/// The specification's own way: a list of tasks, each naming its queue; every question is a scan.
#[derive(Debug, Default)]
struct Oracle {
    queues: BTreeMap<QueueId, EffectivePriority>,
    tasks: BTreeMap<TaskId, (QueueId, Wait)>,
    next_order: u64,
    next_call: u64,
}

/// What a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wait {
    /// Its turn, by enqueue order.
    Queued(u64),
    /// Its deadline; then the order of the calls.
    Delayed(u64, u64),
}

impl Oracle {
    fn priority(&self, queue: QueueId) -> Result<EffectivePriority, QueueError> {
        EffectivePriority::ALL
            .get(queue as usize)
            .or_else(|| self.queues.get(&queue))
            .copied()
            .ok_or(QueueError::NoSuchQueue(queue))
    }

    fn set_priority(
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

    fn append(&mut self, task: TaskId, queue: QueueId) -> Result<(), QueueError> {
        self.add(task, queue, Wait::Queued(self.next_order))?;
        self.next_order += 1;
        Ok(())
    }

    fn append_delayed(
        &mut self,
        task: TaskId,
        queue: QueueId,
        deadline: u64,
    ) -> Result<(), QueueError> {
        self.add(task, queue, Wait::Delayed(deadline, self.next_call))?;
        self.next_call += 1;
        Ok(())
    }

    fn add(&mut self, task: TaskId, queue: QueueId, wait: Wait) -> Result<(), QueueError> {
        self.priority(queue)?;
        if task as usize >= MAX_TASKS || self.tasks.contains_key(&task) {
            return Err(QueueError::BadTaskId(task));
        }
        self.tasks.insert(task, (queue, wait));
        Ok(())
    }

    fn queue_due(&mut self, now: u64) {
        let mut due: Vec<(Wait, TaskId)> = Vec::new();
        for (task, (_, wait)) in &self.tasks {
            if matches!(*wait, Wait::Delayed(deadline, _) if deadline <= now) {
                due.push((*wait, *task));
            }
        }
        due.sort_unstable();
        for (_, task) in due {
            let (_, wait) = self.tasks.get_mut(&task).unwrap();
            *wait = Wait::Queued(self.next_order);
            self.next_order += 1;
        }
    }

    fn remove(&mut self, task: TaskId) -> Result<(), QueueError> {
        let Some((queue, _)) = self.tasks.remove(&task) else {
            return Err(QueueError::NoSuchTask(task));
        };
        if self.queues.contains_key(&queue) && self.tasks.values().all(|(q, _)| *q != queue) {
            self.queues.remove(&queue);
        }
        Ok(())
    }

    fn choose(&self) -> Option<Choice> {
        self.choices().min_by_key(rank)
    }

    /// The queued tasks in the order in which they are to run.
    fn in_order(&self) -> Vec<Choice> {
        let mut choices: Vec<Choice> = self.choices().collect();
        choices.sort_by_key(rank);
        choices
    }

    fn choices(&self) -> impl Iterator<Item = Choice> {
        self.queued().map(|(task, queue, order)| Choice {
            task,
            priority: self.priority(queue).unwrap(),
            order,
        })
    }

    fn next_deadline(&self) -> Option<u64> {
        let delayed = self.tasks.values().filter_map(|(_, wait)| match wait {
            Wait::Delayed(deadline, _) => Some(*deadline),
            Wait::Queued(_) => None,
        });
        delayed.min()
    }

    fn queued(&self) -> impl Iterator<Item = (TaskId, QueueId, u64)> {
        self.tasks
            .iter()
            .filter_map(|(task, (queue, wait))| match wait {
                Wait::Queued(order) => Some((*task, *queue, *order)),
                Wait::Delayed(..) => None,
            })
    }
}

/// The highest effective priority comes first, then the oldest task.
fn rank(choice: &Choice) -> (Reverse<EffectivePriority>, u64) {
    (Reverse(choice.priority), choice.order)
}

/// Names one of the queues or tasks that there are when the step is taken, by any number, or one
/// that is not there.
pub type Pick = u16;

/// What is asked of the queues.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Makes a dynamic queue.
    OpenQueue(EffectivePriority),
    /// Appends a task whose id is free.
    Append(Pick),
    /// Appends a task of this id, even if it is in use or too large.
    AppendAs(TaskId, Pick),
    /// Appends a task that waits so long.
    AppendDelayed(Pick, u64),
    /// Moves a queue to another priority.
    SetPriority(Pick, EffectivePriority),
    /// Removes a task, queued or delayed.
    Remove(Pick),
    /// Takes the chosen task.
    Take,
    /// Lets time pass.
    Advance(u64),
}

impl Step {
    /// The same with a queue or task further on.
    fn further(self, by: Pick) -> Self {
        match self {
            Self::Append(pick) => Self::Append(pick.wrapping_add(by)),
            Self::AppendDelayed(pick, delay) => Self::AppendDelayed(pick.wrapping_add(by), delay),
            Self::SetPriority(pick, to) => Self::SetPriority(pick.wrapping_add(by), to),
            Self::Remove(pick) => Self::Remove(pick.wrapping_add(by)),
            _ => self,
        }
    }
}

/// The queues and the oracle, which take the same steps.
#[derive(Debug, Default)]
pub struct Compared {
    queues: TaskQueues,
    oracle: Oracle,
    now: u64,
    /// Ids that were in use, the last one free first, as in a slab.
    free: Vec<TaskId>,
    next_task: TaskId,
    /// A dynamic queue that was removed; its id may be in use again.
    removed_queue: QueueId,
    /// Whether each call is printed before it is made.
    pub traced: bool,
}

impl Compared {
    /// Takes a step so many times, on one queue or task after the other, then compares all that
    /// can be asked. Panics at a difference.
    pub fn step(&mut self, step: Step, times: u16) {
        for round in 0..times {
            self.apply(step.further(round.wrapping_mul(2)));
        }
        self.compare();
    }

    /// Lets every delay pass and takes every task. Panics at a difference.
    pub fn finish(mut self) {
        self.step(Step::Advance(u64::MAX), 1);
        for choice in self.oracle.in_order() {
            assert_eq!(self.queues.choose(), Some(choice), "the task to run next");
            self.trace(format_args!("take({choice:?});"));
            self.queues.take(choice);
        }
        assert_eq!(self.queues.choose(), None, "the task to run next");
        assert!(self.queues.is_empty(), "every task was taken");
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::OpenQueue(priority) => {
                let numbers = (0..).map(TaskQueues::dynamic_queue);
                let is_free = |queue: &QueueId| !self.oracle.queues.contains_key(queue);
                let queue = numbers.into_iter().find(is_free).unwrap();
                self.trace(format_args!("open_queue({queue}, {priority:?});"));
                assert_eq!(self.queues.open_queue(queue, priority), Ok(()));
                self.oracle.queues.insert(queue, priority);
            }
            Step::Append(pick) => {
                let task = self.free_task();
                self.append(task, self.pick_queue(pick));
            }
            Step::AppendAs(task, pick) => self.append(task, self.pick_queue(pick)),
            Step::AppendDelayed(pick, delay) => {
                let (task, queue) = (self.free_task(), self.pick_queue(pick));
                let deadline = self.now.saturating_add(delay);
                self.trace(format_args!("append_delayed({task}, {queue}, {deadline});"));
                let done = self.queues.append_delayed(task, queue, deadline);
                assert_eq!(done, self.oracle.append_delayed(task, queue, deadline));
            }
            Step::SetPriority(pick, priority) => {
                let queue = self.pick_queue(pick);
                self.trace(format_args!("set_priority({queue}, {priority:?});"));
                let done = self.queues.set_priority(queue, priority);
                assert_eq!(done, self.oracle.set_priority(queue, priority));
            }
            Step::Remove(pick) => {
                let task = self.pick_task(pick);
                self.trace(format_args!("remove({task});"));
                let done = self.queues.remove(task);
                self.remove_from_oracle(task, done);
            }
            Step::Take => self.take(),
            Step::Advance(time) => {
                self.now = self.now.saturating_add(time);
                self.trace(format_args!("advance({});", self.now));
                self.queues.advance(self.now);
                self.oracle.queue_due(self.now);
            }
        }
    }

    fn append(&mut self, task: TaskId, queue: QueueId) {
        self.trace(format_args!("append({task}, {queue});"));
        let done = self.queues.append(task, queue);
        assert_eq!(done, self.oracle.append(task, queue));
    }

    fn take(&mut self) {
        let choice = self.queues.choose();
        assert_eq!(choice, self.oracle.choose(), "the task to run next");
        if let Some(choice) = choice {
            self.trace(format_args!("take({choice:?});"));
            let task = self.queues.take(choice);
            assert_eq!(task, choice.task);
            self.remove_from_oracle(task, Ok(()));
        }
    }

    fn remove_from_oracle(&mut self, task: TaskId, done: Result<(), QueueError>) {
        let queue = self.oracle.tasks.get(&task).map(|(queue, _)| *queue);
        assert_eq!(done, self.oracle.remove(task));
        if let Some(queue) = queue {
            self.free.push(task);
            if self.oracle.priority(queue).is_err() {
                self.removed_queue = queue;
            }
        }
    }

    fn compare(&self) {
        let Self { queues, oracle, .. } = self;
        assert_eq!(queues.choose(), oracle.choose(), "the task to run next");
        assert_eq!(queues.is_empty(), oracle.tasks.is_empty(), "is_empty");
        assert_eq!(queues.queued(), oracle.queued().count(), "queued tasks");
        assert_eq!(queues.next_order(), oracle.next_order, "next order");
        assert_eq!(queues.next_deadline(), oracle.next_deadline(), "deadline");
        for queue in oracle.queues.keys().chain([&self.removed_queue]) {
            assert_eq!(queues.priority(*queue), oracle.priority(*queue));
        }
        for task in oracle.tasks.keys() {
            assert!(queues.contains(*task), "task {task} waits");
        }
        if let Some(task) = self.free.last() {
            let waits = oracle.tasks.contains_key(task);
            assert_eq!(queues.contains(*task), waits, "task {task} waits");
        }
    }

    /// Fixed queues for even numbers; dynamic ones, and one that may be gone, for odd numbers.
    fn pick_queue(&self, pick: Pick) -> QueueId {
        let index = usize::from(pick / 2);
        if pick.is_multiple_of(2) {
            return (index % EffectivePriority::ALL.len()) as QueueId;
        }
        let dynamic = &self.oracle.queues;
        let id = (EffectivePriority::ALL.len() + index % (dynamic.len() + 1)) as QueueId;
        let at = dynamic.range(id..).next();
        at.map_or(self.removed_queue, |(queue, _)| *queue)
    }

    /// A task that waits, or one that may not.
    fn pick_task(&self, pick: Pick) -> TaskId {
        let tasks = &self.oracle.tasks;
        let at = tasks.range(TaskId::from(pick) % (tasks.len() as TaskId + 1)..);
        let absent = *self.free.last().unwrap_or(&self.next_task);
        at.map(|(task, _)| *task).next().unwrap_or(absent)
    }

    fn free_task(&mut self) -> TaskId {
        while let Some(task) = self.free.pop() {
            if !self.oracle.tasks.contains_key(&task) {
                return task;
            }
        }
        while self.oracle.tasks.contains_key(&self.next_task) {
            self.next_task += 1;
        }
        self.next_task
    }

    fn trace(&self, call: fmt::Arguments) {
        if self.traced {
            eprintln!("queues.{call}");
        }
    }
}
