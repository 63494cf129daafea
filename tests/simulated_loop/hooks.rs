//! The addon's side of the loop: what the real hooks and JavaScript's calls do, in the same order.
//! Owns the way tasks go in and drains are run, and has every decision judged; knows nothing of
//! what callbacks do.

use uv_scheduler::drain::{CheckDrain, Host};
use uv_scheduler::event_loop::{Attention, Destination};
use uv_scheduler::priority::EffectivePriority;
use uv_scheduler::task_queue::{QueueId, TaskId};
use uv_scheduler::task_queues::{QueueError, TaskQueues};

use crate::ledger::{Home, Rank, USER_BLOCKING, USER_VISIBLE_CONTINUATION};
use crate::rules::{
    CheckPhase, Guarantee, Kept, Moment, Violation, ensure, judge_check, judge_checkpoint,
};
use crate::simulation::{Callback, Place, Simulation, Turn};
use crate::world::{Io, MILLISECOND};

fn priority(rank: Rank) -> EffectivePriority {
    EffectivePriority::try_from(i32::from(rank)).expect("a rank from -1 to 5")
}

impl Simulation {
    /// Signals without tasks have no queue; the next task gives them the first that is free.
    fn destination(&mut self, home: Home) -> Destination {
        match home {
            Home::Fixed(rank) => Destination::Fixed(priority(rank)),
            Home::Signal(signal) => {
                let signals = &self.ledger.signals;
                let is_free = |queue: &QueueId| signals.iter().all(|s| s.queue != Some(*queue));
                let free = (0..).map(TaskQueues::dynamic_queue).find(is_free);
                let signal = &mut self.ledger.signals[signal];
                signal.queue = signal.queue.or(free);
                Destination::Dynamic {
                    queue: signal.queue.expect("some queue is free"),
                    priority: priority(signal.rank),
                }
            }
        }
    }

    pub fn post(&mut self, home: Home) -> Kept {
        let rank = self.ledger.rank(home);
        let id = self.ledger.take_id();
        let queue = self.destination(home);
        self.ledger.post(id, home);
        self.trace.push(self.world.now, "posts", id, rank);
        self.outbox.push((id, queue, rank));
        self.is_urgent |= rank >= USER_VISIBLE_CONTINUATION && self.is_outside_drains();
        let is_told = match self.attention {
            Attention::Any => true,
            Attention::Urgent => rank >= USER_VISIBLE_CONTINUATION,
            Attention::None => false,
        };
        if is_told { self.attend() } else { Ok(()) }
    }

    fn attend(&mut self) -> Kept {
        let is_for_checkpoint = self.attention == Attention::Urgent;
        let highest = self.collect()?;
        let is_needed = highest.is_some_and(|highest| self.event_loop.needs_checkpoint(highest));
        ensure(
            is_needed || !is_for_checkpoint || self.turn.is_excused,
            Guarantee::Checkpoints,
            "a task had to be told of for a checkpoint that is not needed",
        )?;
        self.hold();
        self.update_attention()?;
        self.schedule(is_needed)
    }

    fn collect(&mut self) -> Result<Option<EffectivePriority>, Violation> {
        let mut highest = None;
        for (id, queue, rank) in std::mem::take(&mut self.outbox) {
            let posted = self.event_loop.post(id, queue);
            ensure(
                posted == Ok(priority(rank)),
                Guarantee::Sound,
                "a task was not taken at its priority",
            )?;
            highest = highest.max(posted.ok());
        }
        Ok(highest)
    }

    pub fn post_delayed(&mut self, home: Home, delay: u64) -> Kept {
        let id = self.ledger.take_id();
        let queue = self.destination(home);
        let deadline = self.world.now + delay;
        self.ledger.post_delayed(id, home, deadline);
        let rank = self.ledger.rank(home);
        self.trace.push(self.world.now, "posts delayed", id, rank);
        self.collect()?;
        let posted = self.event_loop.post_delayed(id, queue, deadline);
        ensure(posted.is_ok(), Guarantee::Sound, "a task was refused")?;
        self.hold();
        self.update_timer()?;
        self.update_attention()
    }

    pub fn remove(&mut self, id: TaskId) -> Kept {
        self.trace.push(self.world.now, "removes", id, 0);
        self.ledger.take(id);
        self.collect()?;
        let removed = self.event_loop.remove(id);
        ensure(
            removed.is_ok(),
            Guarantee::Once,
            "a task that waits was lost",
        )?;
        self.ensure_queues_gone()?;
        self.update_timer()?;
        if self.has_started {
            self.hold();
            return Ok(());
        }
        self.release_if_empty()?;
        self.update_attention()
    }

