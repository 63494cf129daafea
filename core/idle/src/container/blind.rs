//! The rule where the group's use cannot be read: throttled periods alone say what is too much.

use super::{Limit, Reading};
use crate::verdict::Verdict;

const RUN: u64 = 1_000_000;

/// Time for background work per period, by additive increase and multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Blind {
    limit: Limit,
    allowed: u64,
    begin: u64,
    background: u64,
    throttled: u64,
    started: bool,
}

impl Blind {
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            allowed: limit.quota / 4,
            begin: 0,
            background: 0,
            throttled: 0,
            started: false,
        }
    }

    /// `begin`: of the current period, as well as it is known.
    pub fn decide(&mut self, reading: &Reading, begin: u64) -> Verdict {
        if !self.started || begin >= self.begin + self.limit.period / 2 {
            self.end_period(reading);
            self.begin = begin;
        }
        let end = (self.begin + self.limit.period).max(reading.now + RUN);
        let left = self
            .allowed
            .saturating_sub(reading.background.saturating_sub(self.background));
        let start = self.begin + self.limit.period.saturating_sub(self.allowed * 3 / 2);
        if reading.now < start {
            Verdict::Hold { until: start }
        } else if left == 0 {
            Verdict::Hold { until: end }
        } else {
            let until = reading.now + left.min(RUN);
            Verdict::Run { until }
        }
    }

    fn end_period(&mut self, reading: &Reading) {
        let Limit { quota, .. } = self.limit;
        let used = reading.background.saturating_sub(self.background);
        if self.started && reading.throttled > self.throttled {
            self.allowed = (self.allowed * 7 / 10).max(quota / 50);
        } else if self.started && used >= self.allowed * 9 / 10 {
            self.allowed = (self.allowed + quota / 200).min(quota);
        }
        self.started = true;
        self.background = reading.background;
        self.throttled = reading.throttled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit {
        quota: 50_000_000,
        period: 100_000_000,
        burst: 0,
    };

    #[test]
    fn throttling_in_every_period_leaves_a_little() {
        let mut blind = Blind::new(LIMIT);
        for count in 0..100 {
            let begin = count * LIMIT.period;
            let reading = Reading {
                now: begin + LIMIT.period - 1,
                throttled: count,
                ..Reading::default()
            };
            assert!(matches!(blind.decide(&reading, begin), Verdict::Run { .. }));
        }
        assert_eq!(blind.allowed, LIMIT.quota / 50);
    }
}
