//! Whether background work has to leave the processor to others although its event loop is idle:
//! to other work of its control group, which has a CPU quota, or to other threads of the machine.
//!
//! Plain Rust without a host, as the core is. On Linux it reads what the kernel says of the control
//! groups of the process and of the thread; elsewhere background work never has to wait. [`Idle`]
//! asks the system and the controllers, as rarely as they allow.

#![forbid(unsafe_code)]

pub mod container;
pub mod controller;
pub mod machine;
pub mod system;

#[cfg(target_os = "linux")]
pub mod control_group;
#[cfg(target_os = "linux")]
pub mod kernel;
#[cfg(target_os = "linux")]
mod membership;

use std::mem;

use uv_scheduler_core::host::{Hold, Reason};

use crate::container::Container;
use crate::controller::{Controller, Verdict};
use crate::machine::Machine;
use crate::system::{Calls, Counters, Group, System};

#[cfg(target_os = "linux")]
pub use crate::kernel::Kernel;
#[cfg(not(target_os = "linux"))]
pub use crate::system::Unknown as Kernel;

/// How long a look-up of the limits counts, in nanoseconds. Limits change while a process runs, and
/// processes move to other groups.
pub const LOOK_UP_INTERVAL: u64 = 10_000_000_000;

/// A clock and counters that were read within this time are of the same moment, in nanoseconds.
const AT_ONCE: u64 = 100_000;
/// How often counters are read at most if something comes between each time.
const MOST_READINGS: u32 = 4;

/// The part of the system that has to be idle before background work runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The loop. Then background work never has to wait, and nothing is read.
    Loop,
    /// Also the control groups of the process that have a CPU quota. With one, background work of
    /// worker threads gives way to the other threads of the group.
    #[default]
    Container,
    /// Also the processor: no other thread waits for it.
    Machine,
}

/// Says whether the background work of one event loop has to wait. Belongs to the thread that asks.
/// Times are in nanoseconds.
pub struct Idle<S = Kernel, Q = Container, N = Machine> {
    system: S,
    calls: Calls,
    mode: Mode,
    /// Until when the last answer counts.
    until: u64,
    answer: Option<Hold>,
    /// When the limits are to be looked up again.
    next_look_up: u64,
    /// The control groups with a quota, each with the controller that decides for it.
    groups: Vec<(Group, Q)>,
    /// The controller of neighbours and its last verdict, if they matter.
    neighbours: Option<(N, Verdict)>,
    /// The thread has the policy `SCHED_BATCH`, under which it preempts no other thread.
    is_batch: bool,
    /// The processor time of background work: what has passed by the clock while such work ran,
    /// less what others had of it.
    own: Bounded,
    /// For how long this thread has waited for the other threads of the tightest group, and the
    /// processor time that they have used; 0 if it is not known.
    fellows: Bounded,
    fellows_used: u64,
    /// For how long the groups were stopped.
    stopped: u64,
}

/// A time that grows, as far as another one grows meanwhile. In nanoseconds.
#[derive(Debug, Default)]
struct Bounded {
    time: u64,
    /// Both at the last question.
    last: (u64, u64),
}

impl Bounded {
    fn update(&mut self, time: u64, bound: u64) -> u64 {
        let (time_before, bound_before) = mem::replace(&mut self.last, (time, bound));
        let most = bound.saturating_sub(bound_before);
        self.time += time.saturating_sub(time_before).min(most);
        self.time
    }
}

impl Idle {
    /// Asks the running system, in the default mode.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        Self::with_system(Kernel::default(), calls)
    }
}

