//! Code asks whether to yield. What the scheduler tells it is judged here.

use crate::calls::priority;
use crate::ledger::{Rank, Top, USER_BLOCKING, USER_VISIBLE};
use crate::rules::{Guarantee, Kept, ensure};
use crate::simulation::Simulation;
use crate::world::Io;

/// The state of the loop when code asks whose continuation would have this rank.
struct Moment {
    rank: Rank,
    top: Option<Top>,
    /// The turn of the code has lasted for as long as it may beside equals.
    is_used_up: bool,
    /// The check phase starts the first task next, whatever is ready or due.
    is_top_sure: bool,
    io: Io,
    is_busy: bool,
    is_held: bool,
    has_overdue: bool,
    /// It is certain that the slice is not used up.
    is_slice_left: bool,
}

impl Moment {
    fn is_outranked(&self) -> bool {
        self.top.is_some_and(|top| top.rank > self.rank)
    }

    fn has_equals(&self) -> bool {
        self.top.is_some_and(|top| top.rank == self.rank)
    }

    fn is_equal_sure(&self) -> bool {
        self.has_equals() && self.is_top_sure
    }

    /// Neither timers nor I/O come before the continuation.
    fn is_alone(&self) -> bool {
        self.rank >= USER_BLOCKING
            || self.is_equal_sure()
            || (!self.is_busy && self.io == Io::Quiet)
    }

    /// Nothing comes before the continuation but equals, if there are any.
    fn has_equals_at_most(&self) -> bool {
        self.is_alone()
            && self.is_slice_left
            && !(self.is_outranked() || self.has_overdue || self.is_held)
    }

    /// The code may go on.
    fn judge_going_on(&self) -> Kept {
        ensure(
            !self.is_outranked(),
            Guarantee::Advice,
            "code may go on that a task outranks",
        )?;
        ensure(
            !(self.has_equals() && self.is_used_up),
            Guarantee::Quantum,
            "code may go on beside equals though it has had its turn",
        )?;
        ensure(
            self.is_alone() || self.io != Io::Ready,
            Guarantee::Advice,
            "code may go on though I/O is ready that comes before its continuation",
        )?;
        ensure(
            !self.is_held,
            Guarantee::Hold,
            "background code may go on though its continuation would be held",
        )
    }

    /// The code should yield.
    fn judge_yielding(&self) -> Kept {
        if !self.has_equals_at_most() {
            return Ok(());
        }
        ensure(
            self.has_equals(),
            Guarantee::Advice,
            "code is told to yield though its continuation would come straight back",
        )?;
        ensure(
            self.is_used_up,
            Guarantee::Quantum,
            "code is told to yield to equals before it has had its turn",
        )
    }
}

impl Simulation {
    /// Code asks whose continuation would have this rank. `is_other` says that it is other code than
    /// has asked last.
    pub fn ask_to_yield(&mut self, rank: Rank, is_other: bool) -> Kept {
        let now = self.world.now;
        let (io, is_busy) = (self.world.io(), self.world.is_busy_by_others());
        let advice = self
            .event_loop
            .should_yield(&self.world, priority(rank), is_other);
        self.ledger.advance(now);
        let what = ["asks, and may go on", "asks, and should yield"];
        let what = what[usize::from(advice.should_yield)];
        self.trace.push(now, what, u32::from(is_other), rank);
        let top = self.ledger.top(false);
        let is_in_check = self.is_draining && !self.is_polling;
        let is_old = |top: Top| !top.is_background() && top.order < self.turn.first_order;
        let moment = Moment {
            rank,
            top,
            is_used_up: self.turns.ask(rank, is_other, now, self.slice),
            is_top_sure: is_in_check && top.is_some_and(is_old),
            io,
            is_busy,
            is_held: rank < USER_VISIBLE && self.world.holds.at(now).is_some(),
            has_overdue: self.ledger.oldest_overdue(true).is_some(),
            is_slice_left: now - self.polled_at < self.slice && !self.turn.is_excused,
        };
        if moment.has_equals_at_most() && moment.has_equals() {
            self.reached.asked_beside_equals(rank, advice.should_yield);
        }
        if advice.should_yield {
            moment.judge_yielding()
        } else {
            moment.judge_going_on()
        }
    }
}
