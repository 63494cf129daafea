//! Requests and keys: the choice among equals that have a key.
//!
//! A *flow* is a request, or a task that names a key, with all that it leads to. Its entries are in
//! dynamic queues of its own. Inside a priority, where tasks and continuations count
//! together:
//!
//! - Between keys, the key goes next that has used the least thread time for its weight. All
//!   entries without a key count as one more key: see [`shares`](crate::shares).
//! - Inside a key, the flow goes next whose thread time is in the lowest level; inside a level, the
//!   flow that has come first: see [`levels`](crate::levels).
//! - Inside a flow, continuations go before tasks, and older entries before younger ones.
//!
//! A flow comes when it is opened, and when it has been idle: when it had nothing queued and did
//! not run. While it is idle, the thread time that it has used fades, as much as time passes. If
//! other flows have come meanwhile, it goes behind them. So a stream that works a little at a time
//! remains in the first level, and does not go before all younger flows. A flow that awaits a query
//! for a moment in which no other flow comes keeps its place.
//!
//! The run of a shared task has a key of its own, which is a part of the key that began the run:
//! what the part is charged, the whole is charged too. So the run can go where the best of those
//! would that wait for it, and its beginner gets no further share.
//!
//! Until the first flow is opened, the queues ask nothing here. Times are passed in, in nanoseconds
//! of any monotonic clock.

use std::collections::BTreeSet;

use crate::heap::KEPT_WHEN_EMPTY;
use crate::levels::Levels;
use crate::priority::EffectivePriority;
use crate::protocol::{FlowId, MAX_FLOWS};
use crate::shares::{KeyId, Sharer, Shares, weighted};

/// The number of priorities, where tasks and continuations have the same one.
const PRIORITIES: usize = 3;

/// The end of a list of queues.
const NONE: u32 = u32::MAX;

/// All flows of an event loop. Callers name dynamic queues by their numbers.
#[derive(Debug, Default)]
pub struct FairQueues {
    /// By id; places of ids that are not in use are empty.
    flows: Vec<Option<Flow>>,
    open: usize,
    next_order: u64,
    /// By id.
    keys: Vec<Key>,
    /// By the number of the queue; places of queues that belong to no flow are [`NO_MEMBER`].
    members: Vec<Member>,
    /// The number of queues that belong to a flow.
    in_flows: usize,
    equals: [Equals; PRIORITIES],
    /// The flows whose thread times still have to fade, for the time in which nothing was queued.
    arrivals: Vec<FlowId>,
    running: Option<Running>,
    /// The last time that was passed in.
    now: u64,
}

#[derive(Debug)]
struct Flow {
    key: KeyId,
    /// Its place among the flows, which rises with each flow that comes.
    order: u64,
    /// The order of the next flow to come, when this one became idle.
    idle_order: u64,
    /// Thread time in nanoseconds, as far as it has not faded.
    used: u64,
    /// The highest value of `used`.
    most_used: u64,
    /// The time at which the flow last ran or had something queued.
    idle_since: u64,
    /// Whether the flow is among the arrivals.
    is_arriving: bool,
    /// The number of its queues that have a task, and of its waits outside of the queues.
    queued: u32,
    /// The first of its queues, which are in a list in both directions.
    queues: u32,
    /// The index of the priority that it last ran with.
    last: Option<usize>,
}

impl Flow {
    /// Lets the thread time fade for the time in which the flow was idle, until `now`.
    fn fade(&mut self, now: u64) {
        let idle = now.saturating_sub(self.idle_since);
        self.used = self.used.saturating_sub(idle);
        self.idle_since = now;
    }
}

#[derive(Clone, Copy, Debug)]
struct Key {
    weight: f64,
    flows: u32,
    /// Thread time in nanoseconds.
    used: u64,
    /// The sharer that this key is a part of, if it is one.
    whole: Option<Sharer>,
    /// The number of its parts.
    parts: u32,
}

const UNUSED: Key = Key {
    weight: 1.0,
    flows: 0,
    used: 0,
    whole: None,
    parts: 0,
};