    pub fn set_priority(&mut self, signal: usize, rank: Rank) -> Kept {
        self.trace
            .push(self.world.now, "moves a signal", signal as u32, rank);
        // What lies in the outbox has the old priority.
        self.collect()?;
        let queue = self.ledger.signals[signal].queue;
        let has_queued = self.ledger.set_rank(signal, rank);
        let Some(queue) = queue else { return Ok(()) };
        let changed = self.event_loop.set_priority(queue, priority(rank));
        self.update_attention()?;
        self.is_urgent |=
            has_queued && rank >= USER_VISIBLE_CONTINUATION && self.is_outside_drains();
        ensure(
            changed.is_ok(),
            Guarantee::Sound,
            "a signal's queue was lost",
        )?;
        self.schedule(changed == Ok(true))
    }

    /// From the next drain on: what the turn under way holds to is open.
    pub fn set_slice(&mut self, slice: u64) {
        self.slice = slice;
        self.event_loop.set_time_slice(slice);
        self.turn.is_excused = true;
    }

    fn schedule(&mut self, is_needed: bool) -> Kept {
        if !is_needed {
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut self.has_chain, true);
        let top = self.ledger.top().map(|top| top.rank);
        ensure(
            top >= Some(USER_VISIBLE_CONTINUATION),
            Guarantee::Checkpoints,
            "a checkpoint is to be scheduled for no task",
        )?;
        if self.turn.is_excused {
            return Ok(());
        }
        ensure(
            is_first,
            Guarantee::Checkpoints,
            "two chains of checkpoints are under way",
        )?;
        ensure(
            self.is_outside_drains(),
            Guarantee::Checkpoints,
            "a checkpoint is to be scheduled inside the poll phase or a drain",
        )?;
        ensure(
            self.turn.spent < self.slice,
            Guarantee::Slice,
            "a checkpoint is to be scheduled without budget",
        )
    }

    fn hold(&mut self) {
        self.world.is_held = true;
        self.world.is_awake |= self.event_loop.is_in_poll_phase();
    }

    fn release_if_empty(&mut self) -> Kept {
        self.collect()?;
        ensure(
            self.event_loop.is_empty() == self.ledger.is_empty(),
            Guarantee::Once,
            "the scheduler is wrong about whether tasks wait",
        )?;
        if self.event_loop.is_empty() && self.world.is_held {
            self.world.is_held = false;
            self.has_started = false;
        }
        Ok(())
    }

    fn update_attention(&mut self) -> Kept {
        let is_set_up =
            self.world.is_held && (self.world.is_awake || !self.event_loop.is_in_poll_phase());
        self.attention = if is_set_up {
            self.event_loop.attention()
        } else {
            Attention::Any
        };
        ensure(
            !is_set_up || self.attention != Attention::Any,
            Guarantee::Checkpoints,
            "every task has to be told of, where all is set up for them",
        )
    }

    /// The queue of a signal whose last task is gone is gone, too.
    pub fn ensure_queues_gone(&mut self) -> Kept {
        for queue in std::mem::take(&mut self.ledger.gone) {
            let moved = self.event_loop.set_priority(queue, priority(0));
            ensure(
                moved == Err(QueueError::NoSuchQueue(queue)),
                Guarantee::Sound,
                "an empty queue was kept",
            )?;
        }
        Ok(())
    }

    fn update_timer(&mut self) -> Kept {
        let deadline = self.event_loop.next_deadline();
        ensure(
            deadline == self.ledger.next_deadline(),
            Guarantee::Delays,
            "the next deadline is another one",
        )?;
        if self.timer != deadline {
            self.timer = deadline;
            let wait = |deadline: u64| deadline.saturating_sub(self.world.now);
            let milliseconds = deadline.map(|deadline| wait(deadline).div_ceil(MILLISECOND).max(1));
            self.world.wake_up = milliseconds.map(|wait| self.world.now + wait * MILLISECOND);
        }
        Ok(())
    }

    /// The timer hook.
    pub fn on_timer(&mut self) -> Kept {
        self.timer = None;
        self.collect()?;
        self.ledger.advance(self.world.now);
        self.event_loop.queue_due(&self.world);
        self.update_timer()
    }

    /// The prepare hook.
    pub fn on_prepare(&mut self) -> Kept {
        self.collect()?;
        ensure(
            self.event_loop.is_draining() == self.is_draining,
            Guarantee::Sound,
            "a nested run of the loop is not known as one",
        )?;
        let must_not_block = self.event_loop.prepare();
        if must_not_block && self.world.is_held {
            self.world.is_awake = true;
        }
        self.update_attention()?;
        let is_released = self.world.is_held && self.ledger.is_empty();
        ensure(
            self.world.is_awake || !(self.ledger.has_queued() || is_released),
            Guarantee::Blocking,
            "the loop may sleep while a task is queued, or the process is to be released",
        )?;
        ensure(
            // A nested run can find the poll phase around it kept from sleeping.
            !self.world.is_awake || self.ledger.has_queued() || is_released || self.is_nested,
            Guarantee::Blocking,
            "the loop is kept from sleeping while nothing is queued",
        )
    }

