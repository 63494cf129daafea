//! One control group with a quota, and the controller that decides for it.

use crate::container::{Limit, Reading};
use crate::controller::Quota;
use crate::system::{Counters, Group};
use crate::verdict::Verdict;

#[derive(Debug)]
pub struct Level<G, Q> {
    group: G,
    limit: Limit,
    controller: Q,
    /// For how long the group was stopped at the last reading. None before the first.
    stopped: Option<u64>,
}

impl<G: Group, Q: Quota> Level<G, Q> {
    pub fn new(group: G) -> Self {
        let limit = group.limit();
        Self {
            group,
            limit,
            controller: Q::new(limit),
            stopped: None,
        }
    }

    pub fn is_of(&self, group: &G) -> bool {
        self.group.is_same(group)
    }

    /// Takes the limit from the same group, looked up later. Keeps its own group with the open
    /// files: they fail if the group was replaced by one of the same name, whose counters began
    /// at zero.
    pub fn with_limit_of(mut self, group: &G) -> Self {
        let limit = group.limit();
        if limit != self.limit {
            self.limit = limit;
            self.controller.set_limit(limit);
        }
        self
    }

    /// The counters of the group. None if it is gone.
    pub fn read(&self) -> Option<Counters> {
        self.group.read()
    }

    /// The verdict by counters that were read at this time, and for how long the group was stopped
    /// since the last one, in nanoseconds.
    pub fn judge(&mut self, counters: Counters, now: u64, background: u64) -> (Verdict, u64) {
        let before = self
            .stopped
            .replace(counters.stopped)
            .unwrap_or(counters.stopped);
        let verdict = self.controller.decide(&Reading {
            now,
            usage: counters.usage,
            periods: counters.periods,
            throttled: counters.throttled,
            background,
        });
        (verdict, counters.stopped.saturating_sub(before))
    }
}
