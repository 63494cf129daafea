//! The levels of the requests of one priority, learned from the thread time that requests took.
//!
//! A request in a lower level comes before one in a higher level. So a level ends at the age from
//! which on a request is no longer worth going on with: the age at which the part of the requests
//! that have finished, compared with the thread time spent on all of them, is highest. This is the
//! age with the highest Gittins index. Each level begins at the end of the one before it. If all
//! requests are of one size, there is one level up to that size, which is first come, first served.
//!
//! Requests that were given up have not finished: they count as still running at their age
//! (Kaplan-Meier). Without them an overload, where long requests are given up, would teach that all
//! requests are short.

use crate::host::NANOSECONDS_PER_MILLISECOND;

/// The number of buckets of thread times.
const BUCKETS: usize = 80;

/// The end of the first bucket in nanoseconds is this times the fourth root of two.
const FIRST: u64 = 50_000;

/// The powers of the fourth root of two below two, in millionths.
const QUARTERS: [u64; 4] = [1_000_000, 1_189_207, 1_414_214, 1_681_793];

/// The levels until the first requests have finished, in nanoseconds.
const UNLEARNED: [u64; 2] = [
    50 * NANOSECONDS_PER_MILLISECOND,
    200 * NANOSECONDS_PER_MILLISECOND,
];

/// The least end of the first level: below it, order costs more than it gains.
const LEAST: u64 = NANOSECONDS_PER_MILLISECOND;

/// A level ends at the last age whose index is this part of the highest. Requests of nearly one
/// size are in one level, as at the first such age those that take a little longer would go behind
/// all others.
const NEAR_BEST: f64 = 0.99;

/// The buckets of a level above the longest request that has finished: a factor of four in time.
const UNKNOWN: usize = 8;

/// The levels are learned anew after this number of requests.
const INTERVAL: u32 = 100;

/// With more requests than this, all counts are halved, so that later requests count more.
const MOST: f64 = 4_000.0;

/// The thread times of requests, and the levels learned from them.
#[derive(Debug)]
pub struct Levels {
    /// Requests that finished, by bucket.
    finished: [f64; BUCKETS],
    /// Requests that were given up, by the bucket of their age.
    given_up: [f64; BUCKETS],
    total: f64,
    /// Requests that finished since the levels were learned.
    since: u32,
    /// The end of each level but the last, in nanoseconds, rising.
    ends: Vec<u64>,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            finished: [0.0; BUCKETS],
            given_up: [0.0; BUCKETS],
            total: 0.0,
            since: 0,
            ends: UNLEARNED.to_vec(),
        }
    }
}

/// The end of a bucket in nanoseconds.
const fn end(bucket: usize) -> u64 {
    let power = bucket + 1;
    (FIRST * QUARTERS[power % QUARTERS.len()] / QUARTERS[0]) << (power / QUARTERS.len())
}

fn bucket(time: u64) -> usize {
    let fits = |bucket: &usize| time <= end(*bucket);
    (0..BUCKETS).find(fits).unwrap_or(BUCKETS - 1)
}

impl Levels {
    /// The level of a request that has used this thread time, in nanoseconds.
    #[must_use]
    pub fn level(&self, used: u64) -> u32 {
        self.ends.partition_point(|end| *end < used) as u32
    }

    /// The end of each level but the last, in nanoseconds.
    #[must_use]
    pub fn ends(&self) -> &[u64] {
        &self.ends
    }

    /// Counts a request that has finished or was given up, with the thread time that it has used.
    /// Returns whether the levels were learned anew.
    pub fn add(&mut self, used: u64, has_finished: bool) -> bool {
        let counts = if has_finished {
            &mut self.finished
        } else {
            &mut self.given_up
        };
        counts[bucket(used)] += 1.0;
        self.total += 1.0;
        if self.total > MOST {
            let all = self.finished.iter_mut().chain(&mut self.given_up);
            all.for_each(|count| *count /= 2.0);
            self.total /= 2.0;
        }
        self.since += u32::from(has_finished);
        let is_due = self.since >= INTERVAL;
        if is_due {
            self.since = 0;
            self.learn();
        }
        is_due
    }

    fn learn(&mut self) {
        let parts = self.parts();
        let known = self.finished.iter().rposition(|count| *count >= 1.0);
        let known = known.map_or(0, |top| top + 1);
        self.ends.clear();
        let mut start = 0;
        while start < BUCKETS - 1 {
            let mut last = if start < known {
                best_end(&parts[..known], start)
            } else {
                start + UNKNOWN - 1
            };
            while start == 0 && end(last) < LEAST {
                last += 1;
            }
            self.ends.push(end(last.min(BUCKETS - 2)));
            start = last + 1;
        }
    }

