//! One schedule: the whole life of a loop, decided by the dice. Runs the phases in libuv's order,
//! and checkpoints when a callback ends.

use uv_scheduler_core::event_loop::EventLoop;
use uv_scheduler_core::task_queue::TaskId;

use crate::callbacks::Character;
use crate::choices::Action;
use crate::dice::Dice;
use crate::ledger::{Ledger, Rank};
use crate::others::Others;
use crate::reached::Reached;
use crate::rules::{Guarantee, Kept, ensure};
use crate::trace::Trace;
use crate::turns::Turns;
use crate::world::{MILLISECOND, World};

/// A loop that has not ended after this many turns never will.
const MOST_TURNS: u32 = 5_000;

const DEFAULT_SLICE: u64 = 5 * MILLISECOND;

#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    Check,
    Checkpoint,
}

#[derive(Clone, Copy)]
pub enum Callback {
    Main,
    BeforeExit,
    Pending,
    Io,
    Immediate,
    Close,
    Timer,
    Task(Place, TaskId, Rank),
}

/// The task that a pass has started last, until that pass or another one reads the clock.
#[derive(Clone, Copy)]
pub struct Running {
    pub place: Place,
    pub rank: Rank,
    pub began: u64,
}

/// The state of one turn, from one check phase to the next.
#[derive(Default)]
pub struct Turn {
    /// Nanoseconds from the beginning of the check pass to its last decision.
    pub in_check: u64,
    /// Nanoseconds taken by the checkpoint pass.
    pub at_checkpoints: u64,
    pub has_run_overdue_background: bool,
    /// A checkpoint has started a task that keeps the process alive.
    pub has_started: bool,
    /// The next enqueue order when the check phase began.
    pub first_order: u64,
    /// The check phase ended with its slice.
    pub is_late: bool,
    /// The check phase left background work because something other than I/O was runnable.
    pub has_given_way: bool,
    /// The check phase left background work because the host holds it.
    pub is_held: bool,
    /// An exception, a nested run or another slice: checkpoints are not promised.
    pub is_excused: bool,
}

pub struct Simulation {
    pub dice: Dice,
    pub world: World,
    pub event_loop: EventLoop,
    pub ledger: Ledger,
    pub trace: Trace,
    pub reached: Reached,
    pub turn: Turn,
    /// The turns of code.
    pub turns: Turns,
    pub others: Others,
    pub paused_until: u64,
    pub slice: u64,
    /// A checkpoint has to follow the callback under way.
    pub has_chain: bool,
    /// The callback under way posted or raised an urgent task.
    pub is_urgent: bool,
    pub is_in_pass: bool,
    pub is_nested: bool,
    pub is_polling: bool,
    /// Since the prepare hook, until the check hook.
    pub is_between_hooks: bool,
    /// The hooks rest until the next call: whether a check phase has passed since.
    pub rests: Option<bool>,
    /// When the scheduler first read the clock since the check phase began or the loop polled.
    pub read_at: Option<u64>,
    pub running: Option<Running>,
    /// A task has run since `beforeExit` was last emitted.
    pub has_run: bool,
    pub actions_left: u32,
    pub character: Character,
}

impl Simulation {
    /// `actions` are those of schedules that are all tried.
    pub fn new(mut dice: Dice, actions: &'static [Action]) -> Self {
        let character = Character::new(&mut dice, actions);
        Self {
            dice,
            world: World::default(),
            event_loop: EventLoop::default(),
            ledger: Ledger::default(),
            trace: Trace::default(),
            reached: Reached::default(),
            turn: Turn::default(),
            turns: Turns::default(),
            others: Others::default(),
            paused_until: 0,
            slice: DEFAULT_SLICE,
            has_chain: false,
            is_urgent: false,
            is_in_pass: false,
            is_nested: false,
            is_polling: false,
            is_between_hooks: false,
            rests: None,
            read_at: None,
            running: None,
            has_run: false,
            actions_left: character.actions,
            character,
        }
    }

    /// JavaScript is about to call the scheduler, whose hooks may have rested.
    pub fn wake(&mut self) {
        if let Some(has_turned) = self.rests.take() {
            self.event_loop
                .catch_up(&self.world, has_turned, self.is_between_hooks);
        }
    }

    /// Runs the main script, the loop until it ends, `beforeExit`, and the loop again.
    pub fn run(&mut self) -> Kept {
        self.set_up();
        self.callback(Callback::Main)?;
        let mut turns = 0;
        loop {
            if self.world.is_alive() {
                self.run_timers()?;
            }
            while self.world.is_alive() {
                let may_block = !self.character.drives_itself;
                if !may_block {
                    self.sleep_outside()?;
                }
                self.run_turn(may_block)?;
                turns += 1;
                ensure(turns < MOST_TURNS, Guarantee::End, "the loop never ends")?;
            }
            self.has_run = false;
            self.callback(Callback::BeforeExit)?;
            if !self.world.is_alive() {
                break;
            }
        }
        ensure(
            !self.has_run,
            Guarantee::End,
            "the process ended without `beforeExit` after a task",
        )?;
        ensure(
            !self.ledger.keeps_alive(),
            Guarantee::Once,
            "the process ended with tasks waiting",
        )
    }

