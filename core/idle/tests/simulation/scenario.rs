//! What is simulated: a group, its loops and their work; and what comes out.

use crate::MS;
use crate::bandwidth::Bandwidth;
use crate::dice::Dice;
use crate::event_loop::{EventLoop, Pieces, Requests};
use crate::machine::{Machine, Thread};
use crate::one_server::Figures;
use std::ops::RangeInclusive;
use uv_scheduler_idle::container::Container;

pub const PERIOD: u64 = 100 * MS;
pub const SECOND: u64 = 1_000 * MS;

/// When background work may run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Unbounded,
    /// When the controller says so.
    Ours,
}

/// So many seeds. Each test has to pass with any.
pub fn seeds(count: u64) -> RangeInclusive<u64> {
    let first = std::env::var("SIMULATION_SEED").map_or(1, |seed| seed.parse().unwrap());
    first..=first + count - 1
}

/// A change of the machine at a time.
#[derive(Clone, Copy)]
pub enum Change {
    /// The quota; controllers learn it this much later.
    Quota {
        to: u64,
        told_after: u64,
    },
    Phase {
        by: u64,
    },
}

/// One loop of the group.
#[derive(Clone, Default)]
pub struct Loop {
    pub processor: usize,
    pub requests: Option<Requests>,
    pub pieces: Option<Pieces>,
    /// Not a member of the group, and without a controller.
    pub outside: bool,
}

#[derive(Clone)]
pub struct Scenario {
    pub quota: u64,
    pub burst: u64,
    /// The group's use cannot be read.
    pub blind: bool,
    pub processors: usize,
    pub loops: Vec<Loop>,
    pub changes: Vec<(u64, Change)>,
    /// How long it runs, and from when on it counts.
    pub end: u64,
    pub from: u64,
}

pub struct Outcome {
    /// Of requests that came within the counted time, sorted, in ns.
    pub latencies: Vec<u64>,
    pub request_work: u64,
    /// Background work of each loop within the counted time.
    pub background: Vec<u64>,
    pub background_by_second: Vec<Vec<u64>>,
    pub throttled: u64,
    pub periods: u64,
    pub readings: u64,
    pub wakes: u64,
}

impl Outcome {
    pub fn percentile(&self, part: f64) -> f64 {
        let index = (self.latencies.len() as f64 * part) as usize;
        self.latencies[index.min(self.latencies.len() - 1)] as f64
    }

    pub fn all_background(&self) -> u64 {
        self.background.iter().sum()
    }

    /// Throttled periods of a hundred.
    pub fn throttled_percent(&self) -> f64 {
        100.0 * self.throttled as f64 / self.periods as f64
    }
}

impl Scenario {
    pub fn run(&self, kind: Option<Kind>, seed: u64) -> Outcome {
        let mut dice = Dice::new(seed);
        let phase = dice.between(0, PERIOD);
        let group = Bandwidth::new(self.quota, PERIOD, self.burst, phase, self.processors);
        let threads = self.loops.iter().enumerate().map(|(index, one)| {
            let seed = seed * 100 + index as u64;
            let pieces = one.pieces.clone().filter(|_| kind.is_some() || one.outside);
            let controller = (kind == Some(Kind::Ours) && !one.outside).then(Container::default);
            let requests = one.requests.clone();
            let mut event_loop = EventLoop::new(requests, pieces, controller, self.quota, seed);
            event_loop.blind = self.blind;
            Thread::new(event_loop, one.processor, !one.outside)
        });
        let mut machine = Machine::new(group, threads.collect(), self.processors);
        let mut told = Vec::new();
        let mut changes = self.changes.clone();
        changes.push((self.from, Change::Phase { by: 0 }));
        changes.sort_by_key(|change| change.0);
        let mut before = Snapshot::default();
        for (time, change) in changes {
            Self::tell(&mut machine, &mut told, time);
            machine.run_until(time);
            match change {
                Change::Quota { to, told_after } => {
                    machine.group.set_quota(to);
                    told.push((time + told_after, to));
                }
                Change::Phase { by } => machine.group.shift_phase(by),
            }
            if time == self.from {
                before = Snapshot::of(&machine);
            }
        }
        Self::tell(&mut machine, &mut told, self.end);
        machine.run_until(self.end);
        self.outcome(&machine, &before)
    }

