//! The event loop contract as a judge applies it, one decision at a time. Owns the guarantees and
//! what each means for a task that started or waits; knows nothing of how the scheduler decides.

use uv_scheduler::task_queue::TaskId;

use crate::ledger::{Rank, Top, USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION};
use crate::world::Io;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guarantee {
    Order,
    UserBlocking,
    Continuations,
    UserVisible,
    Background,
    Slice,
    CheckPhase,
    Once,
    Checkpoints,
    Delays,
    Blocking,
    End,
    Sound,
}

pub struct Violation {
    pub guarantee: Guarantee,
    pub what: &'static str,
}

pub type Kept = Result<(), Violation>;

pub fn ensure(is_kept: bool, guarantee: Guarantee, what: &'static str) -> Kept {
    if is_kept {
        return Ok(());
    }
    Err(Violation { guarantee, what })
}

/// Where the loop stands when the scheduler decides.
pub struct Moment {
    pub top: Option<Top>,
    pub io: Io,
    /// No I/O was ready a short time ago.
    pub is_probed: bool,
    pub is_busy: bool,
    pub started: Option<TaskId>,
}

impl Moment {
    /// The priority that the decision is about.
    pub fn rank(&self) -> Rank {
        self.top.map_or(Rank::MIN, |top| top.rank)
    }
}

/// One check phase.
pub struct CheckPhase {
    /// The first enqueue order that was not given yet when the phase began.
    pub first_order: u64,
    pub ends: u64,
    pub has_run: bool,
}

/// Judges a decision of the check phase.
pub fn judge_check(moment: &Moment, phase: &CheckPhase, now: u64) -> Kept {
    let Some(top) = moment.top else {
        return ensure_none_started(moment);
    };
    ensure_oldest_of_highest(moment, top)?;
    let is_late = now >= phase.ends;
    if is_late && phase.has_run {
        return ensure(
            moment.started.is_none(),
            Guarantee::Slice,
            "a task started past the slice",
        );
    }
    let has_waited = top.order < phase.first_order;
    // What may start, and what has to: between them lies I/O that the probe before has missed.
    let is_open = |io: Io| match top.rank {
        USER_BLOCKING.. => true,
        USER_VISIBLE_CONTINUATION => has_waited || io == Io::Quiet,
        USER_VISIBLE => has_waited || (!moment.is_busy && io == Io::Quiet),
        _ => !moment.is_busy && io == Io::Quiet,
    };
    let as_probed = match moment.io {
        Io::Fresh if moment.is_probed => Io::Quiet,
        io => io,
    };
    match moment.started {
        Some(_) => ensure(
            is_open(as_probed),
            guarantee_of(top.rank),
            "a task started that had to give way",
        ),
        None if is_late => ensure(
            !is_open(moment.io),
            Guarantee::CheckPhase,
            "a check phase started no task at all",
        ),
        None => ensure(
            !is_open(moment.io),
            guarantee_of(top.rank),
            "a task waits that nothing stands in the way of",
        ),
    }
}

/// Judges a decision of the checkpoint drain.
pub fn judge_checkpoint(moment: &Moment, is_in_budget: bool) -> Kept {
    let Some(top) = moment.top else {
        return ensure_none_started(moment);
    };
    ensure_oldest_of_highest(moment, top)?;
    let is_open = top.rank >= USER_BLOCKING
        || (top.rank == USER_VISIBLE_CONTINUATION && moment.io == Io::Quiet);
    if moment.started.is_none() {
        return ensure(
            !is_open || !is_in_budget,
            guarantee_of(top.rank),
            "a task was left at a checkpoint that nothing stands in the way of",
        );
    }
    ensure(
        is_in_budget,
        Guarantee::Slice,
        "a task started past the checkpoint drain's budget",
    )?;
    ensure(
        is_open,
        guarantee_of(top.rank),
        "a task started at a checkpoint that had to give way",
    )
}

fn ensure_none_started(moment: &Moment) -> Kept {
    ensure(
        moment.started.is_none(),
        Guarantee::Once,
        "a task started that does not wait",
    )
}

fn ensure_oldest_of_highest(moment: &Moment, top: Top) -> Kept {
    ensure(
        moment.started.is_none_or(|started| started == top.id),
        Guarantee::Order,
        "another task than the oldest of the highest effective priority started",
    )
}

fn guarantee_of(rank: Rank) -> Guarantee {
    match rank {
        USER_BLOCKING.. => Guarantee::UserBlocking,
        USER_VISIBLE_CONTINUATION => Guarantee::Continuations,
        USER_VISIBLE => Guarantee::UserVisible,
        _ => Guarantee::Background,
    }
}
