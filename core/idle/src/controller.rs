//! The two controllers as [`Idle`](crate::Idle) sees them. The tests put in others, whose verdicts
//! are known.

use crate::container::{self, Limit};
use crate::machine;
use crate::verdict::Verdict;

/// Decides for a control group with a CPU quota.
pub trait Quota {
    /// A controller that has read nothing yet. Quota and period are above 0.
    fn new(limit: Limit) -> Self;
    /// Another limit holds from now on.
    fn set_limit(&mut self, limit: Limit);
    /// Whether background work may run, and when to ask again: later than `reading.now`.
    fn decide(&mut self, reading: &container::Reading) -> Verdict;
}

/// Decides for the other threads that want the processor.
pub trait Neighbours {
    /// A controller that has read nothing yet.
    fn new() -> Self;
    /// Whether background work may run, by a new reading.
    fn decide(&mut self, reading: &machine::Reading) -> Verdict;
}
