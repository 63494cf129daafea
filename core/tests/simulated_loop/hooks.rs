//! The hooks of the loop, in the order in which the addon calls them. They go to the scheduler that
//! ships; here every decision is judged.

use uv_scheduler_core::event_loop::Check;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::task_queue::TaskId;

use crate::ledger::{IDLE, Rank, Top, USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION};
use crate::rules::{
    CheckPhase, Guarantee, Kept, Moment, Violation, ensure, head_start, judge_check,
    judge_checkpoint,
};
use crate::simulation::{Callback, Place, Running, Simulation, Turn};
use crate::world::{Io, MILLISECOND};

impl Simulation {
    /// The invariants whenever the scheduler has returned.
    pub fn ensure_published(&self) -> Kept {
        let world = &self.world;
        let has_unflushed = !world.inbox.borrow().is_empty();
        ensure(
            world.is_referenced.get() || !(self.ledger.keeps_alive() || has_unflushed),
            Guarantee::End,
            "a waiting task does not keep the process alive",
        )?;
        ensure(
            !world.has_asked_awake.get(),
            Guarantee::Background,
            "the scheduler took its own idle handle for something runnable",
        )?;
        ensure(
            !self.ledger.is_empty()
                || self.is_in_pass
                || world.is_referenced.get()
                || !(world.is_awake.get() || world.wake_up.get().is_some()),
            Guarantee::End,
            "the scheduler keeps the loop busy for nothing",
        )?;
        let flushes_all = world.notify_rank.get() == 0;
        let is_in_check_pass = self.is_in_pass && !self.is_polling;
        ensure(
            flushes_all
                || world.is_referenced.get() && (is_in_check_pass || self.is_woken())
                || self.is_asleep_in_hold(),
            Guarantee::Checkpoints,
            "a task would not be flushed though no check phase is sure to come",
        )?;
        ensure(
            !(flushes_all && is_in_check_pass && world.is_referenced.get())
                || self.is_nested
                || self.ledger.has_max_wait(),
            Guarantee::Checkpoints,
            "every task has to be flushed in a check phase",
        )?;
        ensure(
            flushes_all == self.ledger.has_max_wait()
                || !(world.is_referenced.get() && world.is_awake.get()),
            Guarantee::Checkpoints,
            "every task has to be flushed where a check phase is sure to come, or none is whose \
             age counts",
        )?;
        ensure(
            !flushes_all || !world.is_referenced.get() || !self.is_in_hold(),
            Guarantee::Hold,
            "background work has to be flushed during a hold",
        )
    }

    /// A hold is under way, and nothing ends it before its time.
    fn is_in_hold(&self) -> bool {
        let last = self.world.answers.borrow().last();
        let is_under_way = last.is_some_and(|hold| self.world.now < hold.until);
        is_under_way && self.ledger.has_background() && !self.ledger.has_bounds()
    }

    /// The timer hook.
    pub fn on_timer(&mut self) -> Kept {
        self.ledger.advance(self.world.now);
        self.event_loop.timer(&self.world);
        self.ensure_published()
    }

    /// The prepare hook.
    pub fn on_prepare(&mut self) -> Kept {
        self.turns.end(None);
        self.read_at = None;
        self.is_between_hooks = true;
        if self.rests.is_some() {
            return Ok(());
        }
        self.event_loop.prepare(&self.world);
        ensure(
            self.world.has_restored.take() == self.is_in_pass,
            Guarantee::Sound,
            "the check handles are restored where none is hidden, or not restored",
        )?;
        self.ensure_published()?;
        let is_released = self.world.is_referenced.get() && !self.ledger.keeps_alive();
        let is_awake = self.world.is_awake.get();
        ensure(
            is_awake || self.may_sleep() && !is_released,
            Guarantee::Blocking,
            "the loop may sleep while a task is queued, or the process is to be released",
        )?;
        ensure(
            // In a nested run the loop may still be awake because of the outer poll phase.
            !is_awake || self.ledger.has_queued() || is_released || self.is_nested,
            Guarantee::Blocking,
            "the loop is kept from sleeping while nothing is queued",
        )
    }