    /// For each bucket, the part of the requests that reach the bucket and also finish in it.
    fn parts(&self) -> [f64; BUCKETS] {
        let mut parts = [0.0; BUCKETS];
        let mut at_risk = 0.0;
        for bucket in (0..BUCKETS).rev() {
            at_risk += self.finished[bucket] + self.given_up[bucket];
            if at_risk > 0.0 {
                parts[bucket] = self.finished[bucket] / at_risk;
            }
        }
        parts
    }
}

/// The last bucket of a level whose first bucket is `start`.
fn best_end(parts: &[f64], start: usize) -> usize {
    let mut still_running = 1.0;
    let mut spent = 0.0;
    let indices: Vec<f64> = (start..parts.len())
        .map(|bucket| {
            let begin = bucket.checked_sub(1).map_or(0, end);
            let part = parts[bucket];
            // Requests that finish in a bucket do so in its middle, on average.
            spent += still_running * (end(bucket) - begin) as f64 * (1.0 - part / 2.0);
            still_running *= 1.0 - part;
            (1.0 - still_running) / spent
        })
        .collect();
    let best = indices.iter().copied().fold(0.0, f64::max);
    let near = indices.iter().rposition(|index| *index >= NEAR_BEST * best);
    start + near.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = NANOSECONDS_PER_MILLISECOND;

    fn learned(sizes: impl IntoIterator<Item = u64>) -> Levels {
        let mut levels = Levels::default();
        for size in sizes {
            levels.add(size, true);
        }
        levels
    }

    #[test]
    fn buckets_grow_by_the_fourth_root_of_two() {
        for bucket in 0..BUCKETS - 1 {
            let ratio = end(bucket + 1) as f64 / end(bucket) as f64;
            assert!((ratio - 2f64.powf(0.25)).abs() < 1e-4, "{bucket}: {ratio}");
            assert_eq!(super::bucket(end(bucket)), bucket);
            assert_eq!(super::bucket(end(bucket) + 1), bucket + 1);
        }
        assert_eq!(super::bucket(0), 0);
        assert_eq!(super::bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn before_any_request_has_finished_levels_end_at_50_and_200_ms() {
        let levels = Levels::default();
        let of = [0, 50, 51, 200, 201, 5_000].map(|ms| levels.level(ms * MILLISECOND));
        assert_eq!(of, [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn requests_of_one_size_have_one_level() {
        let levels = learned([20 * MILLISECOND; 100]);
        assert_eq!(levels.level(20 * MILLISECOND), 0);
        assert_eq!(levels.level(25 * MILLISECOND), 1);
    }

    #[test]
    fn requests_of_nearly_one_size_have_one_level() {
        // Each end of a bucket between them is one that some outgrow.
        let sizes = (0..1000).map(|i| if i % 50 == 0 { 30 } else { 18 + i % 5 });
        let levels = learned(sizes.map(|ms| ms * MILLISECOND));
        assert_eq!(levels.level(30 * MILLISECOND), 0);
    }

    #[test]
    fn long_requests_leave_the_level_of_short_ones() {
        let sizes = (0..1000).map(|i| if i % 100 == 0 { 150 } else { 3 });
        let levels = learned(sizes.map(|ms| ms * MILLISECOND));
        assert_eq!(levels.level(3 * MILLISECOND), 0);
        assert_eq!(levels.level(8 * MILLISECOND), 1);
        assert_eq!(levels.level(150 * MILLISECOND), 1);
    }

    #[test]
    fn the_first_level_lasts_a_millisecond_at_least() {
        let levels = learned([1000; 100]);
        assert_eq!(levels.level(MILLISECOND), 0);
        assert_eq!(levels.level(2 * MILLISECOND), 1);
    }

    #[test]
    fn levels_beyond_all_requests_grow_fourfold() {
        let levels = learned([20 * MILLISECOND; 100]);
        let ends = &levels.ends()[1..levels.ends().len() - 1];
        for pair in ends.windows(2) {
            assert!((pair[1] as f64 / pair[0] as f64 - 4.0).abs() < 1e-3);
        }
    }

    #[test]
    fn requests_that_were_given_up_count_as_running() {
        // Of two hundred requests, one half finish within 3 ms and the other half are given up at
        // 2 ms. So the level lasts until the first half has finished.
        let mut levels = Levels::default();
        for _ in 0..100 {
            levels.add(2 * MILLISECOND, false);
            levels.add(3 * MILLISECOND, true);
        }
        assert_eq!(levels.level(3 * MILLISECOND), 0);
    }

    #[test]
    fn new_requests_replace_what_was_learned_from_old_ones() {
        let mut levels = learned([3 * MILLISECOND; 4000]);
        assert_eq!(levels.level(30 * MILLISECOND), 2);
        for _ in 0..40_000 {
            levels.add(30 * MILLISECOND, true);
        }
        assert_eq!(levels.level(30 * MILLISECOND), 0);
    }
}
