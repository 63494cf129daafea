//! When the host of the model holds background work, and for how long it has, by the answers that
//! it gave.

use uv_scheduler_core::host::{Hold, Reason};

/// The host holds background work at the end of each period, for the same time.
#[derive(Clone, Copy, Default)]
pub struct Holds {
    /// 0: never.
    pub period: u64,
    /// How much of each period is not held.
    pub open: u64,
}

impl Holds {
    /// The hold at this time.
    pub fn at(&self, now: u64) -> Option<Hold> {
        if self.period == 0 || now % self.period < self.open {
            return None;
        }
        let number = now / self.period;
        Some(Hold {
            until: (number + 1) * self.period,
            reason: Reason::ALL[(number % 2) as usize],
        })
    }
}

/// A hold of one reason: it goes on with each answer of that reason, and ends with any other.
#[derive(Clone, Copy)]
struct Span {
    began: u64,
    hold: Hold,
}

impl Span {
    /// Until the host has to be asked again, at most.
    fn time(&self, now: u64) -> u64 {
        now.min(self.hold.until) - self.began
    }
}

/// The host's answers.
#[derive(Default)]
pub struct Answers {
    time: [u64; Reason::ALL.len()],
    last: Option<Span>,
}

impl Answers {
    /// The host answers, or is told that nothing is held any more.
    pub fn add(&mut self, answer: Option<Hold>, now: u64) {
        if let Some(last) = &mut self.last
            && let Some(answer) = answer.filter(|answer| answer.reason == last.hold.reason)
        {
            last.hold = answer;
            return;
        }
        self.time = self.time(now);
        self.last = answer.map(|hold| Span { began: now, hold });
    }

    /// For how long background work was held, by reason.
    pub fn time(&self, now: u64) -> [u64; Reason::ALL.len()] {
        let mut time = self.time;
        if let Some(last) = &self.last {
            time[last.hold.reason.index()] += last.time(now);
        }
        time
    }

    /// The hold that was answered last, and has not been ended.
    pub fn last(&self) -> Option<Hold> {
        self.last.map(|last| last.hold)
    }
}
