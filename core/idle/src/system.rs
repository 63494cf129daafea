//! The questions of [`Idle`](crate::Idle) to the system. The tests answer without files.

use std::path::PathBuf;

/// Calls of the system for which this crate, without unsafe code, is given functions.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// The time of the monotonic clock, in nanoseconds: the clock of the kernel's period timer.
    /// 0 if it is not known.
    pub now: fn() -> u64,
    /// The processor time of the calling thread, in nanoseconds; 0 if it is not known. Asking
    /// brings up to date what the thread has used, which the kernel otherwise adds at ticks, 1 to
    /// 10 ms apart. `clock_gettime` with `CLOCK_THREAD_CPUTIME_ID` does that.
    pub thread_time: fn() -> u64,
    /// Makes the calling thread one that never preempts others when it wakes up (`SCHED_BATCH`),
    /// or a normal one again. Returns whether it is.
    pub set_batch: fn(bool) -> bool,
}

impl Calls {
    /// Knows no time, and changes no thread.
    pub const NONE: Self = Self {
        now: || 0,
        thread_time: || 0,
        set_batch: |_| false,
    };
}

/// A CPU quota, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Processor time per period.
    pub quota: u64,
    /// The period.
    pub period: u64,
}

/// Counters of a control group since it was made. They never decrease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Processor time that the group has used, in nanoseconds: up to now for this thread, and up
    /// to the last tick for others. None if it cannot be read.
    pub usage: Option<u64>,
    /// `nr_periods`: periods that the kernel has counted. It counts none while the group is idle.
    pub periods: u64,
    /// `nr_throttled`: periods at whose end a processor of the group was stopped.
    pub throttled: u64,
    /// For how long the group was stopped, in nanoseconds, added up over the processors.
    pub stopped: u64,
}

/// Times of the thread since its start, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadTimes {
    /// On a processor.
    pub ran: u64,
    /// Runnable, but waiting for a processor.
    pub waited: u64,
}

/// A control group with a CPU quota.
pub struct Group {
    /// Where its quota is, and in version 1 the processor time that it has used, if that is known.
    pub folders: (PathBuf, Option<PathBuf>),
    /// Its limit when it was looked up.
    pub limit: Limit,
    /// Reads its counters. None if it is gone, also if it was replaced by one of the same name.
    pub read: Box<dyn Fn() -> Option<Counters>>,
}

/// Questions about the system. By default it knows nothing.
pub trait System {
    /// The groups with a quota that the process is in, the tightest first.
    fn limited_groups(&mut self) -> Vec<Group> {
        Vec::new()
    }
    /// The times of this thread. None if the system does not measure them.
    fn thread_times(&mut self) -> Option<ThreadTimes> {
        None
    }
    /// Whether this is the thread with which the process began.
    fn is_main_thread(&mut self) -> bool {
        true
    }
    /// Lets other threads that wait for this processor run first, so that their wait shows in
    /// this thread's times.
    fn give_way(&mut self) {}
}

/// A system that is not Linux: no group has a quota, and nothing tells how long a thread waits for
/// a processor.
#[derive(Debug, Default)]
pub struct Unknown {}

impl System for Unknown {}