impl<S, Q, N> Idle<S, Q, N>
where
    S: System,
    Q: Controller<container::Reading>,
    N: Controller<machine::Reading>,
{
    /// Asks this system and these controllers, in the default mode.
    #[must_use]
    pub fn with_system(system: S, calls: Calls) -> Self {
        Self {
            system,
            calls,
            mode: Mode::default(),
            until: 0,
            answer: None,
            next_look_up: 0,
            groups: Vec::new(),
            neighbours: None,
            is_batch: false,
            own: Bounded::default(),
            fellows: Bounded::default(),
            fellows_used: 0,
            stopped: 0,
        }
    }

    /// Sets what has to be idle. The next question is answered anew if that is a change.
    pub fn set_mode(&mut self, mode: Mode) {
        if mode == self.mode {
            return;
        }
        self.mode = mode;
        self.answer = None;
        self.until = if mode == Mode::Loop { u64::MAX } else { 0 };
        self.next_look_up = 0;
        self.groups.clear();
        self.forget_neighbours();
    }

    /// The hold under way is over without a further question, as nothing is left that it holds.
    pub fn end_hold(&mut self) {
        self.set_batch(false);
    }

    fn set_batch(&mut self, is_batch: bool) {
        if self.is_batch != is_batch {
            (self.calls.set_batch)(is_batch);
            self.is_batch = is_batch;
        }
    }

    /// Whether background work has to wait at this time, and why. `now` is in nanoseconds of the
    /// monotonic clock, and `background` the nanoseconds for which background work of this loop
    /// has run so far.
    ///
    /// Costs a comparison as long as the last answer counts. Without a quota, and but for the mode
    /// `Machine`, that is ten seconds.
    #[inline]
    pub fn hold(&mut self, now: u64, background: u64) -> Option<Hold> {
        if now >= self.until {
            self.decide(now, background);
        }
        self.answer
    }

    #[cold]
    fn decide(&mut self, now: u64, background: u64) {
        if now >= self.next_look_up {
            self.look_up(now);
        }
        let neighbours = self.neighbours.as_ref();
        let ask_neighbours = neighbours.is_some_and(|(_, verdict)| now >= verdict.until);
        // Before any counter is read, so that all of them are of the same time.
        if ask_neighbours {
            self.system.give_way();
        }
        let now = (self.calls.now)().max(now);
        let container = self.ask_container(now, background);
        if ask_neighbours {
            self.ask_neighbours(now, background);
        }
        self.set_answer(container);
    }

    /// Finds the groups with a quota. Those that were known keep their controllers and their open
    /// files, which fail if the group was replaced by one of the same name.
    fn look_up(&mut self, now: u64) {
        self.next_look_up = now.saturating_add(LOOK_UP_INTERVAL);
        let mut known = mem::take(&mut self.groups);
        for found in self.system.limited_groups() {
            let limit = found.limit;
            let is_it = |(group, _): &mut (Group, Q)| group.folders == found.folders;
            let known = known.extract_if(.., is_it).next();
            let (group, controller) = known.unwrap_or_else(|| (found, Q::default()));
            self.groups.push((Group { limit, ..group }, controller));
        }
        if !self.minds_neighbours() {
            self.forget_neighbours();
        } else if self.neighbours.is_none() && self.system.thread_times().is_some() {
            // Where the thread cannot get the policy, neighbours do not matter.
            self.is_batch = (self.calls.set_batch)(true);
            self.neighbours = self.is_batch.then(Default::default);
            self.set_batch(false);
        }
    }

    /// In the mode `Container` the main thread does not: it has the requests, and must preempt
    /// others when one arrives.
    fn minds_neighbours(&mut self) -> bool {
        let has_quota = !self.groups.is_empty();
        self.mode == Mode::Machine || has_quota && !self.system.is_main_thread()
    }

    fn forget_neighbours(&mut self) {
        self.end_hold();
        self.neighbours = None;
    }

    /// Asks the controllers of all groups. If a group is gone, the process is in another one, or
    /// in a new one of the same name: then it is found, with new controllers for all.
    fn ask_container(&mut self, now: u64, background: u64) -> Verdict {
        let verdict = self.ask_groups(now, background).or_else(|| {
            self.look_up(now);
            self.ask_groups(now, background)
        });
        verdict.unwrap_or(Verdict::run(self.next_look_up))
    }

    /// Background work may run only if every group allows it, and otherwise waits for the last of
    /// them. None if a group is gone: then all are forgotten.
    fn ask_groups(&mut self, now: u64, background: u64) -> Option<Verdict> {
        let mut joint = Verdict::run(self.next_look_up);
        if self.groups.is_empty() {
            return Some(joint);
        }
        let thread_time = (self.calls.thread_time)();
        let is_known = thread_time != 0;
        let most = if is_known { thread_time } else { background };
        let background = self.own.update(background, most);
        self.stopped = 0;
        for (index, (group, controller)) in self.groups.iter_mut().enumerate() {
            let Some((now, counters)) = read(group, self.calls.now, now) else {
                self.groups.clear();
                return None;
            };
            if index == 0 {
                let used = counters.usage.unwrap_or(0);
                self.fellows_used = used.saturating_sub(thread_time);
            }
            self.stopped = self.stopped.saturating_add(counters.stopped);
            joint = joint.and(controller.decide(&container::Reading {
                now,
                limit: group.limit,
                counters,
                background,
            }));
        }
        Some(joint)
    }

    fn ask_neighbours(&mut self, now: u64, background: u64) {
        let times = self.system.thread_times();
        let (Some(mut times), Some((controller, verdict))) = (times, &mut self.neighbours) else {
            return self.forget_neighbours();
        };
        if self.mode == Mode::Container {
            times.waited = self.fellows.update(times.waited, self.fellows_used);
        }
        *verdict = controller.decide(&machine::Reading {
            now,
            times,
            stopped: self.stopped,
            background,
        });
        // A thread that preempted its neighbour when it woke up would not see that the neighbour
        // wants the processor.
        let holds = verdict.holds;
        self.set_batch(holds);
    }

    /// The reason of a hold is the one that ends it. In the mode `Container` that is always the
    /// group: its quota, or its threads.
    fn set_answer(&mut self, container: Verdict) {
        let neighbours = self.neighbours.as_ref();
        let joint = neighbours.map_or(container, |(_, verdict)| container.and(*verdict));
        let reason = if joint == container || self.mode == Mode::Container {
            Reason::Container
        } else {
            Reason::Machine
        };
        // A hold may outlast the limit that it is for.
        let until = joint.until.min(self.next_look_up);
        self.until = until;
        self.answer = joint.holds.then_some(Hold { until, reason });
    }
}

/// The counters of the group, and when they were read. The kernel stops a thread at any moment, so
/// that the clock and the counters can be of different periods. Then they are read again.
fn read(group: &Group, clock: fn() -> u64, mut now: u64) -> Option<(u64, Counters)> {
    let mut readings = 0;
    loop {
        let before = now;
        let counters = (group.read)()?;
        now = clock().max(before);
        readings += 1;
        if now - before <= AT_ONCE || readings == MOST_READINGS {
            return Some((now, counters));
        }
    }
}
