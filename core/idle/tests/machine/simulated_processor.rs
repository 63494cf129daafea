//! One processor that a background thread shares with neighbours: a fair scheduler with slices.
//!
//! The runnable thread that has run least comes next, and keeps the processor until it sleeps, its
//! slice has passed while another waits, or it yields. What kernels do differently is an option
//! ([`Kernel`]). The background thread asks a [`Machine`] as the addon does, and sleeps by a timer
//! of whole milliseconds that can be one late. Times are in nanoseconds.

use crate::neighbours::{MICROSECOND, MILLISECOND, Neighbour, Random};
use uv_scheduler_idle::machine::{Machine, Reading};
use uv_scheduler_idle::verdict::Verdict;

/// What kernels do differently.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Whether a thread that wakes gets the processor at once if it has run less than the one that
    /// runs; otherwise it waits for the end of the slice.
    pub preempts_at_wake_up: bool,
    /// Whether a thread that yields gives way at once. Between control groups kernels ignore a
    /// yield while the slice lasts.
    pub yields_at_once: bool,
}

impl Kernel {
    pub const SLICE: u64 = 3 * MILLISECOND;

    pub const ALL: [Self; 4] = [
        Self::new(false, false),
        Self::new(false, true),
        Self::new(true, false),
        Self::new(true, true),
    ];

