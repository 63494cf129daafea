//! What [`Idle`](crate::Idle) asks the system. The tests answer without files.

use crate::container::Limit;

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

/// Questions about the system.
pub trait System {
    /// A control group.
    type Group: Group;
    /// The groups with a quota that the process is in, the tightest first.
    fn limited_groups(&mut self) -> Vec<Self::Group>;
    /// Brings up to date what this thread has used in the counters of its groups.
    fn update_usage(&mut self);
    /// The times of this thread. None if the system does not measure them.
    fn thread_times(&mut self) -> Option<ThreadTimes>;
    /// Lets other threads that wait for this processor run first, so that their wait shows in
    /// this thread's times. Returns how long that took, in nanoseconds.
    fn give_way(&mut self) -> u64;
}
