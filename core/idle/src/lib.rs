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
pub mod verdict;

#[cfg(target_os = "linux")]
pub mod control_group;
#[cfg(target_os = "linux")]
pub mod kernel;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
pub mod kernel;
#[cfg(target_os = "linux")]
pub mod membership;
#[cfg(target_os = "linux")]
pub mod mounts;
#[cfg(target_os = "linux")]
pub mod schedstat;

use std::mem;
use std::path::Path;

use uv_scheduler_core::host::{Hold, Reason};

use crate::container::{Container, Limit};
use crate::controller::{Neighbours, Quota};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::system::{Calls, Counters, Group, System};
use crate::verdict::Verdict;

/// How long a look-up of the limits counts, in nanoseconds. Limits change while a process runs, and
/// processes move to other groups.
pub const LOOK_UP_INTERVAL: u64 = 10_000_000_000;

/// A clock and counters that were read within this time are of the same moment, in nanoseconds.
const AT_ONCE: u64 = 100_000;

/// How often counters are read again if something has come between.
const MOST_READINGS: u32 = 3;

/// What has to be idle before background work runs.
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
#[derive(Debug)]
pub struct Idle<S: System = Kernel, Q = Container, N = Machine> {
    system: S,
    mode: Mode,
    /// Until when the last answer counts, in nanoseconds.
    until: u64,
    answer: Option<Hold>,
    /// When the limits are to be looked up again.
    next_look_up: u64,
    levels: Vec<Level<S::Group, Q>>,
    neighbours: Option<Asked<N>>,
    fellows: Fellows,
    /// For how long the groups were stopped since they were found, in nanoseconds.
    stopped: u64,
    own: Own,
}

/// The processor time of background work, in nanoseconds. It is what has passed by the clock while
/// such work ran, less what others had of it.
#[derive(Debug, Default)]
struct Own {
    time: u64,
    /// At the last question: the time by the clock, and the processor time of the whole thread.
    asked: Option<(u64, u64)>,
}

impl Own {
    fn update(&mut self, background: u64, thread_time: u64) -> u64 {
        if let Some((background_before, thread_before)) = self.asked {
            let passed = background.saturating_sub(background_before);
            let used = thread_time.saturating_sub(thread_before);
            let is_known = thread_time != 0;
            self.time += if is_known { passed.min(used) } else { passed };
        }
        self.asked = Some((background, thread_time));
        self.time
    }
}

/// The other threads of the tightest group. Times are in nanoseconds.
#[derive(Debug, Default)]
struct Fellows {
    /// The processor time that they have used. None if it is not known.
    used: Option<u64>,
    /// At the last question: what they had used, and for how long this thread had waited.
    asked: Option<(u64, u64)>,
    /// For how long this thread has waited for them.
    waited: u64,
}

impl Fellows {
    /// Counts of the time for which this thread has waited what they explain. The mode `Container`
    /// does not mind others of the machine.
    fn update(&mut self, waited: u64) -> u64 {
        let asked = self.used.map(|used| (used, waited));
        if let (Some((used, waited)), Some((used_before, waited_before))) = (asked, self.asked) {
            let theirs = used.saturating_sub(used_before);
            self.waited += waited.saturating_sub(waited_before).min(theirs);
        }
        self.asked = asked;
        self.waited
    }
}

/// The controller of neighbours, and its last verdict.
#[derive(Debug)]
struct Asked<N> {
    controller: N,
    verdict: Verdict,
    /// The thread has the policy under which it preempts nobody.
    is_batch: bool,
}

impl Idle<Kernel> {
    /// Asks the running system, in the default mode.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        Self::with_system(Kernel::new(Path::new("/"), calls))
    }
}

