//! When a task may start: the rules of the check drain and the checkpoint drain, and their time
//! budgets.
//!
//! The check drain runs in the loop's check phase, after I/O. The checkpoint drain runs as soon as
//! a callback has ended. Both look only at the oldest task of the highest effective priority: while
//! it has to wait, all others wait.
//!
//! A check drain is not enough to run user-blocking tasks ahead of timers and immediates: due
//! timers run before the first check phase, a task that an immediate posts would wait for a whole
//! turn, and Node runs all due timers in one callback of libuv. The checkpoint drain closes these
//! gaps.
//!
//! The tasks that may start, by effective priority:
//!
//! | | checkpoint drain | check drain |
//! |---|---|---|
//! | user-blocking, and its continuations | yes | yes |
//! | overdue | no | yes, the first one even past the slice; at most one that is background work |
//! | user-visible continuations | no I/O is ready, and within the head start | queued before the phase; or no I/O is ready, and within the head start or nothing else is runnable |
//! | user-visible tasks | no | queued before the phase, or nothing else is runnable |
//! | background, and its continuations | no | nothing else is runnable, and no hold is under way |
//! | idle callbacks | no | the same, and requested before the idle period |
//!
//! An idle period begins with the first idle callback of a check phase, and ends with the phase.
//!
//! In a turn of the loop each of the two drains may take one time slice. The head start is the
//! first fifth of the slice, counted over both.
//!
//! Code that asks should yield if something else would start before its continuation:
//!
//! | | |
//! |---|---|
//! | an overdue task | only to user-blocking work, until it has had its turn: see [`quantum`](crate::quantum) |
//! | the slice is used up | always |
//! | a higher effective priority, or overdue | at once; user-blocking code ignores overdue entries |
//! | equals: queued entries of the continuation's effective priority | once the code has had its turn: see [`quantum`](crate::quantum); code of a flow ignores them |
//! | entries of its priority with a key, or without a key if the code has one | once another key is behind, or a flow of its key is in a lower level: see [`FairQueues::is_behind`](crate::fair_queues::FairQueues::is_behind) |
//! | ready I/O, something else that is runnable, a hold | at once, if the continuation would wait for it by the table above; but not while a `yield()` would only start an equal that was queued before the check phase |

use crate::advice::Code;
use crate::host::{Host, NANOSECONDS_PER_MILLISECOND};
use crate::meter::{Drain, Ran, Reading};
use crate::priority::EffectivePriority;
use crate::quantum::Quantum;
use crate::task_queues::{Choice, TaskQueues};

/// The default time slice in nanoseconds.
pub const DEFAULT_SLICE: u64 = 5 * NANOSECONDS_PER_MILLISECOND;

/// The head start, in which user-visible continuations outrank timers and immediates, is the time
/// slice divided by this.
const HEAD_START: u64 = 5;

/// How long the answer that no I/O is ready counts, in nanoseconds. The question takes about 400.
const PROBE_INTERVAL: u64 = 100_000;

/// A question of code whether to yield.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The code.
    pub code: Code,
    /// The place where the code runs.
    pub position: Position,
    /// The time of the question.
    pub at: Reading,
}

/// The place where code runs that asks whether to yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// In a task of a check drain.
    InCheckDrain,
    /// In the poll phase.
    InPollPhase,
    /// In any other callback, or in a task at a checkpoint.
    Elsewhere,
}

/// One turn of the loop, from a check phase to the next: its time budgets, and whether a chain of
/// checkpoints is under way.
///
/// A chain is a series of rounds. Each round starts one task, after the ticks and microtasks of the
/// callback or task before it. The chain ends with a round that starts none.
#[derive(Debug)]
pub struct Turn {
    slice: u64,
    /// Nanoseconds from the beginning of the check drain to its last choice.
    check_time: u64,
    /// Nanoseconds that chains have taken.
    checkpoint_time: u64,
    is_chain_scheduled: bool,
    /// The check phase has started overdue background work and starts no more of it.
    has_run_overdue_background: bool,
    /// Tasks with a lower enqueue order were queued before the check phase began.
    next_order_at_check: u64,
    /// I/O was last found not ready at this time, outside a check drain.
    quiet_at: Option<u64>,
    /// I/O was found ready, outside a check drain. It remains so until the loop polls.
    has_ready_io: bool,
    /// The turns of code, which can outlast a turn of the loop.
    pub(crate) quantum: Quantum,
}

