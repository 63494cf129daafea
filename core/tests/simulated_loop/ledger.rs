//! The waiting tasks as the contract has them: a plain list, searched from end to end. It shares no
//! code with the queues that it judges.

use std::collections::BTreeMap;

use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::protocol::FlowId;
use uv_scheduler_core::shares::KeyId;
use uv_scheduler_core::task_queue::{QueueId, TaskId};
use uv_scheduler_core::task_queues::Choice;
use uv_scheduler_core_model::fair::{Fair, Queued};

use crate::calls::priority;
use crate::rules::Kept;
use crate::shares::Shares;

/// An effective priority, -1 to 5.
pub type Rank = i8;

pub const IDLE: Rank = -1;
pub const USER_VISIBLE: Rank = 2;
pub const USER_VISIBLE_CONTINUATION: Rank = 3;
pub const USER_BLOCKING: Rank = 4;

/// Where a task's priority comes from.
#[derive(Clone, Copy)]
pub enum Home {
    Fixed(Rank),
    Signal(usize),
}

/// A queue whose priority can change. It exists in the scheduler while it has members.
pub struct Signal {
    pub rank: Rank,
    pub queue: Option<QueueId>,
    /// The request that it belongs to, which keeps its queue.
    pub flow: Option<FlowId>,
    members: u32,
}

impl Signal {
    /// Its queue, if the scheduler has to know it.
    pub fn existing_queue(&self) -> Option<QueueId> {
        self.queue.filter(|_| self.members > 0)
    }
}

enum Place {
    Queued { order: u64, since: u64 },
    Delayed { deadline: u64, call: u64 },
}

struct Waiting {
    home: Home,
    place: Place,
    /// A callback has posted the task as user-blocking or raised it. Delayed tasks don't count, as
    /// the scheduler chooses when to queue them.
    is_promised: bool,
    /// The process is kept alive for the task.
    is_referenced: bool,
    /// The task's own bound on its wait.
    max_wait: Option<u64>,
}

/// A candidate for the next task.
#[derive(Clone, Copy)]
pub struct Top {
    pub id: TaskId,
    pub rank: Rank,
    pub order: u64,
    /// The task has waited for longer than its own bound or, without one, that of its priority.
    pub is_overdue: bool,
}

impl Top {
    pub fn is_background(&self) -> bool {
        self.rank < USER_VISIBLE
    }

    /// Overdue tasks rank between user-visible continuations and user-blocking tasks.
    fn standing(&self) -> Rank {
        if self.is_overdue {
            2 * USER_VISIBLE_CONTINUATION + 1
        } else {
            2 * self.rank
        }
    }
}

#[derive(Default)]
pub struct Ledger {
    waiting: BTreeMap<TaskId, Waiting>,
    pub signals: Vec<Signal>,
    /// Queues whose last member has left and that were not checked yet.
    pub gone: Vec<QueueId>,
    free: Vec<TaskId>,
    ids: TaskId,
    pub next_order: u64,
    next_call: u64,
    max_wait: MaxWait,
    /// When the first bound was set. The wait of what was queued before counts from then.
    max_wait_set_at: u64,
    now: u64,
    pub fair: Fair,
    pub shares: Shares,
}

impl Ledger {
    /// An unused id: the one that was released last, or a new one.
    pub fn take_id(&mut self) -> TaskId {
        self.free.pop().unwrap_or_else(|| {
            self.ids += 1;
            self.ids - 1
        })
    }

    pub fn add_signal(&mut self, rank: Rank) -> usize {
        self.signals.push(Signal {
            rank,
            queue: None,
            flow: None,
            members: 0,
        });
        self.signals.len() - 1
    }

    pub fn post(&mut self, id: TaskId, home: Home, is_referenced: bool, now: u64) {
        // If bounds are set, due delayed tasks are queued first.
        if self.has_max_wait() {
            self.advance(now);
        }
        let order = self.take_order();
        let is_promised = self.rank(home) >= USER_BLOCKING;
        let place = Place::Queued { order, since: now };
        self.add(id, home, place, is_promised, is_referenced);
    }

    pub fn has_max_wait(&self) -> bool {
        self.max_wait.user_visible.is_some() || self.max_wait.background.is_some()
    }

