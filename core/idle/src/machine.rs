//! Holds background work while another thread wants the processor of this one.
//!
//! Pure: it gets readings and gives verdicts, and knows neither a clock nor a file.
//!
//! **What it reads**: for how long the kernel has let this thread wait for a processor although it
//! could run (`schedstat`). That grows only if something else has run in its place.
//!
//! **How often**: before background work, at most every [`Machine::LOOK`]. Whoever asks calls
//! [`std::thread::yield_now`] before it takes the reading. If another thread waits, that one runs
//! now, and this thread sees its own waiting at once. If none waits, a yield costs half a
//! microsecond.
//!
//! **What it does**: when the thread has waited for more than noise, background work pauses. Each
//! further waiting makes the next pause longer by a quarter, up to [`Machine::LONGEST_PAUSE`];
//! [`Machine::CALM`] of background work without waiting and without debts (see below) make it short
//! again.
//!
//! **What the kernel hides**: between control groups (and sessions) a thread that has waited, or
//! got less than its fair share, is owed time. When it wakes up it preempts its neighbour without
//! having waited, and its yields are ignored until it has run for the time it is owed. There are
//! two ways to deal with that:
//!
//! - [`Machine::polite`]: the thread never preempts when it wakes up, because it has the policy
//!   `SCHED_BATCH` from the start of each hold to the verdict after it. So its waiting shows every
//!   neighbour. The p99 of a server with requests of 1 to 4 ms stays below 1.25 times what it is
//!   alone, and background work uses half of what a load of 60 % leaves, or 0.85 at 20 %. The
//!   price: in a hold the thread's own callbacks wait for the neighbour, up to a tick (4 ms).
//! - [`Machine::new`]: without that. Pauses begin longer, and until background work has run for
//!   the time owed it runs in single pieces with a short pause after each. The p99 is up to 1.5
//!   times what it is alone, and background work uses 0.1 to 0.3 of what a load of 60 % leaves, or
//!   0.4 at 20 %.
//!
//! **What it promises**: a neighbour that wakes up while nothing is owed waits for the piece under
//! way, and those that begin before [`Machine::LOOK`] has passed. Batch work of a neighbour gets
//! nearly the whole processor. An idle machine is used fully. Time in which the control group was
//! stopped for its quota, interrupts and kernel threads do not pause background work.

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
    /// For how long its control group was stopped for its quota; 0 if there is none. It counts in
    /// the reading in which `waited` grows.
    pub stopped: u64,
    /// For how long it has run background work.
    pub background: u64,
}

/// The controller of one thread.
#[derive(Clone, Debug)]
pub struct Machine {
    is_polite: bool,
    last: Option<Reading>,
    /// How much of the waiting noise does not explain.
    excess: u64,
    /// For how long background work has run since the thread waited.
    calm: u64,
    /// For how long the kernel may still prefer this thread; 0 if it is polite.
    owed: u64,
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

    /// The first pause of a polite thread, and the one after each piece while time is owed.
    pub const SHORT_PAUSE: u64 = 1_000_000;

    /// The first pause of a thread that may preempt when it wakes up.
    pub const CAUTIOUS_PAUSE: u64 = 3_000_000;

    /// The longest pause.
    pub const LONGEST_PAUSE: u64 = 50_000_000;

    /// The pause is short again after so much background work without waiting.
    pub const CALM: u64 = 2_000_000;

    /// Kernels limit what they owe: Linux to a tick, 4 ms at most where ticks are not rare.
    pub const MOST_OWED: u64 = 4_000_000;

    /// The controller of a thread that may preempt others when it wakes up.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            is_polite: false,
            last: None,
            excess: 0,
            calm: 0,
            owed: 0,
            pause: Self::CAUTIOUS_PAUSE,
        }
    }

    /// The controller of a thread that never preempts others when it wakes up from a hold.
    #[must_use]
    pub const fn polite() -> Self {
        let mut machine = Self::new();
        machine.is_polite = true;
        machine.pause = Self::SHORT_PAUSE;
        machine
    }

    /// Whether background work may run. The first reading only begins the count.
    pub fn decide(&mut self, reading: &Reading) -> Verdict {
        let last = self.last.replace(*reading).unwrap_or(*reading);
        let background = reading.background.saturating_sub(last.background);
        self.count_waiting(&last, reading);
        self.owed = self.owed.saturating_sub(background);
        if self.excess > Self::NOISE {
            return self.give_way(reading.now);
        }
        if self.owed > 0 && background > 0 {
            return Verdict::Hold {
                until: reading.now + Self::SHORT_PAUSE,
            };
        }
        self.calm += background;
        if self.calm >= Self::CALM {
            self.pause = self.first_pause();
        }
        Verdict::Run {
            until: reading.now + Self::LOOK,
        }
    }

    fn count_waiting(&mut self, last: &Reading, reading: &Reading) {
        let stopped = reading.stopped.saturating_sub(last.stopped);
        let waited = reading.waited.saturating_sub(last.waited);
        let ran = reading.ran.saturating_sub(last.ran);
        let explained = ran / Self::NOISE_PARTS;
        self.excess = (self.excess + waited.saturating_sub(stopped)).saturating_sub(explained);
    }

    fn give_way(&mut self, now: u64) -> Verdict {
        let until = now + self.pause;
        if !self.is_polite {
            self.owed = (self.owed + self.excess).min(Self::MOST_OWED);
        }
        self.excess = 0;
        self.calm = 0;
        self.pause = (self.pause + self.pause / 4).min(Self::LONGEST_PAUSE);
        Verdict::Hold { until }
    }

    const fn first_pause(&self) -> u64 {
        if self.is_polite {
            Self::SHORT_PAUSE
        } else {
            Self::CAUTIOUS_PAUSE
        }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}
