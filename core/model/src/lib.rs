//! Compares the task queues with a naive oracle.
//!
//! Both take the same steps and are compared after each. The steps come from proptest's strategies
//! (`core/tests/task_queues/`) or from the bytes of a fuzzer (`core/fuzz/`).

pub mod fair;
mod oracle;

use std::fmt;

use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::Destination;
use uv_scheduler_core::protocol::FlowId;
use uv_scheduler_core::task_queue::{QueueId, TaskId};
use uv_scheduler_core::task_queues::{Post, QueueError, TaskQueues};

use oracle::Oracle;

/// A number that selects one of the queues or tasks that exist when the step is taken, or one that
/// does not exist.
pub type Pick = u16;

/// An operation on the queues.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Creates a dynamic queue.
    OpenQueue(EffectivePriority),
    /// Appends a task with an unused id.
    Append(Pick),
    /// Appends a task with this id, even if it is in use or too large.
    AppendAs(TaskId, Pick),
    /// Appends a task with this delay.
    AppendDelayed(Pick, u64),
    /// Appends a task with this delay, and this bound of its own on its wait.
    AppendBounded(Pick, u64, u64),
    /// Moves a queue to another priority.
    SetPriority(Pick, EffectivePriority),
    /// Removes a task, queued or delayed.
    Remove(Pick),
    /// Lets the process end while a task waits, queued or delayed.
    Unreference(Pick),
    /// Takes the chosen task, which runs from now on.
    Take,
    /// The task that runs ends after so many milliseconds.
    End(u64),
    /// Opens a flow of one of few keys, with one of few weights.
    OpenFlow(u8),
    /// Creates a dynamic queue that belongs to a flow.
    OpenQueueOf(Pick, EffectivePriority),
    /// Closes a flow, if it has nothing queued or delayed.
    CloseFlow(Pick),
    /// Lets time pass.
    Advance(u64),
    /// Bounds the wait of user-visible and background tasks. 0: no bound.
    SetMaxWait(u64, u64),
}

impl Step {
    /// The same step with a later queue or task.
    fn further(self, by: Pick) -> Self {
        match self {
            Self::Append(pick) => Self::Append(pick.wrapping_add(by)),
            Self::AppendDelayed(pick, delay) => Self::AppendDelayed(pick.wrapping_add(by), delay),
            Self::AppendBounded(pick, delay, bound) => {
                Self::AppendBounded(pick.wrapping_add(by), delay, bound)
            }
            Self::SetPriority(pick, to) => Self::SetPriority(pick.wrapping_add(by), to),
            Self::Remove(pick) => Self::Remove(pick.wrapping_add(by)),
            Self::Unreference(pick) => Self::Unreference(pick.wrapping_add(by)),
            Self::OpenQueueOf(pick, of) => Self::OpenQueueOf(pick.wrapping_add(by), of),
            Self::CloseFlow(pick) => Self::CloseFlow(pick.wrapping_add(by)),
            _ => self,
        }
    }
}

/// The weights of keys.
const WEIGHTS: [f64; 4] = [1.0, 3.0, 1e-6, 1e6];

/// There are fewer flows than this, so that each is picked again.
const FLOWS: Pick = 6;

/// The queues and the oracle, which take the same steps.
#[derive(Debug, Default)]
pub struct Compared {
    queues: TaskQueues,
    oracle: Oracle,
    now: u64,
    /// Released ids, reused in reverse order, as in a slab.
    free: Vec<TaskId>,
    next_task: TaskId,
    /// A dynamic queue that was removed. Its id may have been reused.
    removed_queue: QueueId,
    /// Whether each call is printed before it is made.
    pub traced: bool,
}

impl Compared {
    /// Takes a step this many times, on one queue or task after the other, then compares all
    /// answers. Panics at a difference.
    pub fn step(&mut self, step: Step, times: u16) {
        for round in 0..times {
            self.apply(step.further(round.wrapping_mul(2)));
            self.oracle.observe();
        }
        self.compare();
    }

