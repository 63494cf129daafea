//! What the scheduler asks of the event loop, does to it, and takes in from JavaScript.
//!
//! Three traits, implemented over libuv in the addon and over a simulated loop in the tests.

use crate::protocol::Entry;

/// Nanoseconds in a millisecond. Times are in nanoseconds here, and in milliseconds in JavaScript
/// and in libuv's timers.
pub const NANOSECONDS_PER_MILLISECOND: u64 = 1_000_000;

/// Questions about the loop.
pub trait Host {
    /// The time in nanoseconds of a monotonic clock.
    fn now(&self) -> u64;
    /// Whether the poll phase would find I/O that is ready.
    fn is_io_ready(&self) -> bool;
    /// Whether a timer is due, an immediate waits, a handle is closing or a callback is pending. The
    /// answer is only right while the scheduler does not keep the loop awake.
    fn is_busy(&self) -> bool;
}

/// The scheduler's own handles on the loop. Each function is called only when something changes.
pub trait Handles {
    /// Refs or unrefs the loop: while it is referenced, the process stays alive.
    fn set_referenced(&self, referenced: bool);
    /// Keeps poll phases from blocking, or lets them block again.
    fn set_awake(&self, awake: bool);
    /// Calls the timer hook when `deadline` has passed, or never. A timer that was set before is
    /// forgotten.
    fn set_timer(&self, deadline: Option<u64>);
    /// Tells JavaScript the lowest rank of a task that it has to flush at once.
    fn set_notify_rank(&self, rank: u32);
    /// Makes a nested run of the loop call the check hooks that the outer run has not called yet.
    fn restore_checks(&self);
}

/// The tasks that JavaScript has posted and removed without a call.
pub trait Inbox {
    /// Takes every entry out, in the order they were left.
    fn take_entries(&self, each: impl FnMut(Entry));
}

/// All of it.
pub trait Loop: Host + Handles + Inbox {}

impl<T: Host + Handles + Inbox> Loop for T {}
