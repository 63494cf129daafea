//! A system whose answers are set by hand, and controllers that do as it says. Both write down
//! what they were asked.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use uv_scheduler_idle::controller::{Controller, Verdict};
use uv_scheduler_idle::system::{self, Calls, Counters, Limit, System, ThreadTimes};
use uv_scheduler_idle::{Idle, container, machine};

/// After how many nanoseconds the controller of neighbours wants to be asked.
const MACHINE_ASKED_AFTER: u64 = 20;

/// `Idle` on the script's system.
pub type Fake = Idle<Handle, Obedient, Obedient>;

thread_local! {
    /// The script of this test, for the controllers that `Idle` makes and for its calls.
    static SCRIPT: RefCell<Rc<Script>> = RefCell::default();
}

fn script() -> Rc<Script> {
    SCRIPT.with_borrow(Clone::clone)
}

pub fn idle(script: &Rc<Script>) -> Fake {
    SCRIPT.set(script.clone());
    Idle::with_system(Handle(script.clone()), CALLS)
}

const CALLS: Calls = Calls {
    now: || script().clock.borrow_mut().pop_front().unwrap_or(0),
    thread_time: || {
        let script = script();
        script.updates.update(|count| count + 1);
        script.order.borrow_mut().push("update");
        script.thread_time.get()
    },
    set_batch: |is_batch| {
        let script = script();
        script.batch.borrow_mut().push(is_batch);
        is_batch && script.can_be_batch.get()
    },
};

/// A group, and what its controller decides.
#[derive(Clone, Copy)]
pub struct Group {
    id: u64,
    quota: u64,
    usage: Option<u64>,
    stopped: u64,
    holds: bool,
    asked_after: u64,
}

impl Group {
    /// Its controller lets background work run, for a millisecond at a time.
    pub fn new(id: u64) -> Self {
        Self {
            id,
            quota: 100,
            usage: Some(11),
            stopped: 0,
            holds: false,
            asked_after: 1_000_000,
        }
    }

    pub fn with_quota(self, quota: u64) -> Self {
        Self { quota, ..self }
    }

    pub fn with_usage(self, usage: Option<u64>) -> Self {
        Self { usage, ..self }
    }

    pub fn stopped(self, stopped: u64) -> Self {
        Self { stopped, ..self }
    }

    pub fn holding(self) -> Self {
        Self {
            holds: true,
            ..self
        }
    }

    pub fn running(self) -> Self {
        Self {
            holds: false,
            ..self
        }
    }

    pub fn asked_after(self, asked_after: u64) -> Self {
        Self {
            asked_after,
            ..self
        }
    }
}

/// The answers, and the questions so far.
#[derive(Default)]
pub struct Script {
    pub groups: RefCell<Vec<Group>>,
    /// The id of a group that is found but cannot be read.
    pub gone: Cell<u64>,
    /// Whether it can be read once the groups are looked up again.
    pub is_replaced: Cell<bool>,
    /// For how long the thread ran and waited.
    pub times: Cell<Option<(u64, u64)>>,
    /// What the clock says when it is asked; 0 after that.
    pub clock: RefCell<VecDeque<u64>>,
    pub machine_holds: Cell<bool>,
    pub look_ups: Cell<u32>,
    pub updates: Cell<u32>,
    pub thread_time: Cell<u64>,
    /// Whether the thread is not the main thread of its process.
    pub is_worker: Cell<bool>,
    /// Whether the thread can become one that preempts nobody, and what it was made.
    pub can_be_batch: Cell<bool>,
    pub batch: RefCell<Vec<bool>>,
    pub yields: Cell<u32>,
    pub order: RefCell<Vec<&'static str>>,
    pub readings: RefCell<Vec<container::Reading>>,
    pub thread_readings: RefCell<Vec<machine::Reading>>,
    /// How many controllers of groups were asked.
    pub controllers: Cell<u32>,
    /// The group that was read last.
    read: Cell<Option<Group>>,
}

impl Script {
    pub fn with(groups: impl IntoIterator<Item = Group>) -> Self {
        let groups = RefCell::new(groups.into_iter().collect());
        Self {
            groups,
            ..Self::default()
        }
    }

    pub fn change(&self, id: u64, change: impl Fn(Group) -> Group) {
        for group in self
            .groups
            .borrow_mut()
            .iter_mut()
            .filter(|group| group.id == id)
        {
            *group = change(*group);
        }
    }

    fn read(&self, id: u64) -> Option<Counters> {
        self.order.borrow_mut().push("read");
        let groups = self.groups.borrow();
        let group = groups.iter().find(|group| group.id == id)?;
        self.read.set(Some(*group));
        (self.gone.get() != id).then_some(Counters {
            usage: group.usage,
            periods: 12,
            throttled: 13,
            stopped: group.stopped,
        })
    }

    /// How often a group was read.
    pub fn reads(&self) -> usize {
        self.readings.borrow().len()
    }
}

pub struct Handle(Rc<Script>);

impl System for Handle {
    fn limited_groups(&mut self) -> Vec<system::Group> {
        self.0.look_ups.update(|count| count + 1);
        if self.0.is_replaced.get() {
            self.0.gone.set(0);
        }
        let groups = self.0.groups.borrow();
        groups.iter().map(|group| self.found(group)).collect()
    }

    fn thread_times(&mut self) -> Option<ThreadTimes> {
        self.0.order.borrow_mut().push("times");
        let (ran, waited) = self.0.times.get()?;
        Some(ThreadTimes { ran, waited })
    }

    fn is_main_thread(&mut self) -> bool {
        !self.0.is_worker.get()
    }

    fn give_way(&mut self) {
        self.0.yields.update(|count| count + 1);
        self.0.order.borrow_mut().push("yield");
    }
}

impl Handle {
    /// A group as it is when it is looked up.
    fn found(&self, group: &Group) -> system::Group {
        let (script, id) = (self.0.clone(), group.id);
        system::Group {
            folders: (id.to_string().into(), None),
            limit: Limit {
                quota: group.quota,
                period: 1000,
            },
            read: Box::new(move || script.read(id)),
        }
    }
}

/// Decides as the script says.
pub struct Obedient {
    script: Rc<Script>,
    /// The group that it decides for.
    group: Option<u64>,
}

impl Default for Obedient {
    fn default() -> Self {
        Self {
            script: script(),
            group: None,
        }
    }
}

impl Controller<container::Reading> for Obedient {
    fn decide(&mut self, reading: &container::Reading) -> Verdict {
        self.script.readings.borrow_mut().push(*reading);
        let group = self.script.read.get().expect("a group that was read");
        if self.group.is_none() {
            self.group = Some(group.id);
            self.script.controllers.update(|count| count + 1);
        }
        assert_eq!(self.group, Some(group.id), "a controller keeps its group");
        Verdict {
            holds: group.holds,
            until: reading.now + group.asked_after,
        }
    }
}

impl Controller<machine::Reading> for Obedient {
    fn decide(&mut self, reading: &machine::Reading) -> Verdict {
        self.script.thread_readings.borrow_mut().push(*reading);
        Verdict {
            holds: self.script.machine_holds.get(),
            until: reading.now + MACHINE_ASKED_AFTER,
        }
    }
}
