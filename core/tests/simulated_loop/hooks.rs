//! The addon's and JavaScript's side of the loop: the hooks and calls, in the order in which they
//! really happen. All of them are those of the scheduler that ships; here every decision is judged.

use uv_scheduler_core::event_loop::Check;
use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::{Destination, Entry};
use uv_scheduler_core::task_queue::{QueueId, TaskId};
use uv_scheduler_core::task_queues::{QueueError, TaskQueues};

use crate::ledger::{Home, Rank, USER_BLOCKING, USER_VISIBLE_CONTINUATION};
use crate::rules::{
    CheckPhase, Guarantee, Kept, Moment, ensure, head_start, judge_check, judge_checkpoint,
};
use crate::simulation::{Callback, Place, Simulation, Turn};
use crate::world::{Io, MILLISECOND};

fn priority(rank: Rank) -> EffectivePriority {
    EffectivePriority::from_rank(index(rank)).expect("a rank from -1 to 5")
}

fn index(rank: Rank) -> u32 {
    (rank + 1) as u32
}

impl Simulation {
    /// Signals without tasks have no queue; the next task gives them the first that is free.
    fn destination(&mut self, home: Home) -> Destination {
        match home {
            Home::Fixed(rank) => Destination::fixed(priority(rank)),
            Home::Signal(signal) => {
                let signals = &self.ledger.signals;
                let is_free = |queue: &QueueId| signals.iter().all(|s| s.queue != Some(*queue));
                let free = (0..).map(TaskQueues::dynamic_queue).find(is_free);
                let signal = &mut self.ledger.signals[signal];
                signal.queue = signal.queue.or(free);
                Destination {
                    queue: signal.queue.expect("some queue is free"),
                    priority: priority(signal.rank),
                }
            }
        }
    }

    pub fn post(&mut self, home: Home) -> Kept {
        let rank = self.ledger.rank(home);
        let id = self.ledger.take_id();
        let destination = self.destination(home);
        self.ledger.post(id, home, self.world.now);
        self.trace.push(self.world.now, "posts", id, rank);
        self.leave(Entry::Post(id, destination));
        self.is_urgent |= self.is_urgent_now(rank);
        if index(rank) < self.world.notify_rank.get() {
            return Ok(());
        }
        let is_for_checkpoint = self.world.notify_rank.get() > 0;
        let is_needed = self.event_loop.flush(&self.world);
        ensure(
            is_needed || !is_for_checkpoint || self.turn.is_excused,
            Guarantee::Checkpoints,
            "a task had to be flushed for a checkpoint that is not needed",
        )?;
        self.schedule(is_needed)
    }

    /// The words go through their encoding, as they do in the shared memory.
    fn leave(&mut self, entry: Entry) {
        let entry = match entry {
            Entry::Post(id, destination) => Entry::from_words(id, destination.to_word()),
            Entry::Remove(_) => entry,
        };
        self.world.inbox.get_mut().push(entry);
    }

    pub fn post_delayed(&mut self, home: Home, delay: u64) -> Kept {
        let id = self.ledger.take_id();
        let destination = self.destination(home);
        let deadline = self.world.now + delay;
        self.ledger.post_delayed(id, home, deadline);
        let rank = self.ledger.rank(home);
        self.trace.push(self.world.now, "posts delayed", id, rank);
        let posted = self
            .event_loop
            .post_delayed(&self.world, id, destination, deadline);
        ensure(posted.is_ok(), Guarantee::Sound, "a task was refused")
    }

    /// Removes some tasks with one call, as an aborted signal does.
    pub fn remove(&mut self, ids: &[TaskId]) -> Kept {
        for id in ids {
            self.trace.push(self.world.now, "removes", *id, 0);
            self.ledger.take(*id);
            self.leave(Entry::Remove(*id));
        }
        self.event_loop.finish_removal(&self.world);
        self.ensure_queues_gone()?;
        let waits_for_check = self.turn.has_started || self.is_draining;
        ensure(
            waits_for_check || !self.ledger.is_empty() || !self.world.is_held.get(),
            Guarantee::End,
            "the process is kept for tasks that were removed",
        )
    }

    pub fn set_priority(&mut self, signal: usize, rank: Rank) -> Kept {
        self.trace
            .push(self.world.now, "moves a signal", signal as u32, rank);
        let queue = self.ledger.signals[signal].queue;
        let has_queued = self.ledger.set_rank(signal, rank);
        let Some(queue) = queue else { return Ok(()) };
        let changed = self
            .event_loop
            .set_priority(&self.world, queue, priority(rank));
        self.is_urgent |= has_queued && self.is_urgent_now(rank);
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
        self.event_loop.set_time_slice(&self.world, slice);
        self.turn.is_excused = true;
    }

