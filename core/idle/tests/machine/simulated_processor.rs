//! One processor that a background thread shares with neighbours.
//!
//! The background thread asks a [`Machine`] as the addon does, and sleeps by a timer of whole
//! milliseconds that can be one late. Times are in nanoseconds.

use crate::neighbours::{MICROSECOND, MILLISECOND, Neighbour, Random};
use crate::schedulers::{Eevdf, Fair, Scheduler};
use uv_scheduler_idle::controller::Controller;
use uv_scheduler_idle::machine::{Machine, Reading};
use uv_scheduler_idle::system::ThreadTimes;

/// Which scheduler the kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    Fair { preempts: bool },
    Eevdf { slice: u64, tick: u64 },
}

impl Kernel {
    pub const ALL: [Self; 5] = [
        Self::Fair { preempts: false },
        Self::Fair { preempts: true },
        // Linux on 2 processors and on 8 or more, with 250 and 1000 ticks per second.
        Self::eevdf(1_400, 4),
        Self::eevdf(2_800, 4),
        Self::eevdf(2_800, 1),
    ];

    const fn eevdf(slice: u64, tick: u64) -> Self {
        Self::Eevdf {
            slice: slice * MICROSECOND,
            tick: tick * MILLISECOND,
        }
    }

    fn scheduler(self, threads: usize, rule: Rule) -> Box<dyn Scheduler> {
        let polite = (rule == Rule::Polite).then_some(BACKGROUND);
        match self {
            Self::Fair { preempts } => Box::new(Fair::new(threads, preempts)),
            Self::Eevdf { slice, tick } => Box::new(Eevdf::new(threads, slice, tick, polite)),
        }
    }
}

/// Time that the background thread loses and that no neighbour uses, once per period.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    pub period: u64,
    pub length: u64,
    /// Whether the group is stopped by its quota; otherwise an interrupt or a kernel thread runs.
    pub is_stop: bool,
}

/// When the background thread may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Never: the neighbours are alone.
    Never,
    /// Always.
    Always,
    /// When the controller says so. The thread never preempts when it wakes up from a hold.
    Polite,
}

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Scene {
    pub kernel: Kernel,
    pub rule: Rule,
    /// How long one piece of background work takes.
    pub piece: u64,
    pub neighbours: Vec<Neighbour>,
    pub loss: Option<Loss>,
    pub length: u64,
}

impl Scene {
    pub fn new(kernel: Kernel, rule: Rule, neighbours: &[Neighbour]) -> Self {
        Self {
            kernel,
            rule,
            piece: MILLISECOND / 2,
            neighbours: neighbours.to_vec(),
            loss: None,
            length: 60_000 * MILLISECOND,
        }
    }

    pub fn with_rule(&self, rule: Rule) -> Self {
        Self {
            rule,
            ..self.clone()
        }
    }

    pub fn run(&self) -> Outcome {
        Processor::new(self).run()
    }
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// From arrival to completion, of each request, in ascending order.
    pub latencies: Vec<u64>,
    /// When each piece of background work ended.
    pub pieces: Vec<u64>,
    /// For how long background work has run.
    pub background: u64,
    /// For how long neighbours have run.
    pub neighbours: u64,
    /// For how long the processor was lost, as far as background work wanted it.
    pub lost: u64,
    pub length: u64,
}

impl Outcome {
    pub fn percentile(&self, percent: usize) -> u64 {
        self.latencies[self.latencies.len() * percent / 100]
    }

    /// Background work per time that was left for it.
    pub fn share_used(&self) -> f64 {
        self.background as f64 / (self.length - self.neighbours - self.lost) as f64
    }

    /// Neighbours' work per time.
    pub fn neighbours_share(&self) -> f64 {
        self.neighbours as f64 / self.length as f64
    }
}

/// What the background thread does next.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Yields, and then asks.
    Yield,
    Ask,
    /// Works for this long, then does the next piece, or asks.
    Work(u64),
    /// Spends the time that a question costs.
    Pay(u64),
    Sleep(u64),
}

/// The index of the background thread; those after it are neighbours.
const BACKGROUND: usize = 0;

/// What a yield, a reading and a decision cost together.
const COST: u64 = 2 * MICROSECOND;

struct Processor<'a> {
    scene: &'a Scene,
    outcome: Outcome,
    neighbours: Vec<Neighbour>,
    scheduler: Box<dyn Scheduler>,
    machine: Machine,
    random: Random,
    now: u64,
    step: Step,
    until: u64,
    was_runnable: Vec<bool>,
    times: ThreadTimes,
    stopped: u64,
}

impl<'a> Processor<'a> {
    fn new(scene: &'a Scene) -> Self {
        let threads = scene.neighbours.len() + 1;
        Self {
            scene,
            outcome: Outcome {
                length: scene.length,
                ..Outcome::default()
            },
            neighbours: scene.neighbours.clone(),
            scheduler: scene.kernel.scheduler(threads, scene.rule),
            machine: Machine::default(),
            random: Random::new(7),
            now: 0,
            step: Step::Sleep(match scene.rule {
                Rule::Never => u64::MAX,
                _ => 0,
            }),
            until: 0,
            was_runnable: vec![false; threads],
            times: ThreadTimes::default(),
            stopped: 0,
        }
    }

