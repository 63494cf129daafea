//! The answer of a controller: whether background work may run, and when to ask again.

/// What background work has to do until the controller is asked again, with a new reading.
///
/// Times are nanoseconds of the clock of the readings. A host may ask late, as its timers are
/// coarse and a task is never cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Background work may run.
    Run {
        /// The first task that starts at this time or later needs a new verdict.
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
}
