//! A scheduler on a loop whose answers are set by hand, and that remembers what it was told.

use std::cell::{Cell, RefCell};

use uv_scheduler_core::event_loop::{Check, EventLoop};
use uv_scheduler_core::host::{Handles, Hold, Host, Inbox};
use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::{Destination, Entry, Terms};
use uv_scheduler_core::task_queue::TaskId;

pub const MILLISECOND: u64 = 1_000_000;

/// The handles, as they were last told, and the inbox.
#[derive(Default)]
pub struct FakeLoop {
    pub now: Cell<u64>,
    /// How much of the time so far the thread was stopped.
    pub stopped: Cell<u64>,
    pub is_io_ready: Cell<bool>,
    pub is_busy: Cell<bool>,
    pub is_referenced: Cell<bool>,
    pub is_awake: Cell<bool>,
    pub timer: Cell<Option<u64>>,
    pub notify_rank: Cell<u32>,
    pub inbox: RefCell<Vec<Entry>>,
    /// How often the loop was released.
    pub released: Cell<u32>,
    /// How often a handle was told something.
    pub told: Cell<u32>,
    /// How often the check hooks were restored.
    pub restored: Cell<u32>,
    /// The host's answer when it is asked whether background work has to wait.
    pub hold: Cell<Option<Hold>>,
    /// How often it was asked, and for how long background work had run then.
    pub asked_to_hold: Cell<u32>,
    pub background: Cell<u64>,
    /// How often it was told that a hold is over.
    pub ended_holds: Cell<u32>,
}

/// A task that is queued when so much time has passed.
pub fn at(delay: u64) -> Terms {
    Terms {
        delay: Some(delay),
        ..Terms::default()
    }
}

/// A task that is overdue when it has waited for longer than this.
pub fn within(max_wait: u64) -> Terms {
    Terms {
        max_wait: Some(max_wait),
        ..Terms::default()
    }
}

impl FakeLoop {
    fn tell(&self) {
        self.told.set(self.told.get() + 1);
    }
}

impl Host for FakeLoop {
    fn now(&self) -> u64 {
        self.now.get()
    }

    fn is_io_ready(&self) -> bool {
        self.is_io_ready.get()
    }

    fn is_busy(&self) -> bool {
        assert!(!self.is_awake.get(), "asked while the loop is kept awake");
        self.is_busy.get()
    }

    fn hold(&self, now: u64, background: u64) -> Option<Hold> {
        assert_eq!(now, self.now.get());
        self.asked_to_hold.set(self.asked_to_hold.get() + 1);
        self.background.set(background);
        self.hold.get()
    }

    fn thread_time(&self) -> Option<u64> {
        Some(self.now.get() - self.stopped.get())
    }

    fn end_hold(&self) {
        self.ended_holds.set(self.ended_holds.get() + 1);
    }
}

impl Handles for FakeLoop {
    fn set_referenced(&self, referenced: bool) {
        self.tell();
        self.is_referenced.set(referenced);
        let released = self.released.get() + u32::from(!referenced);
        self.released.set(released);
    }

    fn set_awake(&self, awake: bool) {
        self.tell();
        self.is_awake.set(awake);
    }

    fn set_timer(&self, deadline: Option<u64>) {
        self.tell();
        self.timer.set(deadline);
    }

    fn set_notify_rank(&self, rank: u32) {
        self.tell();
        self.notify_rank.set(rank);
    }

    fn restore_checks(&self) {
        self.restored.set(self.restored.get() + 1);
    }
}

impl Inbox for FakeLoop {
    fn take_entries(&self, each: impl FnMut(Entry)) {
        self.inbox.take().into_iter().for_each(each);
    }
}

/// A scheduler on its loop, and who gives the ids.
#[derive(Default)]
pub struct Fixture {
    pub host: FakeLoop,
    pub event_loop: EventLoop,
    pub ids: TaskId,
}

impl Fixture {
    /// Posts without a call.
    pub fn leave(&mut self, priority: EffectivePriority) -> TaskId {
        self.leave_in(Destination::fixed(priority))
    }

