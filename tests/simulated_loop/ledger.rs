//! What waits, by the book: a plain list of tasks, searched from end to end. Owns the test's own
//! view of tasks, ids, signals and enqueue order; it shares no code with the queues that it judges
//! and knows nothing of the loop.

use std::collections::BTreeMap;

use uv_scheduler::task_queue::{QueueId, TaskId};

/// An effective priority, -1 to 5.
pub type Rank = i8;

pub const USER_VISIBLE: Rank = 2;
pub const USER_VISIBLE_CONTINUATION: Rank = 3;
pub const USER_BLOCKING: Rank = 4;

/// Where a task's priority comes from.
#[derive(Clone, Copy)]
pub enum Home {
    Fixed(Rank),
    Signal(usize),
}

/// A queue whose priority can change; the scheduler knows it while it has members.
pub struct Signal {
    pub rank: Rank,
    pub queue: Option<QueueId>,
    members: u32,
}

enum Place {
    Queued { order: u64 },
    Delayed { deadline: u64, call: u64 },
}

struct Waiting {
    home: Home,
    place: Place,
    /// Posted or raised to user-blocking by a callback, not by the end of a delay: the time when
    /// delayed tasks are queued is the scheduler's choice.
    is_promised: bool,
    /// When the scheduler first looked at the loop with this task queued, and when it has surely
    /// taken note of that: it may do so in sixteenths of the background timeout.
    seen: Option<u64>,
    noted: Option<u64>,
}

/// What background tasks become that have waited for too long, from theirs.
const RAISED_BY: Rank = 2;

/// The oldest task of the highest effective priority.
#[derive(Clone, Copy)]
pub struct Top {
    pub id: TaskId,
    pub rank: Rank,
    pub order: u64,
}

#[derive(Default)]
pub struct Ledger {
    waiting: BTreeMap<TaskId, Waiting>,
    pub signals: Vec<Signal>,
    /// Queues whose last member has left, not yet looked at.
    pub gone: Vec<QueueId>,
    free: Vec<TaskId>,
    ids: TaskId,
    pub next_order: u64,
    next_call: u64,
    pub background_timeout: Option<u64>,
    now: u64,
}

impl Ledger {
    /// An id that is not in use: the one that was given up last, or a new one.
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
            members: 0,
        });
        self.signals.len() - 1
    }

    pub fn post(&mut self, id: TaskId, home: Home) {
        let order = self.take_order();
        let is_promised = self.rank(home) >= USER_BLOCKING;
        self.add(id, home, Place::Queued { order }, is_promised);
    }

    pub fn post_delayed(&mut self, id: TaskId, home: Home, deadline: u64) {
        let call = self.next_call;
        self.next_call += 1;
        self.add(id, home, Place::Delayed { deadline, call }, false);
    }

    fn add(&mut self, id: TaskId, home: Home, place: Place, is_promised: bool) {
        if let Home::Signal(signal) = home {
            self.signals[signal].members += 1;
        }
        let waiting = Waiting {
            home,
            place,
            is_promised,
            seen: None,
            noted: None,
        };
        assert!(self.waiting.insert(id, waiting).is_none());
    }

    /// Takes a task out, to run it or because it was removed; says whether there was one.
    pub fn take(&mut self, id: TaskId) -> bool {
        let Some(task) = self.waiting.remove(&id) else {
            return false;
        };
        self.free.push(id);
        if let Home::Signal(signal) = task.home {
            let signal = &mut self.signals[signal];
            signal.members -= 1;
            if signal.members == 0 {
                self.gone.extend(signal.queue.take());
            }
        }
        true
    }

    /// Says whether the signal has a queued task.
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
        has_queued
    }

    /// The scheduler looks at the loop: queues the delayed tasks that are due.
    pub fn advance(&mut self, now: u64) {
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
        for (_, _, id) in due {
            let order = self.take_order();
            self.waiting.get_mut(&id).expect("it waits").place = Place::Queued { order };
        }
        let Some(timeout) = self.background_timeout else {
            return;
        };
        for task in self.waiting.values_mut() {
            if let Place::Queued { .. } = task.place {
                let seen = *task.seen.get_or_insert(now);
                if now >= seen + timeout / 16 {
                    task.noted.get_or_insert(now);
                }
            }
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

    /// The oldest task of the highest effective priority.
    pub fn top(&self) -> Option<Top> {
        self.top_if_expired_below(self.surely_expired_below())
    }

    /// The same for every order up to which background tasks may have been raised by now.
    pub fn possible_tops(&self) -> Vec<Option<Top>> {
        let (surely, at_most) = (self.surely_expired_below(), self.expired_below_at_most());
        let orders = self.queued().map(|(_, order, _)| order + 1);
        let mut bounds: Vec<u64> = orders
            .filter(|bound| *bound > surely && *bound <= at_most)
            .chain([surely])
            .collect();
        bounds.sort_unstable();
        bounds
            .into_iter()
            .map(|bound| self.top_if_expired_below(bound))
            .collect()
    }

    fn surely_expired_below(&self) -> u64 {
        self.expired_below(|task| task.noted)
    }

    fn expired_below_at_most(&self) -> u64 {
        self.expired_below(|task| task.seen)
    }

    fn expired_below(&self, since: impl Fn(&Waiting) -> Option<u64>) -> u64 {
        let timeout = self.background_timeout;
        let expired = self.queued().filter_map(|(_, order, task)| {
            let end = since(task)?.checked_add(timeout?)?;
            (end <= self.now).then_some(order + 1)
        });
        expired.max().unwrap_or(0)
    }

    fn queued(&self) -> impl Iterator<Item = (TaskId, u64, &Waiting)> {
        self.waiting
            .iter()
            .filter_map(|(id, task)| match task.place {
                Place::Queued { order } => Some((*id, order, task)),
                Place::Delayed { .. } => None,
            })
    }

    fn top_if_expired_below(&self, bound: u64) -> Option<Top> {
        let tops = self.queued().map(|(id, order, task)| {
            let rank = self.rank(task.home);
            let is_raised = (0..USER_VISIBLE).contains(&rank) && order < bound;
            Top {
                id,
                rank: if is_raised { rank + RAISED_BY } else { rank },
                order,
            }
        });
        tops.max_by_key(|top| (top.rank, std::cmp::Reverse(top.order)))
    }

    /// Whether a user-blocking task waits that a callback posted or raised.
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

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn has_queued(&self) -> bool {
        self.top().is_some()
    }

    pub fn ids(&self) -> Vec<TaskId> {
        self.waiting.keys().copied().collect()
    }
}
