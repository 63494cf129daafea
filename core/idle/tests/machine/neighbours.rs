//! Who else wants the processor: servers with requests at random times, and batch work.

use std::collections::VecDeque;

pub const MICROSECOND: u64 = 1_000;
pub const MILLISECOND: u64 = 1_000_000;

/// The same numbers in each run (xorshift).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..10 {
            random.next();
        }
        random
    }

    /// A number from 0 up to 1.
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[derive(Clone, Copy, Debug)]
struct Request {
    arrival: u64,
    left: u64,
}

/// A thread beside the background thread.
#[derive(Clone, Debug)]
pub struct Neighbour {
    requests: VecDeque<Request>,
    pub latencies: Vec<u64>,
}

impl Neighbour {
    /// A server with a queue. `load`: the processor time that it needs per time; `service`: the
    /// shortest and the longest time of a request; `burst`: how many requests arrive at once;
    /// `end`: when the last one arrives.
    pub fn server(load: f64, service: (u64, u64), burst: usize, end: u64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let (least, most) = service;
        let gap = (least + most) as f64 / 2.0 * burst as f64 / load;
        let mut requests = VecDeque::new();
        let mut time = 0.0;
        loop {
            time += -gap * (1.0 - random.next()).ln();
            if time as u64 >= end {
                break;
            }
            for _ in 0..burst {
                requests.push_back(Request {
                    arrival: time as u64,
                    left: least + ((most - least) as f64 * random.next()) as u64,
                });
            }
        }
        Self {
            requests,
            latencies: Vec::new(),
        }
    }

    /// Batch work that wants the processor from `start` until it has had it for `work`.
    pub fn hog(start: u64, work: u64) -> Self {
        Self {
            requests: VecDeque::from([Request {
                arrival: start,
                left: work,
            }]),
            latencies: Vec::new(),
        }
    }

    pub fn is_runnable(&self, now: u64) -> bool {
        self.requests
            .front()
            .is_some_and(|request| request.arrival <= now)
    }

    /// When this thread will want the processor, if it does not now.
    pub fn next_change(&self, now: u64) -> u64 {
        match self.requests.front() {
            Some(request) if request.arrival > now => request.arrival,
            _ => u64::MAX,
        }
    }

    pub fn work_left(&self) -> u64 {
        self.requests.front().map_or(0, |request| request.left)
    }

    /// Has worked for `time` up to `now`.
    pub fn work(&mut self, now: u64, time: u64) {
        let request = self.requests.front_mut().expect("there is work");
        request.left -= time;
        if request.left == 0 {
            self.latencies.push(now - request.arrival);
            self.requests.pop_front();
        }
    }
}
