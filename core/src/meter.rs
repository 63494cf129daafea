//! How long the tasks of an event loop run.
//!
//! The passes read the clock when they look for the next task. A task has run from the reading at
//! which it was chosen to the reading at which the next one is looked for, so its ticks and
//! microtasks count as its time. The meter reads no clock of its own. Its invariants:
//!
//! - At most one task runs. One that runs the loop from inside is set aside during the check pass
//!   of the nested run, and counts with all that has run in it.
//! - A task that has started ends once: with its time, or without one where the pass does not read
//!   the clock.

use crate::task_queues::Choice;

/// The pass that has started a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The check pass.
    Check,
    /// The checkpoint pass.
    Checkpoint,
}

/// A task that runs.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    choice: Choice,
    pass: Pass,
    began: u64,
}

/// A task that has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The task as it was chosen.
    pub choice: Choice,
    /// The pass that has started it.
    pub pass: Pass,
    /// Nanoseconds for which it has run.
    pub time: u64,
}

/// A reading of the clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// The time.
    pub now: u64,
    /// Nanoseconds since the turn of the loop began.
    pub turn: u64,
    /// Nanoseconds for which the task of the checkpoint pass has run.
    pub round: u64,
}

/// The task that runs, and the time that others have taken before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    running: Option<Running>,
    /// The beginning of the turn of the loop, as far as it is known: the first reading since the
    /// check phase began or, after that, since the loop polled.
    turn_began: Option<u64>,
    /// Nanoseconds for which background work has run.
    background: u64,
    /// Nanoseconds for which all tasks have run.
    all: u64,
    /// The time of all tasks was asked for.
    is_asked: bool,
}

impl Meter {
    /// Notes that a pass starts this task.
    pub fn started(&mut self, choice: Choice, pass: Pass, now: u64) {
        self.running = Some(Running {
            choice,
            pass,
            began: now,
        });
    }

    /// Ends the task that runs, if there is one.
    pub fn ended(&mut self, now: u64) -> Option<Ran> {
        self.turn_began.get_or_insert(now);
        let running = self.running.take()?;
        let ran = running.until(now);
        self.all = self.all.saturating_add(ran.time);
        if ran.choice.is_background() {
            self.background = self.background.saturating_add(ran.time);
        }
        Some(ran)
    }

    /// Ends the task that runs, if there is one, without counting its time.
    pub fn forget(&mut self) {
        self.running = None;
    }

    /// Begins a turn of the loop when it reaches its check phase. A task of the checkpoint pass no
    /// longer counts: an exception has stopped its chain, or the task runs the loop from inside.
    pub fn begin_turn(&mut self) {
        self.turn_began = None;
        self.running = self.running.filter(|task| task.pass == Pass::Check);
    }

    /// Begins a check pass. Returns the task to set aside until [`Self::end_check`].
    pub fn begin_check(&mut self, now: u64) -> Option<Running> {
        self.turn_began = Some(now);
        self.running.take()
    }

    /// Ends a check pass: the task that was set aside goes on.
    pub fn end_check(&mut self, set_aside: Option<Running>) {
        self.running = set_aside;
    }

    /// Notes that the loop is about to poll. Sleep is not part of the turn.
    pub fn poll(&mut self) {
        self.turn_began = None;
    }

    /// The times of the turn and of the task that runs.
    pub fn read(&mut self, now: u64) -> Reading {
        let began = *self.turn_began.get_or_insert(now);
        let at_checkpoint = |task: &Running| task.pass == Pass::Checkpoint;
        let round = self.running.filter(at_checkpoint);
        Reading {
            now,
            turn: now.saturating_sub(began),
            round: round.map_or(0, |task| task.until(now).time),
        }
    }

    /// Whether the end of the task that runs has to be noted.
    #[must_use]
    pub fn needs_end(&self) -> bool {
        self.running
            .is_some_and(|task| self.is_asked || task.choice.is_background())
    }

    /// Nanoseconds for which tasks have run, up to this time.
    pub fn task_time(&mut self, now: u64) -> u64 {
        self.is_asked = true;
        let running = self.running.map_or(0, |task| task.until(now).time);
        self.all.saturating_add(running)
    }

    /// Nanoseconds for which background work has run, up to the task that runs.
    #[must_use]
    pub fn background(&self) -> u64 {
        self.background
    }
}

impl Running {
    fn until(self, now: u64) -> Ran {
        Ran {
            choice: self.choice,
            pass: self.pass,
            time: now.saturating_sub(self.began),
        }
    }
}
