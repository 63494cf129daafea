//! The turns of code as the contract has them, and how long the next one lasts beside equals: all
//! lengths in plain lists, searched from end to end. It shares no code with what it judges.

use crate::ledger::Rank;
use crate::world::MILLISECOND;

const LEAST: u64 = MILLISECOND;

/// So many of the last rounds count.
const ROUNDS: usize = 2;

/// Turns whose lengths differ by less than this part are of one length.
const TOLERANCE: u64 = 8;

#[derive(Clone, Copy)]
struct Turn {
    rank: Rank,
    began: u64,
    /// The scheduler last saw it at this time.
    seen: u64,
    /// Its end is seen.
    is_of_task: bool,
    is_overdue: bool,
    has_asked: bool,
}

/// One time around the equals of a priority.
struct Round {
    /// The enqueue order of the first entry that comes after its beginning.
    next_order: u64,
    turns: Vec<u64>,
}

/// A priority; the rounds of a task and those of its continuations are the same.
#[derive(Default)]
struct Priority(Vec<Round>);

#[derive(Default)]
pub struct Turns {
    under_way: Option<Turn>,
    priorities: [Priority; 3],
    /// Rounds before the first one.
    first: [Vec<u64>; 3],
}

fn number(rank: Rank) -> usize {
    match rank {
        -1..=1 => 0,
        2..=3 => 1,
        _ => 2,
    }
}

impl Turns {
    /// A pass starts a task.
    pub fn start(&mut self, rank: Rank, order: u64, is_overdue: bool, now: u64, next_order: u64) {
        let Priority(rounds) = &mut self.priorities[number(rank)];
        if rounds.last().is_none_or(|round| order >= round.next_order) {
            rounds.push(Round {
                next_order,
                turns: Vec::new(),
            });
        }
        self.under_way = Some(Turn {
            rank,
            began: now,
            seen: now,
            is_of_task: true,
            is_overdue,
            has_asked: false,
        });
    }

    /// The turn under way ends. `seen` is the time if the scheduler reads it.
    pub fn end(&mut self, seen: Option<u64>) {
        let Some(mut turn) = self.under_way.take() else {
            return;
        };
        if turn.is_of_task {
            turn.seen = seen.unwrap_or(turn.seen);
        }
        let index = number(turn.rank);
        let rounds = self.priorities[index].0.last_mut();
        let turns = rounds.map_or(&mut self.first[index], |round| &mut round.turns);
        turns.push(turn.seen - turn.began);
    }

    /// Code asks. Returns whether it has had its turn, if only equals wait.
    pub fn ask(&mut self, rank: Rank, is_other: bool, now: u64, slice: u64) -> bool {
        let before = self.under_way;
        if before.is_some_and(|turn| turn.has_asked && is_other) {
            self.end(Some(now));
        }
        let turn = Turn {
            rank,
            began: self.under_way.map_or(now, |turn| turn.began),
            seen: now,
            is_of_task: before.is_some_and(|turn| turn.is_of_task),
            is_overdue: self.under_way.is_some_and(|turn| turn.is_overdue),
            has_asked: true,
        };
        self.under_way = Some(turn);
        now - turn.began >= self.quantum(rank, slice)
    }

    /// For how long the code that asked last has had its turn.
    pub fn lasted(&self) -> u64 {
        self.under_way.map_or(0, |turn| turn.seen - turn.began)
    }

    /// Whether the code that asked last is in a task that was overdue, and has not had its turn.
    pub fn is_catching_up(&self, slice: u64) -> bool {
        self.under_way.is_some_and(|turn| {
            let length = LEAST.max(self.quantum(turn.rank, slice));
            turn.is_overdue && turn.seen - turn.began < length
        })
    }

    fn quantum(&self, rank: Rank, slice: u64) -> u64 {
        let index = number(rank);
        let Priority(rounds) = &self.priorities[index];
        let mut turns: Vec<u64> = rounds
            .iter()
            .rev()
            .take(ROUNDS)
            .flat_map(|round| round.turns.clone())
            .collect();
        if rounds.len() < ROUNDS {
            turns.extend(&self.first[index]);
        }
        let longest = turns.into_iter().max().unwrap_or(0);
        slice.min(LEAST.max(longest - longest / TOLERANCE))
    }
}
