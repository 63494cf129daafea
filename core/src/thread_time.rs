//! The part of a callback's time in which its thread was stopped.
//!
//! A process can be stopped in the middle of a callback, as can its container or its machine. That
//! time is not charged to a request or a key. The processor time of the thread says how long a
//! callback has run, but reading that clock at the start and the end of each task would take as
//! long as a task. So only a callback that looks long is measured, from the last reading before its
//! start. What ran between that reading and the start counts for the callback, so a stop may be
//! taken for shorter than it was, by at most [`INTERVAL`].

use crate::host::{Host, NANOSECONDS_PER_MILLISECOND};

/// A callback looks long if it has taken this time in nanoseconds.
const LONG: u64 = 10 * NANOSECONDS_PER_MILLISECOND;

/// When a task starts, the last reading is at most so old, in nanoseconds.
const INTERVAL: u64 = 10 * NANOSECONDS_PER_MILLISECOND;

/// The last reading of the thread's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadTime {
    last: Option<Reading>,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    at: u64,
    processor: u64,
}

impl ThreadTime {
    /// Notes that a task that is charged starts now.
    pub fn start(&mut self, now: u64, host: &impl Host) {
        let is_recent = |last: Reading| now.saturating_sub(last.at) < INTERVAL;
        if !self.last.is_some_and(is_recent) {
            let read = |processor| Reading { at: now, processor };
            self.last = host.thread_time().map(read);
        }
    }

    /// For how many nanoseconds the thread was stopped in a callback that ran from `since` to
    /// `now`.
    #[must_use]
    pub fn stopped(&self, since: u64, now: u64, host: &impl Host) -> u64 {
        let time = now.saturating_sub(since);
        let last = self.last.filter(|last| time >= LONG && last.at <= since);
        let ran = last.and_then(|last| Some(host.thread_time()?.saturating_sub(last.processor)));
        ran.map_or(0, |ran| time.saturating_sub(ran))
    }
}
