//! The two passes, and the state of a turn of the loop that decides when tasks start in them.
//!
//! The check pass runs in the loop's check phase, after I/O. The checkpoint pass runs as soon as
//! a callback has ended. Both look only at the oldest task of the highest effective priority: while
//! it has to wait, all others wait.
//!
//! A check pass is not enough to run user-blocking tasks ahead of timers and immediates: due
//! timers run before the first check phase, a task that an immediate posts would wait for a whole
//! turn, and Node runs all due timers in one callback of libuv. The checkpoint pass closes these
//! gaps.
//!
//! The start rules of both, and their time budgets, are in [`rules`](crate::rules).
//!
//! An idle period begins with the first idle callback of a check phase, and ends with the phase.
//!
//! Code that asks should yield if something else would start before its continuation:
//!
//! | | |
//! |---|---|
//! | an overdue task | only to user-blocking work, until it has had a full stint: see [`quantum`](crate::quantum) |
//! | the slice is used up | always |
//! | a higher effective priority, or overdue | at once; user-blocking code ignores overdue entries |
//! | equals: queued entries of the continuation's effective priority | once the code has had a full stint: see [`quantum`](crate::quantum); code of a flow ignores them |
//! | entries of its priority with a key, or without a key if the code has one | once another key is behind, or a flow of its key is in a lower level: see [`FairQueues::is_behind`](crate::fair_queues::FairQueues::is_behind) |
//! | ready I/O, something else that is runnable, a hold | at once, if the continuation would wait for it by the table above; but not while a `yield()` would only start an equal that was queued before the check phase |

use crate::advice::Code;
use crate::host::{Host, NANOSECONDS_PER_MILLISECOND};
use crate::meter::{Pass, Ran, Reading};
use crate::others::{Left, Others, TaskTime};
use crate::priority::EffectivePriority;
use crate::quantum::Quantum;
use crate::rules::{Budget, Candidate, Facts, Place, WaitsFor, may_start, waits_for};
use crate::task_queues::{Choice, TaskQueues};

/// The default time slice in nanoseconds.
pub const DEFAULT_SLICE: u64 = 5 * NANOSECONDS_PER_MILLISECOND;

/// How long the answer that no I/O is ready counts, in nanoseconds. The question takes about 400.
const PROBE_INTERVAL: u64 = 100_000;

/// A question of code whether to yield.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The code.
    pub code: Code,
    /// The place where the code runs.
    pub place: Place,
    /// The time of the question.
    pub at: Reading,
}

/// One turn of the loop, from a check phase to the next: its time budgets, and whether a chain of
/// checkpoints is under way.
///
/// A chain is a series of rounds. Each round starts one task, after the ticks and microtasks of the
/// callback or task before it. The chain ends with a round that starts none.
#[derive(Debug)]
pub struct Turn {
    slice: u64,
    /// Nanoseconds from the beginning of the check pass to its last choice.
    check_time: u64,
    /// Nanoseconds that chains have taken.
    checkpoint_time: u64,
    /// Nanoseconds that user-visible work has taken.
    visible_time: u64,
    is_chain_scheduled: bool,
    /// The check phase has started overdue background work and starts no more of it.
    has_run_overdue_background: bool,
    /// Tasks with a lower enqueue order were queued before the check phase began.
    next_order_at_check: u64,
    /// I/O was last found not ready at this time, outside a check pass.
    quiet_at: Option<u64>,
    /// I/O was found ready, outside a check pass. It remains so until the loop polls.
    has_ready_io: bool,
    /// The stints of code, which can outlast a turn of the loop.
    pub(crate) quantum: Quantum,
    others: Others,
    /// A pause lasts until this time.
    paused_until: u64,
}

impl Default for Turn {
    fn default() -> Self {
        Self {
            slice: DEFAULT_SLICE,
            check_time: 0,
            checkpoint_time: 0,
            visible_time: 0,
            is_chain_scheduled: false,
            has_run_overdue_background: false,
            next_order_at_check: 0,
            quiet_at: None,
            has_ready_io: false,
            quantum: Quantum::default(),
            others: Others::default(),
            paused_until: 0,
        }
    }
}

