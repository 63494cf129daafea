//! The two controllers as [`Idle`](crate::Idle) sees them. The tests put in others, whose verdicts
//! are known.

use crate::container::{self, Container, Limit};
use crate::machine::{self, Machine};
use crate::verdict::Verdict;

/// Decides for a control group with a CPU quota.
pub trait Quota {
    /// A controller that has read nothing yet.
    fn new(limit: Limit) -> Self;
    /// Another limit holds from now on.
    fn set_limit(&mut self, limit: Limit);
    /// Whether background work may run, by a new reading.
    fn decide(&mut self, reading: &container::Reading) -> Verdict;
}

impl Quota for Container {
    fn new(limit: Limit) -> Self {
        Self::new(limit)
    }

    fn set_limit(&mut self, limit: Limit) {
        self.set_limit(limit);
    }

    fn decide(&mut self, reading: &container::Reading) -> Verdict {
        self.decide(reading)
    }
}

/// Decides for the other threads that want the processor.
pub trait Neighbours {
    /// A controller that has read nothing yet. `is_polite`: while it holds background work, the
    /// thread preempts nobody when it wakes up.
    fn new(is_polite: bool) -> Self;
    /// Whether background work may run, by a new reading.
    fn decide(&mut self, reading: &machine::Reading) -> Verdict;
}

impl Neighbours for Machine {
    fn new(is_polite: bool) -> Self {
        if is_polite {
            Self::polite()
        } else {
            Self::new()
        }
    }

    fn decide(&mut self, reading: &machine::Reading) -> Verdict {
        self.decide(reading)
    }
}
