//! The actions of callbacks and tasks, and the times that they take. The dice decide.

use uv_scheduler_core::max_wait::MaxWait;

use crate::choices::{Action, depth};
use crate::dice::Dice;
use crate::holds::Holds;
use crate::ledger::{Home, Rank};
use crate::rules::{Guarantee, Kept, ensure};
use crate::simulation::{Callback, Place, Simulation};
use crate::world::{MICROSECOND, MILLISECOND};

const ALL: &[Rank] = &[-1, 0, 1, 2, 3, 4, 5];

/// The priorities of one schedule: all, or a few, so that their rules meet more often.
const RANKS: [&[Rank]; 7] = [
    ALL,
    ALL,
    &[2, 3],
    &[2, 3, 4],
    &[4, 5],
    &[0, 2, 4],
    &[-1, 0, 2],
];

/// More signals and tasks than the capacity that empty queues keep, and a delay that outlasts them.
const FLOOD: usize = 1_100;
const LONG_DELAY: u64 = 60_000 * MILLISECOND;

/// The number of actions of all callbacks in one schedule. After these they only take time, so that
/// each schedule ends.
const ACTIONS: u32 = 250;

/// Of so many kinds of actions; the first ones call the scheduler.
const ALL_KINDS: u64 = 100;
const CALLS: u64 = 63;

/// The differences of one schedule from others.
pub struct Character {
    pub actions: u32,
    /// The host drives the loop itself.
    pub drives_itself: bool,
    /// The hooks rest while no entry waits, as those of the addon.
    pub rests: bool,
    /// All times are multiples of this, so that they meet at the limits.
    unit: u64,
    ranks: &'static [Rank],
    /// The kinds of actions that occur.
    kinds: u64,
    /// How many times as long as usual all steps are that are not long.
    pace: u64,
    /// The percentages of long steps, questions whether to yield, exceptions and nested runs.
    long: u64,
    asks: u64,
    exceptions: u64,
    nested_runs: u64,
    /// The percentage of delayed tasks that become such with a bound of their own instead.
    bounded: u64,
    /// Whether the main script begins with many tasks.
    has_flood: bool,
    /// The percentage of actions that open, close or use requests, and whether the main script
    /// begins with so many of them that levels are learned.
    pub requests: u64,
    has_many_requests: bool,
    /// The actions of a schedule that is one of all.
    pub choices: &'static [Action],
    /// When the host holds background work.
    holds: Holds,
}

impl Character {
    pub fn new(dice: &mut Dice, choices: &'static [Action]) -> Self {
        if dice.is_exhaustive() {
            return Self {
                actions: depth(),
                drives_itself: dice.below(2) == 1,
                rests: true,
                unit: 1,
                ranks: ALL,
                kinds: ALL_KINDS,
                pace: 1,
                long: 0,
                asks: 0,
                exceptions: 0,
                nested_runs: 100,
                bounded: 0,
                has_flood: false,
                requests: 0,
                has_many_requests: false,
                choices,
                holds: Holds::default(),
            };
        }
        let has_flood = dice.below(500) == 0;
        let requests = dice.pick(&[0, 0, 0, 15, 50]);
        let has_many_requests = dice.below(400) == 0;
        Self {
            actions: if has_many_requests {
                4 * ACTIONS
            } else {
                ACTIONS
            },
            drives_itself: dice.percent(20),
            // Without a roll of the dice, as a hook that rests changes nothing.
            rests: requests < 50,
            unit: dice.pick(&[1, MICROSECOND, 50 * MICROSECOND]),
            ranks: dice.pick(&RANKS),
            kinds: dice.pick(&[ALL_KINDS, ALL_KINDS, ALL_KINDS, CALLS]),
            pace: dice.pick(&[1, 1, 8]),
            long: dice.pick(&[0, 3, 15]),
            asks: dice.pick(&[0, 20, 60]),
            exceptions: dice.pick(&[0, 0, 0, 5]),
            nested_runs: dice.pick(&[0, 0, 0, 50]),
            bounded: dice.pick(&[0, 0, 40, 90]),
            has_flood,
            requests: if has_flood { 0 } else { requests },
            has_many_requests,
            choices,
            holds: any_holds(dice),
        }
    }
}

/// The wake-ups of the loop are whole milliseconds apart, so no period is a multiple of one: each
/// hold is found to have ended some time.
fn any_holds(dice: &mut Dice) -> Holds {
    let microseconds = dice.pick(&[(0, 0), (0, 0), (310, 160), (3_100, 400), (20_100, 2_000)]);
    let (period, open) = microseconds;
    Holds {
        period: period * MICROSECOND,
        open: open * MICROSECOND,
    }
}

impl Simulation {
    /// The application's settings before anything else.
    pub fn set_up(&mut self) {
        if self.dice.is_exhaustive() {
            return;
        }
        self.world.now = self.multiple(10 * MILLISECOND);
        self.world.holds = self.character.holds;
        if self.dice.percent(60) {
            let slice = self.any_slice();
            self.set_slice(slice);
        }
        if self.dice.percent(30) {
            self.set_any_max_wait();
        }
        self.turn.is_excused = false;
    }

