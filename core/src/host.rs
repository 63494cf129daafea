//! Three traits through which the scheduler sees the event loop and JavaScript.
//!
//! The addon implements them over libuv, the tests over a simulated loop.

use crate::protocol::Entry;

/// Nanoseconds in a millisecond. Times are in nanoseconds here, and in milliseconds in JavaScript
/// and in libuv's timers.
pub const NANOSECONDS_PER_MILLISECOND: u64 = 1_000_000;

/// Converts milliseconds. The cast saturates.
#[must_use]
pub fn nanoseconds(milliseconds: f64) -> u64 {
    (milliseconds * NANOSECONDS_PER_MILLISECOND as f64) as u64
}

/// Questions about the loop.
pub trait Host {
    /// The time in nanoseconds of a monotonic clock.
    fn now(&self) -> u64;
    /// Whether the poll phase would find I/O that is ready.
    fn is_io_ready(&self) -> bool;
    /// Whether a timer is due at the time that was read last, an immediate waits, a handle is
    /// closing or a callback is pending. The answer is only right while the scheduler does not keep
    /// the loop awake.
    fn is_busy(&self) -> bool;
    /// Nanoseconds until the next timer is due, if the host knows. Asked in the check phase.
    fn time_to_next(&self) -> Option<u64> {
        None
    }
    /// Whether background work has to wait although nothing else is runnable. `now` is the time,
    /// and `background` the nanoseconds for which background work of this loop has run so far.
    /// Asked before every background task and idle callback, so the answer must come from memory as
    /// a rule. A host without holds need not implement this function.
    fn hold(&self, _now: u64, _background: u64) -> Option<Hold> {
        None
    }
    /// Sets what has to be idle before background work starts: 0 only this loop, 1 also the quota
    /// of the container, 2 also the processor. A host without holds need not implement this.
    fn set_idle(&self, _mode: u32) {}
    /// The processor time of this thread in nanoseconds. Without one, time in which the thread was
    /// stopped counts as thread time.
    fn thread_time(&self) -> Option<u64> {
        None
    }
    /// Tells the host that its last hold has ended without a further question.
    fn end_hold(&self) {}
}

/// The scheduler's own handles on the loop. Each function is called only with a new value.
pub trait Handles {
    /// Refs or unrefs the scheduler's handle, which while referenced keeps the process alive.
    fn set_referenced(&self, referenced: bool);
    /// Keeps poll phases from blocking, or lets them block again.
    fn set_awake(&self, awake: bool);
    /// Calls the timer hook when `deadline` has passed, or never. Replaces the timer set before.
    fn set_timer(&self, deadline: Option<u64>);
    /// Publishes the lowest rank of tasks that JavaScript has to flush at once.
    fn set_notify_rank(&self, rank: u32);
    /// Makes a nested run of the loop call the check hooks that the outer run has not called yet.
    fn restore_checks(&self);
}

/// The entries that JavaScript has left: see [`Entry`].
pub trait Inbox {
    /// Takes all entries, in the order in which JavaScript added them.
    fn take_entries(&self, each: impl FnMut(Entry));
}

/// All three traits.
pub trait Loop: Host + Handles + Inbox {}

impl<T: Host + Handles + Inbox> Loop for T {}

/// The reason of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The process's control group: its CPU quota, or other threads in it.
    Container,
    /// Other threads wait for the processor.
    Machine,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 2] = [Self::Container, Self::Machine];

    /// The position in [`Self::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Background tasks, their continuations and idle callbacks have to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The time in nanoseconds at which the answer expires.
    pub until: u64,
    /// The reason why they have to wait.
    pub reason: Reason,
}