impl Default for Turn {
    fn default() -> Self {
        Self::new(DEFAULT_SLICE, Quantum::default())
    }
}

impl Turn {
    fn new(slice: u64, quantum: Quantum) -> Self {
        Self {
            slice,
            check_time: 0,
            checkpoint_time: 0,
            is_chain_scheduled: false,
            has_run_overdue_background: false,
            next_order_at_check: 0,
            quiet_at: None,
            has_ready_io: false,
            quantum,
        }
    }

    /// Sets the time slice: how long a drain may run in one turn of the loop, in nanoseconds.
    pub fn set_slice(&mut self, slice: u64) {
        self.slice = slice;
    }

    /// Begins a turn when the loop reaches its check phase: resets the budgets, and forgets a chain
    /// that an exception has stopped.
    pub fn begin(&mut self) {
        self.quantum.end();
        *self = Self::new(self.slice, self.quantum);
    }

    /// The loop is about to poll: forgets that I/O is ready.
    pub fn poll(&mut self) {
        self.has_ready_io = false;
        self.quantum.end();
    }

    /// The lowest priority whose tasks start a chain now. `None` if no task does.
    #[must_use]
    pub fn lowest_at_checkpoint(&self) -> Option<EffectivePriority> {
        if self.is_chain_scheduled || self.checkpoint_time >= self.slice {
            return None;
        }
        Some(if self.has_head_start() {
            EffectivePriority::UserVisibleContinuation
        } else {
            EffectivePriority::UserBlocking
        })
    }

    /// Returns whether a chain has to be started for a task of this priority. If so, the caller
    /// starts it.
    pub fn schedule_chain(&mut self, priority: EffectivePriority) -> bool {
        let is_needed = self
            .lowest_at_checkpoint()
            .is_some_and(|lowest| priority >= lowest);
        self.is_chain_scheduled |= is_needed;
        is_needed
    }

    /// Notes that a drain starts this task. Later entries have the order `next_order` or a higher
    /// one.
    pub fn started(&mut self, choice: &Choice, now: u64, next_order: u64) {
        self.quantum.start_task(choice, now, next_order);
    }

    /// Notes that the callback under way has ended. `ran` is its task, if a drain has started one.
    pub fn ended(&mut self, ran: Option<Ran>, now: u64) {
        self.quantum.end_at(now);
        if let Some(ran) = ran.filter(|ran| ran.drain == Drain::Checkpoint) {
            self.checkpoint_time = self.checkpoint_time.saturating_add(ran.time);
        }
    }

    /// Chooses the task that the next round of a chain starts, after [`Self::ended`]. `None` ends
    /// the chain.
    pub fn next_at_checkpoint(
        &mut self,
        now: u64,
        queues: &mut TaskQueues,
        host: &impl Host,
    ) -> Option<Choice> {
        queues.queue_due(now);
        let choice = queues
            .choose(now, !self.has_run_overdue_background)
            .filter(|choice| self.may_start_at_checkpoint(choice, host));
        self.is_chain_scheduled = choice.is_some();
        choice
    }

    fn may_start_at_checkpoint(&self, choice: &Choice, host: &impl Host) -> bool {
        use EffectivePriority::*;
        if self.checkpoint_time >= self.slice {
            return false;
        }
        match choice.priority {
            UserBlocking | UserBlockingContinuation => true,
            UserVisibleContinuation if !choice.is_overdue => {
                self.has_head_start() && !host.is_io_ready()
            }
            _ => false,
        }
    }