    /// The host asks the loop how long it may sleep, and sleeps. The turn itself then does not.
    fn sleep_outside(&mut self) -> Kept {
        self.ensure_woken()?;
        self.sleep()
    }

    /// One turn in libuv's order. Our check handle is the first; Node's, which runs the immediates,
    /// is the second.
    pub fn run_turn(&mut self, may_block: bool) -> Kept {
        for _ in 0..std::mem::take(&mut self.world.pending) {
            self.callback(Callback::Pending)?;
        }
        self.on_prepare()?;
        self.poll(may_block)?;
        // Hidden until Node's own check handle has been called.
        let were_hidden = self.world.are_checks_hidden.replace(true);
        self.on_check()?;
        let are_hidden = self.world.are_checks_hidden.replace(were_hidden);
        ensure(
            !were_hidden || !self.is_nested,
            Guarantee::Sound,
            "a nested run of the loop cannot see the check handles of others",
        )?;
        // A nested run has moved Node's handle to the next turn.
        if are_hidden {
            for _ in std::mem::take(&mut self.world.immediates) {
                self.callback(Callback::Immediate)?;
            }
        }
        for _ in 0..std::mem::take(&mut self.world.closing) {
            self.callback(Callback::Close)?;
        }
        self.run_timers()
    }

    fn poll(&mut self, may_block: bool) -> Kept {
        if may_block {
            self.sleep()?;
        }
        if self.is_paused() {
            // A turn takes time, also without callbacks.
            self.world.now += MILLISECOND / 100;
        }
        self.world.update_loop_time();
        let outer = std::mem::replace(&mut self.is_polling, true);
        for _ in 0..self.world.take_ready_io() {
            self.callback(Callback::Io)?;
        }
        self.is_polling = outer;
        Ok(())
    }

    fn sleep(&mut self) -> Kept {
        let ends = self.world.timeout().into_iter();
        let ends = ends.chain(self.world.io.iter().copied()).min();
        ensure(ends.is_some(), Guarantee::End, "the loop sleeps for ever")?;
        self.trace.push(self.world.now, "polls", 0, 0);
        self.sleep_until(ends.unwrap_or_default())
    }

    fn sleep_until(&mut self, end: u64) -> Kept {
        if end <= self.world.now {
            return Ok(());
        }
        let latest = self.ledger.next_deadline();
        let queued = self.ledger.has_queued();
        let runnable = queued.then(|| self.first_runnable()).flatten();
        let latest = latest.into_iter().chain(runnable).min();
        let latest = latest.map(|deadline| deadline.max(self.world.now) + MILLISECOND);
        ensure(
            latest.is_none_or(|latest| end <= latest),
            Guarantee::Delays,
            "the loop sleeps past a deadline",
        )?;
        self.world.now = end;
        Ok(())
    }

    /// When the loop has to go on for held work: the hold ends, or an entry becomes overdue. If the
    /// check phase gave way to something else, the loop may sleep for a millisecond in any case.
    fn first_runnable(&self) -> Option<u64> {
        let hold = self.world.holds.at(self.world.now)?;
        if self.world.is_lifted {
            return None;
        }
        let overdue = self.ledger.next_overdue().unwrap_or(u64::MAX);
        let has_given_way = self.turn.has_given_way && !self.is_between_hooks;
        let fallback = has_given_way.then_some(self.world.now + MILLISECOND);
        Some(overdue.min(hold.until)).max(fallback)
    }

    fn run_timers(&mut self) -> Kept {
        let began = self.world.now;
        self.world.update_loop_time();
        // The order of our timer among the timers due in the same pass is open.
        if self.dice.percent(50) {
            self.wake_up()?;
        }
        while self.world.take_due_timer(began) {
            self.callback(Callback::Timer)?;
        }
        self.wake_up()
    }

    fn wake_up(&mut self) -> Kept {
        let is_due = |due: u64| due <= self.world.now;
        if self.world.wake_up.get().is_some_and(is_due) {
            self.world.forget_timer();
            self.on_timer()?;
        }
        Ok(())
    }

    /// Whether a task that a callback posts now needs a checkpoint, as no pass will find it.
    pub fn is_outside_drains(&self) -> bool {
        !self.is_polling && !self.is_in_pass
    }

    /// One callback, with its ticks and microtasks.
    pub fn callback(&mut self, callback: Callback) -> Kept {
        if let Callback::Timer | Callback::Immediate | Callback::Close | Callback::Pending =
            callback
        {
            self.ensure_not_overtaken()?;
        }
        self.run_body(callback)?;
        // Ticks run when the outermost callback ends.
        if self.is_nested {
            return Ok(());
        }
        if self.has_chain && !self.is_cut_by_exception() {
            self.pass_little();
            self.run_checkpoints()?;
        }
        if std::mem::take(&mut self.is_urgent) {
            self.ensure_no_urgent_left()?;
        }
        Ok(())
    }
}
