//! The start rules: whether an entry may start now, and the time budgets of a turn of the loop.
//!
//! Both passes ask here about the first entry of the queues. While that one has to wait, all others
//! wait. Code that asks whether to yield asks about its own continuation.
//!
//! The entries that may start, by effective priority:
//!
//! | | checkpoint pass | check pass |
//! |---|---|---|
//! | user-blocking, and its continuations | yes | yes |
//! | overdue | no | yes, the first one even past the slice; at most one that is background work |
//! | user-visible continuations | no I/O is ready, and within the head start | queued before the phase, or within the allowance; or no I/O is ready, and within the head start or nothing else is runnable |
//! | user-visible tasks | no | queued before the phase, within the allowance, or nothing else is runnable |
//! | background, and its continuations | no | nothing else is runnable, and no hold is under way |
//! | idle callbacks | no | the same, and requested before the idle period |
//!
//! In a pause, only user-blocking and overdue entries start.
//!
//! In a turn of the loop each of the two passes may take one time slice. The head start is the
//! first fifth of the slice, counted over both. Beside callbacks that are no tasks, user-visible
//! work has an allowance in the check pass, and user-blocking work may take longer than a slice:
//! see [`others`](crate::others).

use crate::priority::EffectivePriority;
use crate::task_queues::Choice;

/// The head start, in which user-visible continuations outrank timers and immediates, is the time
/// slice divided by this.
const HEAD_START: u64 = 5;

/// The place where an entry would start, or where the code runs that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The checkpoint pass.
    Checkpoint,
    /// The check pass.
    Check,
    /// The poll phase. The continuation of its code starts in the check phase, before timers.
    Poll,
    /// Any other callback, or a task of the checkpoint pass. The continuation of its code starts
    /// at the checkpoint or else in the check phase.
    Elsewhere,
}

/// An entry that could start.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its effective priority, even if it is overdue.
    pub priority: EffectivePriority,
    /// Whether it has waited for longer than its bound.
    pub is_overdue: bool,
    /// Whether it was queued before the check phase under way began.
    pub is_old: bool,
}

impl Candidate {
    /// The chosen entry. Entries with an order below `next_order` were queued before the check
    /// phase under way.
    #[must_use]
    pub fn new(choice: &Choice, next_order: u64) -> Self {
        Self {
            priority: choice.priority,
            is_overdue: choice.is_overdue,
            is_old: choice.order < next_order,
        }
    }

    /// The continuation of code that asks whether to yield.
    #[must_use]
    pub fn continuation(priority: EffectivePriority) -> Self {
        Self {
            priority,
            is_overdue: false,
            is_old: false,
        }
    }
}

/// The time of a turn of the loop in nanoseconds, and how much of it is used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// The time slice.
    pub slice: u64,
    /// The part of the slice in which user-visible work gives way to nothing but other tasks.
    pub allowance: u64,
    /// The budget of user-blocking work.
    pub urgent: u64,
    /// How much of the slice is used.
    pub used: u64,
    /// How much of the head start is used.
    pub head_start_used: u64,
    /// Whether a pause is under way.
    pub is_paused: bool,
}

impl Budget {
    /// Whether work of this priority has time left.
    #[must_use]
    pub fn has_time(&self, priority: EffectivePriority) -> bool {
        let is_urgent = priority >= EffectivePriority::UserBlocking;
        self.used < if is_urgent { self.urgent } else { self.slice }
    }

    /// Whether user-visible continuations outrank timers and immediates.
    #[must_use]
    pub fn has_head_start(&self) -> bool {
        self.head_start_used < self.slice / HEAD_START
    }

    /// Whether the allowance of user-visible work is not used up.
    #[must_use]
    pub fn has_allowance(&self) -> bool {
        self.used < self.allowance
    }
}

/// Questions about the loop. Each is asked at most once, and only if the answer matters.
pub struct Facts<I, B, H> {
    /// Whether I/O is ready.
    pub is_io_ready: I,
    /// Whether a timer is due, an immediate waits, a handle is closing or a callback is pending.
    pub is_busy: B,
    /// Whether a hold is under way. Asked last, so that the answer is about work that could start
    /// now.
    pub is_held: H,
}

/// The event for which an entry waits that may not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The next turn, as the time slice is used up.
    Slice = 1,
    /// The next idle period, as the idle callback was requested in the one under way.
    IdlePeriod,
    /// The end of a pause.
    Pause,
    /// Callbacks of timers that are due, of immediates, of closing handles.
    Callbacks,
    /// Callbacks of I/O that is ready.
    Io,
    /// The end of a hold.
    Hold,
    /// The check phase: at checkpoints the entry starts never, or no longer in this turn.
    CheckPhase,
}

/// Whether the entry may start while its pass, or the code that asks, has time.
pub fn may_start(
    place: Place,
    candidate: Candidate,
    budget: &Budget,
    facts: Facts<impl FnOnce() -> bool, impl FnOnce() -> bool, impl FnOnce() -> bool>,
) -> bool {
    waits_for(place, candidate, budget, facts).is_none()
}

/// The event for which the entry waits while its pass, or the code that asks, has time. With
/// `None`, it may start.
pub fn waits_for(
    place: Place,
    candidate: Candidate,
    budget: &Budget,
    facts: Facts<impl FnOnce() -> bool, impl FnOnce() -> bool, impl FnOnce() -> bool>,
) -> Option<WaitsFor> {
    use EffectivePriority::*;
    let Facts {
        is_io_ready,
        is_busy,
        is_held,
    } = facts;
    let io = || is_io_ready().then_some(WaitsFor::Io);
    let callbacks = || is_busy().then_some(WaitsFor::Callbacks);
    let hold = || is_held().then_some(WaitsFor::Hold);
    match (candidate.priority, place) {
        (UserBlocking | UserBlockingContinuation, _) => None,
        _ if candidate.is_overdue => (place != Place::Check).then_some(WaitsFor::CheckPhase),
        _ if budget.is_paused => Some(WaitsFor::Pause),
        (UserVisible | UserVisibleContinuation, Place::Check)
            if candidate.is_old || budget.has_allowance() =>
        {
            None
        }
        (UserVisibleContinuation, Place::Poll) => io(),
        (UserVisibleContinuation, _) if budget.has_head_start() => io(),
        (_, Place::Checkpoint) => Some(WaitsFor::CheckPhase),
        (UserVisible | UserVisibleContinuation, _) => callbacks().or_else(io),
        (Idle | Background | BackgroundContinuation, _) => callbacks().or_else(io).or_else(hold),
    }
}