    /// The synchronous part of a callback.
    pub fn run_body(&mut self, callback: Callback) -> Kept {
        let now = self.world.now;
        let (steps, what, id, rank) = match callback {
            Callback::Main => (15, "main script", 0, 0),
            Callback::BeforeExit => (3, "beforeExit", 0, 0),
            Callback::Pending => (3, "pending callback", 0, 0),
            Callback::Io => (4, "I/O callback", 0, 0),
            Callback::Immediate => (3, "immediate", 0, 0),
            Callback::Close => (3, "close callback", 0, 0),
            Callback::Timer => (4, "timer", 0, 0),
            Callback::Task(place, id, rank) => {
                let taken = self.ledger.take(id);
                ensure(
                    taken.is_some(),
                    Guarantee::Once,
                    "a task started that was not waiting",
                )?;
                self.has_run |= !self.is_nested && taken == Some(true);
                self.ensure_queues_gone()?;
                match place {
                    Place::Check => (4, "task, in the check phase:", id, rank),
                    Place::Checkpoint => (4, "task, at a checkpoint:", id, rank),
                }
            }
        };
        self.trace.push(now, what, id, rank);
        if matches!(callback, Callback::Main) {
            self.begin()?;
        }
        if self.character.has_many_requests && self.dice.percent(5) {
            self.close_many_requests()?;
        }
        if self.dice.is_exhaustive() {
            return self.act_by_choice();
        }
        for _ in 0..self.dice.below(steps) {
            self.pass();
            if self.actions_left > 0 {
                self.actions_left -= 1;
                self.act()?;
                self.ensure_published()?;
            }
            if self.dice.percent(self.character.asks) {
                self.ask_in_pieces()?;
            }
        }
        self.pass();
        Ok(())
    }

    /// The main script begins with many tasks, or not.
    fn begin(&mut self) -> Kept {
        if self.character.has_flood {
            self.flood()?;
        }
        if self.character.has_many_requests {
            self.open_many_requests()?;
        }
        Ok(())
    }

    /// Many signals, a task of each.
    fn flood(&mut self) -> Kept {
        for _ in 0..FLOOD {
            let rank = self.any_rank();
            let home = Home::Signal(self.ledger.add_signal(rank));
            self.post(home, true)?;
        }
        let home = self.any_home();
        self.post_delayed(home, true, LONG_DELAY)
    }

    fn act(&mut self) -> Kept {
        if self.dice.percent(self.character.requests) {
            return self.act_on_requests();
        }
        match self.dice.below(self.character.kinds) {
            0..3 => self.ask_as_any(),
            3 => self.list(),
            4 if self.dice.percent(50) => {
                let time = self.dice.below(MILLISECOND);
                self.pause(time);
                Ok(())
            }
            4 => self.read_held(),
            5 if self.character.holds.period > 0 => {
                let is_lifted = self.dice.percent(30);
                self.lift_hold(is_lifted);
                Ok(())
            }
            5..35 => {
                let home = self.any_home();
                let is_referenced = self.dice.percent(85);
                self.post(home, is_referenced)
            }
            35..45 => {
                let home = self.any_home();
                let delay = self.any_wait();
                let is_referenced = self.dice.percent(85);
                if !self.dice.percent(self.character.bounded) {
                    return self.post_delayed(home, is_referenced, delay);
                }
                let delay = if self.dice.percent(60) { 0 } else { delay };
                let max_wait = self.any_own_bound();
                self.post_bounded(home, is_referenced, delay, max_wait)
            }
            45..57 => {
                let rank = self.any_rank();
                match self.ledger.signals.len() as u64 {
                    0 => Ok(()),
                    signals => {
                        let signal = self.dice.below(signals) as usize;
                        self.set_priority(signal, rank)
                    }
                }
            }
            57..63 => {
                let ids = self.ledger.ids();
                if ids.is_empty() {
                    return Ok(());
                }
                let first = self.dice.below(ids.len() as u64) as usize;
                let count = 1 + self.dice.below(3) as usize;
                self.remove(&ids[first..ids.len().min(first + count)])
            }
            63..73 => {
                let due = self.world.now + self.any_wait();
                self.world.timers.push((due, self.world.now));
                Ok(())
            }
            73..81 => {
                let is_referenced = self.dice.percent(85);
                self.world.immediates.push(is_referenced);
                Ok(())
            }
            81..91 => {
                let ready = self.world.now + self.any_wait();
                self.world.io.push(ready);
                Ok(())
            }
            91..94 => {
                self.world.closing += 1;
                Ok(())
            }
            94..96 => {
                self.world.pending += 1;
                Ok(())
            }
            96 => {
                let slice = self.any_slice();
                self.set_slice(slice);
                Ok(())
            }
            97 if self.ledger.has_max_wait() || self.dice.percent(5) => {
                self.set_any_max_wait();
                Ok(())
            }
            _ => self.run_nested(),
        }
    }