    pub fn leave_in(&mut self, destination: Destination) -> TaskId {
        self.ids += 1;
        self.leave_entry(Entry::Post(self.ids, destination));
        self.ids
    }

    pub fn leave_entry(&mut self, entry: Entry) {
        self.host.inbox.get_mut().push(entry);
    }

    pub fn post(&mut self, priority: EffectivePriority) -> TaskId {
        let id = self.leave(priority);
        self.event_loop.flush(&self.host);
        id
    }

    pub fn post_unreferenced(&mut self, priority: EffectivePriority) -> TaskId {
        let id = self.leave_in(Destination::fixed(priority).unreferenced());
        self.event_loop.flush(&self.host);
        id
    }

    pub fn post_delayed(&mut self, priority: EffectivePriority, deadline: u64) -> TaskId {
        self.ids += 1;
        let terms = at(deadline - self.host.now());
        assert!(!self.post_as(self.ids, Destination::fixed(priority), terms));
        self.ids
    }

    /// Posts a task that has a bound of its own. Returns whether a checkpoint has to be scheduled.
    pub fn post_bounded(&mut self, priority: EffectivePriority, delay: u64, max_wait: u64) -> bool {
        self.ids += 1;
        let terms = Terms {
            delay: (delay > 0).then_some(delay),
            ..within(max_wait)
        };
        self.post_as(self.ids, Destination::fixed(priority), terms)
    }

    pub fn post_as(&mut self, id: TaskId, destination: Destination, terms: Terms) -> bool {
        self.tell(Entry::PostOnTerms(id, destination, terms))
    }

    /// Leaves an entry, and flushes. Returns whether a checkpoint has to be scheduled.
    pub fn tell(&mut self, entry: Entry) -> bool {
        self.leave_entry(entry);
        self.event_loop.flush(&self.host)
    }

    pub fn remove(&mut self, id: TaskId) {
        self.tell(Entry::Remove(id));
    }

    pub fn at_checkpoint(&mut self) -> Option<TaskId> {
        self.event_loop.next_at_checkpoint(&self.host)
    }

    pub fn prepare(&mut self) {
        self.event_loop.prepare(&self.host);
    }

    pub fn begin_check(&mut self) -> Option<Check> {
        self.event_loop.begin_check(&self.host)
    }

    pub fn next_in(&mut self, check: &mut Check) -> Option<TaskId> {
        self.event_loop.next_in_check(&self.host, check)
    }

    pub fn end_check(&mut self, check: Check) {
        self.event_loop.end_check(&self.host, check);
    }

    /// The check hook; returns what it has started.
    pub fn run_check(&mut self) -> Vec<TaskId> {
        let Some(mut check) = self.begin_check() else {
            return Vec::new();
        };
        let started = std::iter::from_fn(|| self.next_in(&mut check)).collect();
        self.end_check(check);
        started
    }

    /// A turn of the loop, from the prepare hook to the check hook.
    pub fn run_turn(&mut self) -> Vec<TaskId> {
        self.prepare();
        self.run_check()
    }

    pub fn set_max_wait(&mut self, bound: Option<u64>) {
        let max_wait = MaxWait {
            user_visible: bound,
            background: bound,
        };
        self.tell(Entry::SetMaxWait(max_wait));
    }

    /// The timer fires; libuv forgets it before it calls the hook.
    pub fn fire_timer(&mut self) {
        self.host.timer.set(None);
        self.event_loop.timer(&self.host);
    }

    pub fn pass(&self, nanoseconds: u64) {
        self.host.now.set(self.host.now.get() + nanoseconds);
    }

    /// The thread is stopped for so long.
    pub fn stop(&self, nanoseconds: u64) {
        self.pass(nanoseconds);
        self.host.stopped.set(self.host.stopped.get() + nanoseconds);
    }

    pub fn is_referenced(&self) -> bool {
        self.host.is_referenced.get()
    }

    pub fn is_awake(&self) -> bool {
        self.host.is_awake.get()
    }

    pub fn notifies(&self, priority: EffectivePriority) -> bool {
        priority.rank() >= self.host.notify_rank.get()
    }

    pub fn notifies_none(&self) -> bool {
        !self.notifies(EffectivePriority::UserBlockingContinuation)
    }
}