impl Turn {
    /// Sets the time slice: how long a pass may run in one turn of the loop, in nanoseconds.
    pub fn set_slice(&mut self, slice: u64) {
        self.slice = slice;
    }

    /// Lets no work below user-blocking start until this time, unless it is overdue.
    pub fn pause_until(&mut self, time: u64) {
        self.paused_until = time;
    }

    /// Begins a turn when the loop reaches its check phase: resets the budgets, and forgets a chain
    /// that an exception has stopped. `is_nested` says that a pass is under way. `now` reads the
    /// clock, if the others are measured.
    pub fn begin(&mut self, is_nested: bool, now: impl FnOnce() -> u64) {
        self.quantum.end();
        let ran = TaskTime {
            visible: self.visible_time,
            at_checkpoints: self.checkpoint_time,
        };
        self.others.begin_turn(ran, is_nested, now);
        *self = Self {
            slice: self.slice,
            quantum: self.quantum,
            others: self.others,
            paused_until: self.paused_until,
            ..Self::default()
        };
    }

    /// The loop is about to poll: forgets that I/O is ready.
    pub fn poll(&mut self) {
        self.has_ready_io = false;
        self.quantum.end();
    }

    /// The lowest priority whose tasks start a chain now. `None` if no task does.
    #[must_use]
    pub fn lowest_at_checkpoint(&self) -> Option<EffectivePriority> {
        let budget = self.at_checkpoint();
        if self.is_chain_scheduled || !budget.has_time(EffectivePriority::UserBlocking) {
            return None;
        }
        Some(if budget.has_head_start() {
            EffectivePriority::UserVisibleContinuation
        } else {
            EffectivePriority::UserBlocking
        })
    }

    /// Returns whether a chain has to be started for a task of this priority. If so, the caller
    /// starts it.
    pub fn schedule_chain(&mut self, priority: EffectivePriority) -> bool {
        let is_needed = self
            .lowest_at_checkpoint()
            .is_some_and(|lowest| priority >= lowest);
        self.is_chain_scheduled |= is_needed;
        is_needed
    }

    /// Notes that a pass starts this task. Later entries have the order `next_order` or a higher
    /// one.
    pub fn started(&mut self, choice: &Choice, now: u64, next_order: u64) {
        self.quantum.start_task(choice, now, next_order);
    }

    /// Notes that the callback under way has ended. `ran` is its task, if a pass has started one.
    pub fn ended(&mut self, ran: Option<Ran>, now: u64) {
        self.quantum.end_at(now);
        let Some(Ran { choice, pass, time }) = ran else {
            return;
        };
        if pass == Pass::Checkpoint {
            self.checkpoint_time = self.checkpoint_time.saturating_add(time);
        }
        if choice.is_user_visible() {
            self.visible_time = self.visible_time.saturating_add(time);
        }
    }

    /// Chooses the task that the next round of a chain starts, after [`Self::ended`]. `None` ends
    /// the chain.
    pub fn next_at_checkpoint(
        &mut self,
        now: u64,
        queues: &mut TaskQueues,
        host: &impl Host,
    ) -> Option<Choice> {
        queues.queue_due(now);
        let budget = Budget {
            is_paused: now < self.paused_until,
            ..self.at_checkpoint()
        };
        let choice = queues
            .choose(now, !self.has_run_overdue_background)
            .filter(|choice| {
                let candidate = Candidate::new(choice, self.next_order_at_check);
                let facts = Facts {
                    is_io_ready: || host.is_io_ready(),
                    is_busy: || host.is_busy(),
                    is_held: || true,
                };
                budget.has_time(choice.priority)
                    && may_start(Place::Checkpoint, candidate, &budget, facts)
            });
        self.is_chain_scheduled = choice.is_some();
        choice
    }

    /// The budget of the check pass.
    fn at_check(&self) -> Budget {
        Budget {
            slice: self.slice,
            allowance: self.others.allowance(self.slice),
            urgent: self.others.urgent(self.slice),
            ..Budget::default()
        }
    }