    /// The check hook.
    pub fn on_check(&mut self) -> Kept {
        self.others
            .begin(self.world.now, self.turn.at_checkpoints, self.is_in_pass);
        self.turn = Turn {
            // A chain that an exception stopped may go on at any time.
            is_excused: self.has_chain || self.is_nested,
            has_started: self.turn.has_started,
            ..Turn::default()
        };
        if !self.is_nested {
            self.world.probed.set(None);
        }
        self.turns.end(None);
        self.is_between_hooks = false;
        // The budgets are new: a checkpoint's task takes no more of them.
        self.running = self.running.filter(|task| task.place == Place::Check);
        if let Some(has_turned) = &mut self.rests {
            *has_turned = true;
            return Ok(());
        }
        let begun = self.event_loop.begin_check(&self.world);
        self.read_at = begun.is_some().then_some(self.world.now);
        self.ledger.advance(self.world.now);
        ensure(
            begun.is_some() != self.ledger.is_empty(),
            Guarantee::CheckPhase,
            "a check phase had its pass without a task, or none with one",
        )?;
        let has_passed = begun.is_some();
        if let Some(check) = begun {
            let outer_pass = std::mem::replace(&mut self.is_in_pass, true);
            let outer_task = self.running.take();
            let began = self.world.now;
            let check = self.drain_check(check)?;
            self.others.end(began + self.turn.in_check, &self.ledger);
            self.event_loop.end_check(&self.world, check);
            self.running = outer_task;
            self.is_in_pass = outer_pass;
            self.ensure_given_way()?;
            self.ensure_held()?;
        }
        self.ensure_published()?;
        if self.ledger.keeps_alive() {
            return Ok(());
        }
        self.turn.has_started = false;
        let world = &self.world;
        let is_idle = !world.is_awake.get() && world.wake_up.get().is_none();
        ensure(
            !world.is_referenced.get() && (is_idle || !self.ledger.is_empty()),
            Guarantee::End,
            "the scheduler keeps the loop awake or alive without a task",
        )?;
        if self.character.rests && !has_passed && self.event_loop.may_rest() {
            self.rests = Some(false);
        }
        Ok(())
    }

    /// A pass may give way to another scheduler on this loop, which takes our idle handle for
    /// something runnable.
    fn ensure_given_way(&self) -> Kept {
        ensure(
            !self.turn.has_given_way || !self.world.is_awake.get(),
            Guarantee::Background,
            "the loop is kept awake though the check phase gave way to something else",
        )
    }

    /// Held work neither keeps the loop awake nor is forgotten.
    fn ensure_held(&self) -> Kept {
        let (world, ledger) = (&self.world, &self.ledger);
        if !self.turn.is_held || ledger.has_overdue() {
            return Ok(());
        }
        ensure(
            !world.is_awake.get() && world.wake_up.get().is_some(),
            Guarantee::Hold,
            "the loop is kept awake for held work, or nothing wakes it",
        )
    }

    fn drain_check(&mut self, mut check: Check) -> Result<Check, Violation> {
        self.turn.first_order = self.ledger.next_order;
        let mut phase = CheckPhase {
            first_order: self.ledger.next_order,
            first_order_in_idle: None,
            began: self.world.now,
            slice: self.slice,
            others: self.others,
            has_run: false,
            has_run_overdue: false,
        };
        loop {
            self.pass_little();
            if !self.ledger.is_empty() {
                self.turn.in_check = self.world.now - phase.began;
            }
            self.end_running(Place::Check)?;
            self.ledger.advance(self.world.now);
            let moment = self.moment();
            let started = self.event_loop.next_in_check(&self.world, &mut check);
            self.decide_turn(Place::Check, started, &moment);
            judge_check(&moment, started, &phase, self.world.now)?;
            self.reached.decided(Place::Check, &moment, started);
            self.reached.in_allowance += u64::from(self.needs_allowance(&moment, started, &phase));
            let Some(id) = started else {
                let rank = moment.top.map_or(IDLE, |top| top.rank);
                self.turn.is_late = phase.is_late(rank, self.world.now);
                let is_over = self.turn.is_late && phase.has_run;
                let is_over = is_over || moment.is_paused;
                let gives_way = moment.is_busy && moment.io == Io::Quiet && !is_over;
                let may_give_way = |top: Top| top.is_background() && !phase.is_for_next(top);
                self.turn.has_given_way = gives_way && moment.top.is_some_and(may_give_way);
                let could_start = !moment.is_busy && moment.io == Io::Quiet && !is_over;
                let is_held = |top: Top| moment.is_held && may_give_way(top) && could_start;
                self.turn.is_held = moment.top.is_some_and(is_held);
                return Ok(check);
            };
            phase.has_run = true;
            if moment.rank() == IDLE {
                let next_order = self.ledger.next_order;
                phase.first_order_in_idle.get_or_insert(next_order);
            }
            if let Some(overdue) = moment.overdue.filter(|overdue| overdue.id == id) {
                phase.has_run_overdue = true;
                self.turn.has_run_overdue_background |= overdue.is_background();
            }
            self.callback(Callback::Task(Place::Check, id, moment.rank()))?;
            if self.is_in_pass_over() {
                return Ok(check);
            }
        }
    }

