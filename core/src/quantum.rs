//! The quantum: how long code goes on while only equals wait.
//!
//! Equals are queued entries that a `yield()` now would let run first although they do not outrank
//! the code: they have the effective priority of its continuation. They start in their order,
//! however long each of them then runs. If all code yielded at its first chance, a page with pieces
//! of 10 µs would get 10 µs for each 5 ms of a report. So code goes on until its stint has lasted
//! as long as the longest stint of an equal in the last two rounds: everything then gets about as
//! much of the thread as the code with the longest pieces, which cannot take less. A stint of this
//! length is *full*.
//!
//! A *stint* begins with the callback, or with the first question of other code in it. Where the
//! callback is no task, its beginning is not known, and the stint begins with the first question.
//! The stint ends when a pass looks for the next task, or when other code asks. If the scheduler
//! sees no end, the stint has lasted until its last question. It counts for its priority, where a
//! task and its continuations have the same one.
//!
//! A *round* of a priority is one time around its equals: it ends when an entry starts that was
//! queued after the round began. The lengths of two rounds are kept, as one of them may have just
//! begun. So a length that is not reached again is forgotten after two rounds.
//!
//! An overdue task has a full stint whatever else waits below user-blocking work: a piece of 20 µs
//! for each bound would be no progress.
//!
//! The longest stint counts less an eighth of it. The same work never takes the same time twice:
//! code with pieces of 3 ms would otherwise go on for a second piece whenever its first one was a
//! moment shorter than the last. And each stint outlasts the quantum by a part of a piece, so the
//! quantum would grow from round to round.

use crate::host::NANOSECONDS_PER_MILLISECOND;
use crate::priority::EffectivePriority;
use crate::task_queues::Choice;

/// The least quantum. The most is the time slice.
const LEAST: u64 = NANOSECONDS_PER_MILLISECOND;

/// One part in this many of the longest stint does not count.
const TOLERANCE: u64 = 8;

/// The number of priorities, where a task and its continuations have the same one.
const PRIORITIES: usize = 3;

/// The stint under way, and the lengths of earlier stints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantum {
    stint: Option<Stint>,
    rounds: [Rounds; PRIORITIES],
}

/// A stint of code.
#[derive(Clone, Copy, Debug)]
struct Stint {
    priority: EffectivePriority,
    began: u64,
    /// The time at which the scheduler last saw that it was under way.
    seen: u64,
    /// Whether its callback is a task, whose beginning and end the scheduler sees.
    is_of_task: bool,
    /// Whether it is of a task that was overdue.
    is_overdue: bool,
    /// Whether code has asked in it.
    has_asked: bool,
}

/// The longest stints of one priority.
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    /// The longest stint of the round under way.
    longest: u64,
    /// The longest stint of the round before.
    longest_before: u64,
    /// The first entry with this enqueue order, or a higher one, begins the next round.
    next_order: u64,
}

impl Quantum {
    /// Notes that a pass starts a task. Later entries have the order `next_order` or a higher one.
    pub fn start_task(&mut self, choice: &Choice, now: u64, next_order: u64) {
        let rounds = &mut self.rounds[index(choice.priority)];
        if choice.order >= rounds.next_order {
            *rounds = Rounds {
                longest: 0,
                longest_before: rounds.longest,
                next_order,
            };
        }
        self.stint = Some(Stint {
            priority: choice.priority,
            began: now,
            seen: now,
            is_of_task: true,
            is_overdue: choice.is_overdue,
            has_asked: false,
        });
    }

    /// Ends the stint under way, if there is one. `now` is the time of its end if its callback is a
    /// task. The ends of other callbacks are not seen.
    pub fn end_at(&mut self, now: u64) {
        if let Some(stint) = self.stint.as_mut().filter(|stint| stint.is_of_task) {
            stint.seen = now;
        }
        self.end();
    }

    /// Ends the stint under way, if there is one. It counts up to the time at which it was last
    /// seen.
    pub fn end(&mut self) {
        let Some(stint) = self.stint.take() else {
            return;
        };
        let rounds = &mut self.rounds[index(stint.priority)];
        rounds.longest = rounds.longest.max(stint.lasted());
    }

    /// Notes that code asks whose continuation would have this priority. `is_other` says whether
    /// the last question in this callback, if there was one, came from other code.
    pub fn ask(&mut self, priority: EffectivePriority, is_other: bool, now: u64) {
        let is_of_task = self.is_of_task();
        if self.stint.is_some_and(|stint| stint.has_asked && is_other) {
            self.end_at(now);
        }
        self.stint = Some(Stint {
            priority,
            began: self.stint.map_or(now, |stint| stint.began),
            seen: now,
            is_of_task,
            is_overdue: self.stint.is_some_and(|stint| stint.is_overdue),
            has_asked: true,
        });
    }

    /// How long the stint of the code that has just asked has lasted.
    #[must_use]
    pub fn lasted(&self) -> u64 {
        self.stint.map_or(0, |stint| stint.lasted())
    }

    /// Whether the code that has just asked has had a full stint, if only equals wait.
    #[must_use]
    pub fn is_used_up(&self, slice: u64) -> bool {
        self.stint
            .is_some_and(|stint| stint.lasted() >= self.length(stint.priority, slice))
    }

    /// Whether the code that has just asked is an overdue task that has not had a full stint.
    #[must_use]
    pub fn is_catching_up(&self, slice: u64) -> bool {
        self.stint.is_some_and(|stint| {
            stint.is_overdue && stint.lasted() < LEAST.max(self.length(stint.priority, slice))
        })
    }

    /// Whether the callback of the stint under way is a task.
    #[must_use]
    pub fn is_of_task(&self) -> bool {
        self.stint.is_some_and(|stint| stint.is_of_task)
    }

    /// How long stints of this priority last while only equals wait: at most a time slice.
    fn length(&self, priority: EffectivePriority, slice: u64) -> u64 {
        let rounds = &self.rounds[index(priority)];
        let longest = rounds.longest.max(rounds.longest_before);
        LEAST.max(longest - longest / TOLERANCE).min(slice)
    }
}

impl Stint {
    fn lasted(&self) -> u64 {
        self.seen.saturating_sub(self.began)
    }
}

/// The index of a priority, where idle callbacks count as background work.
fn index(priority: EffectivePriority) -> usize {
    priority.index().saturating_sub(1) / 2
}
