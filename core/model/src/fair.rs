//! The oracle of flows and keys. The queued tasks are given to it with each question; it remembers
//! only the times. It learns levels with the code of the queues, so the comparison tests their use.

use std::collections::{BTreeMap, BTreeSet};

use uv_scheduler_core::levels::Levels;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::FlowId;
use uv_scheduler_core::shares::{KeyId, Time, given, scaled, weighted};
use uv_scheduler_core::task_queue::QueueId;
use uv_scheduler_core::task_queues::Choice;

/// A queued task with its queue.
pub type Queued = (QueueId, Choice);

/// How far a key has to be behind before code should yield to it, in nanoseconds.
const LAG: u64 = 1_000_000;

#[derive(Debug)]
struct Flow {
    key: KeyId,
    order: u64,
    /// The order of the next flow to come when this one became idle, while it is.
    idle_order: Option<u64>,
    used: u64,
    most_used: u64,
    /// The index of the priority that it last ran with.
    last: Option<usize>,
    /// The time since which it has had nothing queued and has not run.
    idle_since: Option<u64>,
}

/// The keys of one priority.
#[derive(Debug, Default)]
struct Equals {
    current: Time,
    /// The time since which nothing has been queued, while nothing starts.
    rests_since: Option<u64>,
    /// The times of keys, and with `None` of the entries without a key.
    times: BTreeMap<Option<KeyId>, Time>,
    /// The keys that have something queued, and the order of their arrival.
    queued: BTreeMap<Option<KeyId>, u64>,
    /// The weight of each of these keys since then.
    queued_weights: BTreeMap<Option<KeyId>, f64>,
    /// The key of the task that runs.
    running: Option<Option<KeyId>>,
    levels: Levels,
}

impl Equals {
    fn time(&self, key: Option<KeyId>) -> Time {
        let own = self.times.get(&key).copied().unwrap_or(0);
        let is_queued = self.queued.contains_key(&key);
        if is_queued || self.running == Some(key) {
            own
        } else {
            own.max(self.current)
        }
    }
}

/// All flows and keys.
#[derive(Debug, Default)]
pub struct Fair {
    flows: BTreeMap<FlowId, Flow>,
    queues: BTreeMap<QueueId, FlowId>,
    weights: BTreeMap<KeyId, f64>,
    equals: [Equals; 3],
    next_order: u64,
    arrivals: u64,
    /// Of the running task: the index of its priority, its key, its flow, and the time up to which
    /// its sharer was charged.
    running: Option<(usize, Option<KeyId>, Option<FlowId>, u64)>,
    /// The last time that was passed in.
    now: u64,
}

fn index(priority: EffectivePriority) -> Option<usize> {
    EffectivePriority::ALL[1..]
        .chunks(2)
        .position(|equals| equals.contains(&priority))
}

