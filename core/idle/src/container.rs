//! The controller for a CPU quota: background work uses what the quota leaves, and the kernel
//! never stops the process because of it.
//!
//! # What it reads
//!
//! The group's processor time and the kernel's counts of periods and of throttled periods, at most
//! once per ms while background work runs, and a few times per period while it is held. Nothing is
//! read while no background work waits. It knows no clock and no file: readings come in, a
//! [`Verdict`] goes out.
//!
//! # The rule
//!
//! 1. *Period.* The kernel gives the group its quota at times that are equal modulo the period.
//!    Readings between which its count grew show when (`phase`). Until that is known to a twentieth
//!    of the period, background work gets a tenth of the quota and questions come often.
//! 2. *Demand.* In the first part of a period nobody does background work, so what the group uses
//!    there is the demand of everything else. Its mean and deviation over about two seconds say
//!    what the rest of the period will need (`demand`).
//! 3. *Start.* Background work starts so late that it can just use what is left. A stop could last
//!    only until the period's end then, and threads of one group start at the same time, so each
//!    gets about the same.
//! 4. *Limit.* It runs while use, expected demand until the end of the period, the last pieces'
//!    length and a reserve fit into the quota and what the processor kept of the last one
//!    (`carry`). The nearer the end, the less has to be expected.
//! 5. *Share.* After a throttled period it takes less at once, and more again slowly; likewise
//!    if it gets more than background work of others (`share`).
//! 6. *Company.* Where nobody else worked for a second, the reserve is dropped, nothing is read at
//!    most boundaries, and most periods are used from their begin if a late start leaves too
//!    much. So are those of a quota of which less than 0.7 was used for a second (`company`). Who
//!    got nothing for a second shows others that it waits (`announcement`).
//!
//! # What it promises
//!
//! Simulated with quotas of 0.25, 0.5 and 2 processors and a demand of 10, 30 and 60 % of them:
//! the 99th percentile of requests grows by less than a quarter, at most 4 periods of 100 more are
//! throttled, and 0.64 to 0.9 of what is left is used. A batch program alone uses 0.95 of the
//! quota, also one of a twentieth of a processor. Two threads with background work get shares
//! within a factor of two. A new limit counts from the next question. Bursts are left to other
//! work.
//!
//! Where use cannot be read, throttled periods alone bound the background work: about 3 of 100 are
//! throttled then, and some requests wait for the next period (`blind`).

mod announcement;
mod blind;
mod carry;
mod company;
mod demand;
mod period;
mod phase;
mod share;
#[cfg(test)]
mod tests;

use crate::verdict::Verdict;
use announcement::Announcement;
use blind::Blind;
use carry::Carry;
use company::Company;
use demand::Demand;
use period::{Period, Used};
use phase::Phase;
use share::{Share, Split};

const MS: u64 = 1_000_000;
/// The longest time between two readings while background work runs.
const RUN: u64 = MS;
/// The shortest permission, so that a reading is worth its cost.
const SHORTEST_RUN: u64 = MS / 10;
/// The kernel accounts other running threads at its ticks: every 4 ms, or more often.
const TICK: u64 = 4 * MS;
/// Background work gets this much more time than it needs for what is left.
const AMPLE: f64 = 1.3;
/// A timer fires up to this much late.
const TIMER: f64 = MS as f64;
/// Other work delays background work by this multiple of its mean part of a processor.
const DELAYED: f64 = 1.5;
/// Work cannot start earlier in a period, so that demand can be seen.
const FIRST_PART: f64 = 0.1;
/// Less demand than this part of a processor is our own: waking up, collecting garbage.
const HARDLY: f64 = 0.01;
/// What of the carried is for the unexpected, in ns.
const SPARE: f64 = 200_000.0;
/// Parts of the quota and of what is left that stay unused.
const UNUSED: f64 = 0.01;
const RESERVE: f64 = 0.05;

/// A CPU quota. All in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Processor time per period.
    pub quota: u64,
    /// The period.
    pub period: u64,
    /// What may be saved from one period for later ones. Not used by background work.
    pub burst: u64,
}

/// What the group's files and the loop say at one moment. Counters never decrease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The monotonic clock in ns: the clock of the kernel's period timer.
    pub now: u64,
    /// Processor time that the group has used, in ns, up to now for this thread and up to the last
    /// tick for others. `None` where it cannot be read.
    pub usage: Option<u64>,
    /// `nr_periods`: periods that the kernel has counted. It counts none while the group is idle.
    pub periods: u64,
    /// `nr_throttled`: periods at whose end a processor of the group was stopped.
    pub throttled: u64,
    /// Background work of this thread so far, in ns of processor time; of the wall clock where that
    /// is not known.
    pub background: u64,
}

/// The last question.
#[derive(Clone, Copy, Debug)]
struct Asked {
    reading: Reading,
    used: u64,
    /// The time that was permitted, in ns.
    granted: u64,
}

