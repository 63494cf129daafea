//! The numbers that JavaScript and Rust share: limits, ranks, marks and the layout of the shared
//! words. `lib/loop/protocol.js` has the same numbers; `start()` compares them with [`NUMBERS`].
//!
//! A task is passed as its id, an index into JavaScript's table. Its destination is one word: the
//! id of its queue in the upper bits, the rank of the queue's priority in the lower three. The id
//! of a queue with a fixed priority is its rank; ids from [`RANKS`] on belong to queues whose
//! priority can change.
//!
//! An event of a flow also takes two words. One has the number of the flow in place of a queue, and
//! [`OF_FLOW`] in place of a rank. The other word is a key, or has one of the marks below.
//!
//! A change has its number in place of the flow, and [`CHANGE`] as a mark. The other word is what
//! changes. [`OPERANDS`] numbers of 64 bits follow, in as many entries.

use crate::host::nanoseconds;
use crate::max_wait::MaxWait;
use crate::priority::EffectivePriority;
use crate::shares::KeyId;
use crate::task_queue::{QueueId, TaskId};

/// The number of ranks, and of fixed queues.
pub const RANKS: u32 = EffectivePriority::ALL.len() as u32;

/// The number of bits of a rank, by which the id of a queue is shifted.
pub const RANK_BITS: u32 = 3;

/// The maximum number of tasks that can wait at once. Their ids are below it.
pub const MAX_TASKS: u32 = 1 << 30;

/// The maximum number of queues with a changeable priority that can exist at once.
pub const MAX_QUEUES: u32 = 1 << 28;

/// Identifies a flow while it is open. The opener chooses small numbers and reuses them.
pub type FlowId = u32;

/// The maximum number of flows, and of keys, that can exist at once.
pub const MAX_FLOWS: u32 = 1 << 28;

/// In place of a task's id: no task.
pub const NO_TASK: u32 = MAX_TASKS;

/// Added to the id of a task that is posted: the task does not keep the process alive.
pub const UNREFERENCED: u32 = 1 << 31;

/// In place of a destination: the task is removed.
pub const REMOVED: u32 = u32::MAX;

/// In place of a rank: the word has the number of a flow, which is opened unless the other word has
/// a mark.
pub const OF_FLOW: u32 = RANKS;

/// Added to the word of a change.
pub const CHANGE: u32 = 1 << 31;

/// The number of operands of each change.
pub const OPERANDS: usize = 3;

/// The number of changes: see [`Entry::of_change`].
pub const CHANGES: u32 = 12;

/// Added to the id of a queue that belongs to a flow from now on.
pub const BIND_QUEUE: u32 = 1 << 29;

/// The flow is closed. Plus 1: it has finished, and was not given up.
pub const CLOSE_FLOW: u32 = 1 << 30;

/// Shared word: JavaScript has to flush tasks of this rank or above at once.
pub const NOTIFY_RANK: usize = 0;

/// Shared word: the number of entries.
pub const COUNT: usize = 1;

/// Shared word: 1 if JavaScript wants one call at the end of the next check phase.
pub const END_OF_CHECK: usize = 2;

/// Shared word: the rank of a continuation of the code that asks whether to yield.
pub const CODE_RANK: usize = 3;

/// Added to that rank: the last question came from other code. Cleared when it is read.
pub const OTHER_CODE: u32 = 1 << RANK_BITS;

/// Shared word: the flow of that code plus 1; 0 if it belongs to none.
pub const CODE_FLOW: usize = 4;

/// Shared word: the lower half of the time in nanoseconds that was read last.
pub const TIME_LOW: usize = 5;

/// Shared word: the upper half of that time.
pub const TIME_HIGH: usize = 6;

/// Shared word: the number of tasks that JavaScript has begun, modulo 2^32.
pub const BEGUN: usize = 7;

/// Shared word: the first entry. Each takes two words, a task's id and its destination.
pub const ENTRIES: usize = 8;

