//! The controller for a CPU quota: background work uses what the quota leaves, and the kernel
//! never stops the process because of it. It knows no clock and no file: readings come in, a
//! [`Verdict`] goes out.
//!
//! - *Phase.* The kernel fills the quota at times that are equal modulo the period. Readings
//!   between which its count grew show when. Until that is known to a twentieth of the period,
//!   background work gets a tenth of the quota at most.
//! - *Late.* Background work starts so late in a period that it can just use the quota. What the
//!   group used before is the demand of everything else, a stop is short, and threads of a group
//!   start together, so that they get about the same. Where the quota was far from used for a
//!   while, it starts with the period.
//! - *Limit.* It runs while what the group has used, the demand expected until the period ends,
//!   and a reserve fit into the quota and what the processor kept of the last one. A thread that
//!   is ahead of the others leaves more of it.
//! - *Share.* A throttled period cuts the part of the rest that background work uses, and each
//!   other period adds a little. Where use cannot be read, that alone bounds background work.
//! - *Alone.* Where no other work was seen for a while, the reserve is smaller.
//!
//! `core/idle/tests/simulation` states what that promises.

use std::mem;

use crate::controller::{Controller, Verdict};
use crate::system::{Counters, Limit};

const MS: f64 = 1e6;
/// Background work gets this much more time than it needs for the quota, and a timer's lateness.
const AMPLE: f64 = 1.08;
/// The most that this becomes, and how fast, where others have the processor although the demand of
/// the group is less than this part of the quota, as waking up is.
const MOST_AMPLE: f64 = 2.0;
const AMPLER: f64 = 0.05;
const HARDLY: f64 = 0.03;
/// The first part of each period without background work: threads of a group start together.
const FIRST: f64 = 0.03;
/// Where less than this part of the quota was used for a second, background work starts at once.
const CROWDED: f64 = 0.7;
const LASTING: u64 = 1_000_000_000;
/// A thread that saw no other work for this long is alone, in ns. Waking up and the collection of
/// garbage in other threads are less than this part of the quota in a period.
const ALONE: u64 = 1_500_000_000;
const GARBAGE: f64 = 0.03;
/// The part of the quota that stays unused, and of what the demand leaves of it unless the thread
/// is alone.
const UNUSED: f64 = 0.02;
const RESERVE: f64 = 0.04;
/// The part of the use of others that is not seen yet, and the part of its lead that a thread ahead
/// of them leaves.
const UNSEEN: f64 = 0.8;
const AHEAD: f64 = 0.3;
/// The weight of one period in the demand's mean and variance.
const WEIGHT: f64 = 0.05;
/// The part of the share that a throttled period leaves, and what another one adds to it, less
/// where the use cannot be read.
const CUT: f64 = 0.6;
const STEP: f64 = 0.04;
const STEP_BLIND: f64 = 0.005;

/// The state of the group's files and of the loop at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The monotonic clock in ns: the clock of the kernel's period timer.
    pub now: u64,
    /// The limit as it was looked up last. Quota and period are above 0.
    pub limit: Limit,
    /// The processor time that the group has used, and how often it was stopped.
    pub counters: Counters,
    /// Background work of this thread so far, in ns of processor time; of the wall clock where that
    /// is not known.
    pub background: u64,
}

impl Reading {
    fn is_blind(&self) -> bool {
        self.counters.usage.is_none()
    }

    /// The use of the group since another reading, and the background work in it, in ns. Where the
    /// use cannot be read, nothing else is known.
    fn since(&self, before: &Self) -> (f64, f64) {
        let own = self.background.saturating_sub(before.background);
        let used = match (self.counters.usage, before.counters.usage) {
            (Some(usage), Some(before)) => usage.saturating_sub(before),
            _ => own,
        };
        (used as f64, own.min(used) as f64)
    }
}

