//! Counts the decisions that the schedules have reached, by pass and priority: a rule that no
//! schedule reaches is not tested.

use uv_scheduler_core::task_queue::TaskId;

use crate::ledger::{Rank, USER_VISIBLE};
use crate::rules::Moment;
use crate::simulation::Place;
use crate::world::Io;

type ByRank = [u64; 7];

#[derive(Debug, Default)]
pub struct Reached {
    /// By pass: tasks that started, and tasks that had to wait.
    pub started: [ByRank; 2],
    pub waited: [ByRank; 2],
    /// Tasks that had to wait in the check phase while I/O was ready, or while the loop was busy.
    pub for_io: ByRank,
    pub for_others: ByRank,
    /// Background work that had to wait in the check phase because the host holds it.
    pub in_hold: u64,
    /// User-visible work that started because of its allowance.
    pub in_allowance: u64,
    /// Overdue tasks that started.
    pub overdue: u64,
    /// How often the shares of two keys were compared.
    pub shares: u64,
    /// How often code had to yield to a key or a request that was behind.
    pub behind: u64,
    /// In how many schedules levels were learned.
    pub learned: u64,
    /// Requests that went on, in the first level and in others.
    pub levels: [u64; 2],
    /// By priority, how often code beside equals alone could go on, and had to yield.
    pub beside_equals: [[u64; 2]; 3],
}

impl Reached {
    pub fn decided(&mut self, place: Place, moment: &Moment, started: Option<TaskId>) {
        let Ok(rank) = usize::try_from(moment.rank() + 1) else {
            return;
        };
        if started.is_some() {
            let is_overdue = started == moment.overdue.map(|overdue| overdue.id);
            self.overdue += u64::from(is_overdue);
            self.started[place as usize][rank] += 1;
            return;
        }
        self.waited[place as usize][rank] += 1;
        if place == Place::Check {
            self.for_io[rank] += u64::from(moment.io != Io::Quiet);
            self.for_others[rank] += u64::from(moment.is_busy);
            let gives_way = moment.is_busy || moment.io != Io::Quiet;
            let is_held = moment.is_held && moment.rank() < USER_VISIBLE;
            self.in_hold += u64::from(is_held && !gives_way);
        }
    }

    pub fn asked_beside_equals(&mut self, rank: Rank, should_yield: bool) {
        let priority = (rank.max(0) / 2) as usize;
        self.beside_equals[priority][usize::from(should_yield)] += 1;
    }

    pub fn add(&mut self, other: &Self) {
        self.overdue += other.overdue;
        self.in_hold += other.in_hold;
        self.in_allowance += other.in_allowance;
        self.shares += other.shares;
        self.behind += other.behind;
        self.learned += other.learned;
        self.levels = [0, 1].map(|level| self.levels[level] + other.levels[level]);
        for (ours, theirs) in self.beside_equals.iter_mut().zip(other.beside_equals) {
            *ours = [ours[0] + theirs[0], ours[1] + theirs[1]];
        }
        let [started, left] = &mut self.started;
        let [waited, passed] = &mut self.waited;
        let ours = [
            started,
            left,
            waited,
            passed,
            &mut self.for_io,
            &mut self.for_others,
        ];
        let [started, left] = other.started;
        let [waited, passed] = other.waited;
        let theirs = [
            started,
            left,
            waited,
            passed,
            other.for_io,
            other.for_others,
        ];
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            for (ours, theirs) in ours.iter_mut().zip(theirs) {
                *ours += theirs;
            }
        }
    }
}