    fn tell(machine: &mut Machine, told: &mut Vec<(u64, u64)>, until: u64) {
        told.retain(|&(time, quota)| {
            if time > until {
                return true;
            }
            machine.run_until(time);
            for thread in machine.threads.iter_mut().filter(|thread| thread.grouped) {
                thread.event_loop.quota = quota;
            }
            false
        });
    }

    fn outcome(&self, machine: &Machine, before: &Snapshot) -> Outcome {
        let mut latencies: Vec<u64> = Vec::new();
        for thread in machine.threads.iter().filter(|thread| thread.grouped) {
            let counted = thread.event_loop.latencies.iter();
            latencies.extend(counted.filter(|one| one.0 >= self.from).map(|one| one.1));
        }
        latencies.sort_unstable();
        let after = Snapshot::of(machine);
        let grown = after.background.iter().zip(&before.background);
        Outcome {
            latencies,
            request_work: after.requests - before.requests,
            background: grown.map(|(after, before)| after - before).collect(),
            background_by_second: machine
                .threads
                .iter()
                .map(|thread| thread.event_loop.work_by_second.clone())
                .collect(),
            throttled: after.throttled - before.throttled,
            periods: (self.end - self.from) / PERIOD,
            readings: machine
                .threads
                .iter()
                .map(|thread| thread.event_loop.readings)
                .sum(),
            wakes: machine
                .threads
                .iter()
                .map(|thread| thread.event_loop.wakes)
                .sum(),
        }
    }
}

#[derive(Default)]
struct Snapshot {
    requests: u64,
    background: Vec<u64>,
    throttled: u64,
}

impl Snapshot {
    fn of(machine: &Machine) -> Self {
        let grouped = machine.threads.iter().filter(|thread| thread.grouped);
        Self {
            requests: grouped.map(|thread| thread.event_loop.request_work).sum(),
            background: machine
                .threads
                .iter()
                .map(|thread| thread.event_loop.background_work)
                .collect(),
            throttled: machine.group.throttled,
        }
    }
}

/// Background work without end.
pub fn pieces(shortest: u64, longest: u64) -> Option<Pieces> {
    Some(Pieces {
        shortest,
        longest,
        from: 0,
        until: u64::MAX,
    })
}

/// Requests that need `load` of the quota.
pub fn requests(quota: u64, load: f64, service: u64, exponential: bool) -> Option<Requests> {
    let every = (service as f64 / (load * quota as f64 / PERIOD as f64)) as u64;
    Some(Requests {
        every,
        service,
        exponential,
        until: u64::MAX,
    })
}

/// One server with background work.
pub fn server(quota: u64, load: f64, service: u64, exponential: bool, piece: u64) -> Scenario {
    Scenario {
        quota,
        burst: 0,
        blind: false,
        processors: 1,
        loops: vec![Loop {
            requests: requests(quota, load, service, exponential),
            pieces: pieces(piece / 2, piece),
            ..Loop::default()
        }],
        changes: Vec::new(),
        end: 65 * SECOND,
        from: 5 * SECOND,
    }
}

/// Runs with and without background work, and the mean of what differs.
pub fn compare(scenario: &Scenario, seeds: RangeInclusive<u64>) -> Figures {
    let threads = scenario
        .loops
        .iter()
        .filter(|one| one.pieces.is_some())
        .count() as u64;
    let count = seeds.clone().count() as f64;
    let mut mean = Figures::default();
    for seed in seeds {
        let alone = scenario.run(None, seed);
        let with = scenario.run(Some(Kind::Ours), seed);
        let ratio = |part| with.percentile(part) / alone.percentile(part) / count;
        mean.p50 += ratio(0.5);
        mean.p90 += ratio(0.9);
        mean.p99 += ratio(0.99);
        let quota = scenario.quota.min(threads.max(1) * PERIOD);
        let left = (quota * alone.periods) as f64 - alone.request_work as f64;
        mean.used += with.all_background() as f64 / left / count;
        mean.throttled += (with.throttled_percent() - alone.throttled_percent()) / count;
    }
    mean
}
