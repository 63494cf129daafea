//! What [`Idle`](crate::Idle) asks the system. The tests answer without files.

use crate::container::Limit;

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

/// Counters of a control group since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Processor time that the group has used, in nanoseconds. None if it cannot be read.
    pub usage: Option<u64>,
    /// Periods of the quota in which the group ran.
    pub periods: u64,
    /// Periods in which the kernel stopped the group.
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
pub trait Group {
    /// Its limit when it was looked up.
    fn limit(&self) -> Limit;
    /// Whether both are one group, whose limit may have changed.
    fn is_same(&self, other: &Self) -> bool;
    /// Its counters now. None if it is gone.
    fn read(&self) -> Option<Counters>;
}

/// Questions about the system. By default it knows nothing.
pub trait System {
    /// A control group.
    type Group: Group;
    /// The groups with a quota that the process is in, the tightest first.
    fn limited_groups(&mut self) -> Vec<Self::Group> {
        Vec::new()
    }
    /// The time in nanoseconds; 0 if it is not known.
    fn now(&mut self) -> u64 {
        0
    }
    /// The processor time of this thread, in nanoseconds; 0 if it is not known. Brings up to date
    /// what it has used in the counters of its groups.
    fn thread_time(&mut self) -> u64 {
        0
    }
    /// Makes this thread one that never preempts others when it wakes up, or a normal one again.
    /// Returns whether it is.
    fn set_batch(&mut self, _is_batch: bool) -> bool {
        false
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
