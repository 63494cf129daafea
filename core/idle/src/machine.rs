//! Holds background work while another thread wants the processor of this one. It knows neither a
//! clock nor a file: readings come in, a [`Verdict`] goes out.
//!
//! **What it reads**: for how long the kernel has let this thread wait for a processor although it
//! could run (`schedstat`). That grows only if something else has run in its place.
//!
//! **How often**: before background work, at most every `LOOK`, after
//! [`std::thread::yield_now`]. If another thread waits, that one runs now, and this thread sees its
//! own waiting at once. If none waits, a yield costs half a microsecond.
//!
//! **What it does**: when the thread has waited for more than noise, background work pauses. Each
//! further waiting makes the next pause longer, and background work without waiting short again.
//!
//! **What it needs**: between control groups (and sessions) a thread that has waited is owed time.
//! When it wakes up it preempts its neighbour without having waited. So the thread has the policy
//! `SCHED_BATCH` from the start of each hold to the verdict after it, under which it preempts
//! nobody, and its waiting shows every neighbour. The price: in a hold the thread's own callbacks
//! wait for the neighbour, up to a tick (4 ms).
//!
//! `core/idle/tests/machine` states what that promises: a neighbour's requests are hardly slower,
//! and an idle machine is used fully. Time in which the control group was stopped for its quota,
//! interrupts and kernel threads do not pause background work.

use crate::controller::{Controller, Verdict};
use crate::system::ThreadTimes;

/// For how long background work runs before the next question.
const LOOK: u64 = 500_000;
/// Interrupts and kernel threads make a thread wait, too: up to this at once, and up to one part in
/// so many of the time for which it runs.
const NOISE: u64 = 100_000;
const NOISE_PARTS: u64 = 20;
/// The first pause, and the longest.
const SHORT_PAUSE: u64 = 1_000_000;
const LONGEST_PAUSE: u64 = 50_000_000;
/// The pause is short again after so much background work without waiting.
const CALM: u64 = 2_000_000;

/// The state of the thread and processor at a question. All times are in nanoseconds, and the last
/// four only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The time of a monotonic clock.
    pub now: u64,
    /// For how long this thread has run, and waited for a processor.
    pub times: ThreadTimes,
    /// For how long its control group was stopped for its quota; 0 if there is none. It counts in
    /// the reading in which `waited` grows.
    pub stopped: u64,
    /// For how long it has run background work.
    pub background: u64,
}

/// The controller of one thread.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    last: Option<Reading>,
    /// How much of the waiting noise does not explain.
    excess: u64,
    /// For how long background work has run since the thread waited.
    calm: u64,
    /// How long the next pause will be, or less than the first one.
    pause: u64,
}

impl Controller<Reading> for Machine {
    /// The first reading only begins the count.
    fn decide(&mut self, reading: &Reading) -> Verdict {
        let last = self.last.replace(*reading).unwrap_or(*reading);
        let stopped = reading.stopped.saturating_sub(last.stopped);
        let waited = reading.times.waited.saturating_sub(last.times.waited);
        let explained = reading.times.ran.saturating_sub(last.times.ran) / NOISE_PARTS;
        self.excess = (self.excess + waited.saturating_sub(stopped)).saturating_sub(explained);
        if self.excess > NOISE {
            let pause = self.pause.max(SHORT_PAUSE);
            (self.excess, self.calm) = (0, 0);
            self.pause = (pause + pause / 4).min(LONGEST_PAUSE);
            return Verdict::hold(reading.now + pause);
        }
        self.calm += reading.background.saturating_sub(last.background);
        if self.calm >= CALM {
            self.pause = SHORT_PAUSE;
        }
        Verdict::run(reading.now + LOOK)
    }
}