/// The maximum number of entries.
pub const CAPACITY: usize = 255;

/// The number of shared words.
pub const WORDS: usize = ENTRIES + 2 * CAPACITY;

/// A question of JavaScript, by its number. The answers are lists of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// All tasks that wait: the queued ones by enqueue order, then the delayed ones by deadline.
    /// See [`Waiting::numbers`](crate::task_queues::Waiting::numbers).
    Waiting,
    /// The queued tasks of each rank, the lowest first. See
    /// [`Queued::numbers`](crate::event_loop::Queued::numbers).
    Queued,
    /// The entry that has ended the last check pass, if it waits. See
    /// [`Refused::numbers`](crate::event_loop::Refused::numbers).
    Refused,
    /// The time in holds. See [`Held::numbers`](crate::hold::Held::numbers).
    Held,
    /// The milliseconds for which tasks have run so far.
    TaskTime,
    /// Milliseconds until something other than a task is runnable: 0 if something is runnable now,
    /// infinity if no timer is set. The answer is right only in the check phase.
    TimeToNext,
    /// The rank that the task which was started last had in its queue.
    RankOfStarted,
    /// The keys. See [`KeyUse::numbers`](crate::fair_queues::KeyUse::numbers).
    Keys,
    /// The thread times, in nanoseconds, at which the levels of the priority of a rank end.
    Levels,
    /// The level of a flow, from 0.
    LevelOfFlow,
    /// Forgets a key that has no open flow, unless the key is ahead of others that wait. 1 if the
    /// key is forgotten, else 0.
    ForgetKey,
}

impl Question {
    /// All questions, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Waiting,
        Self::Queued,
        Self::Refused,
        Self::Held,
        Self::TaskTime,
        Self::TimeToNext,
        Self::RankOfStarted,
        Self::Keys,
        Self::Levels,
        Self::LevelOfFlow,
        Self::ForgetKey,
    ];

    /// The question with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// The numbers above by name, in the order of `lib/loop/protocol.js`.
pub const NUMBERS: [(&str, u32); 26] = [
    ("RANKS", RANKS),
    ("RANK_BITS", RANK_BITS),
    ("MAX_TASKS", MAX_TASKS),
    ("MAX_QUEUES", MAX_QUEUES),
    ("MAX_FLOWS", MAX_FLOWS),
    ("NO_TASK", NO_TASK),
    ("UNREFERENCED", UNREFERENCED),
    ("REMOVED", REMOVED),
    ("OF_FLOW", OF_FLOW),
    ("CHANGE", CHANGE),
    ("OPERANDS", OPERANDS as u32),
    ("CHANGES", CHANGES),
    ("BIND_QUEUE", BIND_QUEUE),
    ("CLOSE_FLOW", CLOSE_FLOW),
    ("NOTIFY_RANK", NOTIFY_RANK as u32),
    ("COUNT", COUNT as u32),
    ("END_OF_CHECK", END_OF_CHECK as u32),
    ("CODE_RANK", CODE_RANK as u32),
    ("OTHER_CODE", OTHER_CODE),
    ("CODE_FLOW", CODE_FLOW as u32),
    ("TIME_LOW", TIME_LOW as u32),
    ("TIME_HIGH", TIME_HIGH as u32),
    ("BEGUN", BEGUN as u32),
    ("ENTRIES", ENTRIES as u32),
    ("CAPACITY", CAPACITY as u32),
    ("QUESTIONS", Question::ALL.len() as u32),
];

/// The queue that a task is posted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The id of the queue. A queue with a changeable priority is created if it does not exist.
    pub queue: QueueId,
    /// The current priority of the queue.
    pub priority: EffectivePriority,
    /// Whether the task keeps the process alive while it waits. Not part of the word.
    pub is_referenced: bool,
}

impl Destination {
    /// The queue of all tasks with this fixed priority.
    #[must_use]
    pub const fn fixed(priority: EffectivePriority) -> Self {
        Self {
            queue: priority.rank(),
            priority,
            is_referenced: true,
        }
    }

