//! The answer to code that asks whether to yield. The rules are in `drain`.

use crate::fair_queues::FlowId;
use crate::host::{Handles, Host};
use crate::priority::EffectivePriority;

/// Code that asks whether to yield.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The priority that its continuation would have.
    pub priority: EffectivePriority,
    /// The flow that it belongs to.
    pub flow: Option<FlowId>,
    /// Other code has asked last, if any has asked in this callback.
    pub is_other: bool,
}

impl Code {
    /// Code that belongs to no flow, and has asked last.
    #[must_use]
    pub fn new(priority: EffectivePriority) -> Self {
        Self {
            priority,
            flow: None,
            is_other: false,
        }
    }
}

/// The answer to code that asks whether to yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Whether it should.
    pub should_yield: bool,
    /// Whether the answer also holds for the next questions, until the code posts a task, as it asks
    /// so often.
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

/// Whether anything but the scheduler's tasks is runnable. While the host is asked, the loop is kept
/// alive and not kept awake: only then is the answer right.
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