    pub fn set_max_wait(&mut self, max_wait: MaxWait, now: u64) {
        if !self.has_max_wait() {
            self.max_wait_set_at = now;
        }
        self.max_wait = max_wait;
    }

    /// The bound on the wait of a task queued at `since`, and when it began to count.
    fn bound(&self, task: &Waiting, since: u64) -> Option<(u64, u64)> {
        if let Some(bound) = task.max_wait {
            return Some((bound, since));
        }
        let bound = match self.rank(task.home) {
            0 | 1 => self.max_wait.background,
            2 | 3 => self.max_wait.user_visible,
            _ => None,
        };
        bound.map(|bound| (bound, since.max(self.max_wait_set_at)))
    }

    pub fn post_delayed(&mut self, id: TaskId, home: Home, is_referenced: bool, deadline: u64) {
        let call = self.next_call;
        self.next_call += 1;
        let place = Place::Delayed { deadline, call };
        self.add(id, home, place, false, is_referenced);
    }

    /// A task with its own bound, which is queued when `deadline` has passed.
    pub fn post_bounded(
        &mut self,
        id: TaskId,
        home: Home,
        is_referenced: bool,
        deadline: u64,
        max_wait: u64,
    ) {
        self.post_delayed(id, home, is_referenced, deadline);
        let rank = self.rank(home);
        let task = self.waiting.get_mut(&id).expect("it waits");
        task.max_wait = Some(max_wait);
        task.is_promised = deadline <= self.now && rank >= USER_BLOCKING;
    }

    /// Whether a task can be overdue.
    pub fn has_bounds(&self) -> bool {
        self.has_max_wait() || self.waiting.values().any(|task| task.max_wait.is_some())
    }

    fn add(
        &mut self,
        id: TaskId,
        home: Home,
        place: Place,
        is_promised: bool,
        is_referenced: bool,
    ) {
        if let Home::Signal(signal) = home {
            self.signals[signal].members += 1;
        }
        let waiting = Waiting {
            home,
            place,
            is_promised,
            is_referenced,
            max_wait: None,
        };
        assert!(self.waiting.insert(id, waiting).is_none());
        self.observe();
    }

    /// The rank and the enqueue order of a queued task.
    pub fn standing(&self, id: TaskId) -> Option<(Rank, u64)> {
        let top = self.queued(true).find(|top| top.id == id)?;
        Some((top.rank, top.order))
    }

    /// Whether a task waits that keeps the process alive.
    pub fn is_referenced(&self, id: TaskId) -> bool {
        self.waiting.get(&id).is_some_and(|task| task.is_referenced)
    }

    /// Removes a task, to run it or because it was aborted. Returns whether it keeps the process
    /// alive; `None` if it was not waiting.
    pub fn take(&mut self, id: TaskId) -> Option<bool> {
        let task = self.waiting.remove(&id)?;
        self.free.push(id);
        if let Home::Signal(signal) = task.home {
            let signal = &mut self.signals[signal];
            signal.members -= 1;
            if signal.members == 0 {
                let queue = signal.queue.take();
                self.gone.extend(queue);
                queue.inspect(|queue| self.fair.unbind(*queue));
            }
        }
        self.observe();
        Some(task.is_referenced)
    }

    /// Changes the priority of a signal. Returns whether it has a queued task.
    pub fn set_rank(&mut self, signal: usize, rank: Rank) -> bool {
        self.signals[signal].rank = rank;
        let mut has_queued = false;
        for task in self.waiting.values_mut() {
            if matches!(task.home, Home::Signal(home) if home == signal)
                && matches!(task.place, Place::Queued { .. })
            {
                task.is_promised = rank >= USER_BLOCKING;
                has_queued = true;
            }
        }
        self.observe();
        has_queued
    }

    /// Sets the time and queues the delayed tasks that are due. Lets the times of flows fade.
    pub fn advance(&mut self, now: u64) {
        self.queue_due(now);
        if !self.fair.is_unused() {
            self.fair.advance(&self.with_queues(), now);
        }
    }

    /// Sets the time and queues the delayed tasks that are due.
    pub fn queue_due(&mut self, now: u64) {
        self.now = now;
        let mut due: Vec<(u64, u64, TaskId)> = self
            .waiting
            .iter()
            .filter_map(|(id, task)| match task.place {
                Place::Delayed { deadline, call } if deadline <= now => Some((deadline, call, *id)),
                _ => None,
            })
            .collect();
        due.sort_unstable();
        for (since, _, id) in due {
            let order = self.take_order();
            self.waiting.get_mut(&id).expect("it waits").place = Place::Queued { order, since };
        }
        self.observe();
    }