    /// Whether a task started only because of the allowance.
    fn needs_allowance(
        &self,
        moment: &Moment,
        started: Option<TaskId>,
        phase: &CheckPhase,
    ) -> bool {
        let is_late = self.world.now >= phase.began + head_start(phase.slice);
        let needs = |top: Top| {
            !top.is_overdue
                && !moment.is_paused
                && (USER_VISIBLE..=USER_VISIBLE_CONTINUATION).contains(&top.rank)
                && top.order >= phase.first_order
                && (moment.io == Io::Ready || (moment.is_busy && is_late))
        };
        started.is_some() && moment.top.is_some_and(needs)
    }

    /// A pass has looked for its next task: the turn before ends, and that of the task begins. The
    /// check pass does not read the time when no task waits at all.
    fn decide_turn(&mut self, place: Place, started: Option<TaskId>, moment: &Moment) {
        let now = self.world.now;
        let is_seen = place == Place::Checkpoint || !self.ledger.is_empty();
        self.turns.end(is_seen.then_some(now));
        if let Some((rank, order)) = started.and_then(|id| self.ledger.standing(id)) {
            let is_overdue = started == moment.overdue.map(|overdue| overdue.id);
            let next_order = self.ledger.next_order;
            self.turns.start(rank, order, is_overdue, now, next_order);
            self.note_level(started);
            let is_in_turn = moment
                .top
                .is_some_and(|top| !top.is_overdue && Some(top.id) == started);
            if let Some(id) = started {
                self.ledger.start(id, is_in_turn, now);
            }
            self.running = Some(Running {
                place,
                rank,
                began: now,
            });
        }
    }

    /// A pass looks for its next task: the one before has taken its time. The check pass does not
    /// read the clock when no task waits at all, unless background work has run, or the time is
    /// charged to a request.
    fn end_running(&mut self, place: Place) -> Kept {
        let is_charged = self.ledger.fair.is_running();
        self.ledger.end(self.world.now)?;
        let running = self.running.take();
        let is_background = running.is_some_and(|task| task.rank < USER_VISIBLE);
        if place == Place::Check && self.ledger.is_empty() && !is_background && !is_charged {
            return Ok(());
        }
        let now = self.world.now;
        self.read_at.get_or_insert(now);
        let Some(running) = running else {
            return Ok(());
        };
        let time = now - running.began;
        if is_background {
            self.world.background += time;
        }
        self.others.ran(running.rank, time);
        if running.place == Place::Checkpoint {
            self.turn.at_checkpoints += time;
        }
        Ok(())
    }

    /// Whether JavaScript could not be called, which ends the pass early.
    fn is_in_pass_over(&mut self) -> bool {
        let is_over = self.is_cut_by_exception();
        self.turn.is_excused |= is_over;
        self.turn.has_given_way &= !is_over;
        self.turn.is_held &= !is_over;
        is_over
    }

    fn moment(&self) -> Moment {
        let with_background = !self.turn.has_run_overdue_background;
        Moment {
            top: self.ledger.top(with_background),
            overdue: self.ledger.oldest_overdue(with_background),
            io: self.world.io(),
            is_probed: self.world.is_probed(),
            is_busy: self.world.is_busy(),
            is_held: self.world.is_held(),
            is_paused: self.is_paused(),
        }
    }

