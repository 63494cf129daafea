//! The libuv loop's side: the clock and what is to come. Owns the handles of the modelled loop and
//! answers what libuv would; knows nothing of tasks.

use std::cell::Cell;

use uv_scheduler::drain::Host;

pub const MICROSECOND: u64 = 1_000;
pub const MILLISECOND: u64 = 1_000_000;

/// How long a probe that found no I/O ready is good for.
const PROBE_INTERVAL: u64 = 100 * MICROSECOND;

/// What the poll phase would find.
#[derive(Clone, Copy, PartialEq)]
pub enum Io {
    Quiet,
    /// Ready, but not for long: the probe before may have missed it.
    Fresh,
    Ready,
}

#[derive(Default)]
pub struct World {
    pub now: u64,
    /// When each is due, and when it was set.
    pub timers: Vec<(u64, u64)>,
    /// Whether each is referenced.
    pub immediates: Vec<bool>,
    /// When each operation is ready.
    pub io: Vec<u64>,
    /// When a probe last found no I/O ready, since the check phase began.
    pub probed: Cell<Option<u64>>,
    pub closing: u32,
    pub pending: u32,
    /// The scheduler's own timer.
    pub wake_up: Option<u64>,
    /// The scheduler's idle handle is active.
    pub is_awake: bool,
    /// The scheduler's prepare handle is referenced.
    pub is_held: bool,
}

impl World {
    pub fn is_alive(&self) -> bool {
        self.is_held
            || !self.timers.is_empty()
            || self.immediates.contains(&true)
            || !self.io.is_empty()
            || self.closing > 0
            || self.pending > 0
    }

    /// Until when the poll phase blocks; none is for ever.
    pub fn timeout(&self) -> Option<u64> {
        let goes_on = self.is_awake
            || self.immediates.contains(&true)
            || self.closing > 0
            || self.pending > 0
            || !self.is_alive();
        if goes_on {
            return Some(self.now);
        }
        let dues = self.timers.iter().map(|(due, _)| *due);
        dues.chain(self.wake_up).min().map(|due| due.max(self.now))
    }

    /// The next timer that is due, of those that were set before.
    pub fn take_due_timer(&mut self, set_before: u64) -> bool {
        let due = (0..self.timers.len())
            .filter(|index| {
                let (due, set) = self.timers[*index];
                due <= self.now && set <= set_before
            })
            .min_by_key(|index| self.timers[*index]);
        due.map(|index| self.timers.remove(index)).is_some()
    }

    pub fn take_ready_io(&mut self) -> usize {
        let before = self.io.len();
        self.io.retain(|ready| *ready > self.now);
        before - self.io.len()
    }

    /// Whether a probe that found no I/O ready is recent enough to be believed.
    pub fn is_probed(&self) -> bool {
        let probed = self.probed.get();
        probed.is_some_and(|at| self.now - at < PROBE_INTERVAL)
    }

    pub fn io(&self) -> Io {
        match self.io.iter().min() {
            Some(ready) if ready + PROBE_INTERVAL <= self.now => Io::Ready,
            Some(ready) if *ready <= self.now => Io::Fresh,
            _ => Io::Quiet,
        }
    }
}

impl Host for World {
    fn now(&self) -> u64 {
        self.now
    }

    fn is_io_ready(&self) -> bool {
        let is_ready = self.io() != Io::Quiet;
        if !is_ready {
            self.probed.set(Some(self.now));
        }
        is_ready
    }

    fn is_busy(&self) -> bool {
        self.timeout() == Some(self.now)
    }
}