/// The controller of one thread.
#[derive(Clone, Debug)]
pub struct Container {
    limit: Limit,
    phase: Phase,
    demand: Demand,
    share: Share,
    blind: Blind,
    company: Company,
    carry: Carry,
    announcement: Announcement,
    period: Period,
    asked: Option<Asked>,
    /// How far pieces went past the permission lately, in ns: within about ten periods.
    overshoot: u64,
}

impl Container {
    /// A controller for this limit that knows nothing else. Quota and period are above 0.
    #[must_use]
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            phase: Phase::new(limit.period),
            demand: Demand::new(limit.quota, limit.period),
            share: Share::new(),
            blind: Blind::new(limit),
            company: Company::new(0),
            carry: Carry::default(),
            announcement: Announcement::new(0),
            period: Period::new(0, 0, &Reading::default()),
            asked: None,
            overshoot: 0,
        }
    }

    /// The limit has changed. What was learned is kept, unless the period is another.
    pub fn set_limit(&mut self, limit: Limit) {
        if limit.period != self.limit.period {
            *self = Self::new(limit);
        } else if limit != self.limit {
            self.limit = limit;
            self.demand.set_quota(limit.quota, limit.period);
            self.blind = Blind::new(limit);
        }
    }

    /// Whether background work may run, and when to ask again: later than `reading.now`.
    pub fn decide(&mut self, reading: &Reading) -> Verdict {
        let used = reading.usage.unwrap_or(0);
        match self.asked {
            None => self.start(reading, used),
            Some(asked) => self.learn(reading, used, &asked),
        }
        let verdict = self.judge(reading, used);
        let granted = match verdict {
            Verdict::Run { until } => until - reading.now,
            Verdict::Hold { .. } => 0,
        };
        self.asked = Some(Asked {
            reading: *reading,
            used,
            granted,
        });
        verdict
    }

    fn start(&mut self, reading: &Reading, used: u64) {
        self.company = Company::new(reading.now);
        self.announcement = Announcement::new(reading.now);
        self.period = Period::new(reading.now, used, reading);
        self.period.miss();
    }

    fn learn(&mut self, reading: &Reading, used: u64, asked: &Asked) {
        let before = &asked.reading;
        if reading.periods > before.periods {
            self.phase.narrow(before.now, reading.now);
        }
        if asked.granted > 0 {
            // The wall clock goes on while others have the processor.
            let ran = reading.background.saturating_sub(before.background);
            let ran = ran.min(used.saturating_sub(asked.used));
            let over = ran.saturating_sub(asked.granted);
            self.overshoot = self.overshoot.max(over);
        }
        if reading.now - before.now > 2 * self.limit.period {
            // No background work waited.
            self.announcement.restart(reading.now);
        }
    }

    fn judge(&mut self, reading: &Reading, used: u64) -> Verdict {
        let (now, period) = (reading.now, self.limit.period);
        let known = self.phase.is_known();
        let begin = if known {
            self.phase.last(now)
        } else {
            now - (now - self.period.begin) % period
        };
        if reading.usage.is_none() {
            return self.blind.decide(reading, begin);
        }
        // The phase may move a little without a new period.
        if begin >= self.period.begin + period / 2 {
            self.end_period(reading, used, begin);
        }
        if known {
            self.spend(reading, used)
        } else {
            self.search(reading, used)
        }
    }

    /// While boundaries are unknown: a tenth of the quota, and frequent questions.
    fn search(&mut self, reading: &Reading, used: u64) -> Verdict {
        self.period.miss();
        let used = self.period.used(used, reading.background);
        if used.own < self.limit.quota / 10 {
            Verdict::Run {
                until: reading.now + RUN / 4,
            }
        } else {
            Verdict::Hold {
                until: reading.now + self.limit.period / 20,
            }
        }
    }

    fn end_period(&mut self, reading: &Reading, used: u64, begin: u64) {
        let anchor = self.usage_at(begin, reading, used);
        let background = self.asked.map_or(0, |asked| asked.reading.background);
        let whole = self.period.used(anchor, background);
        let span = begin - self.period.begin;
        if span < 2 * self.limit.period {
            self.judge_period(reading, whole, span);
        }
        self.period = Period::new(begin, anchor, reading);
        if let Some(asked) = self.asked {
            self.period.count_own(&asked.reading);
        }
    }

    /// The group's use at a boundary between the last reading and this one. What cannot have been
    /// used since the boundary by as many processors as the quota gives was used before it.
    fn usage_at(&self, begin: u64, reading: &Reading, used: u64) -> u64 {
        let rate = (self.limit.quota as f64 / self.limit.period as f64).max(1.0);
        let since = ((reading.now - begin) as f64 * rate) as u64;
        let before = self.asked.map_or(used, |asked| asked.used.min(used));
        used.saturating_sub(since).max(before)
    }

    fn judge_period(&mut self, reading: &Reading, whole: Used, span: u64) {
        let Limit { quota, period, .. } = self.limit;
        let throttled = self.period.was_throttled(reading.throttled);
        self.carry.end_period(quota, whole.total, throttled);
        // Whoever did hardly any background work is not to blame.
        if whole.own > quota / 20 || !throttled {
            let alone = self.demand.mean() < HARDLY;
            self.share.end_period(throttled, alone);
        }
        if self.period.is_unheard(whole) {
            self.demand.learn(span, whole.total);
        }
        if let Some((rest, others)) = self.period.rest(span, whole) {
            self.share.compare(&Split {
                own: whole.own as f64,
                excess: others as f64 - self.demand.mean() * rest as f64,
                left: self.left(),
                at_limit: whole.total > quota / 10 * 8,
            });
        }
        self.overshoot -= self.overshoot / 8;
        let now = reading.now;
        let running = self.asked.is_some_and(|asked| asked.granted > 0);
        let short = running && whole.total < quota / 20 * 19;
        self.company
            .end_period(now, quota, whole.total, whole.others(), short);
        self.announcement
            .end_period(now, period, whole.own > quota / 100);
    }

    /// What the demand leaves of the quota in a period, on average.
    fn left(&self) -> f64 {
        let Limit { quota, period, .. } = self.limit;
        (quota as f64 - self.demand.mean() * period as f64).max(0.0)
    }

    /// The time at which work of this length, in ns, has to start to be done with the period.
    fn late(&self, begin: u64, work: f64) -> u64 {
        let period = self.limit.period as f64;
        begin + (period - AMPLE * work - TIMER).max(FIRST_PART * period) as u64
    }

    /// The time at which this thread starts in the period that begins then.
    fn start_in(&self, begin: u64) -> u64 {
        if self.company.may_start_early() {
            return begin;
        }
        let slower = (1.0 - DELAYED * self.demand.mean()).max(0.3);
        self.late(begin, self.left() / slower)
    }

    fn spend(&mut self, reading: &Reading, used: u64) -> Verdict {
        let Limit { quota, period, .. } = self.limit;
        let now = reading.now;
        let used = self.period.used(used, reading.background);
        let begin = self.phase.last(now);
        // The earliest start of anyone, whatever demand it has seen.
        let first = self.late(begin, quota as f64);
        if now >= first {
            self.listen(now, used);
        }
        self.announcement.begin(now);
        if self.announcement.is_under_way() && used.own < Announcement::size(quota) {
            return Verdict::Run {
                until: now + RUN / 4,
            };
        }
        let start = self.start_in(begin);
        let alone = self.company.is_alone(now, quota);
        if now < start {
            let until = if now < first && !alone { first } else { start };
            return Verdict::Hold { until };
        }
        if alone {
            self.use_up(now, begin + period, used)
        } else {
            self.fit(now, begin + period, used)
        }
    }

    fn listen(&mut self, now: u64, used: Used) {
        if let Some((span, others)) = self.period.listen(now, used) {
            self.demand.learn(span, others);
        }
    }

    /// Run while use, expected demand and reserve fit into the quota.
    fn fit(&self, now: u64, end: u64, used: Used) -> Verdict {
        let carried = if self.share.is_noticed(self.left()) {
            0 // Nobody knows on whose processor it is.
        } else {
            self.carry.get()
        };
        let quota = self.limit.quota + carried;
        let room = quota as f64 - used.total as f64 - self.reserve();
        let mut spare = room - self.demand.expected(end - now);
        if let Some(bound) = self.share.bound() {
            spare = spare.min(bound * self.left() - used.own as f64);
        }
        if spare > 0.0 {
            let run = (spare as u64).clamp(SHORTEST_RUN, RUN);
            return Verdict::Run { until: now + run };
        }
        // If nothing more is used, this much of the period's end is free.
        let fits = self.demand.fits(room).min((end - now) as f64);
        let earliest = now + (self.limit.period / 32).max((end - now) / 4);
        let until = (end - fits as u64).max(earliest).min(end);
        Verdict::Hold { until }
    }

    fn reserve(&self) -> f64 {
        let quota = self.limit.quota as f64;
        let throttled = self.share.reserve() * self.left();
        // What other processors use is accounted late.
        let unseen = 0.5 * self.share.others().min((TICK as f64).min(0.1 * quota));
        UNUSED * quota + self.overshoot() + throttled + unseen + RESERVE * self.left()
    }

    fn overshoot(&self) -> f64 {
        (self.overshoot as f64).min(0.5 * self.limit.quota as f64)
    }

    /// Run while nothing but the quota ends it, as nobody else is there whom a stop would delay.
    fn use_up(&self, now: u64, end: u64, used: Used) -> Verdict {
        let quota = self.limit.quota as f64;
        let throttled = 0.5 * self.share.reserve() * self.left();
        let unused = SPARE.max(UNUSED * quota);
        let reserve = unused + Carry::set_aside(self.overshoot()) + throttled;
        let spare = quota + self.carry.get() as f64 - used.total as f64 - reserve;
        if spare > 0.0 {
            let run = (spare as u64).clamp(SHORTEST_RUN, RUN);
            return Verdict::Run { until: now + run };
        }
        // Each wake-up costs something, so there is none at the boundary, if it is sure.
        let until = if self.company.is_listening() {
            end
        } else {
            self.start_in(end)
        };
        Verdict::Hold { until }
    }
}
