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
}

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

    pub fn queue_due(&mut self, now: u64) {
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

    pub fn top(&self) -> Option<Top> {
        let tops = self.waiting.iter().filter_map(|(id, task)| {
            let Place::Queued { order } = task.place else {
                return None;
            };
            let rank = self.rank(task.home);
            Some(Top {
                id: *id,
                rank,
                order,
            })
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
