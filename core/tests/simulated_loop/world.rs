//! The model of the libuv loop: the clock, future events, and the scheduler's handles. Answers the
//! scheduler's questions as libuv would.

use std::cell::{Cell, RefCell};

use uv_scheduler_core::host::{Handles, Hold, Host, Inbox};
use uv_scheduler_core::protocol::Entry;

use crate::holds::{Answers, Holds};

pub const MICROSECOND: u64 = 1_000;
pub const MILLISECOND: u64 = 1_000_000;

/// How long a probe that found no I/O ready counts.
const PROBE_INTERVAL: u64 = 100 * MICROSECOND;

/// The I/O that the poll phase would find.
#[derive(Clone, Copy, PartialEq)]
pub enum Io {
    Quiet,
    /// Ready since a moment ago, so that the last probe may have missed it.
    Fresh,
    Ready,
}

#[derive(Default)]
pub struct World {
    pub now: u64,
    /// The loop's own time, from which timers count.
    pub loop_time: Cell<u64>,
    /// When each timer is due, and when it was set.
    pub timers: Vec<(u64, u64)>,
    /// Whether each immediate is referenced.
    pub immediates: Vec<bool>,
    /// When each operation is ready.
    pub io: Vec<u64>,
    /// When a probe last found no I/O ready, since the check phase began.
    pub probed: Cell<Option<u64>>,
    pub closing: u32,
    pub pending: u32,
    /// When the scheduler's timer fires.
    pub wake_up: Cell<Option<u64>>,
    /// The time to which the scheduler's timer is set.
    deadline: Cell<Option<u64>>,
    /// The scheduler's idle handle is active.
    pub is_awake: Cell<bool>,
    /// The scheduler's prepare handle is referenced.
    pub is_referenced: Cell<bool>,
    /// The lowest rank of tasks that are flushed at once.
    pub notify_rank: Cell<u32>,
    /// The entries of tasks that were posted and removed without a call.
    pub inbox: RefCell<Vec<Entry>>,
    /// The check phase under way has yet to call check handles, which a nested run cannot see.
    pub are_checks_hidden: Cell<bool>,
    /// The scheduler has asked whether the loop is busy while its own idle handle was active.
    pub has_asked_awake: Cell<bool>,
    /// The scheduler has restored the check handles.
    pub has_restored: Cell<bool>,
    pub holds: Holds,
    /// `drain()` or `onIdle()` waits. The host does not know.
    pub is_lifted: bool,
    pub answers: RefCell<Answers>,
    /// For how long background work has run, up to the task that runs.
    pub background: u64,
}

/// A call of a handle has to change something, as each one crosses into libuv.
fn change<T: Copy + PartialEq>(cell: &Cell<T>, to: T) {
    assert!(cell.replace(to) != to, "a handle is told what it knows");
}

impl World {
    pub fn is_alive(&self) -> bool {
        self.is_referenced.get()
            || !self.timers.is_empty()
            || self.immediates.contains(&true)
            || !self.io.is_empty()
            || self.closing > 0
            || self.pending > 0
    }

    /// Until when the poll phase blocks. `None`: for ever.
    pub fn timeout(&self) -> Option<u64> {
        if self.is_awake.get() || !self.is_alive() || self.is_busy_by_others() {
            return Some(self.now);
        }
        self.due().map(|due| due.max(self.now))
    }

    /// Whether anything is runnable but I/O and what the scheduler itself has.
    pub fn is_busy_by_others(&self) -> bool {
        self.immediates.contains(&true)
            || self.closing > 0
            || self.pending > 0
            || self.due().is_some_and(|due| due <= self.now)
    }

    /// When the first timer is due, the scheduler's own included.
    fn due(&self) -> Option<u64> {
        let dues = self.timers.iter().map(|(due, _)| *due);
        dues.chain(self.wake_up.get()).min()
    }

    /// Takes the next due timer among those that were set before `set_before`.
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

    /// Whether a probe that found no I/O ready is recent enough to count.
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

    pub fn is_busy(&self) -> bool {
        self.timeout() == Some(self.now)
    }

    /// Whether background work has to wait.
    pub fn is_held(&self) -> bool {
        !self.is_lifted && self.holds.at(self.now).is_some()
    }

    /// The scheduler's timer fires.
    pub fn forget_timer(&self) {
        self.wake_up.set(None);
        self.deadline.set(None);
    }

    /// The loop reads the clock.
    pub fn update_loop_time(&self) {
        self.loop_time.set(self.now);
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
        if self.is_awake.get() {
            self.has_asked_awake.set(true);
        }
        self.update_loop_time();
        World::is_busy(self)
    }

    fn hold(&self, now: u64, background: u64) -> Option<Hold> {
        assert_eq!((now, background), (self.now, self.background));
        let answer = self.holds.at(now);
        self.answers.borrow_mut().add(answer, now);
        answer
    }

    fn end_hold(&self) {
        self.answers.borrow_mut().add(None, self.now);
    }
}

impl Handles for World {
    fn set_referenced(&self, referenced: bool) {
        change(&self.is_referenced, referenced);
    }

    fn set_awake(&self, awake: bool) {
        change(&self.is_awake, awake);
    }

    fn set_timer(&self, deadline: Option<u64>) {
        change(&self.deadline, deadline);
        let due = deadline.map(|deadline| {
            let wait = deadline.saturating_sub(self.now).div_ceil(MILLISECOND);
            self.loop_time.get() + wait.max(1) * MILLISECOND
        });
        self.wake_up.set(due);
    }

    fn set_notify_rank(&self, rank: u32) {
        change(&self.notify_rank, rank);
    }

    fn restore_checks(&self) {
        self.are_checks_hidden.set(false);
        self.has_restored.set(true);
    }
}

impl Inbox for World {
    fn take_entries(&self, each: impl FnMut(Entry)) {
        self.inbox.take().into_iter().for_each(each);
    }
}