    fn run(mut self) -> Outcome {
        while self.now < self.scene.length {
            self.wake();
            if self.lose() {
                continue;
            }
            if self.scheduler.current() == Some(BACKGROUND) && self.decide() {
                continue;
            }
            self.advance();
        }
        for neighbour in &mut self.neighbours {
            self.outcome.latencies.append(&mut neighbour.latencies);
        }
        self.outcome.latencies.sort_unstable();
        self.outcome
    }

    fn is_runnable(&self, thread: usize) -> bool {
        match thread.checked_sub(1) {
            None => !matches!(self.step, Step::Sleep(until) if until > self.now),
            Some(index) => self.neighbours[index].is_runnable(self.now),
        }
    }

    /// Tells the scheduler which threads have woken up or gone to sleep.
    fn wake(&mut self) {
        let current = self.scheduler.current();
        if current.is_some_and(|thread| !self.is_runnable(thread)) {
            self.was_runnable[current.unwrap()] = false;
            self.scheduler.sleep();
        }
        for thread in 0..self.was_runnable.len() {
            if self.is_runnable(thread) && !self.was_runnable[thread] {
                self.was_runnable[thread] = true;
                self.scheduler.wake(thread);
            }
        }
        if self.was_runnable[BACKGROUND] && matches!(self.step, Step::Sleep(_)) {
            self.step = match self.scene.rule {
                Rule::Polite => Step::Yield,
                Rule::Always | Rule::Never => Step::Work(self.scene.piece),
            };
        }
    }

    /// Passes a loss that begins now.
    fn lose(&mut self) -> bool {
        let Some(loss) = self.scene.loss else {
            return false;
        };
        if self.now % loss.period != loss.period - loss.length {
            return false;
        }
        if self.is_runnable(BACKGROUND) {
            self.times.waited += loss.length;
            self.outcome.lost += loss.length;
        }
        if loss.is_stop {
            self.stopped += loss.length;
        }
        self.now += loss.length;
        true
    }

    /// Takes a step of the background thread that needs no time, if it is at one.
    fn decide(&mut self) -> bool {
        match self.step {
            Step::Yield => {
                self.step = Step::Ask;
                self.scheduler.give_way();
            }
            Step::Ask => self.ask(),
            Step::Work(0) => {
                self.outcome.pieces.push(self.now);
                let asks = self.scene.rule != Rule::Always && self.now >= self.until;
                self.step = if asks {
                    Step::Yield
                } else {
                    Step::Work(self.scene.piece)
                };
            }
            Step::Pay(0) => self.step = Step::Work(self.scene.piece),
            Step::Work(_) | Step::Pay(_) | Step::Sleep(_) => return false,
        }
        true
    }

    fn ask(&mut self) {
        let verdict = self.machine.decide(&Reading {
            now: self.now,
            times: self.times,
            stopped: self.stopped,
            background: self.outcome.background,
        });
        assert!(verdict.until > self.now, "a verdict lies ahead");
        self.step = if verdict.holds {
            let whole = (verdict.until - self.now).next_multiple_of(MILLISECOND);
            let late = (self.random.next() * MILLISECOND as f64) as u64;
            Step::Sleep(self.now + whole + late)
        } else {
            self.until = verdict.until;
            Step::Pay(COST)
        };
    }

    /// Lets time pass until something can change.
    fn advance(&mut self) {
        let mut next = self.scene.length.min(self.scheduler.next_look(self.now));
        if let Some(loss) = self.scene.loss {
            let start = self.now - self.now % loss.period + loss.period - loss.length;
            next = next.min(if start > self.now {
                start
            } else {
                start + loss.period
            });
        }
        if let Step::Sleep(until) = self.step {
            next = next.min(until.max(self.now));
        }
        for neighbour in &self.neighbours {
            next = next.min(neighbour.next_change(self.now));
        }
        if let Some(thread) = self.scheduler.current() {
            let work = match (thread.checked_sub(1), self.step) {
                (Some(index), _) => self.neighbours[index].work_left(),
                (None, Step::Work(left) | Step::Pay(left)) => left,
                (None, _) => unreachable!("the background thread runs without work"),
            };
            next = next.min(self.now + work);
        }
        self.pass(next - self.now);
        // A thread that has just finished goes to sleep first.
        let current = self.scheduler.current();
        if current.is_none_or(|thread| self.is_runnable(thread)) {
            self.scheduler.look(self.now);
        }
    }

    fn pass(&mut self, time: u64) {
        let current = self.scheduler.current();
        self.now += time;
        self.scheduler.pass(time);
        if current != Some(BACKGROUND) && self.was_runnable[BACKGROUND] {
            self.times.waited += time;
        }
        let Some(thread) = current else {
            return;
        };
        match (thread.checked_sub(1), &mut self.step) {
            (Some(index), _) => {
                self.outcome.neighbours += time;
                self.neighbours[index].work(self.now, time);
            }
            (None, Step::Work(left)) => {
                *left -= time;
                self.times.ran += time;
                self.outcome.background += time;
            }
            (None, Step::Pay(left)) => {
                *left -= time;
                self.times.ran += time;
            }
            (None, _) => unreachable!("the background thread runs without work"),
        }
    }
}
