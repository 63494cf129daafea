//! Holds background work while another thread wants the processor of this one.
//!
//! Pure: it gets readings and gives verdicts, and knows neither a clock nor a file.
//!
//! - What it reads: for how long the kernel has let this thread wait for a processor although it
//!   could run (`schedstat`). That grows only if somebody else has run in its place.
//! - How often: before background work, at most every [`Machine::LOOK`]. Whoever asks calls
//!   [`std::thread::yield_now`] before it takes the reading: if another thread waits, it runs now,
//!   and this thread sees its own waiting at once. If none waits, a yield costs half a microsecond.
//! - What it does: when the thread has waited for more than noise, background work pauses, first
//!   for [`Machine::FIRST_PAUSE`]. Each further waiting makes the next pause longer by a quarter, up
//!   to [`Machine::LONGEST_PAUSE`]; [`Machine::CALM`] of background work without waiting make it
//!   short again.
//! - What it promises: a neighbour that wakes up waits for one piece of background work, unless
//!   the kernel gives this thread a longer slice. An idle machine is used fully. Time in which the
//!   control group was stopped for its quota is no neighbour's.

use crate::verdict::Verdict;

/// What is known when somebody asks. All times are in nanoseconds, and the last four only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The time of a monotonic clock.
    pub now: u64,
    /// For how long this thread has run on a processor.
    pub ran: u64,
    /// For how long it has waited for a processor although it could run.
    pub waited: u64,
    /// For how long its control group was stopped for its quota; 0 if there is none.
    pub stopped: u64,
    /// For how long it has run background work.
    pub background: u64,
}

/// The controller of one thread.
#[derive(Clone, Debug)]
pub struct Machine {
    last: Option<Reading>,
    /// How much of the waiting is not explained by noise yet.
    excess: u64,
    /// For how long background work has run since the thread waited.
    calm: u64,
    /// How long the next pause will be.
    pause: u64,
}

impl Machine {
    /// For how long background work runs before the next question.
    pub const LOOK: u64 = 500_000;

    /// Interrupts and kernel threads make a thread wait, too: up to this at once.
    pub const NOISE: u64 = 100_000;

    /// And up to one part in so many of the time for which it runs.
    pub const NOISE_PARTS: u64 = 20;

    /// The shortest pause.
    pub const FIRST_PAUSE: u64 = 1_000_000;

    /// The longest pause.
    pub const LONGEST_PAUSE: u64 = 50_000_000;

    /// The pause is short again after so much background work without waiting.
    pub const CALM: u64 = 2_000_000;

    /// A controller that has seen nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            last: None,
            excess: 0,
            calm: 0,
            pause: Self::FIRST_PAUSE,
        }
    }

    /// Whether background work may run. The first reading only begins the count.
    pub fn decide(&mut self, reading: &Reading) -> Verdict {
        let last = self.last.replace(*reading).unwrap_or(*reading);
        let stopped = reading.stopped.saturating_sub(last.stopped);
        let waited = reading.waited.saturating_sub(last.waited);
        let ran = reading.ran.saturating_sub(last.ran);
        self.excess += waited.saturating_sub(stopped);
        self.excess = self.excess.saturating_sub(ran / Self::NOISE_PARTS);
        if self.excess > Self::NOISE {
            return self.pause(reading.now);
        }
        self.calm += reading.background.saturating_sub(last.background);
        if self.calm >= Self::CALM {
            self.pause = Self::FIRST_PAUSE;
        }
        Verdict::Run {
            until: reading.now + Self::LOOK,
        }
    }

    fn pause(&mut self, now: u64) -> Verdict {
        let until = now + self.pause;
        self.excess = 0;
        self.calm = 0;
        self.pause = (self.pause + self.pause / 4).min(Self::LONGEST_PAUSE);
        Verdict::Hold { until }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}
