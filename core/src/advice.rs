//! The answer to code that asks whether to yield. The rules are in `turn`.

use crate::host::{Handles, Host};
use crate::priority::EffectivePriority;
use crate::protocol::FlowId;

/// Code that asks whether to yield.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The priority that its continuation would have.
    pub priority: EffectivePriority,
    /// The flow that it belongs to.
    pub flow: Option<FlowId>,
    /// Whether the last question in this callback, if there was one, came from other code.
    pub is_other: bool,
}

impl Code {
    /// Code that belongs to no flow, and asked the last question.
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
    /// Whether the code should yield.
    pub should_yield: bool,
    /// Whether the code may reuse the answer until it posts a task, as it asks so often.
    pub may_repeat: bool,
    /// Whether the scheduler does not see where the callback of the code ends.
    pub has_unseen_end: bool,
}

impl Advice {
    /// Code that asks at intervals of at most this, in nanoseconds, may reuse answers.
    const OFTEN: u64 = 10_000;

    /// The answer as the number that JavaScript receives: 1 if the code should yield, plus 2 if it
    /// may reuse the answer, plus 4 if the scheduler does not see where its callback ends.
    #[must_use]
    pub fn bits(self) -> u32 {
        u32::from(self.should_yield)
            + 2 * u32::from(self.may_repeat)
            + 4 * u32::from(self.has_unseen_end)
    }

    /// Whether the answer at `now` may be reused, given the time of the question before.
    #[must_use]
    pub fn may_repeat(last_asked: Option<u64>, now: u64) -> bool {
        last_asked.is_some_and(|last| now.saturating_sub(last) <= Self::OFTEN)
    }
}

/// Whether anything but the scheduler's tasks is runnable. The host's answer is only right while
/// the loop is kept alive and not kept awake, so both are arranged for the question.
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