    /// The check hook.
    pub fn on_check(&mut self) -> Kept {
        self.world.is_awake = false;
        self.turn = Turn {
            // A chain that an exception cut may go on at any time.
            is_excused: self.has_chain || self.is_nested,
            ..Turn::default()
        };
        if !self.is_nested {
            self.world.probed.set(None);
        }
        self.collect()?;
        self.ledger.advance(self.world.now);
        let phase = CheckPhase {
            first_order: self.ledger.next_order,
            ends: self.world.now + self.slice,
            has_run: false,
        };
        let begun = self.event_loop.begin_check(&self.world);
        ensure(
            begun.is_some() != self.ledger.is_empty(),
            Guarantee::CheckPhase,
            "a check phase is drained for nothing, or not drained",
        )?;
        if let Some((drain, outer)) = begun {
            self.update_attention()?;
            let outer_drain = std::mem::replace(&mut self.is_draining, true);
            self.drain_check(drain, phase)?;
            self.event_loop.end_check(outer);
            self.is_draining = outer_drain;
            self.update_timer()?;
        }
        self.release_if_empty()?;
        self.update_attention()
    }

    fn drain_check(&mut self, mut drain: CheckDrain, mut phase: CheckPhase) -> Kept {
        loop {
            self.pass_little();
            self.collect()?;
            self.ledger.advance(self.world.now);
            let started = self.event_loop.next_in_check(&mut drain, &self.world);
            let now = self.world.now;
            let moment = self.judge(started, |moment| judge_check(moment, &phase, now))?;
            self.reached.decided(Place::Check, &moment);
            let Some(id) = started else {
                self.turn.is_late = self.world.now >= phase.ends;
                return Ok(());
            };
            phase.has_run = true;
            self.callback(Callback::Task(Place::Check, id, moment.rank()))?;
        }
    }

    /// Has a decision judged. When in a sixteenth of its timeout a background task is raised is
    /// open: one of the choices that are possible has to justify the decision.
    fn judge(
        &self,
        started: Option<TaskId>,
        judge: impl Fn(&Moment) -> Kept,
    ) -> Result<Moment, Violation> {
        let mut verdict = Err(Violation {
            guarantee: Guarantee::Sound,
            what: "no choice is possible",
        });
        for top in self.ledger.possible_tops() {
            let moment = Moment {
                top,
                io: self.world.io(),
                is_probed: self.world.is_probed(),
                is_busy: self.world.is_busy(),
                started,
            };
            verdict = judge(&moment).map(|()| moment);
            if verdict.is_ok() {
                break;
            }
        }
        verdict
    }

    /// Runs the chain of checkpoints, at the end of a callback.
    pub fn run_checkpoints(&mut self) -> Kept {
        loop {
            self.collect()?;
            self.ledger.advance(self.world.now);
            let started = self.event_loop.next_at_checkpoint(&self.world);
            self.has_started |= started.is_some();
            self.update_attention()?;
            let is_in_budget = if self.turn.is_excused {
                started.is_some()
            } else {
                self.turn.spent < self.slice
            };
            let moment = self.judge(started, |moment| judge_checkpoint(moment, is_in_budget))?;
            self.reached.decided(Place::Checkpoint, &moment);
            let Some(id) = started else {
                self.has_chain = false;
                return Ok(());
            };
            let began = self.world.now;
            self.run_body(Callback::Task(Place::Checkpoint, id, moment.rank()))?;
            // The task's ticks and microtasks.
            self.pass_little();
            self.turn.spent += self.world.now - began;
            if self.is_cut_by_exception() {
                return Ok(());
            }
        }
    }

    /// Outside poll phase and drains, what is urgent runs when the callback has ended.
    pub fn ensure_no_urgent_left(&self) -> Kept {
        let Some(top) = self.ledger.top() else {
            return Ok(());
        };
        let is_open = top.rank >= USER_BLOCKING
            || (top.rank >= USER_VISIBLE_CONTINUATION && self.world.io() == Io::Quiet);
        let guarantee = if top.rank >= USER_BLOCKING {
            Guarantee::UserBlocking
        } else {
            Guarantee::Continuations
        };
        ensure(
            !is_open || self.turn.is_excused || self.turn.spent >= self.slice,
            guarantee,
            "an urgent task did not run at the end of the callback that posted or raised it",
        )
    }

    /// A timer, immediate, close or pending callback is next: no urgent task may be waiting.
    pub fn ensure_not_overtaken(&self) -> Kept {
        let has_no_time = self.turn.is_late || self.turn.spent >= self.slice;
        ensure(
            has_no_time || self.turn.is_excused || self.is_nested || !self.ledger.has_promised(),
            Guarantee::UserBlocking,
            "a callback overtook a user-blocking task",
        )
    }
}
