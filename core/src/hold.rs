//! Holds: times in which background work waits although the loop is idle, because a container's
//! quota is nearly used up or another thread wants the processor.
//!
//! The host decides, and sets the time at which its answer expires. Until then, background work is
//! not runnable and the loop may sleep. A hold does not delay overdue entries.

use crate::host::{Hold, Host, Reason};

/// The time that was spent in holds, and the reason of the hold under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Nanoseconds by reason, in the order of [`Reason::ALL`].
    pub time: [u64; Reason::ALL.len()],
    /// The reason of the hold under way.
    pub reason: Option<Reason>,
}

impl Held {
    /// The three numbers that JavaScript receives: the times, and the reason: 1 the container, 2
    /// the machine, 0 none.
    #[must_use]
    pub fn numbers(self) -> [f64; 3] {
        let [container, machine] = self.time.map(|time| time as f64);
        let reason = self.reason.map_or(0, |reason| reason.index() + 1);
        [container, machine, reason as f64]
    }
}

/// The hold under way, and the time that was spent in holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holding {
    hold: Option<Hold>,
    /// When the hold under way, with this reason, began.
    since: u64,
    time: [u64; Reason::ALL.len()],
    is_lifted: bool,
}

impl Holding {
    /// The hold in force at this time, without asking the host.
    #[must_use]
    pub fn at(&self, now: u64) -> Option<Hold> {
        self.hold.filter(|hold| now < hold.until)
    }

    /// Whether background work has to wait. Asks the host if its last answer has expired. So far
    /// background work has run for `background` nanoseconds.
    pub fn ask(&mut self, now: u64, background: u64, host: &impl Host) -> bool {
        if self.is_lifted {
            return false;
        }
        if self.at(now).is_none() {
            self.set(host.hold(now, background), now);
        }
        self.hold.is_some()
    }

    /// Ends the hold under way, if there is one, before its answer expires.
    pub fn end(&mut self, host: &impl Host) {
        if self.hold.is_some() {
            self.set(None, host.now());
            host.end_hold();
        }
    }

    /// Whether a hold is under way.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.hold.is_some()
    }

    /// Sets whether holds are lifted, from the next question on.
    pub fn set_lifted(&mut self, is_lifted: bool) {
        self.is_lifted = is_lifted;
    }

    /// The time that was spent in holds until now.
    #[must_use]
    pub fn held(&self, now: u64) -> Held {
        let mut time = self.time;
        if let Some(hold) = self.hold {
            // Once the answer has expired, only work that no hold delays can have run.
            let end = now.min(hold.until);
            time[hold.reason.index()] += end.saturating_sub(self.since);
        }
        Held {
            time,
            reason: self.hold.map(|hold| hold.reason),
        }
    }

    fn set(&mut self, hold: Option<Hold>, now: u64) {
        if self.hold.map(|hold| hold.reason) != hold.map(|hold| hold.reason) {
            self.time = self.held(now).time;
            self.since = now;
        }
        self.hold = hold;
    }
}