    /// The same queue, for a task that does not keep the process alive.
    #[must_use]
    pub const fn unreferenced(self) -> Self {
        Self {
            is_referenced: false,
            ..self
        }
    }

    /// Decodes a destination. A rank off the scale is read as the highest one.
    #[must_use]
    pub fn from_word(word: u32) -> Self {
        let rank = word & ((1 << RANK_BITS) - 1);
        let highest = EffectivePriority::UserBlockingContinuation;
        Self {
            queue: word >> RANK_BITS,
            priority: EffectivePriority::from_rank(rank).unwrap_or(highest),
            is_referenced: true,
        }
    }

    /// Encodes a destination.
    #[must_use]
    pub const fn to_word(self) -> u32 {
        self.queue << RANK_BITS | self.priority.rank()
    }
}

/// An entry in the shared words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// A new task.
    Post(TaskId, Destination),
    /// The removal of a waiting task.
    Remove(TaskId),
    /// A new flow of a key.
    OpenFlow(FlowId, KeyId),
    /// The queue belongs to the flow until it is removed.
    BindQueue(FlowId, QueueId),
    /// The end of a flow. Says whether it has finished, and was not given up.
    CloseFlow(FlowId, bool),
    /// A new task on terms.
    PostOnTerms(TaskId, Destination, Terms),
    /// The queue moves to another priority.
    MoveQueue(QueueId, EffectivePriority),
    /// Something of the flow begins or ends to wait outside of the queues.
    WaitOutside(FlowId, bool),
    /// The flow, or code without one, has run outside of tasks for so many nanoseconds.
    ChargeOutside(Option<FlowId>, EffectivePriority, u64),
    /// The weight of a key. The default is 1.
    SetWeight(KeyId, f64),
    /// A key without flows is a part of another key or, with `None`, of the entries without one.
    OpenPart(KeyId, Option<KeyId>),
    /// A part goes where another key would or, with `None`, the entries without one.
    JoinPart(KeyId, Option<KeyId>),
    /// The time slice in nanoseconds: the time that tasks may take in one turn of the loop. With 0,
    /// each check phase runs one task, and checkpoints run none.
    SetTimeSlice(u64),
    /// How long queued tasks may wait before they are overdue.
    SetMaxWait(MaxWait),
    /// No work below user-blocking starts for so many nanoseconds, unless it is overdue. Replaces
    /// the pause before.
    Pause(u64),
    /// The resources that must be idle before background work starts: see [`Host::set_idle`].
    ///
    /// [`Host::set_idle`]: crate::host::Host::set_idle
    SetIdle(u32),
    /// No hold delays background work, or the host decides again.
    LiftHold(bool),
}

/// How a task is posted that is not queued at once, or that has a bound of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Nanoseconds after which the task is queued. `None`: at once.
    pub delay: Option<u64>,
    /// See [`Post::max_wait`](crate::task_queues::Post::max_wait).
    pub max_wait: Option<u64>,
}

impl Entry {
    /// Decodes an entry from its two words.
    #[must_use]
    pub fn from_words(task: u32, word: u32) -> Self {
        if word == REMOVED {
            return Self::Remove(task);
        }
        if word & OF_FLOW == OF_FLOW {
            return Self::of_flow(task, word >> RANK_BITS);
        }
        let destination = Destination::from_word(word);
        if task & UNREFERENCED == 0 {
            Self::Post(task, destination)
        } else {
            Self::Post(task & !UNREFERENCED, destination.unreferenced())
        }
    }

    /// Whether operands follow the two words.
    #[must_use]
    pub const fn has_operands(word: u32) -> bool {
        word & (CHANGE | OF_FLOW) == CHANGE | OF_FLOW && word != REMOVED
    }