/// A dynamic queue as a member of its flow.
#[derive(Clone, Copy, Debug)]
struct Member {
    flow: FlowId,
    /// The neighbours in the list of the flow's queues.
    previous: u32,
    next: u32,
    listing: Option<Listing>,
}

const NO_MEMBER: Member = Member {
    flow: NONE,
    previous: NONE,
    next: NONE,
    listing: None,
};

/// Where a queue that has a task is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Listing {
    /// The index of its priority.
    of: usize,
    entry: Entry,
}

/// The first entry goes first, inside a key. The order of the fields matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: KeyId,
    level: u32,
    flow_order: u64,
    is_task: bool,
    /// The enqueue order of the first task of the queue.
    order: u64,
    queue: u32,
}

/// The flows of one priority.
#[derive(Debug, Default)]
struct Equals {
    shares: Shares,
    /// The time up to which it is noted that nothing was queued, while a key is ahead of others.
    rests_since: Option<u64>,
    entries: BTreeSet<Entry>,
    levels: Levels,
}

impl Equals {
    fn first_of(&self, key: KeyId) -> Option<&Entry> {
        self.from(key).next()
    }

    fn from(&self, key: KeyId) -> impl Iterator<Item = &Entry> {
        let first = Entry {
            key,
            level: 0,
            flow_order: 0,
            is_task: false,
            order: 0,
            queue: 0,
        };
        self.entries
            .range(first..)
            .take_while(move |entry| entry.key == key)
    }
}

/// The task that runs.
#[derive(Clone, Copy, Debug)]
struct Running {
    /// The index of its priority.
    of: usize,
    sharer: Sharer,
    /// `None` if the task has no flow, or if the flow was closed meanwhile.
    flow: Option<FlowId>,
    /// The time up to which its sharer was charged.
    since: u64,
}

/// The next entry of a priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// One that has no key.
    Unkeyed,
    /// The first task of the dynamic queue with this number.
    Queue(u32),
}

/// A key and its use of the thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyUse {
    /// The key.
    pub key: KeyId,
    /// The thread time in nanoseconds that its flows have used.
    pub used: u64,
    /// The number of its open flows.
    pub flows: u32,
}

impl KeyUse {
    /// The three numbers that JavaScript receives: the key, the number of its open flows, and its
    /// thread time.
    #[must_use]
    pub fn numbers(self) -> [f64; 3] {
        [self.key.into(), self.flows.into(), self.used as f64]
    }
}

/// The index of a priority; `None` for the priority of idle callbacks.
fn index(priority: EffectivePriority) -> Option<usize> {
    priority.index().checked_sub(1).map(|index| index / 2)
}