    const fn new(preempts_at_wake_up: bool, yields_at_once: bool) -> Self {
        Self {
            preempts_at_wake_up,
            yields_at_once,
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
    /// When the controller says so.
    Machine,
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
    pub fn new(kernel: Kernel, neighbours: &[Neighbour]) -> Self {
        Self {
            kernel,
            rule: Rule::Machine,
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
    machine: Machine,
    random: Random,
    now: u64,
    step: Step,
    until: u64,
    /// How much each thread counts to have run.
    ran: Vec<u64>,
    was_runnable: Vec<bool>,
    current: usize,
    /// For how long the current thread has run since it was chosen.
    slice: u64,
    waited: u64,
    stopped: u64,
    background_ran: u64,
}

impl<'a> Processor<'a> {
    /// A thread that wakes preempts one that has run for so much longer.
    const GRANULARITY: u64 = MILLISECOND;

    fn new(scene: &'a Scene) -> Self {
        let threads = scene.neighbours.len() + 1;
        Self {
            scene,
            outcome: Outcome {
                length: scene.length,
                ..Outcome::default()
            },
            neighbours: scene.neighbours.clone(),
            machine: Machine::new(),
            random: Random::new(7),
            now: 0,
            step: match scene.rule {
                Rule::Never => Step::Sleep(u64::MAX),
                Rule::Always => Step::Work(scene.piece),
                Rule::Machine => Step::Yield,
            },
            until: 0,
            ran: vec![0; threads],
            was_runnable: vec![false; threads],
            current: BACKGROUND,
            slice: 0,
            waited: 0,
            stopped: 0,
            background_ran: 0,
        }
    }

    fn run(mut self) -> Outcome {
        while self.now < self.scene.length {
            self.wake();
            if self.lose() {
                continue;
            }
            self.choose();
            if self.current == BACKGROUND && self.is_runnable(BACKGROUND) && self.decide() {
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

    /// Gives threads that wake their place, with a credit of half a slice for having slept where
    /// that can preempt.
    fn wake(&mut self) {
        let threads = self.ran.len();
        let may_preempt = self.scene.kernel.preempts_at_wake_up;
        let credit = if may_preempt { Kernel::SLICE / 2 } else { 0 };
        let least = (0..threads)
            .filter(|&thread| self.was_runnable[thread])
            .map(|thread| self.ran[thread])
            .min();
        for thread in 0..threads {
            let runs = self.is_runnable(thread);
            if runs && !self.was_runnable[thread] {
                let place = least.map_or(0, |least| least.saturating_sub(credit));
                self.ran[thread] = self.ran[thread].max(place);
                let ahead = self.ran[self.current].saturating_sub(self.ran[thread]);
                if may_preempt && ahead > Self::GRANULARITY {
                    self.switch(thread);
                }
            }
            self.was_runnable[thread] = runs;
        }
        if self.is_runnable(BACKGROUND) && matches!(self.step, Step::Sleep(_)) {
            self.step = Step::Yield;
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
            self.waited += loss.length;
            self.outcome.lost += loss.length;
        }
        if loss.is_stop {
            self.stopped += loss.length;
        }
        self.now += loss.length;
        true
    }

    fn switch(&mut self, thread: usize) {
        if self.current != thread {
            self.current = thread;
            self.slice = 0;
        }
    }

    /// The runnable thread that has run least, other than the current one.
    fn other(&self) -> Option<usize> {
        (0..self.ran.len())
            .filter(|&thread| thread != self.current && self.is_runnable(thread))
            .min_by_key(|&thread| self.ran[thread])
    }

    fn choose(&mut self) {
        let keeps = self.is_runnable(self.current) && self.slice < Kernel::SLICE;
        if let Some(other) = self.other().filter(|_| !keeps) {
            self.switch(other);
        }
    }

    /// Takes the background thread's steps that need no time. Whether it has another one to take.
    fn decide(&mut self) -> bool {
        match self.step {
            Step::Yield => {
                self.step = Step::Ask;
                if let Some(other) = self.other().filter(|_| self.scene.kernel.yields_at_once) {
                    self.ran[BACKGROUND] = self.ran[BACKGROUND].max(self.ran[other] + 1);
                    self.switch(other);
                }
                true
            }
            Step::Ask => {
                self.ask();
                true
            }
            Step::Work(0) => {
                self.outcome.pieces.push(self.now);
                let asks = self.scene.rule == Rule::Machine && self.now >= self.until;
                self.step = if asks {
                    Step::Yield
                } else {
                    Step::Work(self.scene.piece)
                };
                true
            }
            Step::Pay(0) => {
                self.step = Step::Work(self.scene.piece);
                true
            }
            Step::Work(_) | Step::Pay(_) | Step::Sleep(_) => false,
        }
    }

    fn ask(&mut self) {
        let verdict = self.machine.decide(&Reading {
            now: self.now,
            ran: self.background_ran,
            waited: self.waited,
            stopped: self.stopped,
            background: self.outcome.background,
        });
        self.step = match verdict {
            Verdict::Run { until } => {
                assert!(until > self.now, "a verdict counts for some time");
                self.until = until;
                Step::Pay(COST)
            }
            Verdict::Hold { until } => {
                assert!(until > self.now, "a hold lasts for some time");
                let whole = until.next_multiple_of(MILLISECOND);
                let late = (self.random.next() * MILLISECOND as f64) as u64;
                Step::Sleep(whole + late)
            }
        };
    }

    /// Lets time pass until something can change.
    fn advance(&mut self) {
        let mut next = self.scene.length;
        if let Some(loss) = self.scene.loss {
            let start = loss.period - loss.length;
            next = next.min(self.now - self.now % loss.period + start);
            if next <= self.now {
                next += loss.period;
            }
        }
        if let Step::Sleep(until) = self.step {
            next = next.min(until.max(self.now));
        }
        for neighbour in &self.neighbours {
            next = next.min(neighbour.next_change(self.now));
        }
        let current = Some(self.current).filter(|&thread| self.is_runnable(thread));
        if let Some(thread) = current {
            let work = match (thread.checked_sub(1), self.step) {
                (Some(index), _) => self.neighbours[index].work_left(),
                (None, Step::Work(left) | Step::Pay(left)) => left,
                (None, _) => unreachable!("the background thread runs without work"),
            };
            next = next.min(self.now + work);
            if self.other().is_some() {
                next = next.min(self.now + Kernel::SLICE - self.slice.min(Kernel::SLICE - 1));
            }
        }
        self.pass(current, next - self.now);
    }

    fn pass(&mut self, current: Option<usize>, time: u64) {
        self.now += time;
        if current != Some(BACKGROUND) && !matches!(self.step, Step::Sleep(_)) {
            self.waited += time;
        }
        let Some(thread) = current else {
            return;
        };
        self.slice += time;
        self.ran[thread] += time;
        match thread.checked_sub(1) {
            Some(index) => {
                self.outcome.neighbours += time;
                self.neighbours[index].work(self.now, time);
            }
            None => {
                self.background_ran += time;
                match &mut self.step {
                    Step::Work(left) => {
                        *left -= time;
                        self.outcome.background += time;
                    }
                    Step::Pay(left) => *left -= time,
                    _ => unreachable!(),
                }
            }
        }
    }
}