    /// Decodes a change. `None` if it is unknown, or its priority is.
    #[must_use]
    pub fn of_change(
        what: u32,
        word: u32,
        [first, second, third]: [f64; OPERANDS],
    ) -> Option<Self> {
        let or_none = |number: u32| number.checked_sub(1);
        let bound = |milliseconds: f64| milliseconds.is_finite().then(|| nanoseconds(milliseconds));
        let priority = || EffectivePriority::from_rank(first as u32);
        Some(match (word & !CHANGE) >> RANK_BITS {
            0 => match Self::from_words(what, first as u32) {
                Self::Post(task, destination) => {
                    let delay = (second > 0.0).then(|| nanoseconds(second));
                    let max_wait = (!third.is_nan()).then(|| nanoseconds(third));
                    Self::PostOnTerms(task, destination, Terms { delay, max_wait })
                }
                _ => return None,
            },
            1 => Self::MoveQueue(what, priority()?),
            2 => Self::WaitOutside(what, first != 0.0),
            3 => Self::ChargeOutside(or_none(what), priority()?, second as u64),
            4 => Self::SetWeight(what, first),
            5 => Self::OpenPart(what, or_none(first as u32)),
            6 => Self::JoinPart(what, or_none(first as u32)),
            7 => Self::SetTimeSlice(nanoseconds(first)),
            8 => Self::SetMaxWait(MaxWait {
                user_visible: bound(first),
                background: bound(second),
            }),
            9 => Self::Pause(nanoseconds(first)),
            10 => Self::SetIdle(what),
            11 => Self::LiftHold(what != 0),
            _ => return None,
        })
    }

