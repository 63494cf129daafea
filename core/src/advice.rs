//! What code is told that asks whether to yield. `drain` has the rules.

use crate::host::{Handles, Host};

/// The answer to code that asks whether to yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Whether it should.
    pub should_yield: bool,
    /// Whether it asks so often that it can take the answer for the next questions, too, until it
    /// posts a task.
    pub may_repeat: bool,
    /// Whether the scheduler does not see where the callback of the code ends.
    pub has_unseen_end: bool,
}

impl Advice {
    /// Code that asks more often than this, in nanoseconds, need not ask every time.
    const OFTEN: u64 = 10_000;

    /// Whether code may repeat an answer that asked before at `last_asked`.
    #[must_use]
    pub fn may_repeat(last_asked: Option<u64>, now: u64) -> bool {
        last_asked.is_some_and(|last| now.saturating_sub(last) <= Self::OFTEN)
    }
}

/// Whether anything but the scheduler's tasks is runnable. The host's answer is right only while the
/// scheduler keeps the loop alive and does not keep it awake, so that is the case while it is asked.
pub fn is_busy(host: &(impl Host + Handles), is_awake: bool, is_referenced: bool) -> bool {
    if is_awake {
        host.set_awake(false);
    }
    if !is_referenced {
        host.set_referenced(true);
    }
    let is_busy = host.is_busy();
    if !is_referenced {
        host.set_referenced(false);
    }
    if is_awake {
        host.set_awake(true);
    }
    is_busy
}
