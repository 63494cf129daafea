//! The rules that are compared: ours, and what people write by hand instead.

use crate::MS;
use std::collections::VecDeque;
use uv_scheduler_idle::container::{Container, Limit, Reading};
use uv_scheduler_idle::verdict::Verdict;

/// A rule for when background work may run.
pub trait Contender {
    fn decide(&mut self, reading: &Reading) -> Verdict;
    fn set_quota(&mut self, quota: u64);
}

/// A contender by name, for the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Unbounded,
    FixedShare,
    SlidingWindow,
    Feedback,
    Ours,
}

impl Kind {
    pub const ALL: [Self; 5] = [
        Self::Unbounded,
        Self::FixedShare,
        Self::SlidingWindow,
        Self::Feedback,
        Self::Ours,
    ];

    pub fn build(self, quota: u64, period: u64) -> Option<Box<dyn Contender>> {
        let limit = Limit {
            quota,
            period,
            burst: 0,
        };
        Some(match self {
            Self::Unbounded => return None,
            Self::FixedShare => Box::new(FixedShare(Window::new(limit))),
            Self::SlidingWindow => Box::new(SlidingWindow(Window::new(limit))),
            Self::Feedback => Box::new(Feedback {
                window: Window::new(limit),
                allowed: 0.5 * quota as f64,
                throttled: 0,
                periods: 0,
            }),
            Self::Ours => Box::new(Container::new(limit)),
        })
    }
}

impl Contender for Container {
    fn decide(&mut self, reading: &Reading) -> Verdict {
        Container::decide(self, reading)
    }

    fn set_quota(&mut self, quota: u64) {
        let period = 100 * MS;
        self.set_limit(Limit {
            quota,
            period,
            burst: 0,
        });
    }
}

/// How much of a number grew within the last period.
struct Window {
    limit: Limit,
    samples: VecDeque<(u64, u64)>,
}

impl Window {
    fn new(limit: Limit) -> Self {
        Self {
            limit,
            samples: VecDeque::new(),
        }
    }

    fn grown(&mut self, now: u64, value: u64) -> u64 {
        self.samples.push_back((now, value));
        while self.samples.len() > 1 && self.samples[1].0 + self.limit.period <= now {
            self.samples.pop_front();
        }
        value - self.samples[0].1
    }

    fn verdict(now: u64, run: bool) -> Verdict {
        if run {
            Verdict::Run {
                until: now + MS / 2,
            }
        } else {
            Verdict::Hold {
                until: now + 2 * MS,
            }
        }
    }
}

/// Background work gets half of the quota, whatever else happens.
struct FixedShare(Window);

impl Contender for FixedShare {
    fn decide(&mut self, reading: &Reading) -> Verdict {
        let grown = self.0.grown(reading.now, reading.background);
        Window::verdict(reading.now, grown * 2 < self.0.limit.quota)
    }

    fn set_quota(&mut self, quota: u64) {
        self.0.limit.quota = quota;
    }
}

/// Background work runs while the group used less than 0.76 of the quota in the last period.
struct SlidingWindow(Window);

impl Contender for SlidingWindow {
    fn decide(&mut self, reading: &Reading) -> Verdict {
        let grown = self.0.grown(reading.now, reading.usage.unwrap());
        Window::verdict(reading.now, grown * 100 < self.0.limit.quota * 76)
    }

    fn set_quota(&mut self, quota: u64) {
        self.0.limit.quota = quota;
    }
}

/// Throttled periods alone halve what background work gets; each other period adds a little.
struct Feedback {
    window: Window,
    allowed: f64,
    throttled: u64,
    periods: u64,
}

impl Contender for Feedback {
    fn decide(&mut self, reading: &Reading) -> Verdict {
        let quota = self.window.limit.quota as f64;
        let grown = self.window.grown(reading.now, reading.background);
        if reading.throttled > self.throttled {
            self.allowed = (self.allowed / 2.0).max(0.02 * quota);
        } else {
            let periods = (reading.periods - self.periods) as f64;
            self.allowed = (self.allowed + 0.01 * quota * periods).min(quota);
        }
        self.throttled = reading.throttled;
        self.periods = reading.periods;
        Window::verdict(reading.now, (grown as f64) < self.allowed)
    }

    fn set_quota(&mut self, quota: u64) {
        self.window.limit.quota = quota;
    }
}
