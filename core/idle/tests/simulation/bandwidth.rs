//! The kernel's CFS bandwidth control of one group: a pool that a timer refills, slices of it for
//! each processor, and processors that stop when both are used up. Follows `kernel/sched/fair.c`.

use crate::MS;
use crate::dice::Dice;

/// What a processor takes from the pool at a time.
const SLICE: i64 = 5 * MS as i64;
/// What an idle processor keeps of its slice.
const KEPT: i64 = MS as i64;

/// The part of a processor in the group.
#[derive(Default)]
struct Local {
    remaining: i64,
    throttled: bool,
}

pub struct Bandwidth {
    pub quota: u64,
    pub period: u64,
    pub burst: u64,
    pub usage: u64,
    pub periods: u64,
    pub throttled: u64,
    pool: i64,
    locals: Vec<Local>,
    /// The next boundary, also while the timer is stopped: its phase stays.
    boundary: u64,
    active: bool,
    idle: bool,
    slack: Option<u64>,
    /// How late the timer fires this time.
    late: u64,
    dice: Dice,
}

impl Bandwidth {
    pub fn new(quota: u64, period: u64, burst: u64, phase: u64, processors: usize) -> Self {
        Self {
            quota,
            period,
            burst,
            usage: 0,
            periods: 0,
            throttled: 0,
            pool: quota as i64,
            locals: (0..processors).map(|_| Local::default()).collect(),
            boundary: phase,
            active: false,
            idle: false,
            slack: None,
            late: 0,
            dice: Dice::new(phase),
        }
    }

    pub fn is_throttled(&self, processor: usize) -> bool {
        self.locals[processor].throttled
    }

    /// Changes the quota as a write to the group's file does.
    pub fn set_quota(&mut self, quota: u64) {
        self.quota = quota;
        self.refill();
    }

    /// Makes the boundaries come at other times.
    pub fn shift_phase(&mut self, by: u64) {
        self.boundary += by;
    }

    /// When the group has to be called next, if at all.
    pub fn next_event(&self) -> u64 {
        let boundary = if self.active {
            self.boundary + self.late
        } else {
            u64::MAX
        };
        boundary.min(self.slack.unwrap_or(u64::MAX))
    }

    pub fn on_time(&mut self, now: u64) {
        if self.slack.is_some_and(|slack| slack <= now) {
            self.slack = None;
            if self.boundary > now + 2 * MS {
                self.distribute();
            }
        }
        if self.active && self.boundary + self.late <= now {
            self.end_period();
        }
    }

    fn refill(&mut self) {
        self.pool = (self.pool + self.quota as i64).min((self.quota + self.burst) as i64);
    }

    fn end_period(&mut self) {
        self.periods += 1;
        self.boundary += self.period;
        let seldom = self.dice.between(0, 49) == 0;
        self.late = self.dice.between(0, if seldom { 2 * MS } else { MS / 20 });
        self.refill();
        let throttled = self.locals.iter().any(|local| local.throttled);
        if !throttled {
            if self.idle {
                self.active = false;
            }
            self.idle = true;
            return;
        }
        self.throttled += 1;
        self.distribute();
        self.idle = false;
    }

    fn distribute(&mut self) {
        for local in self.locals.iter_mut().filter(|local| local.throttled) {
            let taken = (1 - local.remaining).min(self.pool);
            self.pool -= taken;
            local.remaining += taken;
            local.throttled = local.remaining <= 0;
        }
    }

    /// Accounts `ran` ns of the group on this processor, which then stops if nothing is left.
    pub fn charge(&mut self, processor: usize, ran: u64, now: u64) {
        self.usage += ran;
        self.locals[processor].remaining -= ran as i64;
        if self.locals[processor].remaining > 0 {
            return;
        }
        if !self.active {
            self.active = true;
            while self.boundary <= now {
                self.boundary += self.period;
            }
        }
        let local = &mut self.locals[processor];
        let taken = (SLICE - local.remaining).min(self.pool).max(0);
        self.pool -= taken;
        local.remaining += taken;
        if taken > 0 {
            self.idle = false;
        }
        if local.remaining <= 0 {
            local.throttled = true;
        }
    }

    /// The group has no runnable thread on this processor any more.
    pub fn give_back(&mut self, processor: usize, now: u64) {
        let local = &mut self.locals[processor];
        local.throttled = false;
        if local.remaining <= KEPT {
            return;
        }
        self.pool += local.remaining - KEPT;
        local.remaining = KEPT;
        if self.pool > SLICE && self.locals.iter().any(|local| local.throttled) {
            self.slack.get_or_insert(now + 5 * MS);
        }
    }
}