    fn has_head_start(&self) -> bool {
        self.check_time.saturating_add(self.checkpoint_time) < self.slice / HEAD_START
    }

    /// Whether the code that asks should yield: the slice is used up, or something else would run
    /// before its continuation. Equals count only once the code has had its turn. `is_busy` answers
    /// the question of [`Host::is_busy`] even while the loop is kept awake, and `is_held` whether
    /// background work has to wait.
    pub fn should_yield(
        &mut self,
        question: Question,
        queues: &mut TaskQueues,
        host: &impl Host,
        is_busy: impl FnOnce() -> bool,
        is_held: impl FnOnce() -> bool,
    ) -> bool {
        use EffectivePriority::*;
        let Question {
            code,
            position,
            at: Reading { now, turn, round },
        } = question;
        let Code { priority, flow, .. } = code;
        self.quantum.ask(priority, code.is_other, now);
        queues.queue_due(now);
        if self.quantum.is_catching_up(self.slice) {
            return queues.highest() >= Some(UserBlocking);
        }
        if turn >= self.slice {
            return true;
        }
        let first = queues.choose(now, !self.has_run_overdue_background);
        if first.is_some_and(|first| outranks(&first, priority)) {
            return true;
        }
        if queues.is_behind(flow, priority, self.quantum.lasted(), now) {
            return true;
        }
        // Code of a flow need not let others of its level go first.
        if let Some(equal) = first.filter(|first| first.priority == priority && flow.is_none()) {
            if self.quantum.is_used_up() {
                return true;
            }
            if position == Position::InCheckDrain && self.runs_in_any_case(&equal) {
                return false;
            }
        }
        let is_head_start = match position {
            Position::InCheckDrain => turn < self.slice / HEAD_START,
            // Tasks queued in the poll phase run in the check phase, before timers.
            Position::InPollPhase => true,
            Position::Elsewhere => {
                let checkpoint_time = self.checkpoint_time.saturating_add(round);
                self.check_time.saturating_add(checkpoint_time) < self.slice / HEAD_START
            }
        };
        match priority {
            UserBlocking | UserBlockingContinuation => false,
            UserVisible | UserVisibleContinuation if is_head_start => self.is_io_ready(now, host),
            _ if is_busy() || self.is_io_ready(now, host) => true,
            UserVisible | UserVisibleContinuation => false,
            Idle | Background | BackgroundContinuation => is_held(),
        }
    }

    /// Whether the check drain starts this task next if the one under way ends now, whatever else
    /// is ready or due.
    fn runs_in_any_case(&self, choice: &Choice) -> bool {
        !choice.is_background() && choice.order < self.next_order_at_check
    }

    fn is_io_ready(&mut self, now: u64, host: &impl Host) -> bool {
        self.has_ready_io = self.has_ready_io || is_io_ready(&mut self.quiet_at, now, host);
        self.has_ready_io
    }
}

/// Whether a queued task would start before every continuation of this priority.
fn outranks(queued: &Choice, priority: EffectivePriority) -> bool {
    let is_urgent = priority >= EffectivePriority::UserBlocking;
    queued.priority > priority || (queued.is_overdue && !is_urgent)
}

/// Whether I/O is ready, asked again at most once in [`PROBE_INTERVAL`] while none is.
fn is_io_ready(quiet_at: &mut Option<u64>, now: u64, host: &impl Host) -> bool {
    if quiet_at.is_some_and(|quiet_at| now.saturating_sub(quiet_at) < PROBE_INTERVAL) {
        return false;
    }
    let ready = host.is_io_ready();
    *quiet_at = (!ready).then_some(now);
    ready
}

