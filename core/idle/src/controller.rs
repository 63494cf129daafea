//! A controller as [`Idle`](crate::Idle) sees it, and its answer. The tests put in others, whose
//! verdicts are known.

/// Decides by readings whether background work may run. By default it has read nothing yet.
pub trait Controller<Reading>: Default {
    /// Whether background work may run, by a new reading.
    fn decide(&mut self, reading: &Reading) -> Verdict;
}

/// The state of background work until the controller is asked again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// It has to wait. Otherwise it may run.
    pub holds: bool,
    /// When the controller is to be asked with a new reading: nanoseconds of the clock of the
    /// readings, later than the last one. A host may ask late, as its timers are coarse and a task
    /// is never cut short.
    pub until: u64,
}

impl Verdict {
    /// Background work may run.
    #[must_use]
    pub fn run(until: u64) -> Self {
        let holds = false;
        Self { holds, until }
    }

    /// Background work has to wait.
    #[must_use]
    pub fn hold(until: u64) -> Self {
        let holds = true;
        Self { holds, until }
    }

    /// Run only if both allow it, and then until one of them is to be asked; else hold until all
    /// that hold are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self.holds, other.holds) {
            (false, false) => Self::run(self.until.min(other.until)),
            (true, true) => Self::hold(self.until.max(other.until)),
            (true, false) => self,
            (false, true) => other,
        }
    }
}