    /// Opens a flow of a key, which has this weight, with two signals of a priority.
    pub fn open_flow(&mut self, flow: FlowId, key: KeyId, weight: f64, rank: Rank) -> [usize; 2] {
        self.fair.open(flow, key, weight);
        [0, 1].map(|_| {
            let signal = self.add_signal(rank);
            self.signals[signal].flow = Some(flow);
            signal
        })
    }

    /// A signal has a queue until its last member is gone. Returns its flow.
    pub fn bind(&mut self, signal: usize, queue: QueueId) -> Option<FlowId> {
        let signal = &mut self.signals[signal];
        signal.queue = Some(queue);
        signal.flow.inspect(|flow| self.fair.bind(queue, *flow))
    }

    /// Whether nothing of a flow waits.
    pub fn is_vacant(&self, flow: FlowId) -> bool {
        let mut of_flow = self.signals.iter().filter(|s| s.flow == Some(flow));
        of_flow.all(|signal| signal.members == 0)
    }

    pub fn close_flow(&mut self, flow: FlowId, has_finished: bool, now: u64) {
        self.fair.close(flow, has_finished, now);
        for signal in self.signals.iter_mut().filter(|s| s.flow == Some(flow)) {
            signal.flow = None;
        }
    }

    /// The request that a waiting task belongs to.
    pub fn flow_of(&self, id: TaskId) -> Option<FlowId> {
        match self.waiting.get(&id)?.home {
            Home::Fixed(_) => None,
            Home::Signal(signal) => self.signals[signal].flow,
        }
    }

    /// A queued task starts.
    pub fn start(&mut self, id: TaskId, is_in_turn: bool, now: u64) {
        if self.fair.is_unused() {
            return;
        }
        let queued = self.with_queues();
        let started = queued.iter().find(|(_, choice)| choice.task == id);
        let Some(started) = started.copied() else {
            return;
        };
        self.fair.start(&queued, started, now);
        let standings = queued.iter().map(|queued| self.fair.sharer(*queued));
        let standings = standings.flatten().collect();
        let sharer = self.fair.sharer(started);
        self.shares.start(standings, sharer, is_in_turn, now);
    }

    /// The callback under way has ended, as far as the scheduler knows.
    pub fn end(&mut self, now: u64) -> Kept {
        if self.fair.is_unused() {
            return Ok(());
        }
        let queued = self.with_queues();
        self.fair.end(&queued, now);
        self.shares.end(now)?;
        self.observe();
        Ok(())
    }

    /// Whether code of a flow, or of none, should yield to equals of another key or level.
    pub fn is_behind(&self, flow: Option<FlowId>, rank: Rank, time: u64) -> bool {
        let code = (flow, priority(rank));
        let is_used = !self.fair.is_unused();
        is_used
            && self
                .fair
                .is_behind(&self.with_queues(), code, time, self.now)
    }

    fn observe(&mut self) {
        if self.fair.is_unused() {
            return;
        }
        let queued = self.with_queues();
        self.fair.observe(&queued);
        if self.shares.has_leads() {
            let sharers = queued.iter().map(|queued| self.fair.sharer(*queued));
            self.shares.retain(&sharers.flatten().collect::<Vec<_>>());
        }
    }

    fn with_queues(&self) -> Vec<Queued> {
        let queued = self.queued(true).map(
            |Top {
                 id, rank, order, ..
             }| {
                let choice = Choice {
                    task: id,
                    priority: priority(rank),
                    order,
                    is_overdue: false,
                };
                (self.queue(self.waiting[&id].home), choice)
            },
        );
        queued.collect()
    }

    fn queue(&self, home: Home) -> QueueId {
        match home {
            Home::Fixed(rank) => priority(rank).index() as QueueId,
            Home::Signal(signal) => self.signals[signal].queue.expect("it has a member"),
        }
    }

    fn take_order(&mut self) -> u64 {
        self.next_order += 1;
        self.next_order - 1
    }

