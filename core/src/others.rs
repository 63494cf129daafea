//! The others: callbacks that are no tasks, and how much of the thread they leave to tasks.
//!
//! User-visible work gives way to whatever is ready or due. Where something always is, that would
//! share the thread by count: one piece of 0.1 ms for each callback of 5 ms. So the time of the
//! others is measured from the end of a check pass that leaves tasks to the next check phase, less
//! the time of tasks in between. The loop does not sleep meanwhile, as tasks keep it awake.
//!
//! The *lag* is how much longer the others than user-visible work have run while user-visible work
//! was queued. It grows to [`FULL_LAG`] at most, so that it is gone soon after the others pause.
//!
//! The *allowance* is the part of a turn of the loop in which user-visible work goes on whatever
//! is ready, due or waiting: without a lag nothing, and with the full lag as long as the others
//! took in the turn before, at most a time slice. While others pause now and then, giving way at
//! once makes everybody's wait shorter, and the lag stays small. So the allowance grows with its
//! square.
//!
//! User-blocking work may take a slice in a turn, or as long as the others took, at most
//! [`URGENT_SLICES`] slices.

use crate::host::NANOSECONDS_PER_MILLISECOND;

/// The lag with which the allowance is full, in nanoseconds.
const FULL_LAG: u64 = 60 * NANOSECONDS_PER_MILLISECOND;

/// The most that user-blocking work takes in a turn, in time slices.
const URGENT_SLICES: u64 = 4;

/// The tasks that a check pass leaves queued.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// When the pass ended.
    pub at: u64,
    /// Whether user-visible work is among them.
    pub is_visible: bool,
}

/// The time that tasks have run in a turn of the loop, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskTime {
    /// User-visible tasks and continuations.
    pub visible: u64,
    /// All tasks of checkpoints.
    pub at_checkpoints: u64,
}

/// How long the others took in the turn before, and the lag.
#[derive(Clone, Copy, Debug, Default)]
pub struct Others {
    left: Option<Left>,
    took: u64,
    lag: u64,
}

impl Others {
    /// Notes that a check pass has ended.
    pub fn end_check(&mut self, left: Option<Left>) {
        self.left = left;
    }

    /// Begins the next turn. `ran` is the time of tasks in the turn before. A nested run of the
    /// loop begins with what the pass around it knows.
    pub fn begin_turn(&mut self, ran: TaskTime, is_nested: bool, now: impl FnOnce() -> u64) {
        let Some(left) = self.left.take() else {
            if !is_nested {
                *self = Self::default();
            }
            return;
        };
        let since = now().saturating_sub(left.at);
        self.took = since.saturating_sub(ran.at_checkpoints);
        let lag = self.lag.saturating_add(self.took);
        self.lag = if left.is_visible {
            lag.saturating_sub(ran.visible).min(FULL_LAG)
        } else {
            0
        };
    }

    /// The allowance of user-visible work in a turn.
    #[must_use]
    pub fn allowance(&self, slice: u64) -> u64 {
        let most = u128::from(self.took.min(slice));
        let [lag, full] = [self.lag, FULL_LAG].map(u128::from);
        // At most `slice`, as the lag is at most the full one.
        (most * lag * lag / (full * full)) as u64
    }

    /// The budget of a turn of user-blocking work.
    #[must_use]
    pub fn urgent(&self, slice: u64) -> u64 {
        slice.max(self.took.min(slice.saturating_mul(URGENT_SLICES)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = NANOSECONDS_PER_MILLISECOND;
    const SLICE: u64 = 5 * MILLISECOND;

    /// Lets a turn pass between two check passes, at whose end user-visible work is queued or only
    /// other work, and in which checkpoints run tasks for some of the ms.
    fn pass(others: &mut Others, ms: u64, at_checkpoints: u64, is_visible: bool) {
        others.end_check(Some(Left { at: 0, is_visible }));
        let ran = TaskTime {
            visible: 0,
            at_checkpoints: at_checkpoints * MILLISECOND,
        };
        others.begin_turn(ran, false, || ms * MILLISECOND);
    }

    #[test]
    fn the_share_grows_with_the_square_of_the_lag() {
        let mut others = Others::default();
        pass(&mut others, 30, 0, true);
        assert_eq!(others.allowance(SLICE), SLICE / 4);
        pass(&mut others, 30, 0, true);
        assert_eq!(others.allowance(SLICE), SLICE);
    }

    #[test]
    fn the_lag_is_forgotten_while_no_user_visible_work_is_queued() {
        let mut others = Others::default();
        pass(&mut others, 60, 0, true);
        pass(&mut others, 5, 0, false);
        assert_eq!(others.allowance(SLICE), 0);
        pass(&mut others, 30, 0, true);
        assert_eq!(others.allowance(SLICE), SLICE / 4);
    }

    #[test]
    fn tasks_behind_the_check_drain_are_none_of_the_others() {
        let mut others = Others::default();
        pass(&mut others, 12, 2, true);
        assert_eq!(others.urgent(SLICE), 10 * MILLISECOND);
    }
}
