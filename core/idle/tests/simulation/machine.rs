//! The simulated machine: processors with ticks, threads that share them, one group with a quota.

use crate::MS;
use crate::bandwidth::Bandwidth;
use crate::event_loop::{EventLoop, Next};

/// How often the kernel accounts a running thread.
const TICK: u64 = 4 * MS;
/// A thread may run for this long before another takes its place.
const TURN: u64 = 3 * MS;

/// A thread that runs a loop on one processor.
pub struct Thread {
    pub event_loop: EventLoop,
    pub processor: usize,
    /// Whether it belongs to the group.
    pub grouped: bool,
    /// ns left of what it does; `None` while it sleeps.
    work: Option<u64>,
    timer: u64,
    vruntime: u64,
    /// Processor time.
    ran: u64,
}

impl Thread {
    pub fn new(event_loop: EventLoop, processor: usize, grouped: bool) -> Self {
        Self {
            event_loop,
            processor,
            grouped,
            work: None,
            timer: 0,
            vruntime: 0,
            ran: 0,
        }
    }

    fn wakes_at(&self) -> u64 {
        match self.work {
            Some(_) => u64::MAX,
            None => self.timer.min(self.event_loop.next_arrival()),
        }
    }
}

#[derive(Default, Clone)]
struct Processor {
    current: Option<usize>,
    since: u64,
    uncharged: u64,
}

pub struct Machine {
    pub now: u64,
    pub group: Bandwidth,
    pub threads: Vec<Thread>,
    processors: Vec<Processor>,
}

impl Machine {
    pub fn new(group: Bandwidth, threads: Vec<Thread>, processors: usize) -> Self {
        Self {
            now: 0,
            group,
            threads,
            processors: vec![Processor::default(); processors],
        }
    }

    pub fn run_until(&mut self, end: u64) {
        while self.now < end {
            let next = self.next_event().min(end);
            self.advance(next - self.now);
            self.now = next;
            self.group.on_time(self.now);
            for index in 0..self.threads.len() {
                if self.threads[index].wakes_at() <= self.now {
                    self.wake(index);
                }
            }
            for processor in 0..self.processors.len() {
                self.complete(processor);
                if (self.now + processor as u64 * MS / 2).is_multiple_of(TICK) {
                    self.charge(processor);
                    self.take_turns(processor);
                }
                self.schedule(processor);
            }
        }
    }

    fn next_event(&self) -> u64 {
        let mut next = self.group.next_event();
        for thread in &self.threads {
            next = next.min(thread.wakes_at().max(self.now));
        }
        for (index, processor) in self.processors.iter().enumerate() {
            if let Some(current) = processor.current {
                let offset = index as u64 * MS / 2;
                let tick = ((self.now + offset) / TICK + 1) * TICK - offset;
                next = next
                    .min(self.now + self.threads[current].work.unwrap())
                    .min(tick);
            }
        }
        next
    }

    fn advance(&mut self, by: u64) {
        for processor in &mut self.processors {
            if let Some(current) = processor.current {
                let thread = &mut self.threads[current];
                *thread.work.as_mut().unwrap() -= by;
                thread.vruntime += by;
                thread.ran += by;
                if thread.grouped {
                    processor.uncharged += by;
                }
            }
        }
    }

    fn charge(&mut self, processor: usize) {
        let ran = std::mem::take(&mut self.processors[processor].uncharged);
        if ran > 0 {
            self.group.charge(processor, ran, self.now);
        }
    }

    fn wake(&mut self, index: usize) {
        let processor = self.threads[index].processor;
        let floor = self
            .runnable(processor)
            .map(|other| self.threads[other].vruntime)
            .min();
        let thread = &mut self.threads[index];
        thread.work = Some(thread.event_loop.wake());
        if let Some(floor) = floor {
            thread.vruntime = thread.vruntime.max(floor.saturating_sub(TURN));
        }
        if thread.grouped {
            self.group.charge(processor, 0, self.now);
        }
        let vruntime = self.threads[index].vruntime;
        let current = self.processors[processor].current;
        if current.is_some_and(|current| self.threads[current].vruntime > vruntime + MS) {
            self.switch(processor, None);
        }
    }

    /// Whoever has nothing left to do asks its loop, until it has, or sleeps.
    fn complete(&mut self, processor: usize) {
        let Some(current) = self.processors[processor].current else {
            return;
        };
        if self.threads[current].work != Some(0) {
            return;
        }
        let (group, now) = (&mut self.group, self.now);
        let uncharged = &mut self.processors[processor].uncharged;
        let thread = &mut self.threads[current];
        let grouped = thread.grouped;
        // Whoever reads brings up to date what this thread has used.
        let read = || {
            let ran = std::mem::take(uncharged);
            if grouped && ran > 0 {
                group.charge(processor, ran, now);
            }
            (group.usage, group.periods, group.throttled)
        };
        match thread.event_loop.choose(now, thread.ran, read) {
            Next::Run(work) => thread.work = Some(work.max(1)),
            Next::Sleep(until) => {
                thread.work = None;
                thread.timer = until;
                self.switch(processor, None);
                let left = self.runnable_grouped(processor);
                if grouped && !left {
                    self.group.give_back(processor, self.now);
                }
            }
        }
    }

    fn take_turns(&mut self, processor: usize) {
        let Some(current) = self.processors[processor].current else {
            return;
        };
        let ran = self.now - self.processors[processor].since;
        let vruntime = self.threads[current].vruntime;
        let other = self
            .runnable(processor)
            .any(|index| self.threads[index].vruntime < vruntime);
        if ran >= TURN && other {
            self.switch(processor, None);
        }
    }

    fn schedule(&mut self, processor: usize) {
        let current = self.processors[processor].current;
        if current.is_some_and(|current| self.may_run(current)) {
            return;
        }
        let next = self
            .runnable(processor)
            .min_by_key(|&index| self.threads[index].vruntime);
        self.switch(processor, next);
    }

    fn switch(&mut self, processor: usize, next: Option<usize>) {
        self.charge(processor);
        let next = next.filter(|&next| self.may_run(next));
        self.processors[processor].current = next;
        self.processors[processor].since = self.now;
    }

    fn may_run(&self, index: usize) -> bool {
        let thread = &self.threads[index];
        thread.work.is_some() && !(thread.grouped && self.group.is_throttled(thread.processor))
    }

    fn runnable(&self, processor: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.threads.len())
            .filter(move |&index| self.threads[index].processor == processor)
            .filter(|&index| self.may_run(index))
    }

    fn runnable_grouped(&self, processor: usize) -> bool {
        self.threads
            .iter()
            .any(|thread| thread.processor == processor && thread.grouped && thread.work.is_some())
    }
}
