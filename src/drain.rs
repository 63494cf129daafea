//! When a task may start: the policy of the two places that start tasks.
//!
//! Owns the rules of the check drain (after the loop's poll phase) and of the checkpoint drain (as
//! soon as a callback has ended), with their time budgets. Sees the loop only through [`Host`], so
//! that every rule can be tried without one. Knows neither libuv nor Node.
//!
//! Both look at one task only, the oldest of the highest effective priority: when that one has to
//! wait, so do all others. What may start, by effective priority:
//!
//! | | checkpoint drain | check drain |
//! |---|---|---|
//! | user-blocking, and its continuations | yes | yes |
//! | user-visible continuations | no I/O is ready | queued before the phase, or no I/O is ready |
//! | user-visible tasks | no | queued before the phase, or nothing else is runnable |
//! | background, and its continuations; idle callbacks | no | nothing else is runnable |

use crate::priority::EffectivePriority;
use crate::task_queue::TaskId;
use crate::task_queues::{Choice, TaskQueues};

/// What the policy needs to know of the event loop it works on.
pub trait Host {
    /// The time in nanoseconds of a monotonic clock.
    fn now(&self) -> u64;
    /// Whether the poll phase would find I/O that is ready.
    fn is_io_ready(&self) -> bool;
    /// Whether a timer is due, an immediate waits, a handle is closing or a callback is pending.
    fn is_busy(&self) -> bool;
}

/// Times are in nanoseconds here, and in milliseconds in JavaScript and in libuv's timers.
pub const NANOSECONDS_PER_MILLISECOND: u64 = 1_000_000;

/// The time slice when none was set, in nanoseconds.
pub const DEFAULT_SLICE: u64 = 5 * NANOSECONDS_PER_MILLISECOND;

/// How long an answer that no I/O is ready is believed, in nanoseconds.
const PROBE_INTERVAL: u64 = 100_000;

/// One run of the check phase.
#[derive(Debug)]
pub struct CheckDrain {
    /// Tasks with an enqueue order below it were queued when the phase began.
    next_order_at_start: u64,
    ends: u64,
    has_run: bool,
    /// When I/O was last found not ready.
    quiet_at: Option<u64>,
}

impl CheckDrain {
    /// Begins the drain of a check phase that may take `slice` nanoseconds.
    pub fn begin(queues: &mut TaskQueues, host: &impl Host, slice: u64) -> Self {
        let now = host.now();
        queues.advance(now);
        Self {
            next_order_at_start: queues.next_order(),
            ends: now.saturating_add(slice),
            has_run: false,
            quiet_at: None,
        }
    }

    /// Takes the next task to run, or none when the loop is to go on.
    pub fn next(&mut self, queues: &mut TaskQueues, host: &impl Host) -> Option<TaskId> {
        if queues.is_empty() {
            return None;
        }
        let now = host.now();
        queues.advance(now);
        let choice = queues.choose()?;
        // However short the slice, a check phase may run one task.
        let in_time = now < self.ends || !self.has_run;
        if !in_time || !self.may_start(choice, now, host) {
            return None;
        }
        self.has_run = true;
        Some(queues.take(choice))
    }

    fn may_start(&mut self, choice: Choice, now: u64, host: &impl Host) -> bool {
        use EffectivePriority::*;
        let waited = choice.order < self.next_order_at_start;
        match choice.priority {
            UserBlocking | UserBlockingContinuation => true,
            UserVisibleContinuation => waited || !self.is_io_ready(now, host),
            UserVisible => waited || self.is_idle(now, host),
            Idle | Background | BackgroundContinuation => self.is_idle(now, host),
        }
    }

    /// Whether nothing else is runnable.
    fn is_idle(&mut self, now: u64, host: &impl Host) -> bool {
        !host.is_busy() && !self.is_io_ready(now, host)
    }

    fn is_io_ready(&mut self, now: u64, host: &impl Host) -> bool {
        if self
            .quiet_at
            .is_some_and(|quiet_at| now.saturating_sub(quiet_at) < PROBE_INTERVAL)
        {
            return false;
        }
        let ready = host.is_io_ready();
        self.quiet_at = (!ready).then_some(now);
        ready
    }
}

/// The checkpoint drain: a chain of rounds, each behind the ticks and microtasks of what ran
/// before, each starting one task. The chain ends with a round that starts none.
#[derive(Debug, Default)]
pub struct CheckpointDrain {
    /// A chain is under way.
    scheduled: bool,
    /// Nanoseconds that chains have taken in this turn of the loop.
    spent: u64,
    /// When the round before began, in a chain that is under way.
    round_began: Option<u64>,
}

impl CheckpointDrain {
    /// A turn of the loop has come to its check phase: the budget is new, and a chain that an
    /// exception has cut is forgotten.
    pub fn begin_turn(&mut self) {
        *self = Self::default();
    }

    /// Says whether a chain is to be started for a task of this priority that was just queued.
    pub fn schedule(&mut self, priority: EffectivePriority, slice: u64) -> bool {
        let wanted = priority.runs_at_checkpoint() && self.can_schedule(slice);
        self.scheduled |= wanted;
        wanted
    }

    /// Whether a chain can be started: none is under way, and budget is left.
    #[must_use]
    pub fn can_schedule(&self, slice: u64) -> bool {
        !self.scheduled && self.spent < slice
    }

    /// Takes the task that the next round starts. After a task there is always a further round.
    pub fn next(
        &mut self,
        queues: &mut TaskQueues,
        host: &impl Host,
        slice: u64,
    ) -> Option<TaskId> {
        let now = host.now();
        // From round to round, so that the ticks and microtasks of a task count as its time.
        if let Some(began) = self.round_began.take() {
            self.spent = self.spent.saturating_add(now.saturating_sub(began));
        }
        queues.advance(now);
        let choice = queues.choose().filter(|choice| {
            choice.priority.runs_at_checkpoint()
                && self.spent < slice
                && (choice.priority >= EffectivePriority::UserBlocking || !host.is_io_ready())
        });
        self.scheduled = choice.is_some();
        self.round_began = choice.map(|_| now);
        choice.map(|choice| queues.take(choice))
    }
}

#[cfg(test)]
#[path = "drain_tests.rs"]
mod tests;
