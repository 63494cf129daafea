//! The calls from JavaScript. They go to the scheduler that ships; here what it answers is judged.

use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::{Destination, Entry, Terms, UNREFERENCED};
use uv_scheduler_core::task_queue::{QueueId, TaskId};
use uv_scheduler_core::task_queues::{QueueError, TaskQueues};

use crate::ledger::{Home, Rank, USER_BLOCKING, USER_VISIBLE_CONTINUATION};
use crate::rules::{Guarantee, Kept, ensure};
use crate::simulation::Simulation;

pub fn priority(rank: Rank) -> EffectivePriority {
    EffectivePriority::from_rank(index(rank)).expect("a rank from -1 to 5")
}

fn index(rank: Rank) -> u32 {
    (rank + 1) as u32
}

impl Simulation {
    /// Signals without tasks have no queue; the next task gives them the first that is free.
    fn destination(&mut self, home: Home, is_referenced: bool) -> Destination {
        let destination = match home {
            Home::Fixed(rank) => Destination::fixed(priority(rank)),
            Home::Signal(signal) => {
                let queue = self.ledger.signals[signal].queue;
                let queue = queue.unwrap_or_else(|| self.take_queue(signal));
                Destination {
                    queue,
                    priority: priority(self.ledger.signals[signal].rank),
                    is_referenced: true,
                }
            }
        };
        if is_referenced {
            destination
        } else {
            destination.unreferenced()
        }
    }

    /// Gives a signal the first queue that is free, which is one of its request, if it has one.
    fn take_queue(&mut self, signal: usize) -> QueueId {
        let signals = &self.ledger.signals;
        let is_free = |queue: &QueueId| signals.iter().all(|s| s.queue != Some(*queue));
        let free = (0..).map(TaskQueues::dynamic_queue).find(is_free);
        let queue = free.expect("some queue is free");
        if let Some(flow) = self.ledger.bind(signal, queue) {
            self.leave(Entry::BindQueue(flow, queue));
        }
        queue
    }

    pub fn post(&mut self, home: Home, is_referenced: bool) -> Kept {
        let rank = self.ledger.rank(home);
        let id = self.ledger.take_id();
        let destination = self.destination(home, is_referenced);
        self.ledger.post(id, home, is_referenced, self.world.now);
        let what = ["posts, without reference,", "posts"][usize::from(is_referenced)];
        self.trace.push(self.world.now, what, id, rank);
        self.leave(Entry::Post(id, destination));
        self.is_urgent |= self.is_urgent_now(rank);
        if index(rank) < self.world.notify_rank.get() {
            return Ok(());
        }
        let notify_rank = self.world.notify_rank.get();
        let is_for_checkpoint = notify_rank > EffectivePriority::UserVisible.rank();
        self.wake();
        let is_needed = self.event_loop.flush(&self.world);
        ensure(
            is_needed || !is_for_checkpoint || self.turn.is_excused,
            Guarantee::Checkpoints,
            "a task had to be flushed for a checkpoint that is not needed",
        )?;
        self.schedule(is_needed)
    }

    /// The words go through their encoding, as they do in the shared memory.
    pub fn leave(&mut self, entry: Entry) {
        let entry = match entry {
            Entry::Post(id, destination) => {
                let mark = u32::from(!destination.is_referenced) * UNREFERENCED;
                Entry::from_words(id | mark, destination.to_word())
            }
            _ => entry,
        };
        self.world.inbox.get_mut().push(entry);
    }

    /// Leaves an entry, and flushes. Returns whether a checkpoint has to be scheduled.
    fn tell(&mut self, entry: Entry) -> bool {
        self.leave(entry);
        self.wake();
        self.event_loop.flush(&self.world)
    }

    pub fn post_delayed(&mut self, home: Home, is_referenced: bool, delay: u64) -> Kept {
        let id = self.ledger.take_id();
        let destination = self.destination(home, is_referenced);
        let deadline = self.world.now + delay;
        self.ledger.post_delayed(id, home, is_referenced, deadline);
        let rank = self.ledger.rank(home);
        let what = ["posts delayed, without reference,", "posts delayed"];
        let what = what[usize::from(is_referenced)];
        self.trace.push(self.world.now, what, id, rank);
        let terms = Terms {
            delay: Some(delay),
            max_wait: None,
        };
        let is_needed = self.tell(Entry::PostOnTerms(id, destination, terms));
        self.schedule(is_needed)
    }

    /// Posts a task that has a bound of its own.
    pub fn post_bounded(
        &mut self,
        home: Home,
        is_referenced: bool,
        delay: u64,
        max_wait: u64,
    ) -> Kept {
        let rank = self.ledger.rank(home);
        let id = self.ledger.take_id();
        let destination = self.destination(home, is_referenced);
        let now = self.world.now;
        self.ledger.advance(now);
        self.ledger
            .post_bounded(id, home, is_referenced, now + delay, max_wait);
        self.ledger.queue_due(now);
        self.trace
            .push(now, "posts, with a bound of its own,", id, rank);
        self.is_urgent |= delay == 0 && self.is_urgent_now(rank);
        let terms = Terms {
            delay: (delay > 0).then_some(delay),
            max_wait: Some(max_wait),
        };
        let is_needed = self.tell(Entry::PostOnTerms(id, destination, terms));
        self.schedule(is_needed)
    }

