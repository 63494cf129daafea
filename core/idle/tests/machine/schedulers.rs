//! How kernels share a processor between threads of equal weight: two simplified models.

use crate::neighbours::MILLISECOND;

/// Which thread has the processor. Threads are numbers. Times are in nanoseconds.
pub trait Scheduler {
    /// The thread that runs.
    fn current(&self) -> Option<usize>;
    /// A thread wants the processor from now on.
    fn wake(&mut self, thread: usize);
    /// The thread that runs wants it no more.
    fn sleep(&mut self);
    /// The thread that runs would let others go first.
    fn give_way(&mut self);
    /// The thread that runs has run for this long.
    fn pass(&mut self, time: u64);
    /// It is `now`, and one of the times at which the kernel looks whether another should run.
    fn look(&mut self, now: u64);
    /// When that happens next.
    fn next_look(&self, now: u64) -> u64;
}

/// The runnable thread that has run least comes next, and keeps the processor until it sleeps or
/// yields, or its slice has passed while another waits. A thread that wakes never preempts, or it
/// has a credit of half a slice and preempts one that has run for a millisecond longer.
#[derive(Clone, Debug)]
pub struct Fair {
    ran: Vec<u64>,
    runnable: Vec<bool>,
    current: Option<usize>,
    slice: u64,
    preempts: bool,
}

impl Fair {
    const SLICE: u64 = 3 * MILLISECOND;
    const GRANULARITY: u64 = MILLISECOND;

    pub fn new(threads: usize, preempts: bool) -> Self {
        Self {
            ran: vec![0; threads],
            runnable: vec![false; threads],
            current: None,
            slice: 0,
            preempts,
        }
    }

    fn choose(&mut self, except: Option<usize>) {
        let chosen = (0..self.ran.len())
            .filter(|&thread| self.runnable[thread] && Some(thread) != except)
            .min_by_key(|&thread| self.ran[thread]);
        if chosen.is_some() || except.is_none() {
            self.current = chosen;
            self.slice = 0;
        }
    }
}

impl Scheduler for Fair {
    fn current(&self) -> Option<usize> {
        self.current
    }

    fn wake(&mut self, thread: usize) {
        let threads = self.ran.iter().zip(&self.runnable);
        let least = threads
            .filter(|(_, runnable)| **runnable)
            .map(|(ran, _)| *ran)
            .min();
        let credit = if self.preempts { Self::SLICE / 2 } else { 0 };
        let place = least.map_or(0, |least| least.saturating_sub(credit));
        self.ran[thread] = self.ran[thread].max(place);
        self.runnable[thread] = true;
        let preempts = self.current.is_none_or(|current| {
            self.preempts && self.ran[current] > self.ran[thread] + Self::GRANULARITY
        });
        if preempts {
            self.current = Some(thread);
            self.slice = 0;
        }
        self.look(0);
    }

    fn sleep(&mut self) {
        if let Some(thread) = self.current.take() {
            self.runnable[thread] = false;
        }
        self.choose(None);
    }

    fn give_way(&mut self) {
        let from = self.current;
        self.choose(from);
        if let (Some(from), Some(to)) = (from, self.current) {
            self.ran[from] = self.ran[from].max(self.ran[to] + u64::from(from != to));
        }
    }

    fn pass(&mut self, time: u64) {
        if let Some(thread) = self.current {
            self.ran[thread] += time;
            self.slice += time;
        }
    }

    fn look(&mut self, _now: u64) {
        if self.slice >= Self::SLICE {
            self.choose(self.current);
        }
    }

    fn next_look(&self, now: u64) -> u64 {
        match Self::SLICE.checked_sub(self.slice) {
            None | Some(0) => u64::MAX,
            Some(left) => now + left,
        }
    }
}