/// The controller of one thread.
#[derive(Clone, Debug, Default)]
pub struct Container {
    limit: Limit,
    /// A period begins at this time at the latest, modulo the period, and at most `width` earlier.
    phase: u64,
    width: u64,
    /// Of the demand, per ns.
    mean: f64,
    variance: f64,
    /// The part of what is left that background work uses.
    share: f64,
    ample: f64,
    /// How far pieces went past the permission lately, in ns: within about ten periods.
    overshoot: f64,
    /// The rest of the last quota that the processor kept, in ns: up to 1 ms.
    kept: f64,
    /// When most of the quota was used, and when other work was seen, for the last time.
    crowded_at: u64,
    seen_at: u64,
    /// The counters when the period began. `now` is its begin.
    begin: Reading,
    /// The demand of this period was added.
    is_heard: bool,
    last: Reading,
    /// The time that was permitted at the last question, in ns.
    granted: u64,
}

impl Controller<Reading> for Container {
    /// Another limit counts at once. Unless the period changes, the phase and the demand are kept.
    fn decide(&mut self, reading: &Reading) -> Verdict {
        if reading.limit.period != self.limit.period {
            *self = Self::new(reading);
        }
        self.limit = reading.limit;
        let last = mem::replace(&mut self.last, *reading);
        let is_gap = reading.now - last.now > 2 * self.limit.period;
        if is_gap || reading.is_blind() {
            // Work that was not watched is unknown.
            (self.crowded_at, self.seen_at) = (reading.now, reading.now);
            self.ample = AMPLE;
        }
        if reading.counters.periods > last.counters.periods {
            self.see_boundary(last.now, reading.now);
        }
        if self.granted > 0 {
            let (_, ran) = reading.since(&last);
            self.overshoot = self.overshoot.max(ran - self.granted as f64);
        }
        let begin = self.last_boundary(reading.now);
        // The phase may move a little without a new period.
        if begin >= self.begin.now + self.limit.period / 2 {
            self.end_period(reading, &last, begin);
        }
        let verdict = self.judge(reading);
        let permitted = verdict.until - reading.now;
        self.granted = if verdict.holds { 0 } else { permitted };
        verdict
    }
}

impl Container {
    /// A third of the quota is the first guess of the demand.
    fn new(reading: &Reading) -> Self {
        let Limit { quota, period } = reading.limit;
        let guess = quota as f64 / period as f64 / 3.0;
        Self {
            width: period,
            mean: guess,
            variance: guess * guess * period as f64,
            share: 1.0,
            ample: AMPLE,
            crowded_at: reading.now,
            seen_at: reading.now,
            begin: *reading,
            is_heard: true,
            last: *reading,
            ..Self::default()
        }
    }

    /// A boundary was counted between these times. What is known becomes narrower by that, or in
    /// doubt, as phases change.
    fn see_boundary(&mut self, before: u64, after: u64) {
        let Limit { period, .. } = self.limit;
        if after - before >= period {
            return;
        }
        let late = self.last_boundary(after + self.width);
        let (low, high) = (before.max(late.saturating_sub(self.width)), after.min(late));
        (self.phase, self.width) = if low < high && self.width < period {
            (high % period, high - low)
        } else if after - before <= self.width {
            (after % period, after - before)
        } else {
            (self.phase, self.width + period / 100)
        };
    }

    /// The last boundary not after this time.
    fn last_boundary(&self, time: u64) -> u64 {
        let period = self.limit.period;
        time.saturating_sub((time % period + period - self.phase) % period)
    }

    fn end_period(&mut self, reading: &Reading, last: &Reading, begin: u64) {
        let anchor = self.at_boundary(reading, last, begin);
        let (quota, now) = (self.limit.quota as f64, reading.now);
        let (total, own) = anchor.since(&self.begin);
        let is_throttled = reading.counters.throttled > self.begin.counters.throttled;
        let step = if reading.is_blind() { STEP_BLIND } else { STEP };
        if !is_throttled {
            self.share = (self.share + step).min(1.0);
        } else if own > quota / 20.0 {
            // Less background work than that is not to blame.
            self.share *= CUT;
        }
        self.kept = (quota + self.kept - total).clamp(0.0, MS);
        if total > CROWDED * quota || is_throttled {
            self.crowded_at = now;
        }
        if total - own > GARBAGE * quota {
            self.seen_at = now;
        }
        // Others have the processor: then it starts earlier.
        let is_short = self.granted > 0 && total < 0.95 * quota;
        let is_calm = self.mean * (self.limit.period as f64) < HARDLY * quota;
        let change = if is_short && is_calm { AMPLER } else { -AMPLER };
        self.ample = (self.ample + change).clamp(AMPLE, MOST_AMPLE);
        self.overshoot *= 0.875;
        self.begin = anchor;
        self.is_heard = false;
    }