    pub fn rank(&self, home: Home) -> Rank {
        match home {
            Home::Fixed(rank) => rank,
            Home::Signal(signal) => self.signals[signal].rank,
        }
    }

    /// The oldest task of the highest effective priority. Background work counts as overdue only if
    /// `with_overdue_background` is set.
    pub fn highest(&self, with_overdue_background: bool) -> Option<Top> {
        self.queued(with_overdue_background)
            .max_by_key(|top| (top.standing(), std::cmp::Reverse(top.order)))
    }

    /// The task that comes first: that one, or of its equals the one whose flow is next.
    pub fn top(&self, with_overdue_background: bool) -> Option<Top> {
        let highest = self.highest(with_overdue_background)?;
        if highest.is_overdue || self.fair.is_unused() {
            return Some(highest);
        }
        let queued = self.with_queues();
        let (_, first) = queued
            .iter()
            .find(|(_, choice)| choice.task == highest.id)?;
        let next = self.fair.next(&queued, *first).task;
        self.queued(with_overdue_background)
            .find(|top| top.id == next)
    }

    pub fn oldest_overdue(&self, with_background: bool) -> Option<Top> {
        self.queued(with_background)
            .filter(|top| top.is_overdue)
            .min_by_key(|top| top.order)
    }

    fn queued(&self, with_overdue_background: bool) -> impl Iterator<Item = Top> {
        self.waiting.iter().filter_map(move |(id, task)| {
            let Place::Queued { order, since } = task.place else {
                return None;
            };
            let rank = self.rank(task.home);
            let can_be_overdue = match rank {
                0 | 1 => with_overdue_background,
                2 | 3 => true,
                _ => false,
            };
            let bound = self.bound(task, since).filter(|_| can_be_overdue);
            let is_over = |(bound, since)| self.now.saturating_sub(since) > bound;
            Some(Top {
                id: *id,
                rank,
                order,
                is_overdue: bound.is_some_and(is_over),
            })
        })
    }

    pub fn has_background(&self) -> bool {
        self.queued(true).any(|top| top.is_background())
    }

    /// Whether something of such a rank is queued.
    pub fn has_rank(&self, is_such: impl Fn(Rank) -> bool) -> bool {
        self.queued(true).any(|top| is_such(top.rank))
    }

    /// Whether no other work is queued.
    pub fn has_only_background(&self) -> bool {
        self.queued(true).all(|top| top.is_background())
    }

    pub fn has_overdue(&self) -> bool {
        self.oldest_overdue(true).is_some()
    }

    /// When a queued background task becomes overdue.
    pub fn next_overdue(&self) -> Option<u64> {
        let queued = self.waiting.values().filter_map(|task| match task.place {
            Place::Queued { since, .. } if matches!(self.rank(task.home), 0 | 1) => {
                let (bound, since) = self.bound(task, since)?;
                Some(since.saturating_add(bound).saturating_add(1))
            }
            _ => None,
        });
        queued.min()
    }

    /// Whether a user-blocking task waits that a callback has posted or raised.
    pub fn has_promised(&self) -> bool {
        self.waiting.values().any(|task| task.is_promised)
    }

    pub fn next_deadline(&self) -> Option<u64> {
        let deadlines = self.waiting.values().filter_map(|task| match task.place {
            Place::Delayed { deadline, .. } => Some(deadline),
            Place::Queued { .. } => None,
        });
        deadlines.min()
    }

    /// Whether a task waits that keeps the process alive.
    pub fn keeps_alive(&self) -> bool {
        self.waiting.values().any(|task| task.is_referenced)
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn has_queued(&self) -> bool {
        self.highest(true).is_some()
    }

    /// All tasks with their priorities, and whether they wait for their delay: the queued ones by
    /// age, then the delayed ones by deadline.
    pub fn listed(&self) -> Vec<(TaskId, Rank, bool)> {
        let key = |id: &TaskId| match self.waiting[id].place {
            Place::Queued { order, .. } => (false, order, 0),
            Place::Delayed { deadline, call } => (true, deadline, call),
        };
        let mut ids = self.ids();
        ids.sort_by_key(key);
        let entry = |id| (id, self.rank(self.waiting[&id].home), key(&id).0);
        ids.into_iter().map(entry).collect()
    }

    pub fn ids(&self) -> Vec<TaskId> {
        self.waiting.keys().copied().collect()
    }
}
