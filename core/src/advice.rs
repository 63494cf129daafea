//! What code is told that asks whether to yield. `drain` has the rules.

use crate::hold::Hold;
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

/// The loop as if the scheduler kept it alive and did not keep it awake, where alone the question
/// whether it is busy is answered rightly.
pub struct Alone<'a, H> {
    host: &'a H,
    is_awake: bool,
    is_referenced: bool,
}

impl<'a, H: Host + Handles> Alone<'a, H> {
    /// Takes whether the scheduler keeps the loop awake, and alive.
    pub fn new(host: &'a H, is_awake: bool, is_referenced: bool) -> Self {
        Self {
            host,
            is_awake,
            is_referenced,
        }
    }
}

impl<H: Host + Handles> Host for Alone<'_, H> {
    fn now(&self) -> u64 {
        self.host.now()
    }

    fn is_io_ready(&self) -> bool {
        self.host.is_io_ready()
    }

    fn is_busy(&self) -> bool {
        if self.is_awake {
            self.host.set_awake(false);
        }
        if !self.is_referenced {
            self.host.set_referenced(true);
        }
        let is_busy = self.host.is_busy();
        if !self.is_referenced {
            self.host.set_referenced(false);
        }
        if self.is_awake {
            self.host.set_awake(true);
        }
        is_busy
    }

    fn hold(&self, now: u64, background: u64) -> Option<Hold> {
        self.host.hold(now, background)
    }
}