    pub fn set_max_wait(&mut self, max_wait: MaxWait) {
        self.event_loop.set_max_wait(&self.world, max_wait);
        self.ledger.set_max_wait(max_wait, self.world.now);
        self.turn.is_excused = true;
    }

    fn schedule(&mut self, is_needed: bool) -> Kept {
        if !is_needed {
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut self.has_chain, true);
        let top = self.ledger.top(true).map(|top| top.rank);
        ensure(
            top >= Some(USER_VISIBLE_CONTINUATION) || self.ledger.has_max_wait(),
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
            self.turn.at_checkpoints < self.slice,
            Guarantee::Slice,
            "a checkpoint is to be scheduled without budget",
        )
    }

    /// The queue of a signal whose last task is gone is gone, too.
    pub fn ensure_queues_gone(&mut self) -> Kept {
        for queue in std::mem::take(&mut self.ledger.gone) {
            let moved = self
                .event_loop
                .set_priority(&self.world, queue, priority(0));
            ensure(
                moved == Err(QueueError::NoSuchQueue(queue)),
                Guarantee::Sound,
                "an empty queue was kept",
            )?;
        }
        Ok(())
    }

    /// What holds whenever the scheduler has returned.
    pub fn ensure_published(&self) -> Kept {
        let world = &self.world;
        let has_unflushed = !world.inbox.borrow().is_empty();
        ensure(
            world.is_held.get() || (self.ledger.is_empty() && !has_unflushed),
            Guarantee::End,
            "a task waits and does not keep the process",
        )?;
        ensure(
            !world.has_asked_awake.get(),
            Guarantee::Background,
            "the scheduler took its own idle handle for something runnable",
        )?;
        let flushes_all = world.notify_rank.get() == 0;
        ensure(
            flushes_all == self.ledger.has_max_wait()
                || !(world.is_held.get() && world.is_awake.get()),
            Guarantee::Checkpoints,
            "every task has to be flushed where a check phase is sure to come, or none is whose \
             age counts",
        )
    }

    /// The timer hook.
    pub fn on_timer(&mut self) -> Kept {
        self.ledger.advance(self.world.now);
        self.event_loop.timer(&self.world);
        self.ensure_published()
    }

    /// The prepare hook.
    pub fn on_prepare(&mut self) -> Kept {
        self.event_loop.prepare(&self.world);
        self.ensure_published()?;
        let is_released = self.world.is_held.get() && self.ledger.is_empty();
        let is_awake = self.world.is_awake.get();
        ensure(
            is_awake || !(self.ledger.has_queued() || is_released),
            Guarantee::Blocking,
            "the loop may sleep while a task is queued, or the process is to be released",
        )?;
        ensure(
            // A nested run can find the poll phase around it kept from sleeping.
            !is_awake || self.ledger.has_queued() || is_released || self.is_nested,
            Guarantee::Blocking,
            "the loop is kept from sleeping while nothing is queued",
        )
    }

    /// The check hook.
    pub fn on_check(&mut self) -> Kept {
        self.turn = Turn {
            // A chain that an exception cut may go on at any time.
            is_excused: self.has_chain || self.is_nested,
            has_started: self.turn.has_started,
            ..Turn::default()
        };
        if !self.is_nested {
            self.world.probed.set(None);
        }
        let begun = self.event_loop.begin_check(&self.world);
        self.ledger.advance(self.world.now);
        ensure(
            begun.is_some() != self.ledger.is_empty(),
            Guarantee::CheckPhase,
            "a check phase is drained for nothing, or not drained",
        )?;
        if let Some(check) = begun {
            let outer_drain = std::mem::replace(&mut self.is_draining, true);
            let check = self.drain_check(check)?;
            self.event_loop.end_check(&self.world, check);
            self.is_draining = outer_drain;
        }
        self.ensure_published()?;
        if !self.ledger.is_empty() {
            return Ok(());
        }
        self.turn.has_started = false;
        let world = &self.world;
        ensure(
            !world.is_held.get() && !world.is_awake.get() && world.wake_up.get().is_none(),
            Guarantee::End,
            "the scheduler keeps the loop busy or alive for nothing",
        )
    }

