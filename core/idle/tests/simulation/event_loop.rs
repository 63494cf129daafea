//! One simulated event loop: requests first in, first out, background pieces when none waits, and
//! before each piece the question whether it may start.

use crate::MS;
use crate::dice::Dice;
use crate::scenario::PERIOD;
use std::collections::VecDeque;
use uv_scheduler_idle::container::{Container, Reading};
use uv_scheduler_idle::controller::{Controller, Verdict};
use uv_scheduler_idle::system::{Counters, Limit};

/// What a loop does after it was woken, and what a reading costs.
const WAKE: u64 = 60_000;
const READ: u64 = 15_000;

/// Requests that come at random.
#[derive(Clone)]
pub struct Requests {
    /// Mean time between two, in ns.
    pub every: u64,
    /// Mean processor time of one, in ns.
    pub service: u64,
    /// Exponentially distributed instead of fixed.
    pub exponential: bool,
    /// None come after this time.
    pub until: u64,
}

/// Background work without end, in pieces of these lengths.
#[derive(Clone)]
pub struct Pieces {
    pub shortest: u64,
    pub longest: u64,
    /// When the work is posted, and when it ends, in ns.
    pub from: u64,
    pub until: u64,
}

#[derive(Clone, Copy)]
enum Doing {
    Waking,
    Request { arrived: u64 },
    Piece { started: u64, work: u64 },
    Nothing,
}

/// What a loop does next.
pub enum Next {
    Run(u64),
    /// Sleep until a timer or a request.
    Sleep(u64),
}

pub struct EventLoop {
    requests: Option<(Requests, Dice)>,
    pieces: Option<Pieces>,
    controller: Option<Container>,
    /// The quota that the controller knows.
    pub quota: u64,
    dice: Dice,
    arrival: (u64, u64),
    queue: VecDeque<(u64, u64)>,
    doing: Doing,
    verdict: Verdict,
    /// When each request came, and how long it took.
    pub latencies: Vec<(u64, u64)>,
    pub request_work: u64,
    background: u64,
    /// Background work in processor time; by the clock and of the thread at the last question.
    own: u64,
    asked: (u64, u64),
    /// Processor time of all pieces, and of each second.
    pub background_work: u64,
    pub work_by_second: Vec<u64>,
    pub readings: u64,
    /// The group's use cannot be read.
    pub blind: bool,
    pub wakes: u64,
}

impl EventLoop {
    pub fn new(
        requests: Option<Requests>,
        pieces: Option<Pieces>,
        controller: Option<Container>,
        quota: u64,
        seed: u64,
    ) -> Self {
        let mut this = Self {
            requests: requests.map(|requests| (requests, Dice::new(seed))),
            pieces,
            controller,
            quota,
            dice: Dice::new(seed + 7_000_000),
            arrival: (0, 0),
            queue: VecDeque::new(),
            doing: Doing::Nothing,
            verdict: Verdict::hold(0),
            latencies: Vec::new(),
            request_work: 0,
            background: 0,
            own: 0,
            asked: (0, 0),
            background_work: 0,
            work_by_second: Vec::new(),
            readings: 0,
            blind: false,
            wakes: 0,
        };
        this.plan_arrival();
        this
    }

    fn plan_arrival(&mut self) {
        self.arrival = match &mut self.requests {
            None => (u64::MAX, 0),
            Some((requests, dice)) => {
                let time = self.arrival.0 + dice.exponential(requests.every);
                let service = if requests.exponential {
                    dice.exponential(requests.service).max(20_000)
                } else {
                    requests.service
                };
                let time = if time > requests.until {
                    u64::MAX
                } else {
                    time
                };
                (time, service)
            }
        };
    }

    /// When a sleeping loop is woken by a request.
    pub fn next_arrival(&self) -> u64 {
        self.arrival.0
    }

    /// The loop was asleep.
    pub fn wake(&mut self) -> u64 {
        self.wakes += 1;
        self.doing = Doing::Waking;
        WAKE
    }

    /// Ends what the loop does and chooses what comes next. `ran` is the processor time of the
    /// thread; `read` reads the group's files.
    pub fn choose(&mut self, now: u64, ran: u64, read: impl FnOnce() -> (u64, u64, u64)) -> Next {
        self.finish(now);
        while self.arrival.0 <= now {
            self.queue.push_back(self.arrival);
            self.plan_arrival();
        }
        if let Some((arrived, service)) = self.queue.pop_front() {
            self.doing = Doing::Request { arrived };
            self.request_work += service;
            return Next::Run(service);
        }
        let Some(pieces) = self.pieces.clone() else {
            return Next::Sleep(u64::MAX);
        };
        if now < pieces.from {
            return Next::Sleep(pieces.from);
        }
        if now >= pieces.until {
            return Next::Sleep(u64::MAX);
        }
        let cost = self.ask(now, ran, read);
        if self.verdict.holds {
            self.doing = Doing::Nothing;
            let delay = self.verdict.until.saturating_sub(now).div_ceil(MS).max(1) * MS;
            return Next::Sleep(now + delay + self.dice.between(0, MS / 5));
        }
        let work = self.dice.between(pieces.shortest, pieces.longest);
        self.doing = Doing::Piece { started: now, work };
        Next::Run(work + cost)
    }

    fn ask(&mut self, now: u64, ran: u64, read: impl FnOnce() -> (u64, u64, u64)) -> u64 {
        let Some(controller) = &mut self.controller else {
            self.verdict = Verdict::run(u64::MAX);
            return 0;
        };
        if now < self.verdict.until {
            return 0;
        }
        let (usage, periods, throttled) = read();
        self.readings += 1;
        let (background, thread) = std::mem::replace(&mut self.asked, (self.background, ran));
        self.own += (self.background - background).min(ran - thread);
        self.verdict = controller.decide(&Reading {
            now,
            limit: Limit {
                quota: self.quota,
                period: PERIOD,
            },
            counters: Counters {
                usage: (!self.blind).then_some(usage),
                periods,
                throttled,
                stopped: 0,
            },
            background: self.own,
        });
        assert!(self.verdict.until > now, "a verdict lies ahead");
        READ
    }

    fn finish(&mut self, now: u64) {
        match self.doing {
            Doing::Request { arrived } => self.latencies.push((arrived, now - arrived)),
            Doing::Piece { started, work } => {
                self.background += now - started;
                self.background_work += work;
                let second = (now / 1_000_000_000) as usize;
                if self.work_by_second.len() <= second {
                    self.work_by_second.resize(second + 1, 0);
                }
                self.work_by_second[second] += work;
            }
            Doing::Waking | Doing::Nothing => {}
        }
    }
}
