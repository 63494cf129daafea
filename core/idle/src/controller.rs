//! A controller as [`Idle`](crate::Idle) sees it, and its answer. The tests put in others, whose
//! verdicts are known.

/// Decides by readings whether background work may run. By default it has read nothing yet.
pub trait Controller<Reading>: Default {
    /// Whether background work may run, by a new reading.
    fn decide(&mut self, reading: &Reading) -> Verdict;
}

/// What background work has to do until the controller is asked again, with a new reading, at
/// `until`: nanoseconds of the clock of the readings, later than the reading. A host may ask late,
/// as its timers are coarse and a task is never cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Background work may run. The first task that starts at this time needs a new verdict.
    Run {
        /// The time of the next question.
        until: u64,
    },
    /// Background work has to wait.
    Hold {
        /// The time of the next question.
        until: u64,
    },
}

impl Verdict {
    /// The time of the next question.
    #[must_use]
    pub fn until(&self) -> u64 {
        match *self {
            Self::Run { until } | Self::Hold { until } => until,
        }
    }

    /// Run only if both allow it, and then until one of them is to be asked; else hold until all
    /// that hold are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Run { until: a }, Self::Run { until: b }) => Self::Run { until: a.min(b) },
            (Self::Hold { until: a }, Self::Hold { until: b }) => Self::Hold { until: a.max(b) },
            (hold @ Self::Hold { .. }, _) | (_, hold) => hold,
        }
    }
}