/// One run of the check phase.
#[derive(Debug)]
pub struct CheckDrain {
    /// Tasks with a lower enqueue order were queued before the phase began.
    next_order_at_start: u64,
    began: u64,
    head_start_ends: u64,
    ends: u64,
    has_run: bool,
    has_run_overdue: bool,
    /// Idle callbacks with a lower enqueue order were requested before the idle period began.
    next_order_at_idle: Option<u64>,
    /// When I/O was last found not ready.
    quiet_at: Option<u64>,
    /// Background work yielded to a timer, an immediate, a closing handle or a pending callback.
    has_given_way: bool,
}

impl CheckDrain {
    /// Begins the drain of a check phase, after [`Turn::begin`].
    pub fn begin(now: u64, turn: &mut Turn, queues: &mut TaskQueues) -> Self {
        queues.queue_due(now);
        turn.next_order_at_check = queues.next_order();
        Self {
            next_order_at_start: queues.next_order(),
            began: now,
            head_start_ends: now.saturating_add(turn.slice / HEAD_START),
            ends: now.saturating_add(turn.slice),
            has_run: false,
            has_run_overdue: false,
            next_order_at_idle: None,
            quiet_at: None,
            has_given_way: false,
        }
    }

    /// Chooses the next task to run, after [`Turn::ended`]. `None` ends the drain. `is_held`
    /// answers whether background work has to wait.
    pub fn next(
        &mut self,
        now: u64,
        turn: &mut Turn,
        queues: &mut TaskQueues,
        host: &impl Host,
        is_held: impl FnOnce() -> bool,
    ) -> Option<Choice> {
        turn.check_time = now.saturating_sub(self.began);
        queues.queue_due(now);
        let with_overdue_background = !turn.has_run_overdue_background;
        let choice = queues.choose(now, with_overdue_background)?;
        // However short the slice, a check phase may run one task.
        let is_in_time = now < self.ends || !self.has_run;
        let choice = if is_in_time && self.may_start(&choice, now, host, is_held) {
            choice
        } else if self.has_run_overdue {
            return None;
        } else {
            // Past the slice one overdue task runs, even if user-blocking work waits.
            queues.oldest_overdue(now, with_overdue_background)?
        };
        self.has_run = true;
        self.has_run_overdue |= choice.is_overdue;
        if choice.priority == EffectivePriority::Idle {
            self.next_order_at_idle
                .get_or_insert_with(|| queues.next_order());
        }
        turn.has_run_overdue_background |= choice.is_overdue && choice.is_background();
        Some(choice)
    }

    /// Whether the drain ended because background work yielded to something runnable other than
    /// I/O. User-visible work starts in the next check phase in any case.
    #[must_use]
    pub fn has_given_way(&self) -> bool {
        self.has_given_way
    }

    fn may_start(
        &mut self,
        choice: &Choice,
        now: u64,
        host: &impl Host,
        is_held: impl FnOnce() -> bool,
    ) -> bool {
        use EffectivePriority::*;
        let is_old = choice.order < self.next_order_at_start;
        match choice.priority {
            _ if choice.is_overdue => true,
            UserBlocking | UserBlockingContinuation => true,
            UserVisibleContinuation if now < self.head_start_ends => {
                is_old || !self.is_io_ready(now, host)
            }
            UserVisible | UserVisibleContinuation => {
                is_old || (!host.is_busy() && !self.is_io_ready(now, host))
            }
            Idle if self.is_for_next_period(choice) => false,
            Idle | Background | BackgroundContinuation => {
                self.has_given_way = host.is_busy();
                if self.has_given_way || self.is_io_ready(now, host) {
                    return false;
                }
                // The last question, so that the answer is about work that could start now.
                !is_held()
            }
        }
    }

    /// Whether an idle callback was requested in the idle period under way.
    fn is_for_next_period(&self, choice: &Choice) -> bool {
        self.next_order_at_idle
            .is_some_and(|next_order| choice.order >= next_order)
    }

    fn is_io_ready(&mut self, now: u64, host: &impl Host) -> bool {
        is_io_ready(&mut self.quiet_at, now, host)
    }
}