    /// The budget of the checkpoint pass: a slice, or the rest of what user-blocking work may take
    /// in the whole turn.
    fn at_checkpoint(&self) -> Budget {
        let urgent = self.others.urgent(self.slice);
        Budget {
            slice: self.slice,
            allowance: 0,
            urgent: self.slice.max(urgent.saturating_sub(self.check_time)),
            used: self.checkpoint_time,
            head_start_used: self.check_time.saturating_add(self.checkpoint_time),
            is_paused: false,
        }
    }

    /// The budget of code that asks.
    fn of_code(&self, place: Place, at: Reading) -> Budget {
        let is_paused = at.now < self.paused_until;
        if place == Place::Check {
            return Budget {
                used: at.turn,
                head_start_used: at.turn,
                is_paused,
                ..self.at_check()
            };
        }
        let budget = self.at_checkpoint();
        Budget {
            used: at.turn,
            head_start_used: budget.head_start_used.saturating_add(at.round),
            is_paused,
            ..budget
        }
    }

    /// Whether the code that asks should yield: the slice is used up, or something else would run
    /// before its continuation. Equals count only once the code has had a full stint. `is_busy`
    /// answers the question of [`Host::is_busy`] even while the loop is kept awake, and `is_held`
    /// whether background work has to wait.
    pub fn should_yield(
        &mut self,
        question: Question,
        queues: &mut TaskQueues,
        host: &impl Host,
        is_busy: impl FnOnce() -> bool,
        is_held: impl FnOnce() -> bool,
    ) -> bool {
        let Question { code, place, at } = question;
        let Code { priority, flow, .. } = code;
        let now = at.now;
        self.quantum.ask(priority, code.is_other, now);
        queues.queue_due(now);
        if self.quantum.is_catching_up(self.slice) {
            return queues.highest() >= Some(EffectivePriority::UserBlocking);
        }
        let budget = self.of_code(place, at);
        if !budget.has_time(priority) {
            return true;
        }
        let first = queues.choose(now, !self.has_run_overdue_background);
        if first.is_some_and(|first| outranks(&first, priority)) {
            return true;
        }
        if queues.is_behind(flow, priority, self.quantum.lasted(), now) {
            return true;
        }
        // Code of a flow need not let others of its level go first.
        let equal = first.filter(|first| first.priority == priority && flow.is_none());
        if equal.is_some() && self.quantum.is_used_up(self.slice) {
            return true;
        }
        // A `yield()` would let this one start first.
        let next = equal.map_or(Candidate::continuation(priority), |equal| {
            Candidate::new(&equal, self.next_order_at_check)
        });
        let facts = Facts {
            is_io_ready: || self.is_io_ready(now, host),
            is_busy,
            is_held,
        };
        !may_start(place, next, &budget, facts)
    }

    fn is_io_ready(&mut self, now: u64, host: &impl Host) -> bool {
        self.has_ready_io = self.has_ready_io || is_io_ready(&mut self.quiet_at, now, host);
        self.has_ready_io
    }
}

/// Whether a queued task would start before every continuation of this priority.
fn outranks(queued: &Choice, priority: EffectivePriority) -> bool {
    let is_urgent = priority >= EffectivePriority::UserBlocking;
    queued.priority > priority || (queued.is_overdue && !is_urgent)
}

/// Whether I/O is ready, asked again at most once in [`PROBE_INTERVAL`] while none is.
fn is_io_ready(quiet_at: &mut Option<u64>, now: u64, host: &impl Host) -> bool {
    if quiet_at.is_some_and(|quiet_at| now.saturating_sub(quiet_at) < PROBE_INTERVAL) {
        return false;
    }
    let ready = host.is_io_ready();
    *quiet_at = (!ready).then_some(now);
    ready
}

/// One run of the check phase.
#[derive(Debug)]
pub struct CheckPass {
    /// Tasks with a lower enqueue order were queued before the phase began.
    next_order_at_start: u64,
    began: u64,
    budget: Budget,
    has_run: bool,
    has_run_overdue: bool,
    /// Idle callbacks with a lower enqueue order were requested before the idle period began.
    next_order_at_idle: Option<u64>,
    /// When I/O was last found not ready.
    quiet_at: Option<u64>,
    /// Background work yielded to a timer, an immediate, a closing handle or a pending callback.
    has_given_way: bool,
    /// The entry that has ended the pass, as it may not start, and what it waits for.
    refused: Option<(Choice, WaitsFor)>,
}

