//! Judges each decision of the scheduler by the event loop contract: the guarantees, and what each
//! means for a task that started or waits.

use uv_scheduler_core::task_queue::TaskId;

use crate::ledger::{IDLE, Rank, Top, USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION};
use crate::others::Others;
use crate::world::Io;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guarantee {
    Order,
    Shares,
    UserBlocking,
    Continuations,
    UserVisible,
    Background,
    Hold,
    MaxWait,
    Slice,
    CheckPhase,
    Once,
    Checkpoints,
    Delays,
    Advice,
    Quantum,
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

/// The state of the loop when the scheduler decides.
pub struct Moment {
    pub top: Option<Top>,
    /// The oldest overdue task, even if tasks of higher priority wait.
    pub overdue: Option<Top>,
    pub io: Io,
    /// No I/O was ready a short time ago.
    pub is_probed: bool,
    pub is_busy: bool,
    /// The host holds background work.
    pub is_held: bool,
    pub is_paused: bool,
}

impl Moment {
    /// The priority that the decision is about.
    pub fn rank(&self) -> Rank {
        self.top.map_or(Rank::MIN, |top| top.rank)
    }
}

/// How long user-visible continuations outrank timers and immediates in a turn.
pub fn head_start(slice: u64) -> u64 {
    slice / 5
}

/// One check phase.
pub struct CheckPhase {
    /// The next enqueue order when the phase began.
    pub first_order: u64,
    /// The next enqueue order when the first idle callback started.
    pub first_order_in_idle: Option<u64>,
    pub began: u64,
    pub slice: u64,
    /// The allowance and the budgets that tasks had when the phase began.
    pub others: Others,
    pub has_run: bool,
    pub has_run_overdue: bool,
}

impl CheckPhase {
    /// Whether work of this rank has no time left.
    pub fn is_late(&self, rank: Rank, now: u64) -> bool {
        now >= self.began + self.others.time(rank, self.slice)
    }

    /// Whether user-visible work has its allowance now.
    pub fn is_in_allowance(&self, now: u64) -> bool {
        now < self.began + self.others.allowance(self.slice)
    }

    /// Whether an idle callback was requested after another one had started in this phase.
    pub fn is_for_next(&self, top: Top) -> bool {
        let is_in_period = |first| top.order >= first;
        top.rank == IDLE && self.first_order_in_idle.is_some_and(is_in_period)
    }
}

/// Judges a decision of the check phase.
pub fn judge_check(moment: &Moment, started: Option<TaskId>, phase: &CheckPhase, now: u64) -> Kept {
    let Some(top) = moment.top else {
        return ensure_none_started(started);
    };
    let is_late = phase.is_late(top.rank, now);
    if is_late && phase.has_run {
        let overdue = moment.overdue.filter(|_| !phase.has_run_overdue);
        if started.is_some() && overdue.is_none() {
            return ensure(false, Guarantee::Slice, "a task started past the slice");
        }
        return ensure(
            started == overdue.map(|overdue| overdue.id),
            Guarantee::MaxWait,
            "past the slice, another task than the oldest overdue one started",
        );
    }
    ensure_oldest_of_highest(started, top)?;
    let has_waited = top.order < phase.first_order;
    let has_head_start = now < phase.began + head_start(phase.slice);
    let is_in_allowance = phase.is_in_allowance(now);
    // Whether the task may start, and whether it has to. They differ if the last probe missed I/O.
    let is_open = |io: Io| match top.rank {
        _ if top.is_overdue => true,
        USER_BLOCKING.. => true,
        _ if moment.is_paused => false,
        USER_VISIBLE | USER_VISIBLE_CONTINUATION if is_in_allowance => true,
        USER_VISIBLE_CONTINUATION if has_head_start => has_waited || io == Io::Quiet,
        USER_VISIBLE | USER_VISIBLE_CONTINUATION => {
            has_waited || (!moment.is_busy && io == Io::Quiet)
        }
        _ => !phase.is_for_next(top) && !moment.is_busy && io == Io::Quiet && !moment.is_held,
    };
    let as_probed = match moment.io {
        Io::Fresh if moment.is_probed => Io::Quiet,
        io => io,
    };
    match started {
        Some(_) => ensure(
            is_open(as_probed),
            guarantee_of(top),
            "a task started although it had to give way",
        ),
        None if is_late => ensure(
            !is_open(moment.io),
            Guarantee::CheckPhase,
            "a check phase started no task at all",
        ),
        None => ensure(
            !is_open(moment.io),
            guarantee_of(top),
            "a task waits although it may start",
        ),
    }
}

/// Judges a decision of the checkpoint pass.
pub fn judge_checkpoint(
    moment: &Moment,
    started: Option<TaskId>,
    has_budget: bool,
    has_head_start: bool,
) -> Kept {
    let Some(top) = moment.top else {
        return ensure_none_started(started);
    };
    ensure_oldest_of_highest(started, top)?;
    let is_continuation =
        top.rank == USER_VISIBLE_CONTINUATION && !top.is_overdue && !moment.is_paused;
    let is_open =
        top.rank >= USER_BLOCKING || (is_continuation && has_head_start && moment.io == Io::Quiet);
    if started.is_none() {
        return ensure(
            !is_open || !has_budget,
            guarantee_of(top),
            "a task was left at a checkpoint although it may start",
        );
    }
    ensure(
        has_budget,
        Guarantee::Slice,
        "a task started past the checkpoint pass's budget",
    )?;
    ensure(
        is_open,
        guarantee_of(top),
        "a task started at a checkpoint although it had to give way",
    )
}

fn ensure_none_started(started: Option<TaskId>) -> Kept {
    ensure(
        started.is_none(),
        Guarantee::Once,
        "a task started although none waits",
    )
}

fn ensure_oldest_of_highest(started: Option<TaskId>, top: Top) -> Kept {
    ensure(
        started.is_none_or(|started| started == top.id),
        Guarantee::Order,
        "another task than the oldest of the highest effective priority started",
    )
}

fn guarantee_of(top: Top) -> Guarantee {
    match top.rank {
        _ if top.is_overdue => Guarantee::MaxWait,
        USER_BLOCKING.. => Guarantee::UserBlocking,
        USER_VISIBLE_CONTINUATION => Guarantee::Continuations,
        USER_VISIBLE => Guarantee::UserVisible,
        _ => Guarantee::Background,
    }
}