impl FairQueues {
    /// Whether a flow is open or the task that runs is charged.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.open > 0 || self.running.is_some()
    }

    /// Sets the weight of a key. The default is 1. Returns whether the number of the key is valid.
    pub fn set_weight(&mut self, key: KeyId, weight: f64) -> bool {
        let of = self.key_mut(key);
        of.is_some_and(|of| {
            of.weight = weight;
            true
        })
    }

    /// Makes a key without flows a part of a sharer, where it begins. Returns whether the number of
    /// the key is valid.
    pub fn open_part(&mut self, part: KeyId, whole: Sharer) -> bool {
        let weight = self.weight(whole);
        let Some(of) = self.key_mut(part) else {
            return false;
        };
        *of = Key {
            weight,
            whole: Some(whole),
            ..UNUSED
        };
        if let Some(of) = whole.and_then(|whole| self.key_mut(whole)) {
            of.parts += 1;
        }
        for equals in &mut self.equals {
            equals.shares.align(part, whole, true);
        }
        true
    }

    /// Lets a part go where another sharer would, if that comes first: the sharer waits for what
    /// the part does.
    pub fn join_part(&mut self, part: KeyId, other: Sharer) {
        for equals in &mut self.equals {
            equals.shares.align(part, other, false);
        }
    }

    fn weight(&self, sharer: Sharer) -> f64 {
        let key = sharer.and_then(|key| self.keys.get(key as usize));
        key.map_or(1.0, |key| key.weight)
    }

    /// Opens a flow of a key. Returns whether that is possible.
    pub fn open(&mut self, flow: FlowId, key: KeyId) -> bool {
        if flow >= MAX_FLOWS || self.flow(flow).is_some() {
            return false;
        }
        let Some(of) = self.key_mut(key) else {
            return false;
        };
        of.flows += 1;
        let index = flow as usize;
        if index >= self.flows.len() {
            self.flows.resize_with(index + 1, || None);
        }
        let order = self.next_order;
        self.next_order += 1;
        self.flows[index] = Some(Flow {
            key,
            order,
            idle_order: self.next_order,
            used: 0,
            most_used: 0,
            idle_since: 0,
            is_arriving: false,
            queued: 0,
            queues: NONE,
            last: None,
        });
        self.open += 1;
        true
    }

    /// Gives an open flow a dynamic queue that has no task, until [`Self::unbind`] or
    /// until the flow is closed. Returns whether that is possible.
    pub fn bind(&mut self, queue: u32, flow: FlowId) -> bool {
        if let Some(before) = self.flow_of(queue) {
            return before == flow;
        }
        let Some(Some(open)) = self.flows.get_mut(flow as usize) else {
            return false;
        };
        let next = std::mem::replace(&mut open.queues, queue);
        if let Some(after) = self.members.get_mut(next as usize) {
            after.previous = queue;
        }
        let index = queue as usize;
        if index >= self.members.len() {
            self.members.resize(index + 1, NO_MEMBER);
        }
        self.members[index] = Member {
            flow,
            next,
            ..NO_MEMBER
        };
        self.in_flows += 1;
        true
    }

    /// Takes a dynamic queue that has no task from its flow, if it has one.
    pub fn unbind(&mut self, queue: u32) {
        if self.flow_of(queue).is_none() {
            return;
        }
        let index = queue as usize;
        let member = std::mem::replace(&mut self.members[index], NO_MEMBER);
        debug_assert_eq!(member.listing, None, "it has no task");
        match self.members.get_mut(member.previous as usize) {
            Some(before) => before.next = member.next,
            None => {
                if let Some(Some(open)) = self.flows.get_mut(member.flow as usize) {
                    open.queues = member.next;
                }
            }
        }
        if let Some(after) = self.members.get_mut(member.next as usize) {
            after.previous = member.previous;
        }
        self.in_flows -= 1;
        if self.in_flows == 0 && self.members.capacity() > KEPT_WHEN_EMPTY {
            self.members = Vec::new();
        }
    }

    /// Closes a flow that has nothing queued, and learns from its thread time. Asks for the time
    /// only if the flow runs. Returns whether there was such a flow.
    pub fn close(&mut self, flow: FlowId, has_finished: bool, now: impl FnOnce() -> u64) -> bool {
        if self.flow(flow).is_none_or(|open| open.queued > 0) {
            return false;
        }
        if self
            .running
            .is_some_and(|running| running.flow == Some(flow))
        {
            self.charge(now());
            // From here on the callback is charged only to the key.
            if let Some(running) = &mut self.running {
                running.flow = None;
            }
        }
        while let Some(first) = self.flow(flow).map(|open| open.queues)
            && first != NONE
        {
            self.unbind(first);
        }
        let Some(closed) = self.flows[flow as usize].take() else {
            return false;
        };
        self.keys[closed.key as usize].flows -= 1;
        self.open -= 1;
        if self.open == 0 && self.flows.capacity() > KEPT_WHEN_EMPTY {
            self.flows = Vec::new();
        }
        if let Some(last) = closed.last
            && self.equals[last].levels.add(closed.most_used, has_finished)
        {
            self.relist_all(last);
        }
        true
    }

    /// The queues of a flow.
    pub fn queues_of(&self, flow: FlowId) -> impl Iterator<Item = u32> {
        let exists = |queue: &u32| *queue != NONE;
        let first = self.flow(flow).map(|open| open.queues).filter(exists);
        let next = move |queue: &u32| Some(self.members[*queue as usize].next).filter(exists);
        std::iter::successors(first, next)
    }

    /// The flow that a queue belongs to.
    #[must_use]
    pub fn flow_of(&self, queue: u32) -> Option<FlowId> {
        let member = self.members.get(queue as usize)?;
        (member.flow != NONE).then_some(member.flow)
    }

    /// Notes the enqueue order of the first task of a flow's queue and the priority of the queue.
    /// `None` if the queue has no task.
    pub fn update(&mut self, queue: u32, priority: EffectivePriority, first: Option<u64>) {
        let Some(flow) = self.flow_of(queue) else {
            return;
        };
        let at = index(priority).zip(first);
        let was_listed = self.members[queue as usize].listing.is_some();
        if at.is_some() && !was_listed {
            self.begin_wait(flow);
        } else if at.is_none() && was_listed {
            self.end_wait(flow);
        }
        let listing = at.zip(self.flow(flow)).map(|((of, order), open)| Listing {
            of,
            entry: Entry {
                key: open.key,
                level: self.equals[of].levels.level(open.used),
                flow_order: open.order,
                is_task: !priority.is_continuation(),
                order,
                queue,
            },
        });
        self.put(queue, listing);
    }

    /// Notes that something of an open flow begins or ends to wait outside of the queues. Meanwhile
    /// the thread time of the flow does not fade, and the flow cannot be closed. Returns whether
    /// there is such a flow.
    pub fn wait_outside(&mut self, flow: FlowId, waits: bool) -> bool {
        if waits {
            self.begin_wait(flow)
        } else {
            self.end_wait(flow)
        }
    }

    fn begin_wait(&mut self, flow: FlowId) -> bool {
        let is_running = self
            .running
            .is_some_and(|running| running.flow == Some(flow));
        let Some(Some(open)) = self.flows.get_mut(flow as usize) else {
            return false;
        };
        if open.queued == 0 && !is_running {
            if open.idle_order != self.next_order {
                open.order = self.next_order;
            }
            self.next_order += 1;
            if open.used > 0 && !open.is_arriving {
                open.is_arriving = true;
                self.arrivals.push(flow);
            }
        }
        open.queued += 1;
        true
    }

    fn end_wait(&mut self, flow: FlowId) -> bool {
        let Some(Some(open)) = self.flows.get_mut(flow as usize) else {
            return false;
        };
        let Some(queued) = open.queued.checked_sub(1) else {
            return false;
        };
        open.queued = queued;
        if queued == 0 && !open.is_arriving {
            open.idle_since = self.now;
        }
        self.note_idle(flow);
        true
    }

    /// Notes the flows that have come so far, if a flow has become idle.
    fn note_idle(&mut self, flow: FlowId) {
        let running = self.running.and_then(|running| running.flow);
        let next_order = self.next_order;
        if let Some(Some(open)) = self.flows.get_mut(flow as usize)
            && open.queued == 0
            && running != Some(flow)
        {
            open.idle_order = next_order;
        }
    }

    /// Charges a flow, or code without a flow, for `time` that it has run outside of tasks until
    /// now. Does nothing in a task, whose whole time is charged.
    pub fn charge_outside(
        &mut self,
        flow: Option<FlowId>,
        priority: EffectivePriority,
        time: u64,
        now: u64,
    ) {
        if self.running.is_some() || !self.is_in_use() {
            return;
        }
        self.now = now;
        let sharer = flow.and_then(|flow| self.key_of(flow));
        if let Some(of) = index(priority)
            && flow.is_some() == sharer.is_some()
        {
            if let Some(open) = flow.and_then(|flow| self.flows[flow as usize].as_mut())
                && (open.queued == 0 || open.is_arriving)
            {
                open.fade(now.saturating_sub(time));
            }
            self.add(of, sharer, flow, time);
        }
    }

    /// Notes that nothing of a priority is queued or runs. Until something starts, what its keys
    /// owe each other fades.
    pub fn rest(&mut self, priority: EffectivePriority, now: u64) {
        if let Some(of) = index(priority) {
            self.equals[of].rests_since = Some(now);
        }
    }

    /// Lets fade the thread times of arrivals, and what keys owe each other. Must be called before
    /// an entry is chosen.
    pub fn advance(&mut self, now: u64) {
        self.now = now;
        for Equals {
            shares,
            rests_since,
            ..
        } in &mut self.equals
        {
            if let Some(since) = *rests_since {
                *rests_since = shares.rest(now.saturating_sub(since)).then_some(now);
            }
        }
        while let Some(flow) = self.arrivals.pop() {
            let Some(Some(open)) = self.flows.get_mut(flow as usize) else {
                continue;
            };
            open.fade(now);
            open.is_arriving = false;
            self.relist(flow);
        }
        if self.arrivals.capacity() > KEPT_WHEN_EMPTY {
            self.arrivals = Vec::new();
        }
    }

    /// Whether a flow has something queued with this priority, be it of tasks or of continuations.
    #[must_use]
    pub fn has_equal(&self, priority: EffectivePriority) -> bool {
        index(priority).is_some_and(|of| !self.equals[of].entries.is_empty())
    }

    /// The next entry of this priority, if a flow has something queued. `is_unkeyed_queued` says
    /// whether an entry without a key is queued.
    #[must_use]
    pub fn next(&self, priority: EffectivePriority, is_unkeyed_queued: bool) -> Next {
        let next = index(priority).and_then(|of| {
            let equals = &self.equals[of];
            let key = equals.shares.next(is_unkeyed_queued)?;
            equals.first_of(key)
        });
        next.map_or(Next::Unkeyed, |entry| Next::Queue(entry.queue))
    }

    /// Notes that a task starts. `queue` is the number of its dynamic queue; `None` for a fixed
    /// one.
    pub fn start(
        &mut self,
        queue: Option<u32>,
        priority: EffectivePriority,
        is_unkeyed_queued: bool,
        now: u64,
    ) {
        self.charge(now);
        self.end_running();
        let flow = queue.and_then(|queue| self.flow_of(queue));
        let sharer = flow.and_then(|flow| self.key_of(flow));
        self.running = index(priority).map(|of| {
            let equals = &mut self.equals[of];
            equals.rests_since = None;
            equals.shares.start(sharer, is_unkeyed_queued);
            Running {
                of,
                sharer,
                flow,
                since: now,
            }
        });
        if let Some(open) = flow.and_then(|flow| self.flows[flow as usize].as_mut()) {
            open.last = index(priority);
        }
    }

    /// Notes that the task that was started last has ended, with its ticks and microtasks.
    pub fn end(&mut self, now: u64) {
        self.charge(now);
        self.end_running();
    }

    fn end_running(&mut self) {
        let Some(Running { of, flow, .. }) = self.running.take() else {
            return;
        };
        self.equals[of].shares.end();
        if let Some(flow) = flow {
            self.note_idle(flow);
        }
    }

    /// Whether the task that was started last has not ended.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The time up to which the task that was started last is charged, until it has ended.
    #[must_use]
    pub fn charged_until(&self) -> Option<u64> {
        self.running.map(|running| running.since)
    }

    /// Does not charge the task that was started last for this time, in nanoseconds.
    pub fn leave_out(&mut self, time: u64) {
        if let Some(running) = &mut self.running {
            running.since = running.since.saturating_add(time);
        }
    }

    /// Whether code should yield to an entry of its priority: another key is behind, or a flow of
    /// the same key is in a lower level. `flow` is the flow of the code. `time` is the time for
    /// which the code has run, if it is not in the task that was started last.
    #[must_use]
    pub fn is_behind(
        &self,
        flow: Option<FlowId>,
        priority: EffectivePriority,
        is_unkeyed_queued: bool,
        time: u64,
        now: u64,
    ) -> bool {
        let Some(equals) = index(priority).map(|of| &self.equals[of]) else {
            return false;
        };
        if equals.entries.is_empty() && !is_unkeyed_queued {
            return false;
        }
        let flow = flow.filter(|flow| self.flow(*flow).is_some());
        let running = self.running.filter(|running| running.flow == flow);
        let time = running.map_or(time, |running| now.saturating_sub(running.since));
        let sharer = flow.and_then(|flow| self.key_of(flow));
        let weight = self.weight(sharer);
        if equals
            .shares
            .is_ahead(sharer, weighted(time, weight), is_unkeyed_queued)
        {
            return true;
        }
        let Some((key, open)) = sharer.zip(flow.and_then(|flow| self.flow(flow))) else {
            return false;
        };
        let mut others = equals.from(key);
        let first = others.find(|entry| entry.flow_order != open.order);
        let level = equals.levels.level(open.used.saturating_add(time));
        first.is_some_and(|first| first.level < level)
    }

    /// The level of a flow, by the priority that it last ran with.
    #[must_use]
    pub fn level(&self, flow: FlowId) -> Option<u32> {
        let open = self.flow(flow)?;
        Some(self.equals[open.last?].levels.level(open.used))
    }

    /// The thread times in nanoseconds at which the levels of a priority end.
    #[must_use]
    pub fn levels(&self, priority: EffectivePriority) -> &[u64] {
        index(priority).map_or(&[], |of| self.equals[of].levels.ends())
    }

    /// The keys that have an open flow or have used the thread.
    pub fn keys(&self) -> impl Iterator<Item = KeyUse> {
        let all = (0..).zip(&self.keys);
        let is_used = |key: &Key| key.flows > 0 || key.used > 0;
        let used = all.filter(move |(_, key)| key.whole.is_none() && is_used(key));
        used.map(|(key, Key { flows, used, .. })| KeyUse {
            key,
            used: *used,
            flows: *flows,
        })
    }

    /// Forgets a key that has neither an open flow nor a part and does not run, unless some key
    /// waits and this one is ahead of the current time of its priority. Returns whether the key is
    /// forgotten.
    pub fn forget(&mut self, key: KeyId) -> bool {
        let Some(of) = self.keys.get_mut(key as usize) else {
            return true;
        };
        let mut all = self.equals.iter();
        let runs = |running: Running| running.sharer == Some(key);
        if of.flows > 0 || of.parts > 0 || self.running.is_some_and(runs) {
            return false;
        }
        match of.whole {
            // The whole owes the time that the part has used.
            Some(whole) => {
                *of = UNUSED;
                if let Some(whole) = whole.and_then(|whole| self.key_mut(whole)) {
                    whole.parts -= 1;
                }
            }
            None if all.all(|equals| equals.shares.is_like_new(key)) => *of = UNUSED,
            None => return false,
        }
        for equals in &mut self.equals {
            equals.shares.forget(key);
        }
        true
    }

    fn flow(&self, flow: FlowId) -> Option<&Flow> {
        self.flows.get(flow as usize)?.as_ref()
    }

    /// The entry of a key; `None` if the number of the key is not valid.
    fn key_mut(&mut self, key: KeyId) -> Option<&mut Key> {
        let index = key as usize;
        if index >= self.keys.len() && key < MAX_FLOWS {
            self.keys.resize(index + 1, UNUSED);
        }
        self.keys.get_mut(index)
    }

    fn key_of(&self, flow: FlowId) -> Option<KeyId> {
        self.flow(flow).map(|open| open.key)
    }

    /// Charges the task that runs for the time until now.
    fn charge(&mut self, now: u64) {
        self.now = now;
        let Some(running) = self.running.as_mut() else {
            return;
        };
        let time = now.saturating_sub(running.since);
        running.since = now;
        let Running {
            of, sharer, flow, ..
        } = *running;
        self.add(of, sharer, flow, time);
    }

    /// Adds to the thread time that a key and a flow have used until now.
    fn add(&mut self, of: usize, sharer: Sharer, flow: Option<FlowId>, time: u64) {
        let weight = self.weight(sharer);
        self.equals[of].shares.charge(sharer, weight, time);
        if let Some(key) = sharer {
            self.keys[key as usize].used += time;
            if let Some(whole) = self.keys[key as usize].whole {
                let weight = self.weight(whole);
                self.equals[of].shares.charge_whole(whole, weight, time);
                if let Some(whole) = whole.and_then(|whole| self.key_mut(whole)) {
                    whole.used += time;
                }
            }
        }
        let Some(flow) = flow else { return };
        if let Some(open) = self.flows[flow as usize].as_mut() {
            open.used = open.used.saturating_add(time);
            open.most_used = open.most_used.max(open.used);
            open.idle_since = self.now;
        }
        self.relist(flow);
    }

    /// Puts the queues of a flow where its thread time belongs.
    fn relist(&mut self, flow: FlowId) {
        let Some(open) = self.flow(flow) else { return };
        let (used, mut queue) = (open.used, open.queues);
        while queue != NONE {
            let Member { listing, next, .. } = self.members[queue as usize];
            if let Some(Listing { of, entry }) = listing {
                let level = self.equals[of].levels.level(used);
                if level != entry.level {
                    let entry = Entry { level, ..entry };
                    self.put(queue, Some(Listing { of, entry }));
                }
            }
            queue = next;
        }
    }

    /// Puts all queues of a priority where they belong by its new levels.
    fn relist_all(&mut self, of: usize) {
        let entries = self.equals[of].entries.iter();
        let queues: Vec<u32> = entries.map(|entry| entry.queue).collect();
        for queue in queues {
            self.relist(self.members[queue as usize].flow);
        }
    }

    /// Lists a queue here, or nowhere.
    fn put(&mut self, queue: u32, listing: Option<Listing>) {
        let before = std::mem::replace(&mut self.members[queue as usize].listing, listing);
        if before == listing {
            return;
        }
        // Before the removal, so that a key keeps its turn if it always has something queued.
        if let Some(Listing { of, entry }) = listing {
            let weight = self.keys[entry.key as usize].weight;
            let equals = &mut self.equals[of];
            equals.shares.add(entry.key, weight);
            equals.entries.insert(entry);
        }
        if let Some(Listing { of, entry }) = before {
            let equals = &mut self.equals[of];
            equals.entries.remove(&entry);
            if equals.first_of(entry.key).is_none() {
                equals.shares.remove(entry.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EffectivePriority::UserVisible;

    /// Opens so many flows of a key each, which run, queue an entry anew, and close.
    fn flood(flows: &mut FairQueues, count: u32, now: u64) {
        for flow in 0..count {
            assert!(flows.open(flow, flow) && flows.bind(flow, flow));
        }
        for flow in 0..count {
            flows.update(flow, UserVisible, Some(flow.into()));
            flows.start(Some(flow), UserVisible, false, now);
            flows.update(flow, UserVisible, None);
            flows.end(now + 1);
        }
        for flow in 0..count {
            flows.update(flow, UserVisible, Some(flow.into()));
        }
        flows.advance(now + 1);
        for flow in 0..count {
            flows.update(flow, UserVisible, None);
            flows.unbind(flow);
            assert!(flows.close(flow, true, || now + 1));
        }
    }

    #[test]
    fn room_for_some_flows_is_kept_when_the_last_is_closed_and_the_rest_is_given_back() {
        for (count, is_kept) in [(KEPT_WHEN_EMPTY / 2, true), (KEPT_WHEN_EMPTY + 1, false)] {
            let mut flows = FairQueues::default();
            // Twice: the first round may not break the counts for the second.
            for now in [1, 9] {
                flood(&mut flows, count as u32, now);
                assert_eq!(flows.flows.capacity() > 0, is_kept);
                assert_eq!(flows.members.capacity() > 0, is_kept);
                assert_eq!(flows.arrivals.capacity() > 0, is_kept);
                assert!(flows.equals.iter().all(|equals| equals.entries.is_empty()));
            }
        }
    }

    #[test]
    fn the_queues_of_a_flow_can_be_taken_from_it_in_any_order() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            let mut flows = FairQueues::default();
            assert!(flows.open(0, 0) && [0, 1, 2].map(|queue| flows.bind(queue, 0)) == [true; 3]);
            for (gone, queue) in order.into_iter().enumerate() {
                assert_eq!(flows.queues_of(0).count(), 3 - gone);
                flows.unbind(queue);
                assert!(
                    flows
                        .queues_of(0)
                        .all(|left| !order[..=gone].contains(&left))
                );
            }
            assert!(flows.bind(1, 0) && flows.close(0, true, || 0));
            assert_eq!((flows.flow_of(1), flows.in_flows), (None, 0));
        }
    }
}