    /// Code asks whether to yield, often for the priority that the most urgent task has.
    fn ask_as_any(&mut self) -> Kept {
        let top = self.ledger.top(false).filter(|_| self.dice.percent(90));
        let rank = top.map_or_else(|| self.any_rank(), |top| top.rank);
        // Code asks for the rank of its continuation.
        let rank = rank.max(0) | 1;
        let is_other = self.dice.percent(30);
        let flow = self.any_flow().filter(|_| self.dice.percent(40));
        self.ask_to_yield(rank, is_other, flow)
    }

    /// Work in pieces: a question behind each of some steps.
    fn ask_in_pieces(&mut self) -> Kept {
        for _ in 0..self.dice.below(12) {
            self.pass();
            self.ask_as_any()?;
        }
        Ok(())
    }

    /// Runs the loop from inside a callback.
    pub fn run_nested(&mut self) -> Kept {
        if self.is_nested || !self.dice.percent(self.character.nested_runs) {
            return Ok(());
        }
        self.trace.push(self.world.now, "nested run", 0, 0);
        self.is_nested = true;
        self.ledger.shares.forget();
        let was_polling = std::mem::replace(&mut self.is_polling, false);
        let further = if self.dice.is_exhaustive() {
            0
        } else {
            self.dice.below(2)
        };
        for _ in 0..=further {
            self.run_turn(false)?;
        }
        self.is_polling = was_polling;
        self.is_nested = false;
        // Its check phase may have released the loop for the task around it, too.
        self.has_run &= self.world.is_referenced.get();
        self.turn.is_excused = true;
        self.trace.push(self.world.now, "nested run ends", 0, 0);
        Ok(())
    }

    /// Whether an exception stops the chain, which then goes on after the next callback or is lost.
    pub fn is_cut_by_exception(&mut self) -> bool {
        if !self.dice.percent(self.character.exceptions) {
            return false;
        }
        self.trace.push(self.world.now, "exception", 0, 0);
        self.turn.is_excused = true;
        self.has_chain = self.dice.percent(50);
        true
    }

    fn any_home(&mut self) -> Home {
        if self.dice.percent(55) {
            return Home::Fixed(self.any_rank());
        }
        let signals = self.ledger.signals.len() as u64;
        let signal = self.dice.below(signals + 1);
        if signal < signals.min(6) {
            return Home::Signal(signal as usize);
        }
        let rank = self.any_rank();
        Home::Signal(self.ledger.add_signal(rank))
    }

    pub fn any_rank(&mut self) -> Rank {
        self.dice.pick(self.character.ranks)
    }

    pub fn any_slice(&mut self) -> u64 {
        let slices = [0, 1, 100, 150, 500, 1_000, 5_000, 50_000];
        self.dice.pick(&slices) * MICROSECOND
    }

    pub fn any_own_bound(&mut self) -> u64 {
        let bounds = [1, 200, 3_000, 20_000, u64::MAX / MICROSECOND];
        self.dice.pick(&bounds).saturating_mul(MICROSECOND)
    }

    fn set_any_max_wait(&mut self) {
        let bounds = [None, Some(1), Some(500), Some(3_000), Some(20_000)];
        let mut bound = || self.dice.pick(&bounds).map(|bound| bound * MICROSECOND);
        let (user_visible, background) = (bound(), bound());
        self.set_max_wait(MaxWait {
            user_visible,
            background,
        });
    }

    /// A multiple of the unit of time, below `end`.
    pub fn multiple(&mut self, end: u64) -> u64 {
        let time = self.dice.below(end);
        time - time % self.character.unit
    }

    fn any_wait(&mut self) -> u64 {
        let end = self
            .dice
            .pick(&[1, 110 * MICROSECOND, 400 * MICROSECOND, 3 * MILLISECOND]);
        self.multiple(end)
    }

    fn pass(&mut self) {
        if self.dice.is_exhaustive() {
            return;
        }
        let end = if self.dice.percent(self.character.long) {
            self.dice.pick(&[7, 7, 60]) * MILLISECOND
        } else {
            let ends = [1, 1, 10 * MICROSECOND, 110 * MICROSECOND, 300 * MICROSECOND];
            self.dice.pick(&ends) * self.character.pace
        };
        self.world.now += self.multiple(end);
    }

    /// Lets the time between callbacks pass: little, unless the process is suspended.
    pub fn pass_little(&mut self) {
        if self.dice.is_exhaustive() {
            return;
        }
        let is_suspended = self.dice.percent(self.character.long) && self.dice.percent(5);
        let end = if is_suspended {
            9 * MILLISECOND
        } else {
            self.dice.pick(&[1, 1, 2 * MICROSECOND])
        };
        self.world.now += self.multiple(end);
    }
}
