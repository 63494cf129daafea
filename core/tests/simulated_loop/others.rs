//! The others: the time of callbacks that are no tasks, how far user-visible work is behind them,
//! and what that gives to tasks. It shares no code with what it judges.

use crate::ledger::{Ledger, Rank, USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION};
use crate::world::MILLISECOND;

/// The lag with which the allowance is full.
const FULL_LAG: u64 = 60 * MILLISECOND;

#[derive(Clone, Copy)]
struct Left {
    at: u64,
    is_visible: bool,
}

#[derive(Clone, Copy, Default)]
pub struct Others {
    left: Option<Left>,
    /// The time of user-visible tasks in the turn under way.
    visible: u64,
    took: u64,
    lag: u64,
}

impl Others {
    /// A task has run.
    pub fn ran(&mut self, rank: Rank, time: u64) {
        if (USER_VISIBLE..=USER_VISIBLE_CONTINUATION).contains(&rank) {
            self.visible += time;
        }
    }

    /// A check phase begins. Tasks have run for `at_checkpoints` since the one before.
    pub fn begin(&mut self, now: u64, at_checkpoints: u64, is_nested: bool) {
        let visible = std::mem::take(&mut self.visible);
        match self.left.take() {
            Some(Left { at, is_visible }) => {
                self.took = (now - at).saturating_sub(at_checkpoints);
                let behind = (self.lag + self.took).saturating_sub(visible);
                self.lag = if is_visible { behind.min(FULL_LAG) } else { 0 };
            }
            None if is_nested => {}
            None => (self.took, self.lag) = (0, 0),
        }
    }

    /// A check pass ends. The loop does not sleep if it leaves work that nothing holds.
    pub fn end(&mut self, at: u64, ledger: &Ledger) {
        let is_visible =
            ledger.has_rank(|rank| (USER_VISIBLE..=USER_VISIBLE_CONTINUATION).contains(&rank));
        let is_urgent = ledger.has_rank(|rank| rank >= USER_BLOCKING);
        self.left = (is_visible || is_urgent).then_some(Left { at, is_visible });
    }

    /// For how long user-visible work goes on in a check phase.
    pub fn allowance(&self, slice: u64) -> u64 {
        let most = self.took.min(slice);
        let (most, lag, full) = (most as u128, self.lag as u128, FULL_LAG as u128);
        (most * lag.pow(2) / full.pow(2)) as u64
    }

    /// For how long work of this rank runs in a check phase.
    pub fn time(&self, rank: Rank, slice: u64) -> u64 {
        if rank < USER_BLOCKING {
            return slice;
        }
        self.took.clamp(slice, 4 * slice)
    }
}
