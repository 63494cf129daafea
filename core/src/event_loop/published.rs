//! The state that is published to the handles of a loop and to JavaScript. It is derived from the
//! whole state of the loop, and passed on where it has changed.
//!
//! The rules of the handles:
//!
//! - *Referenced* from the first task that waits until the check phase that finds none. Only tasks
//!   that keep the process alive count. If the process were released elsewhere, the loop could end
//!   before `beforeExit` was emitted for a task that has run. Only while no such task has started
//!   may a removal release it at once.
//! - *Awake* (poll does not block) from the first queued task until the check phase, and again from
//!   the end of a check phase that leaves tasks. Hosts that drive the loop themselves ask for its
//!   timeout between two turns and must not sleep then.
//! - During a check pass the loop is not kept awake: an active idle handle would look like
//!   something runnable. If the pass ends because background work yielded to something else that
//!   is runnable, the loop is kept awake only from the next prepare hook on, and a timer covers the
//!   time until then: the other thing may be another scheduler on this loop, which waits for our
//!   idle handle to stop.
//! - While only background work is queued and a hold is under way, the loop is not kept awake. A
//!   timer wakes the loop when the hold ends, or when the first entry becomes overdue.

use super::EventLoop;
use crate::host::{Handles, Host};
use crate::priority::EffectivePriority;

/// Above all ranks: no task has to be flushed at once.
const NO_RANK: u32 = u32::MAX;

/// The state that the handles and JavaScript know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Published {
    pub is_referenced: bool,
    pub is_awake: bool,
    pub timer: Option<u64>,
    pub notify_rank: u32,
}

impl Published {
    /// Whether the handles neither keep the process alive nor wake the loop.
    pub fn is_at_rest(self) -> bool {
        !self.is_referenced && !self.is_awake && self.timer.is_none()
    }

    /// Passes on the differences.
    fn apply(&mut self, wanted: Self, host: &impl Handles) {
        if self.is_referenced != wanted.is_referenced {
            host.set_referenced(wanted.is_referenced);
        }
        if self.is_awake != wanted.is_awake {
            host.set_awake(wanted.is_awake);
        }
        if self.timer != wanted.timer {
            host.set_timer(wanted.timer);
        }
        if self.notify_rank != wanted.notify_rank {
            host.set_notify_rank(wanted.notify_rank);
        }
        *self = wanted;
    }
}

impl EventLoop {
    /// Lets the process end if no task waits that keeps it alive.
    pub(super) fn release(&mut self, host: &impl Handles) {
        if self.keeps_alive() {
            return;
        }
        self.has_started = false;
        if self.published.is_referenced {
            self.published.is_referenced = false;
            host.set_referenced(false);
        }
    }

    /// Updates the handles and JavaScript. Every entry point ends here.
    pub(super) fn publish(&mut self, host: &(impl Host + Handles)) {
        if self.holding.is_under_way() && !self.queues.has_background() {
            self.holding.end(host);
        }
        let is_referenced = self.published.is_referenced || self.keeps_alive();
        if self.is_empty() && !is_referenced {
            self.fallback = None;
        }
        let wanted = self.wanted(is_referenced, self.held_until(host));
        self.published.apply(wanted, host);
    }

    /// The state that the handles and JavaScript should have, if a hold lasts until `held_until`.
    fn wanted(&self, is_referenced: bool, held_until: Option<u64>) -> Published {
        let ends = is_referenced && !self.keeps_alive();
        let needs_check = self.has_runnable(held_until) || ends;
        let is_awake = needs_check && (self.in_poll_phase || self.may_be_awake());
        let wake_ups = [self.queues.next_deadline(), self.fallback, held_until];
        Published {
            is_referenced,
            is_awake,
            timer: wake_ups.into_iter().flatten().min(),
            notify_rank: self.notify_rank(is_referenced, is_awake, held_until),
        }
    }

    /// The time until which the loop may sleep although background work is queued: the hold ends,
    /// or an entry becomes overdue. `None` if no hold is under way.
    fn held_until(&self, host: &impl Host) -> Option<u64> {
        if !self.holding.is_under_way() {
            return None;
        }
        let now = host.now();
        let hold = self.holding.at(now)?;
        let overdue = self.queues.next_overdue();
        let until = overdue.map_or(hold.until, |overdue| overdue.min(hold.until));
        (until > now).then_some(until)
    }

    /// Whether a task is queued that no hold delays.
    fn has_runnable(&self, held_until: Option<u64>) -> bool {
        let highest = self.queues.highest();
        self.unstarted.is_some()
            || highest.is_some_and(|highest| {
                held_until.is_none() || highest >= EffectivePriority::UserVisible
            })
    }

    /// Whether the loop may be kept awake outside its poll phase.
    fn may_be_awake(&self) -> bool {
        !self.in_check_pass && self.fallback.is_none()
    }

    /// The lowest rank of tasks that JavaScript has to flush at once. A loop that is busy with
    /// tasks takes entries in by itself, so most posts need no call:
    ///
    /// - Every task is flushed while the process is not referenced or no check phase is sure to
    ///   come.
    /// - None is flushed in the poll phase, in passes, and while a chain of checkpoints is
    ///   scheduled or has used up its slice.
    /// - Else the tasks that start at checkpoints are flushed.
    fn notify_rank(&self, is_referenced: bool, is_awake: bool, held_until: Option<u64>) -> u32 {
        // The wait of a task counts from its post, so every task is flushed at once.
        if self.queues.max_wait().is_set() || !is_referenced {
            return 0;
        }
        let is_check_sure =
            is_awake || self.fallback.is_some() || (self.in_check_pass && !self.in_poll_phase);
        if !is_check_sure {
            // During a hold, further background work waits as well. All other work wakes the loop.
            let held = held_until.map(|_| EffectivePriority::UserVisible);
            return held.map_or(0, EffectivePriority::rank);
        }
        if !self.starts_at_checkpoints() {
            return NO_RANK;
        }
        let lowest = self.turn.lowest_at_checkpoint();
        lowest.map_or(NO_RANK, EffectivePriority::rank)
    }
}