impl<S: System, Q: Quota, N: Neighbours> Idle<S, Q, N> {
    /// Asks this system and these controllers, in the default mode.
    #[must_use]
    pub fn with_system(system: S) -> Self {
        Self {
            system,
            mode: Mode::default(),
            until: 0,
            answer: None,
            next_look_up: 0,
            levels: Vec::new(),
            neighbours: None,
            fellows: Fellows::default(),
            stopped: 0,
            own: Own::default(),
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
        self.levels.clear();
        self.forget_neighbours();
    }

    /// The hold under way is over without a further question, as nothing is left that it holds.
    pub fn end_hold(&mut self) {
        self.set_batch(false);
    }

    fn set_batch(&mut self, is_batch: bool) {
        if let Some(neighbours) = &mut self.neighbours
            && neighbours.is_batch != is_batch
        {
            self.system.set_batch(is_batch);
            neighbours.is_batch = is_batch;
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
        let is_due = |neighbours: &Asked<N>| now >= neighbours.verdict.until();
        let ask_neighbours = self.neighbours.as_ref().is_some_and(is_due);
        // Before any counter is read, so that all of them are of the same time.
        if ask_neighbours {
            self.system.give_way();
        }
        let now = self.system.now().max(now);
        let container = self.ask_container(now, background);
        if ask_neighbours {
            self.ask_neighbours(now, background);
        }
        self.set_answer(container);
    }

    /// Finds the groups with a quota. Those that were known keep their controllers.
    fn look_up(&mut self, now: u64) {
        self.next_look_up = now.saturating_add(LOOK_UP_INTERVAL);
        let mut known = mem::take(&mut self.levels);
        for group in self.system.limited_groups() {
            let level = match known.iter().position(|level| level.group.is_same(&group)) {
                Some(index) => known.swap_remove(index).with_limit(group.limit()),
                None => Level::new(group),
            };
            self.levels.push(level);
        }
        if !self.minds_neighbours() {
            self.forget_neighbours();
        } else if self.neighbours.is_none()
            && self.system.thread_times().is_some()
            && self.system.set_batch(true)
        {
            self.neighbours = Some(Asked {
                controller: N::new(),
                verdict: Verdict::Run { until: 0 },
                is_batch: true,
            });
            self.set_batch(false);
        }
    }

    /// In the mode `Container` the main thread does not: it has the requests, and must preempt
    /// others when one arrives.
    fn minds_neighbours(&mut self) -> bool {
        match self.mode {
            Mode::Loop => false,
            Mode::Container => !self.levels.is_empty() && !self.system.is_main_thread(),
            Mode::Machine => true,
        }
    }

    fn forget_neighbours(&mut self) {
        self.end_hold();
        self.neighbours = None;
        self.fellows = Fellows::default();
    }

    /// Asks the controllers of all groups. If a group is gone, the process is in another one, or
    /// in a new one of the same name: then it is found, with new controllers for all.
    fn ask_container(&mut self, now: u64, background: u64) -> Verdict {
        if let Some(verdict) = self.ask_levels(now, background) {
            return verdict;
        }
        self.levels.clear();
        self.fellows = Fellows::default();
        self.look_up(now);
        self.ask_levels(now, background).unwrap_or_else(|| {
            self.levels.clear();
            Verdict::Run {
                until: self.next_look_up,
            }
        })
    }

    /// Background work may run only if every group allows it, and otherwise waits for the last of
    /// them. None if a group is gone.
    fn ask_levels(&mut self, now: u64, background: u64) -> Option<Verdict> {
        let mut joint = Verdict::Run {
            until: self.next_look_up,
        };
        if self.levels.is_empty() {
            return Some(joint);
        }
        let thread_time = self.system.thread_time();
        let own = self.own.update(background, thread_time);
        for (index, level) in self.levels.iter_mut().enumerate() {
            let (counters, read_at) = level.read(&mut self.system, now)?;
            if index == 0 {
                self.fellows.used = counters
                    .usage
                    .map(|usage| usage.saturating_sub(thread_time));
            }
            let (verdict, stopped) = level.judge(counters, read_at, own);
            self.stopped = self.stopped.saturating_add(stopped);
            joint = joint.and(verdict);
        }
        Some(joint)
    }

    fn ask_neighbours(&mut self, now: u64, background: u64) {
        let Some(times) = self.system.thread_times() else {
            self.forget_neighbours();
            return;
        };
        let waited = match self.mode {
            Mode::Machine => times.waited,
            Mode::Loop | Mode::Container => self.fellows.update(times.waited),
        };
        if let Some(neighbours) = &mut self.neighbours {
            neighbours.verdict = neighbours.controller.decide(&machine::Reading {
                now,
                ran: times.ran,
                waited,
                stopped: self.stopped,
                background,
            });
            // A thread that preempted its neighbour when it woke up would not see that the
            // neighbour wants the processor.
            let is_held = matches!(neighbours.verdict, Verdict::Hold { .. });
            self.set_batch(is_held);
        }
    }

    /// The reason of a hold is the one that ends it. In the mode `Container` that is always the
    /// group: its quota, or its threads.
    fn set_answer(&mut self, container: Verdict) {
        let neighbours = self
            .neighbours
            .as_ref()
            .map(|neighbours| neighbours.verdict);
        let joint = neighbours.map_or(container, |verdict| container.and(verdict));
        let reason = if joint == container || self.mode == Mode::Container {
            Reason::Quota
        } else {
            Reason::Neighbour
        };
        // A hold may outlast the limit that it is for.
        self.until = joint.until().min(self.next_look_up);
        self.answer = match joint {
            Verdict::Run { .. } => None,
            Verdict::Hold { .. } => Some(Hold {
                until: self.until,
                reason,
            }),
        };
    }
}

/// A control group with a quota, and the controller that decides for it.
#[derive(Debug)]
struct Level<G, Q> {
    group: G,
    limit: Limit,
    controller: Q,
    /// For how long the group was stopped at the last reading. None before the first.
    stopped: Option<u64>,
}

impl<G: Group, Q: Quota> Level<G, Q> {
    fn new(group: G) -> Self {
        let limit = group.limit();
        Self {
            group,
            limit,
            controller: Q::new(limit),
            stopped: None,
        }
    }

    /// Takes the limit from the same group, looked up later. Keeps its own group with the open
    /// files: they fail if the group was replaced by one of the same name, whose counters began
    /// at zero.
    fn with_limit(mut self, limit: Limit) -> Self {
        if limit != self.limit {
            self.limit = limit;
            self.controller.set_limit(limit);
        }
        self
    }

    /// The counters of the group, and when they were read. The kernel stops a thread at any moment,
    /// so that the clock and the counters can be of different periods. Then they are read again.
    fn read(&self, system: &mut impl System, mut now: u64) -> Option<(Counters, u64)> {
        for _ in 0..MOST_READINGS {
            let counters = self.group.read()?;
            let after = system.now().max(now);
            if after - now <= AT_ONCE {
                return Some((counters, after));
            }
            now = after;
        }
        self.group.read().map(|counters| (counters, now))
    }

    /// The verdict by these counters, and for how long the group was stopped since the last ones.
    fn judge(&mut self, counters: Counters, now: u64, background: u64) -> (Verdict, u64) {
        let stopped = self.stopped.replace(counters.stopped);
        let verdict = self.controller.decide(&container::Reading {
            now,
            usage: counters.usage,
            periods: counters.periods,
            throttled: counters.throttled,
            background,
        });
        let stopped = stopped.map_or(0, |before| counters.stopped.saturating_sub(before));
        (verdict, stopped)
    }
}