    /// Lets every delay pass and takes every task. Panics at a difference.
    pub fn finish(mut self) {
        self.step(Step::Advance(u64::MAX), 1);
        while self.oracle.queued().next().is_some() {
            self.take();
        }
        let left = self.queues.choose(self.now, true);
        assert_eq!(left, None, "the task to run next");
        assert!(self.queues.is_empty(), "every task was taken");
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::OpenQueue(priority) => {
                let queue = self.free_queue();
                self.open_queue(queue, priority);
            }
            Step::Append(pick) => {
                let task = self.free_task();
                self.post(task, pick, Post::default());
            }
            Step::AppendAs(task, pick) => self.post(task, pick, Post::default()),
            Step::AppendDelayed(pick, delay) => {
                let post = Post {
                    deadline: Some(self.now.saturating_add(delay)),
                    ..Post::default()
                };
                let task = self.free_task();
                self.post(task, pick, post);
            }
            Step::AppendBounded(pick, delay, bound) => {
                // Like the event loop, so that enqueue order is order of age.
                self.queue_due();
                let post = Post {
                    deadline: (delay > 0).then(|| self.now.saturating_add(delay)),
                    max_wait: Some(bound),
                };
                let task = self.free_task();
                self.post(task, pick, post);
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
            Step::Unreference(pick) => {
                let task = self.pick_task(pick);
                self.trace(format_args!("unreference({task});"));
                let done = self.queues.unreference(task);
                assert_eq!(done, self.oracle.unreference(task));
            }
            Step::Take => self.take(),
            Step::End(milliseconds) => {
                self.now = self.now.saturating_add(milliseconds * 1_000_000);
                self.trace(format_args!("end_task({});", self.now));
                self.queues.end_task(self.now);
                self.oracle.end_task(self.now);
                self.queue_due();
            }
            Step::OpenFlow(number) => {
                let key = u32::from(number) % WEIGHTS.len() as u32;
                let flow = FlowId::from(u16::from(number / 8) % FLOWS);
                let weight = WEIGHTS[key as usize];
                self.trace(format_args!("flows_mut().set_weight({key}, {weight:?});"));
                assert!(self.queues.flows_mut().set_weight(key, weight));
                self.trace(format_args!("open_flow({flow}, {key});"));
                let expected = self.oracle.open_flow(flow, key, weight);
                assert_eq!(self.queues.open_flow(flow, key), expected);
            }
            Step::OpenQueueOf(pick, priority) => {
                let queue = self.free_queue();
                let flow = FlowId::from(pick % FLOWS);
                self.trace(format_args!("bind({queue}, {flow}); // {priority:?}"));
                let expected = self.oracle.bind(queue, flow);
                assert_eq!(self.queues.bind(queue, flow), expected);
                if expected.is_ok() {
                    self.open_queue(queue, priority);
                }
            }
            Step::CloseFlow(pick) => {
                let flow = FlowId::from(pick % FLOWS);
                let now = self.now;
                self.trace(format_args!("close_flow({flow}, false, || {now});"));
                let expected = self.oracle.close_flow(flow, now);
                assert_eq!(self.queues.close_flow(flow, false, || now), expected);
            }
            Step::Advance(time) => {
                self.now = self.now.saturating_add(time);
                self.queue_due();
            }
            Step::SetMaxWait(user_visible, background) => {
                let bound = |wait: u64| (wait > 0).then_some(wait);
                let max_wait = MaxWait {
                    user_visible: bound(user_visible),
                    background: bound(background),
                };
                self.trace(format_args!("set_max_wait({max_wait:?}, {});", self.now));
                self.queues.set_max_wait(max_wait, self.now);
                self.oracle.set_max_wait(max_wait, self.now);
            }
        }
    }

    fn open_queue(&mut self, queue: QueueId, priority: EffectivePriority) {
        self.trace(format_args!("open({queue}, {priority:?});"));
        let destination = Destination {
            queue,
            priority,
            is_referenced: true,
        };
        assert_eq!(self.queues.open(destination), Ok(queue));
        self.oracle.queues.insert(queue, priority);
    }

    /// A dynamic queue that does not exist.
    fn free_queue(&self) -> QueueId {
        let mut numbers = (0..).map(TaskQueues::dynamic_queue);
        let is_free = |queue: &QueueId| !self.oracle.queues.contains_key(queue);
        numbers.find(is_free).unwrap()
    }

    fn post(&mut self, task: TaskId, pick: Pick, post: Post) {
        let (queue, now) = (self.pick_queue(pick), self.now);
        self.trace(format_args!("post({task}, {queue}, {post:?}, {now});"));
        let done = self.queues.post(task, queue, post, now);
        assert_eq!(done, self.oracle.post(task, queue, post, now));
    }

    fn queue_due(&mut self) {
        self.trace(format_args!("queue_due({});", self.now));
        self.queues.queue_due(self.now);
        self.oracle.queue_due(self.now);
    }

    fn take(&mut self) {
        let choice = self.queues.choose(self.now, true);
        let expected = self.oracle.choose(self.now, true);
        assert_eq!(choice, expected, "the task to run next");
        if let Some(choice) = choice {
            self.trace(format_args!("take({choice:?});"));
            let task = self.queues.take(choice, self.now);
            assert_eq!(task, choice.task);
            self.oracle.start(choice, self.now);
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

    fn compare(&mut self) {
        self.queue_due();
        let Self { queues, oracle, .. } = self;
        for with_overdue_background in [true, false] {
            let choice = queues.choose(self.now, with_overdue_background);
            let expected = oracle.choose(self.now, with_overdue_background);
            assert_eq!(choice, expected, "the task to run next");
        }
        for priority in EffectivePriority::ALL {
            let (queued, expected) = (queues.queued_of(priority), oracle.queued_of(priority));
            assert_eq!(queued, expected, "queued tasks of {priority:?}");
        }
        assert_eq!(queues.is_empty(), oracle.tasks.is_empty(), "is_empty");
        assert_eq!(queues.keeps_alive(), oracle.keeps_alive(), "keeps_alive");
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

    /// A waiting task, or one that may not exist.
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