    /// The counters at a boundary between the last reading and this one. What the quota's
    /// processors cannot have used since the boundary was used before it, and a piece that ran
    /// across it is background work in both periods.
    fn at_boundary(&self, reading: &Reading, last: &Reading, begin: u64) -> Reading {
        let Limit { quota, period } = self.limit;
        let rate = (quota as f64 / period as f64).max(1.0);
        let since = ((reading.now - begin) as f64 * rate) as u64;
        let ran = reading.background.saturating_sub(last.background);
        let after = (last.now + ran).saturating_sub(begin).min(ran);
        let mut counters = reading.counters;
        if let (Some(usage), Some(before)) = (&mut counters.usage, last.counters.usage) {
            *usage = usage.saturating_sub(since).max(before);
        }
        Reading {
            now: begin,
            counters,
            background: reading.background - after,
            ..*reading
        }
    }

    fn judge(&mut self, reading: &Reading) -> Verdict {
        let Limit { quota, period } = self.limit;
        let (now, begin) = (reading.now, self.begin.now);
        let (used, own) = reading.since(&self.begin);
        // Boundaries are not known to a twentieth of the period.
        if self.width > period / 20 {
            return if own < self.share * quota as f64 / 10.0 {
                Verdict::run(now + MS as u64 / 4)
            } else {
                Verdict::hold(now + (period / 32).max(1))
            };
        }
        let first = begin + self.first(now) as u64;
        if now < first {
            return Verdict::hold(first);
        }
        let span = (now - begin) as f64;
        if !self.is_heard && now > begin && !reading.is_blind() {
            self.hear(span, used - own);
        }
        let end = (begin + period).max(now + 1);
        let rest = (end - now) as f64;
        let others = used - own - self.mean * span;
        let spare = self.room(now, own, others) - used - self.expected(rest);
        if spare > 0.0 {
            return Verdict::run(now + spare.clamp(0.1 * MS, MS) as u64);
        }
        let again = (rest / 4.0).max(period as f64 / 32.0) as u64;
        Verdict::hold((now + again).clamp(now + 1, end))
    }

    /// How long after its begin background work starts in a period.
    fn first(&self, now: u64) -> f64 {
        let (quota, period) = (self.limit.quota as f64, self.limit.period as f64);
        let late = (period - self.ample * quota - MS).max(FIRST * period);
        let is_crowded = now.saturating_sub(self.crowded_at) <= LASTING;
        if is_crowded { late } else { 0.0 }
    }

    /// Other work used so much since the period began.
    fn hear(&mut self, span: f64, used: f64) {
        let surprise = used - self.mean * span;
        self.mean += WEIGHT * surprise / span;
        self.variance += WEIGHT * (surprise * surprise / span - self.variance);
        self.is_heard = true;
    }

    /// The time set aside for other work in the next `span` ns. The smaller the quota, the longer a
    /// stop, and the more deviations.
    fn expected(&self, span: f64) -> f64 {
        let part = self.limit.quota as f64 / self.limit.period as f64;
        let deviations = (2.7 - 2.4 * part).clamp(1.5, 2.1);
        self.mean * span + deviations * (self.variance * span).sqrt()
    }

    /// The time that the group may use in a period. `own` is background work of this thread in it,
    /// and `others` is what others used more than their demand, in ns.
    fn room(&self, now: u64, own: f64, others: f64) -> f64 {
        let (quota, period) = (self.limit.quota as f64, self.limit.period as f64);
        let left = (quota - self.mean * period).max(0.0);
        // The kernel accounts other threads that run at its ticks: every 4 ms, or more often.
        let unseen = UNSEEN * others.clamp(0.0, (4.0 * MS).min(quota / 10.0));
        let mut reserve = UNUSED * quota + (1.0 - self.share) * left + unseen;
        let is_alone = now.saturating_sub(self.seen_at) > ALONE;
        if !is_alone {
            reserve += RESERVE * left + AHEAD * (own - others).clamp(0.0, quota / 10.0);
        }
        quota + self.kept - reserve - self.overshoot.min(quota / 2.0)
    }
}