impl Fair {
    /// Whether no flow was ever opened.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.next_order == 0
    }

    /// Whether the task that was started last is charged and has not ended.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Opens a flow of a key, and gives the key this weight.
    pub fn open(&mut self, flow: FlowId, key: KeyId, weight: f64) {
        self.weights.insert(key, weight);
        let opened = Flow {
            key,
            order: self.next_order,
            idle_order: Some(self.next_order + 1),
            used: 0,
            most_used: 0,
            last: None,
            idle_since: Some(0),
        };
        self.flows.insert(flow, opened);
        self.next_order += 1;
    }

    /// Whether a flow is open.
    #[must_use]
    pub fn is_open(&self, flow: FlowId) -> bool {
        self.flows.contains_key(&flow)
    }

    /// Gives a flow a queue.
    pub fn bind(&mut self, queue: QueueId, flow: FlowId) {
        self.queues.insert(queue, flow);
    }

    /// Whether a queue belongs to a flow.
    #[must_use]
    pub fn is_bound(&self, queue: QueueId) -> bool {
        self.queues.contains_key(&queue)
    }

    /// The queues of a flow.
    pub fn queues_of(&self, flow: FlowId) -> impl Iterator<Item = QueueId> {
        let all = self.queues.iter();
        all.filter(move |(_, of)| **of == flow)
            .map(|(queue, _)| *queue)
    }

    /// With its last task a queue is removed.
    pub fn unbind(&mut self, queue: QueueId) {
        self.queues.remove(&queue);
    }

    /// Whether a flow has a queue with members.
    #[must_use]
    pub fn has_queue(&self, flow: FlowId) -> bool {
        self.queues.values().any(|of| *of == flow)
    }

    /// Closes a flow.
    pub fn close(&mut self, flow: FlowId, has_finished: bool, now: u64) {
        let is_of_flow =
            |(_, _, running, _): &(usize, _, Option<FlowId>, u64)| *running == Some(flow);
        if self.running.as_ref().is_some_and(is_of_flow) {
            self.charge(now);
            if let Some((_, _, running, _)) = &mut self.running {
                *running = None;
            }
        }
        let closed = self.flows.remove(&flow);
        if let Some((closed, last)) =
            closed.and_then(|closed| Some((closed.most_used, closed.last?)))
        {
            self.equals[last].levels.add(closed, has_finished);
        }
    }

    /// Must be called whenever a task was queued or removed.
    pub fn observe(&mut self, queued: &[Queued]) {
        for of in 0..self.equals.len() {
            let mut keys: Vec<_> = queued
                .iter()
                .filter(|(_, choice)| index(choice.priority) == Some(of))
                .filter_map(|(queue, choice)| Some((choice.order, self.key(*queue)?)))
                .collect();
            // Keys that came in one step came in their order.
            keys.sort_unstable();
            let is_queued =
                |key: &Option<KeyId>| keys.iter().any(|(_, other)| Some(*other) == *key);
            let equals = &mut self.equals[of];
            // Entries without a key are looked at when a task starts.
            equals
                .queued
                .retain(|key, _| key.is_none() || is_queued(key));
            equals.queued_weights.retain(|key, _| is_queued(key));
            for key in keys.into_iter().map(|(_, key)| Some(key)) {
                if !equals.queued.contains_key(&key) {
                    let time = equals.time(key);
                    equals.times.insert(key, time);
                    self.arrivals += 1;
                    equals.queued.insert(key, self.arrivals);
                    let weight = key.map_or(1.0, |key| self.weights[&key]);
                    equals.queued_weights.insert(key, weight);
                }
            }
        }
        let with_entries = self.with_entries(queued);
        for (id, flow) in &mut self.flows {
            if !with_entries.contains(id) {
                flow.idle_since.get_or_insert(self.now);
                flow.idle_order.get_or_insert(self.next_order);
            }
        }
        // Flows that awaken in one step do so in the order of their entries.
        let mut entries: Vec<_> = queued.iter().collect();
        entries.sort_unstable_by_key(|(_, choice)| choice.order);
        for (queue, choice) in entries {
            if index(choice.priority).is_some()
                && let Some(id) = self.queues.get(queue)
                && let Some(flow) = self.flows.get_mut(id)
                && let Some(idle_order) = flow.idle_order.take()
            {
                if idle_order != self.next_order {
                    flow.order = self.next_order;
                }
                self.next_order += 1;
            }
        }
    }

    /// Lets the thread times of flows fade that had nothing queued until now. Must be called before
    /// an entry is chosen.
    pub fn advance(&mut self, queued: &[Queued], now: u64) {
        self.now = now;
        for equals in &mut self.equals {
            let Some(since) = &mut equals.rests_since else {
                continue;
            };
            let rested = now - std::mem::replace(since, now);
            let latest = equals.times.values().copied().max().unwrap_or(0);
            let current = equals.current + weighted(rested, 1.0);
            equals.current = equals.current.max(current.min(latest));
            equals.queued.remove(&None);
            for key in equals.queued.keys() {
                let time = equals.times.get_mut(key).unwrap();
                *time = equals.current.max(*time);
            }
        }
        let with_entries = self.with_entries(queued);
        for (id, flow) in &mut self.flows {
            if with_entries.contains(id)
                && let Some(since) = flow.idle_since.take()
            {
                flow.used = flow.used.saturating_sub(now - since);
            }
        }
    }

    /// The flows that have something queued or run. Idle callbacks take no part.
    fn with_entries(&self, queued: &[Queued]) -> BTreeSet<FlowId> {
        let running = self.running.and_then(|(_, _, flow, _)| flow);
        let queued = queued
            .iter()
            .filter(|(_, choice)| index(choice.priority).is_some())
            .filter_map(|(queue, _)| self.queues.get(queue).copied());
        queued.chain(running).collect()
    }

    /// The next one of the equals of `first`, which is the choice by priority and age without keys.
    #[must_use]
    pub fn next(&self, queued: &[Queued], first: Choice) -> Choice {
        let Some(of) = index(first.priority) else {
            return first;
        };
        let equals = queued.iter();
        let equals: Vec<_> = equals
            .filter(|(_, choice)| index(choice.priority) == Some(of))
            .collect();
        let times = &self.equals[of];
        let next = equals
            .iter()
            .map(|(queue, _)| self.key(*queue))
            .min_by_key(|key| {
                let since = key.and_then(|_| times.queued.get(key).copied());
                (times.time(*key), since)
            });
        let of_next = equals
            .into_iter()
            .filter(|(queue, _)| Some(self.key(*queue)) == next);
        let position = |(queue, choice): &&Queued| {
            let flow = self.queues.get(queue).map(|flow| &self.flows[flow]);
            let level = flow.map(|flow| times.levels.level(flow.used));
            let is_task = !choice.priority.is_continuation();
            (level, flow.map(|flow| flow.order), is_task, choice.order)
        };
        of_next
            .min_by_key(position)
            .map_or(first, |(_, choice)| *choice)
    }

    /// Notes that a queued task starts.
    pub fn start(&mut self, queued: &[Queued], (queue, choice): Queued, now: u64) {
        if self.flows.is_empty() && self.running.is_none() {
            return;
        }
        self.charge(now);
        self.stop();
        let Some(of) = index(choice.priority) else {
            return;
        };
        let (flow, key) = (self.queues.get(&queue).copied(), self.key(queue));
        let is_unkeyed = |(queue, other): &Queued| {
            index(other.priority) == Some(of) && self.key(*queue).is_none()
        };
        let has_unkeyed = queued.iter().any(is_unkeyed);
        let equals = &mut self.equals[of];
        equals.rests_since = None;
        let unkeyed = equals.time(None);
        equals.queued.remove(&None);
        if has_unkeyed {
            equals.times.insert(None, unkeyed);
            equals.queued.insert(None, 0);
        }
        let sharers = equals.queued.keys().map(|sharer| equals.time(*sharer));
        let least = sharers.min().unwrap_or(0);
        equals.current = equals.current.max(least);
        equals.running = Some(key);
        self.running = Some((of, key, flow, now));
        if let Some(flow) = flow.and_then(|flow| self.flows.get_mut(&flow)) {
            flow.last = Some(of);
        }
    }

    /// Notes that the task that was started last has ended, beside what is queued then.
    pub fn end(&mut self, queued: &[Queued], now: u64) {
        self.charge(now);
        let Some(of) = self.stop() else { return };
        if !self.is_queued(queued, of) {
            self.equals[of].rests_since = Some(now);
        }
    }

    /// Nothing runs any more. Returns the index of the priority of what ran.
    fn stop(&mut self) -> Option<usize> {
        let (of, ..) = self.running.take()?;
        self.equals[of].running = None;
        Some(of)
    }

    /// Whether something of a priority is queued, by the index of the priority.
    #[must_use]
    pub fn is_queued(&self, queued: &[Queued], of: usize) -> bool {
        queued
            .iter()
            .any(|(_, choice)| index(choice.priority) == Some(of))
    }

    /// Whether code should yield to a key that is behind, or to a flow of its own key in a lower
    /// level. `time` is the time for which the code has run, if it is not in the task started last.
    #[must_use]
    pub fn is_behind(
        &self,
        queued: &[Queued],
        (flow, priority): (Option<FlowId>, EffectivePriority),
        time: u64,
        now: u64,
    ) -> bool {
        let Some(of) = index(priority) else {
            return false;
        };
        let flow = flow.filter(|flow| self.is_open(*flow));
        let key = flow.map(|flow| self.flows[&flow].key);
        let running = self.running.filter(|(_, _, running, _)| *running == flow);
        let time = running.map_or(time, |(_, _, _, since)| now - since);
        let equals: Vec<_> = queued
            .iter()
            .filter(|(_, choice)| index(choice.priority) == Some(of))
            .map(|(queue, _)| (self.key(*queue), self.queues.get(queue).copied()))
            .collect();
        let times = &self.equals[of];
        let weight = key.map_or(1.0, |key| self.weights[&key]);
        let own = times.time(key) + weighted(time, weight);
        let is_late = |other| own >= times.time(other) + weighted(LAG, 1.0);
        if equals
            .iter()
            .any(|(other, _)| *other != key && is_late(*other))
        {
            return true;
        }
        let level = |flow: FlowId, time| times.levels.level(self.flows[&flow].used + time);
        let mut same = equals.iter().filter(|(other, _)| *other == key);
        flow.is_some_and(|flow| {
            same.any(|(_, other)| {
                *other != Some(flow)
                    && other.is_some_and(|other| level(other, 0) < level(flow, time))
            })
        })
    }

    fn charge(&mut self, now: u64) {
        self.now = now;
        let Some((of, key, flow, since)) = &mut self.running else {
            return;
        };
        let time = now - std::mem::replace(since, now);
        let weight = key.map_or(1.0, |key| self.weights[&key]);
        let equals = &mut self.equals[*of];
        let unqueued = (!equals.queued.contains_key(key)).then_some(weight);
        let unkeyed = equals.queued.contains_key(&None).then_some(1.0);
        let queued = equals.queued_weights.values().copied();
        let weights = queued.chain(unqueued).chain(unkeyed).map(scaled).sum();
        let charged = equals.time(*key) + weighted(time, weight);
        equals.times.insert(*key, charged);
        equals.current += given(time, weights);
        if let Some(flow) = flow.and_then(|flow| self.flows.get_mut(&flow)) {
            flow.used = flow.used.saturating_add(time);
            flow.most_used = flow.most_used.max(flow.used);
        }
    }

    /// The index of the priority of a queued task, and its key and its weight.
    #[must_use]
    pub fn sharer(&self, (queue, choice): Queued) -> Option<(usize, Option<KeyId>, f64)> {
        let key = self.key(queue);
        let weight = key.map_or(1.0, |key| self.weights[&key]);
        Some((index(choice.priority)?, key, weight))
    }

    fn key(&self, queue: QueueId) -> Option<KeyId> {
        self.queues.get(&queue).map(|flow| self.flows[flow].key)
    }
}