    fn drain_check(&mut self, mut check: Check) -> Result<Check, crate::rules::Violation> {
        let mut phase = CheckPhase {
            first_order: self.ledger.next_order,
            began: self.world.now,
            slice: self.slice,
            has_run: false,
            has_run_overdue: false,
        };
        loop {
            self.pass_little();
            if !self.ledger.is_empty() {
                self.turn.in_check = self.world.now - phase.began;
            }
            self.ledger.advance(self.world.now);
            let moment = self.moment();
            let started = self.event_loop.next_in_check(&self.world, &mut check);
            judge_check(&moment, started, &phase, self.world.now)?;
            self.reached.decided(Place::Check, &moment, started);
            let Some(id) = started else {
                self.turn.is_late = self.world.now >= phase.began + phase.slice;
                return Ok(check);
            };
            phase.has_run = true;
            if let Some(overdue) = moment.overdue.filter(|overdue| overdue.id == id) {
                phase.has_run_overdue = true;
                self.turn.has_run_overdue_background |= overdue.is_background();
            }
            self.callback(Callback::Task(Place::Check, id, moment.rank()))?;
            if self.is_draining_over() {
                return Ok(check);
            }
        }
    }

    /// JavaScript could not be called: the drain ends in the middle.
    fn is_draining_over(&mut self) -> bool {
        let is_over = self.is_cut_by_exception();
        self.turn.is_excused |= is_over;
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
        }
    }

    /// Runs the chain of checkpoints, at the end of a callback.
    pub fn run_checkpoints(&mut self) -> Kept {
        loop {
            self.ledger.advance(self.world.now);
            let moment = self.moment();
            let started = self.event_loop.next_at_checkpoint(&self.world);
            self.turn.has_started |= started.is_some();
            let has_budget = if self.turn.is_excused {
                started.is_some()
            } else {
                self.turn.at_checkpoints < self.slice
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
            let began = self.world.now;
            self.run_body(Callback::Task(Place::Checkpoint, id, moment.rank()))?;
            // The task's ticks and microtasks.
            self.pass_little();
            self.turn.at_checkpoints += self.world.now - began;
            if self.is_cut_by_exception() {
                return Ok(());
            }
        }
    }

    /// Whether a task of this priority that comes now runs at the end of the callback.
    fn is_urgent_now(&self, rank: Rank) -> bool {
        let lowest = if self.has_head_start() {
            USER_VISIBLE_CONTINUATION
        } else {
            USER_BLOCKING
        };
        rank >= lowest && self.is_outside_drains()
    }

    fn has_head_start(&self) -> bool {
        self.turn.in_check + self.turn.at_checkpoints < head_start(self.slice)
    }

    /// Outside poll phase and drains, what is urgent runs when the callback has ended.
    pub fn ensure_no_urgent_left(&self) -> Kept {
        let Some(top) = self.ledger.top(!self.turn.has_run_overdue_background) else {
            return Ok(());
        };
        let is_open = (top.rank >= USER_BLOCKING && self.ledger.has_promised())
            || (top.rank == USER_VISIBLE_CONTINUATION
                && !top.is_overdue
                && self.world.io() == Io::Quiet
                && self.has_head_start());
        let guarantee = if top.rank >= USER_BLOCKING {
            Guarantee::UserBlocking
        } else {
            Guarantee::Continuations
        };
        ensure(
            !is_open || self.turn.is_excused || self.turn.at_checkpoints >= self.slice,
            guarantee,
            "an urgent task did not run at the end of the callback that posted or raised it",
        )
    }

    /// A timer, immediate, close or pending callback is next: no urgent task may be waiting.
    pub fn ensure_not_overtaken(&self) -> Kept {
        let has_no_time = self.turn.is_late || self.turn.at_checkpoints >= self.slice;
        ensure(
            has_no_time || self.turn.is_excused || self.is_nested || !self.ledger.has_promised(),
            Guarantee::UserBlocking,
            "a callback overtook a user-blocking task",
        )
    }

    /// A host that drives the loop itself asks how long it may sleep.
    pub fn ensure_woken(&self) -> Kept {
        let is_needed = self.ledger.has_queued();
        // The timer counts in whole milliseconds.
        let latest = self.world.now + 2 * MILLISECOND;
        ensure(
            !is_needed || self.world.timeout().is_some_and(|end| end <= latest),
            Guarantee::Blocking,
            "a host that drives the loop sleeps while a task is queued",
        )
    }
}
