//! Queues, a turn and a check phase on a host whose answers are set by hand.

use std::cell::Cell;

use uv_scheduler_core::host::{Host, NANOSECONDS_PER_MILLISECOND};
use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::meter::{Meter, Pass};
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::task_queue::TaskId;
use uv_scheduler_core::task_queues::{Choice, Post, TaskQueues};
use uv_scheduler_core::turn::{CheckPass, DEFAULT_SLICE, Turn};

#[derive(Default)]
pub struct FakeHost {
    pub now: Cell<u64>,
    pub io_ready: Cell<bool>,
    pub busy: Cell<bool>,
    pub io_probes: Cell<u32>,
}

impl FakeHost {
    pub fn pass(&self, nanoseconds: u64) {
        self.now.set(self.now.get() + nanoseconds);
    }
}

impl Host for FakeHost {
    fn now(&self) -> u64 {
        self.now.get()
    }

    fn is_io_ready(&self) -> bool {
        self.io_probes.set(self.io_probes.get() + 1);
        self.io_ready.get()
    }

    fn is_busy(&self) -> bool {
        self.busy.get()
    }
}

pub const SLICE: u64 = DEFAULT_SLICE;
pub const HEAD_START: u64 = SLICE / 5;
pub const LEAST_QUANTUM: u64 = NANOSECONDS_PER_MILLISECOND;

/// The queues of a loop, its turn, and the check phase under way.
#[derive(Default)]
pub struct Scheduler {
    pub host: FakeHost,
    pub queues: TaskQueues,
    pub turn: Turn,
    pub meter: Meter,
    pub check: Option<CheckPass>,
}

impl Scheduler {
    /// An id that is not in use.
    pub fn unused(&self) -> TaskId {
        (0..).find(|id| !self.queues.contains(*id)).unwrap()
    }

    pub fn post(&mut self, priority: EffectivePriority) -> TaskId {
        self.post_with(priority, Post::default())
    }

    pub fn post_delayed(&mut self, priority: EffectivePriority, deadline: u64) -> TaskId {
        let post = Post {
            deadline: Some(deadline),
            ..Post::default()
        };
        self.post_with(priority, post)
    }

    /// Posts a task that has a bound of its own.
    pub fn post_bounded(&mut self, priority: EffectivePriority, max_wait: u64) -> TaskId {
        let post = Post {
            max_wait: Some(max_wait),
            ..Post::default()
        };
        self.post_with(priority, post)
    }

    fn post_with(&mut self, priority: EffectivePriority, post: Post) -> TaskId {
        let (id, now) = (self.unused(), self.host.now());
        self.queues.post(id, priority.rank(), post, now).unwrap();
        id
    }

    pub fn begin_check(&mut self) {
        let now = self.host.now();
        self.turn.begin(false, || now);
        self.meter.begin_turn();
        self.meter.begin_check(now);
        self.check = Some(CheckPass::begin(now, &mut self.turn, &mut self.queues));
    }

    pub fn next(&mut self) -> Option<TaskId> {
        let now = self.ended();
        let check = self.check.as_mut().unwrap();
        let (turn, queues) = (&mut self.turn, &mut self.queues);
        let choice = check.next(now, turn, queues, &self.host, || false)?;
        Some(self.started(choice, Pass::Check))
    }

    pub fn next_at_checkpoint(&mut self) -> Option<TaskId> {
        let now = self.ended();
        let (turn, queues) = (&mut self.turn, &mut self.queues);
        let choice = turn.next_at_checkpoint(now, queues, &self.host)?;
        Some(self.started(choice, Pass::Checkpoint))
    }

    fn ended(&mut self) -> u64 {
        let now = self.host.now();
        let ran = self.meter.ended(now);
        self.turn.ended(ran, now);
        now
    }

    fn started(&mut self, choice: Choice, pass: Pass) -> TaskId {
        let now = self.host.now();
        self.meter.started(choice, pass, now);
        let next_order = self.queues.next_order();
        self.turn.started(&choice, now, next_order);
        self.queues.take(choice, now)
    }

    pub fn set_max_wait(&mut self, user_visible: Option<u64>, background: Option<u64>) {
        let max_wait = MaxWait {
            user_visible,
            background,
        };
        self.queues.set_max_wait(max_wait, self.host.now());
    }
}