impl CheckPass {
    /// Begins the pass of a check phase, after [`Turn::begin`].
    pub fn begin(now: u64, turn: &mut Turn, queues: &mut TaskQueues) -> Self {
        queues.queue_due(now);
        turn.next_order_at_check = queues.next_order();
        Self {
            next_order_at_start: queues.next_order(),
            began: now,
            budget: turn.at_check(),
            has_run: false,
            has_run_overdue: false,
            next_order_at_idle: None,
            quiet_at: None,
            has_given_way: false,
            refused: None,
        }
    }

    /// Chooses the next task to run, after [`Turn::ended`]. `None` ends the pass. `is_held`
    /// answers whether background work has to wait.
    pub fn next(
        &mut self,
        now: u64,
        turn: &mut Turn,
        queues: &mut TaskQueues,
        host: &impl Host,
        is_held: impl FnOnce() -> bool,
    ) -> Option<Choice> {
        turn.check_time = now.saturating_sub(self.began);
        queues.queue_due(now);
        let with_overdue_background = !turn.has_run_overdue_background;
        let choice = queues.choose(now, with_overdue_background)?;
        self.budget.used = turn.check_time;
        self.budget.head_start_used = turn.check_time;
        self.budget.is_paused = now < turn.paused_until;
        // However short the slice, a check phase may run one task.
        let is_in_time = self.budget.has_time(choice.priority) || !self.has_run;
        let waits_for = if is_in_time {
            self.waits_for(&choice, now, host, is_held)
        } else {
            Some(WaitsFor::Slice)
        };
        self.refused = waits_for.map(|condition| (choice, condition));
        let choice = if waits_for.is_none() {
            choice
        } else if self.has_run_overdue {
            return None;
        } else {
            // Past the slice one overdue task runs, even if user-blocking work waits.
            queues.oldest_overdue(now, with_overdue_background)?
        };
        self.has_run = true;
        self.has_run_overdue |= choice.is_overdue;
        if choice.priority == EffectivePriority::Idle {
            self.next_order_at_idle
                .get_or_insert_with(|| queues.next_order());
        }
        turn.has_run_overdue_background |= choice.is_overdue && choice.is_background();
        Some(choice)
    }

    /// Ends the pass, after its last choice.
    pub fn end(&self, turn: &mut Turn, queues: &TaskQueues) {
        let is_visible = queues.has_user_visible();
        let is_urgent = queues.highest() >= Some(EffectivePriority::UserBlocking);
        let at = self.began.saturating_add(turn.check_time);
        turn.others
            .end_check((is_visible || is_urgent).then_some(Left { at, is_visible }));
    }

    /// Whether the pass ended because background work yielded to something runnable other than
    /// I/O. User-visible work starts in the next check phase in any case.
    #[must_use]
    pub fn has_given_way(&self) -> bool {
        self.has_given_way
    }

    /// The entry that has ended the pass, as it may not start, and what it waits for.
    #[must_use]
    pub fn refused(&self) -> Option<(Choice, WaitsFor)> {
        self.refused
    }

    fn waits_for(
        &mut self,
        choice: &Choice,
        now: u64,
        host: &impl Host,
        is_held: impl FnOnce() -> bool,
    ) -> Option<WaitsFor> {
        if choice.priority == EffectivePriority::Idle && self.is_for_next_period(choice) {
            return Some(WaitsFor::IdlePeriod);
        }
        let candidate = Candidate::new(choice, self.next_order_at_start);
        let (quiet_at, has_given_way) = (&mut self.quiet_at, &mut self.has_given_way);
        let facts = Facts {
            is_io_ready: || is_io_ready(quiet_at, now, host),
            is_busy: || {
                let is_busy = host.is_busy();
                *has_given_way = is_busy && choice.is_background();
                is_busy
            },
            is_held,
        };
        waits_for(Place::Check, candidate, &self.budget, facts)
    }

    /// Whether an idle callback was requested in the idle period under way.
    fn is_for_next_period(&self, choice: &Choice) -> bool {
        self.next_order_at_idle
            .is_some_and(|next_order| choice.order >= next_order)
    }
}
