//! What callbacks and tasks do, at random. Owns the choice of their actions and of the time that
//! they take; knows nothing of phases, nor of the rules that a schedule is judged by.

use crate::ledger::{Home, Rank};
use crate::random::Random;
use crate::rules::{Guarantee, Kept, ensure};
use crate::simulation::{Callback, Place, Simulation};
use crate::world::{MICROSECOND, MILLISECOND};

const ALL: &[Rank] = &[-1, 0, 1, 2, 3, 4, 5];

/// The priorities of one schedule: all, or a few whose rules meet more often then.
const RANKS: [&[Rank]; 7] = [
    ALL,
    ALL,
    &[2, 3],
    &[2, 3, 4],
    &[4, 5],
    &[0, 2, 4],
    &[-1, 0, 2],
];

/// More signals and tasks than the queues keep memory for, and a delay that outlasts them.
const FLOOD: usize = 1_100;
const LONG_DELAY: u64 = 60_000 * MILLISECOND;

/// What sets one schedule apart from others.
pub struct Character {
    /// All times are multiples of it, so that they meet at the limits.
    quantum: u64,
    ranks: &'static [Rank],
    /// In so many of a hundred cases: a step takes long, an exception, a nested run.
    long: u64,
    exceptions: u64,
    nested_runs: u64,
    /// Whether the main script begins with many tasks.
    has_flood: bool,
}

impl Character {
    pub fn new(random: &mut Random) -> Self {
        Self {
            quantum: random.pick(&[1, MICROSECOND, 50 * MICROSECOND]),
            ranks: random.pick(&RANKS),
            long: random.pick(&[0, 3, 15]),
            exceptions: random.pick(&[0, 0, 0, 5]),
            nested_runs: random.pick(&[0, 0, 0, 50]),
            has_flood: random.below(500) == 0,
        }
    }
}

impl Simulation {
    /// What a callback does itself.
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
                ensure(
                    self.ledger.take(id),
                    Guarantee::Once,
                    "a task started that does not wait",
                )?;
                self.ensure_queues_gone()?;
                match place {
                    Place::Check => (4, "task, in the check phase:", id, rank),
                    Place::Checkpoint => (4, "task, at a checkpoint:", id, rank),
                }
            }
        };
        self.trace.push(now, what, id, rank);
        if matches!(callback, Callback::Main) && self.character.has_flood {
            self.flood()?;
        }
        for _ in 0..self.random.below(steps) {
            self.pass();
            if self.actions_left > 0 {
                self.actions_left -= 1;
                self.act()?;
            }
        }
        self.pass();
        Ok(())
    }

    /// Many signals, a task of each.
    fn flood(&mut self) -> Kept {
        for _ in 0..FLOOD {
            let rank = self.any_rank();
            let home = Home::Signal(self.ledger.add_signal(rank));
            self.post(home)?;
        }
        let home = self.any_home();
        self.post_delayed(home, LONG_DELAY)
    }

    fn act(&mut self) -> Kept {
        match self.random.below(100) {
            0..35 => {
                let home = self.any_home();
                self.post(home)
            }
            35..45 => {
                let home = self.any_home();
                let delay = self.any_wait();
                self.post_delayed(home, delay)
            }
            45..57 => {
                let rank = self.any_rank();
                match self.ledger.signals.len() as u64 {
                    0 => Ok(()),
                    signals => {
                        let signal = self.random.below(signals) as usize;
                        self.set_priority(signal, rank)
                    }
                }
            }
            57..63 => {
                let ids = self.ledger.ids();
                if ids.is_empty() {
                    return Ok(());
                }
                let id = self.random.pick(&ids);
                self.remove(id)
            }
            63..73 => {
                let due = self.world.now + self.any_wait();
                self.world.timers.push((due, self.world.now));
                Ok(())
            }
            73..81 => {
                let is_referenced = self.random.percent(85);
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
            _ => self.run_nested(),
        }
    }

    /// Runs the loop from inside a callback.
    fn run_nested(&mut self) -> Kept {
        if self.is_nested || !self.random.percent(self.character.nested_runs) {
            return Ok(());
        }
        self.trace.push(self.world.now, "nested run", 0, 0);
        self.is_nested = true;
        let was_polling = std::mem::replace(&mut self.is_polling, false);
        for _ in 0..=self.random.below(2) {
            self.run_turn(false)?;
        }
        self.is_polling = was_polling;
        self.is_nested = false;
        self.turn.is_excused = true;
        self.trace.push(self.world.now, "nested run ends", 0, 0);
        Ok(())
    }

    /// An exception leaves the checkpoint to the ticks of the next callback, or loses it.
    pub fn is_cut_by_exception(&mut self) -> bool {
        if !self.random.percent(self.character.exceptions) {
            return false;
        }
        self.trace.push(self.world.now, "exception", 0, 0);
        self.turn.is_excused = true;
        self.has_chain = self.random.percent(50);
        true
    }

    fn any_home(&mut self) -> Home {
        if self.random.percent(55) {
            return Home::Fixed(self.any_rank());
        }
        let signals = self.ledger.signals.len() as u64;
        let signal = self.random.below(signals + 1);
        if signal < signals.min(6) {
            return Home::Signal(signal as usize);
        }
        let rank = self.any_rank();
        Home::Signal(self.ledger.add_signal(rank))
    }

    fn any_rank(&mut self) -> Rank {
        self.random.pick(self.character.ranks)
    }

    pub fn any_slice(&mut self) -> u64 {
        let slices = [0, 1, 100, 150, 500, 1_000, 5_000];
        self.random.pick(&slices) * MICROSECOND
    }

    pub fn set_background_timeout(&mut self) {
        let timeouts = [1, 500, 3_000, 20_000];
        let timeout = Some(self.random.pick(&timeouts) * MICROSECOND);
        self.event_loop.set_background_timeout(timeout);
        self.ledger.background_timeout = timeout;
    }

    /// A multiple of the quantum below `end`.
    pub fn multiple(&mut self, end: u64) -> u64 {
        let time = self.random.below(end);
        time - time % self.character.quantum
    }

    fn any_wait(&mut self) -> u64 {
        let end = self
            .random
            .pick(&[1, 110 * MICROSECOND, 400 * MICROSECOND, 3 * MILLISECOND]);
        self.multiple(end)
    }

    fn pass(&mut self) {
        let end = if self.random.percent(self.character.long) {
            7 * MILLISECOND
        } else {
            self.random
                .pick(&[1, 1, 10 * MICROSECOND, 110 * MICROSECOND, 300 * MICROSECOND])
        };
        self.world.now += self.multiple(end);
    }

    /// What lies between callbacks: little, but the process can be suspended there, too.
    pub fn pass_little(&mut self) {
        let is_suspended = self.random.percent(self.character.long) && self.random.percent(5);
        let end = if is_suspended {
            9 * MILLISECOND
        } else {
            self.random.pick(&[1, 1, 2 * MICROSECOND])
        };
        self.world.now += self.multiple(end);
    }
}