    /// Removes some tasks with one call, as an aborted signal does.
    pub fn remove(&mut self, ids: &[TaskId]) -> Kept {
        for id in ids {
            self.trace.push(self.world.now, "removes", *id, 0);
            self.ledger.take(*id);
            self.leave(Entry::Remove(*id));
        }
        self.wake();
        let is_needed = self.event_loop.flush(&self.world);
        self.schedule(is_needed)?;
        self.ensure_queues_gone()?;
        let waits_for_check = self.turn.has_started || self.is_in_pass;
        ensure(
            waits_for_check || self.ledger.keeps_alive() || !self.world.is_referenced.get(),
            Guarantee::End,
            "the process is kept for tasks that were removed",
        )
    }

    pub fn set_priority(&mut self, signal: usize, rank: Rank) -> Kept {
        self.trace
            .push(self.world.now, "moves a signal", signal as u32, rank);
        let queue = self.ledger.signals[signal].existing_queue();
        let has_queued = self.ledger.set_rank(signal, rank);
        let Some(queue) = queue else { return Ok(()) };
        let is_needed = self.tell(Entry::MoveQueue(queue, priority(rank)));
        self.is_urgent |= has_queued && self.is_urgent_now(rank);
        self.schedule(is_needed)
    }

    /// Lists all tasks that wait.
    pub fn list(&mut self) -> Kept {
        self.wake();
        let listed = self.event_loop.waiting(&self.world);
        self.ledger.advance(self.world.now);
        let listed = listed.into_iter();
        let listed =
            listed.map(|each| (each.task, each.priority.rank() as Rank - 1, each.is_delayed));
        ensure(
            listed.eq(self.ledger.listed()),
            Guarantee::Sound,
            "the list is not that of the tasks that wait",
        )
    }

    /// Reads for how long background work was held.
    pub fn read_held(&mut self) -> Kept {
        self.wake();
        let held = self.event_loop.held(&self.world);
        let answers = self.world.answers.borrow();
        ensure(
            held.time == answers.time(self.world.now),
            Guarantee::Hold,
            "the time of holds is not that of what the host has answered",
        )?;
        ensure(
            held.reason == answers.last().map(|hold| hold.reason)
                && (held.reason.is_none() || self.ledger.has_background()),
            Guarantee::Hold,
            "the reason of the hold is not that of the last answer, or nothing is held",
        )
    }

    /// `drain()` or `onIdle()` begins or ends to wait.
    pub fn lift_hold(&mut self, is_lifted: bool) {
        self.world.is_lifted = is_lifted;
        self.tell(Entry::LiftHold(is_lifted));
    }

    /// No work below user-blocking starts for so long, unless it is overdue.
    pub fn pause(&mut self, time: u64) {
        self.trace.push(self.world.now, "pauses", 0, 0);
        self.paused_until = self.world.now + time;
        self.tell(Entry::Pause(time));
    }

    pub fn is_paused(&self) -> bool {
        self.world.now < self.paused_until
    }

    /// From the next pass on: what the turn under way holds to is open.
    pub fn set_slice(&mut self, slice: u64) {
        self.slice = slice;
        self.tell(Entry::SetTimeSlice(slice));
        self.turn.is_excused = true;
    }

    pub fn set_max_wait(&mut self, max_wait: MaxWait) {
        self.tell(Entry::SetMaxWait(max_wait));
        self.ledger.set_max_wait(max_wait, self.world.now);
        self.turn.is_excused = true;
    }

    fn schedule(&mut self, is_needed: bool) -> Kept {
        if !is_needed {
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut self.has_chain, true);
        let top = self.ledger.highest(true).map(|top| top.rank);
        ensure(
            top >= Some(USER_VISIBLE_CONTINUATION) || self.ledger.has_bounds(),
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
            "a checkpoint is to be scheduled inside the poll phase or a pass",
        )?;
        ensure(
            self.has_checkpoint_time(USER_BLOCKING),
            Guarantee::Slice,
            "a checkpoint is to be scheduled without budget",
        )
    }

    /// The queue of a signal whose last task is gone is gone, too.
    pub fn ensure_queues_gone(&mut self) -> Kept {
        for queue in std::mem::take(&mut self.ledger.gone) {
            self.wake();
            self.event_loop.refused(&self.world);
            ensure(
                self.event_loop.queues().priority(queue) == Err(QueueError::NoSuchQueue(queue)),
                Guarantee::Sound,
                "an empty queue was kept",
            )?;
        }
        Ok(())
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
}
