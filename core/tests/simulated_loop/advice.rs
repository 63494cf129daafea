//! Code asks whether to yield. What the scheduler tells it is judged here.

use crate::calls::priority;
use crate::ledger::{Rank, Top, USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION};
use crate::rules::{Guarantee, Kept, ensure, head_start};
use crate::simulation::{Place, Simulation};
use crate::world::Io;
use uv_scheduler_core::advice::Code;
use uv_scheduler_core::protocol::FlowId;

/// The state of the loop when code asks whose continuation would have this rank.
struct Moment {
    rank: Rank,
    top: Option<Top>,
    /// The turn of the code has lasted for as long as it may beside equals.
    is_used_up: bool,
    /// The code is in a task that was overdue, and has not had its turn.
    is_catching_up: bool,
    /// The code belongs to a request.
    is_of_flow: bool,
    /// An equal of another key, or in a lower level, should go first.
    is_behind: bool,
    /// The check phase starts the first task next, whatever is ready or due.
    is_top_sure: bool,
    io: Io,
    is_busy: bool,
    is_held: bool,
    /// Nothing but user-blocking and overdue work starts.
    is_paused: bool,
    /// The slice, or the budget of the checkpoints, is used up.
    is_late: bool,
    /// User-visible continuations outrank timers and immediates.
    has_head_start: bool,
    /// They go on whatever is ready, due or waiting.
    has_allowance: bool,
}

impl Moment {
    fn is_outranked(&self) -> bool {
        let is_overdue = |top: Top| top.is_overdue && self.rank < USER_BLOCKING;
        self.top
            .is_some_and(|top| top.rank > self.rank || is_overdue(top))
    }

    fn has_equals(&self) -> bool {
        let is_equal = |top: Top| top.rank == self.rank && !self.is_of_flow;
        !self.is_outranked() && self.top.is_some_and(is_equal)
    }

    fn waits_for_io(&self) -> bool {
        self.rank < USER_BLOCKING && !self.has_allowance && !(self.has_equals() && self.is_top_sure)
    }

    fn waits_for_others(&self) -> bool {
        let is_first = self.rank >= USER_VISIBLE && self.has_head_start;
        self.waits_for_io() && !is_first
    }

    /// Something comes before the continuation that is neither queued nor late.
    fn gives_way(&self) -> bool {
        (self.waits_for_io() && self.io != Io::Quiet)
            || (self.waits_for_others() && self.is_busy)
            || self.is_held
            || self.is_paused
    }

    /// Nothing comes before the continuation but equals that are not behind, if there are any.
    fn has_equals_at_most(&self) -> bool {
        !(self.is_behind || self.is_late || self.is_outranked() || self.gives_way())
    }

    /// An overdue task gives way to user-blocking work alone.
    fn judge_catching_up(&self, should_yield: bool) -> Kept {
        let is_urgent = self.top.is_some_and(|top| top.rank >= USER_BLOCKING);
        ensure(
            should_yield == is_urgent,
            Guarantee::MaxWait,
            "an overdue task yields before its turn is over, or not to user-blocking work",
        )
    }

    /// The code may go on.
    fn judge_going_on(&self) -> Kept {
        ensure(
            !self.is_late,
            Guarantee::Advice,
            "code may go on though the slice or the budget is used up",
        )?;
        ensure(
            !self.is_outranked(),
            Guarantee::Advice,
            "code may go on that a task outranks",
        )?;
        ensure(
            !self.is_behind,
            Guarantee::Advice,
            "code may go on though another key is behind, or a request in a lower level waits",
        )?;
        ensure(
            !(self.has_equals() && self.is_used_up),
            Guarantee::Quantum,
            "code may go on beside equals though it has had its turn",
        )?;
        ensure(
            !self.waits_for_io() || self.io != Io::Ready,
            Guarantee::Advice,
            "code may go on though I/O is ready that comes before its continuation",
        )?;
        ensure(
            !self.waits_for_others() || !self.is_busy,
            Guarantee::Advice,
            "code may go on though something is due that comes before its continuation",
        )?;
        ensure(
            !self.is_paused,
            Guarantee::Advice,
            "code may go on in a pause",
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
    /// Code asks whose continuation would have this rank. `is_other` says that it is other code
    /// than has asked last.
    pub fn ask_to_yield(&mut self, rank: Rank, is_other: bool, flow: Option<FlowId>) -> Kept {
        let now = self.world.now;
        let (io, is_busy) = (self.world.io(), self.world.is_busy_by_others());
        let code = Code {
            is_other,
            flow,
            ..Code::new(priority(rank))
        };
        self.wake();
        let advice = self.event_loop.should_yield(&self.world, code);
        self.ledger.advance(now);
        let what = ["asks, and may go on", "asks, and should yield"];
        let what = what[usize::from(advice.should_yield)];
        self.trace.push(now, what, u32::from(is_other), rank);
        let (is_late, has_head_start) = self.time_left(rank);
        let top = self.ledger.top(!self.turn.has_run_overdue_background);
        let is_in_check = self.is_in_pass && !self.is_between_hooks;
        let is_old = |top: Top| !top.is_background() && top.order < self.turn.first_order;
        let is_used_up = self.turns.ask(rank, is_other, now, self.slice);
        let is_behind = self.ledger.is_behind(flow, rank, self.turns.lasted());
        self.reached.behind += u64::from(is_behind && advice.should_yield);
        let moment = Moment {
            rank,
            top,
            is_used_up,
            is_catching_up: self.turns.is_catching_up(self.slice),
            is_of_flow: flow.is_some(),
            is_behind,
            is_top_sure: is_in_check && top.is_some_and(is_old),
            io,
            is_busy,
            is_held: rank < USER_VISIBLE && self.world.is_held(),
            is_paused: rank < USER_BLOCKING && self.is_paused(),
            is_late,
            has_head_start,
            has_allowance: self.has_allowance(rank),
        };
        if moment.is_catching_up {
            return moment.judge_catching_up(advice.should_yield);
        }
        if moment.has_equals_at_most() && moment.has_equals() {
            self.reached.asked_beside_equals(rank, advice.should_yield);
        }
        if advice.should_yield {
            moment.judge_yielding()
        } else {
            moment.judge_going_on()
        }
    }

    /// Whether the slice or the budget of the code that asks is used up, and whether it has the
    /// head start.
    fn time_left(&mut self, rank: Rank) -> (bool, bool) {
        let now = self.world.now;
        let in_turn = now - *self.read_at.get_or_insert(now);
        if self.is_in_pass && !self.is_between_hooks {
            let is_late = in_turn >= self.others.time(rank, self.slice);
            return (is_late, in_turn < head_start(self.slice));
        }
        let is_late = in_turn >= self.checkpoint_time(rank);
        if self.is_between_hooks {
            return (is_late, true);
        }
        let round = self.running.filter(|task| task.place == Place::Checkpoint);
        let round = round.map_or(0, |task| now - task.began);
        let at_checkpoints = self.turn.at_checkpoints + round;
        (
            is_late,
            self.turn.in_check + at_checkpoints < head_start(self.slice),
        )
    }

    /// Whether the code that asks goes on whatever is ready, due or waiting.
    fn has_allowance(&self, rank: Rank) -> bool {
        let in_turn = self.read_at.map_or(0, |read_at| self.world.now - read_at);
        rank == USER_VISIBLE_CONTINUATION
            && self.is_in_pass
            && !self.is_between_hooks
            && in_turn < self.others.allowance(self.slice)
    }
}