    /// Runs the chain of checkpoints at the end of a callback.
    pub fn run_checkpoints(&mut self) -> Kept {
        loop {
            self.end_running(Place::Checkpoint)?;
            self.ledger.advance(self.world.now);
            let moment = self.moment();
            self.wake();
            let started = self.event_loop.next_at_checkpoint(&self.world);
            self.decide_turn(Place::Checkpoint, started, &moment);
            self.turn.has_started |= started.is_some_and(|id| self.ledger.is_referenced(id));
            let has_budget = if self.turn.is_excused {
                started.is_some()
            } else {
                self.has_checkpoint_time(moment.rank())
            };
            let has_head_start = self.turn.is_excused || self.has_head_start();
            if !(self.turn.is_excused && started.is_none()) {
                judge_checkpoint(&moment, started, has_budget, has_head_start)?;
            }
            self.reached.decided(Place::Checkpoint, &moment, started);
            let Some(id) = started else {
                self.has_chain = false;
                return self.ensure_published();
            };
            self.run_body(Callback::Task(Place::Checkpoint, id, moment.rank()))?;
            // The task's ticks and microtasks.
            self.pass_little();
            if self.is_cut_by_exception() {
                return Ok(());
            }
        }
    }

    /// For how long work of this rank runs at checkpoints in a turn.
    pub fn checkpoint_time(&self, rank: Rank) -> u64 {
        let all = self.others.time(rank, self.slice);
        self.slice.max(all.saturating_sub(self.turn.in_check))
    }

    pub fn has_checkpoint_time(&self, rank: Rank) -> bool {
        self.turn.at_checkpoints < self.checkpoint_time(rank)
    }

    pub fn has_head_start(&self) -> bool {
        self.turn.in_check + self.turn.at_checkpoints < head_start(self.slice)
    }

    /// Outside the poll phase and passes, urgent tasks run when the callback has ended.
    pub fn ensure_no_urgent_left(&self) -> Kept {
        let Some(top) = self.ledger.top(!self.turn.has_run_overdue_background) else {
            return Ok(());
        };
        let is_open = (top.rank >= USER_BLOCKING && self.ledger.has_promised())
            || (top.rank == USER_VISIBLE_CONTINUATION
                && !top.is_overdue
                && !self.is_paused()
                && self.world.io() == Io::Quiet
                && self.has_head_start());
        let guarantee = if top.rank >= USER_BLOCKING {
            Guarantee::UserBlocking
        } else {
            Guarantee::Continuations
        };
        ensure(
            !is_open || self.turn.is_excused || !self.has_checkpoint_time(top.rank),
            guarantee,
            "an urgent task did not run at the end of the callback that posted or raised it",
        )
    }

    /// Before a timer, immediate, close or pending callback no urgent task may be waiting.
    pub fn ensure_not_overtaken(&self) -> Kept {
        let has_no_time = self.turn.is_late || !self.has_checkpoint_time(USER_BLOCKING);
        ensure(
            has_no_time || self.turn.is_excused || self.is_nested || !self.ledger.has_promised(),
            Guarantee::UserBlocking,
            "a callback overtook a user-blocking task",
        )
    }

    /// A host that drives the loop itself asks how long it may sleep.
    pub fn ensure_woken(&self) -> Kept {
        ensure(
            self.may_sleep() || self.is_woken(),
            Guarantee::Blocking,
            "a host that drives the loop sleeps while a task is queued",
        )
    }

    /// Whether no task is queued but background work that the host holds.
    fn may_sleep(&self) -> bool {
        if !self.ledger.has_queued() {
            return true;
        }
        let is_held = self.world.is_held() || self.is_woken();
        self.ledger.has_only_background() && !self.ledger.has_overdue() && is_held
    }

    /// Whether the loop sleeps until the end of a hold, and only what is not held wakes it.
    fn is_asleep_in_hold(&self) -> bool {
        let rank = self.world.notify_rank.get();
        self.ledger.has_only_background()
            && self.world.wake_up.get().is_some()
            && rank == EffectivePriority::UserVisible.rank()
    }

    /// Whether the loop goes on at once, or soon.
    fn is_woken(&self) -> bool {
        // The timer counts in whole milliseconds.
        let latest = self.world.now + 2 * MILLISECOND;
        self.world.timeout().is_some_and(|end| end <= latest)
    }
}