    fn of_flow(what: u32, flow: FlowId) -> Self {
        if what & CLOSE_FLOW != 0 {
            Self::CloseFlow(flow, what & !CLOSE_FLOW != 0)
        } else if what & BIND_QUEUE != 0 {
            Self::BindQueue(flow, what & !BIND_QUEUE)
        } else {
            Self::OpenFlow(flow, what)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_an_encoded_destination_returns_the_same_destination() {
        for priority in EffectivePriority::ALL {
            for queue in [RANKS, RANKS + 1, RANKS + MAX_QUEUES - 1] {
                let destination = Destination {
                    queue,
                    priority,
                    is_referenced: true,
                };
                assert_eq!(Destination::from_word(destination.to_word()), destination);
            }
            let fixed = Destination::fixed(priority);
            assert_eq!(Destination::from_word(fixed.to_word()), fixed);
        }
    }

    #[test]
    fn a_rank_off_the_scale_reads_as_the_highest() {
        let destination = Destination::from_word(RANKS << RANK_BITS | RANKS);
        assert_eq!(destination.queue, RANKS);
        assert_eq!(
            destination.priority,
            EffectivePriority::UserBlockingContinuation
        );
    }

    #[test]
    fn no_shared_word_is_used_twice() {
        let mut words = vec![
            NOTIFY_RANK,
            COUNT,
            END_OF_CHECK,
            CODE_RANK,
            CODE_FLOW,
            TIME_LOW,
            TIME_HIGH,
            BEGUN,
        ];
        words.extend(ENTRIES..ENTRIES + 2 * CAPACITY);
        words.sort_unstable();
        assert_eq!(words, (0..WORDS).collect::<Vec<usize>>());
    }

    #[test]
    fn no_destination_reads_as_a_removal() {
        let last = Destination {
            queue: RANKS + MAX_QUEUES - 1,
            priority: EffectivePriority::UserBlockingContinuation,
            is_referenced: true,
        };
        assert_ne!(last.to_word(), REMOVED);
        assert_eq!(Entry::from_words(5, REMOVED), Entry::Remove(5));
        assert_eq!(Entry::from_words(5, last.to_word()), Entry::Post(5, last));
    }

    #[test]
    fn the_id_of_a_posted_task_tells_whether_it_keeps_the_process_alive() {
        let word = Destination::fixed(EffectivePriority::Background).to_word();
        for id in [0, 5, MAX_TASKS - 1] {
            let destination = Destination::from_word(word);
            assert_eq!(Entry::from_words(id, word), Entry::Post(id, destination));
            assert_eq!(
                Entry::from_words(id | UNREFERENCED, word),
                Entry::Post(id, destination.unreferenced())
            );
        }
    }

    #[test]
    fn the_entries_of_flows_are_told_from_each_other_and_from_all_others() {
        for flow in [0, 5, MAX_FLOWS - 1] {
            let word = flow << RANK_BITS | OF_FLOW;
            assert_ne!(word, REMOVED);
            for value in [0, 5, MAX_FLOWS - 1] {
                let opened = Entry::from_words(value, word);
                assert_eq!(opened, Entry::OpenFlow(flow, value));
                let queue = RANKS + value;
                let bound = Entry::from_words(BIND_QUEUE + queue, word);
                assert_eq!(bound, Entry::BindQueue(flow, queue));
            }
            for has_finished in [false, true] {
                let closed = Entry::from_words(CLOSE_FLOW + u32::from(has_finished), word);
                assert_eq!(closed, Entry::CloseFlow(flow, has_finished));
            }
        }
    }

    #[test]
    fn every_change_has_its_number_and_its_operands() {
        let visible = EffectivePriority::UserVisible;
        let destination = Destination::fixed(visible);
        let (rank, word) = (f64::from(visible.rank()), f64::from(destination.to_word()));
        let terms = Terms {
            delay: None,
            max_wait: Some(2_000_000),
        };
        let later = Terms {
            delay: Some(1_000_000),
            max_wait: None,
        };
        let none = f64::NAN;
        let changes = [
            (
                0,
                5,
                [word, 0.0, 2.0],
                Entry::PostOnTerms(5, destination, terms),
            ),
            (
                0,
                5,
                [word, 1.0, none],
                Entry::PostOnTerms(5, destination, later),
            ),
            (1, 5, [rank, 0.0, 0.0], Entry::MoveQueue(5, visible)),
            (2, 5, [1.0, 0.0, 0.0], Entry::WaitOutside(5, true)),
            (
                3,
                5,
                [rank, 9.0, 0.0],
                Entry::ChargeOutside(Some(4), visible, 9),
            ),
            (
                3,
                0,
                [rank, 9.0, 0.0],
                Entry::ChargeOutside(None, visible, 9),
            ),
            (4, 5, [0.5, 0.0, 0.0], Entry::SetWeight(5, 0.5)),
            (5, 5, [1.0, 0.0, 0.0], Entry::OpenPart(5, Some(0))),
            (6, 5, [0.0, 0.0, 0.0], Entry::JoinPart(5, None)),
            (7, 0, [1.0, 0.0, 0.0], Entry::SetTimeSlice(1_000_000)),
            (8, 0, [f64::INFINITY, 1.0, 0.0], {
                Entry::SetMaxWait(MaxWait {
                    user_visible: None,
                    background: Some(1_000_000),
                })
            }),
            (9, 0, [1.0, 0.0, 0.0], Entry::Pause(1_000_000)),
            (10, 2, [0.0; 3], Entry::SetIdle(2)),
            (11, 1, [0.0; 3], Entry::LiftHold(true)),
        ];
        for (number, what, operands, expected) in changes {
            let word = CHANGE | number << RANK_BITS | OF_FLOW;
            assert!(Entry::has_operands(word));
            assert_eq!(Entry::of_change(what, word, operands), Some(expected));
        }
        let last = Destination {
            queue: RANKS + MAX_QUEUES - 1,
            ..destination
        };
        for word in [
            REMOVED,
            last.to_word(),
            (MAX_FLOWS - 1) << RANK_BITS | OF_FLOW,
        ] {
            assert!(!Entry::has_operands(word));
        }
    }

    #[test]
    fn no_task_can_have_the_id_that_means_no_task() {
        const { assert!(NO_TASK >= MAX_TASKS) };
    }
}