/// Linux since 6.6 (EEVDF), with each thread in a control group of its own. Of the threads that
/// have run no more than the average, the one with the earliest deadline runs. A thread that has
/// got less keeps that as its lag while it sleeps: when it wakes up it preempts others until it has
/// made up for it, and until then the kernel ignores its yields.
#[derive(Clone, Debug)]
pub struct Eevdf {
    polite: Option<usize>,
    threads: Vec<Entity>,
    current: Option<usize>,
    slice: i64,
    tick: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entity {
    is_queued: bool,
    /// Sleeps, but stays queued until others have caught up.
    is_delayed: bool,
    ran: i64,
    deadline: i64,
    protected: i64,
    lag: i64,
}

impl Eevdf {
    /// Takes the thread, if any, that preempts no other when it wakes up (`SCHED_BATCH`).
    pub fn new(threads: usize, slice: u64, tick: u64, polite: Option<usize>) -> Self {
        Self {
            polite,
            threads: vec![Entity::default(); threads],
            current: None,
            slice: slice as i64,
            tick,
        }
    }

    fn queued(&self) -> impl Iterator<Item = usize> {
        (0..self.threads.len()).filter(|&thread| self.threads[thread].is_queued)
    }

    fn average(&self) -> i64 {
        let count = self.queued().count().max(1) as i64;
        self.queued()
            .map(|thread| self.threads[thread].ran)
            .sum::<i64>()
            / count
    }

    fn is_eligible(&self, thread: usize) -> bool {
        self.threads[thread].ran <= self.average()
    }

    fn best(&self) -> Option<usize> {
        let current = self.current.filter(|&thread| {
            self.threads[thread].is_queued
                && (self.is_eligible(thread) || self.queued().count() == 1)
        });
        if let Some(thread) = current {
            let entity = self.threads[thread];
            if entity.ran < entity.protected && !entity.is_delayed {
                return current;
            }
        }
        self.queued()
            .filter(|&thread| self.is_eligible(thread))
            .min_by_key(|&thread| (self.threads[thread].deadline, Some(thread) != current))
    }

    fn choose(&mut self) {
        loop {
            let best = self.best();
            if let Some(thread) = best.filter(|&thread| self.threads[thread].is_delayed) {
                self.threads[thread].is_delayed = false;
                self.threads[thread].is_queued = false;
                self.threads[thread].lag = 0;
                continue;
            }
            if best != self.current
                && let Some(thread) = best
            {
                let entity = &mut self.threads[thread];
                entity.protected = entity.deadline.min(entity.ran + self.slice);
            }
            self.current = best;
            return;
        }
    }

    fn renew_deadline(&mut self) {
        if let Some(thread) = self.current {
            let entity = &mut self.threads[thread];
            if entity.ran >= entity.deadline {
                entity.deadline = entity.ran + self.slice;
            }
        }
    }
}

impl Scheduler for Eevdf {
    fn current(&self) -> Option<usize> {
        self.current
    }

    fn wake(&mut self, thread: usize) {
        self.renew_deadline();
        if self.threads[thread].is_delayed {
            self.threads[thread].is_delayed = false;
        } else {
            let count = self.queued().count() as i64;
            let average = self.average();
            let slice = self.slice;
            let entity = &mut self.threads[thread];
            if count > 0 {
                entity.ran = average - entity.lag * (count + 1) / count;
            }
            entity.deadline = entity.ran + slice;
            entity.is_queued = true;
        }
        let preempts = Some(thread) != self.polite && self.best() == Some(thread);
        if self.current.is_none() || preempts {
            self.choose();
        }
    }

    fn sleep(&mut self) {
        let Some(thread) = self.current else {
            return;
        };
        let most = (2 * self.slice).max(self.tick as i64);
        let lag = (self.average() - self.threads[thread].ran).clamp(-most, most);
        let alone = self.queued().count() == 1;
        let entity = &mut self.threads[thread];
        entity.lag = lag;
        if lag < 0 && !alone {
            entity.is_delayed = true;
        } else {
            entity.is_queued = false;
        }
        self.choose();
    }

    fn give_way(&mut self) {
        self.renew_deadline();
        self.choose();
    }

    fn pass(&mut self, time: u64) {
        if let Some(thread) = self.current {
            self.threads[thread].ran += time as i64;
        }
    }

    fn look(&mut self, now: u64) {
        if now.is_multiple_of(self.tick) {
            self.renew_deadline();
            self.choose();
        }
    }

    fn next_look(&self, now: u64) -> u64 {
        (now + 1).next_multiple_of(self.tick)
    }
}
