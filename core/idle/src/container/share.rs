//! The part of the left-over that background work of this thread takes.
//!
//! Two numbers between a tenth and one, each cut at once and raised slowly: one answers throttled
//! periods, the other background work of other threads of the group. All members follow the same
//! rule without common state, so their shares converge.

/// What a period without cause for less adds.
const STEP: f64 = 0.02;
/// The same after throttled periods where nobody else works.
const ALONE_STEP: f64 = 0.06;
/// What a throttled period leaves.
const THROTTLED: f64 = 0.6;
/// What a period leaves in which others got less than we did.
const GREEDY: f64 = 0.9;
const LEAST: f64 = 0.1;
/// The weight of one period in the means.
const WEIGHT: f64 = 0.05;
/// Ours may exceed what others got by this factor.
const FAIR: f64 = 1.5;
/// Others' background work is noticed above this part of the left-over: demand varies, too.
const NOTICED: f64 = 0.07;

/// What a period tells about who used it, in ns.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Background work of this thread.
    pub own: f64,
    /// What others used more than the demand that was expected of them.
    pub excess: f64,
    /// What the demand leaves of the quota on average.
    pub left: f64,
    /// Nearly all of the quota was used.
    pub at_limit: bool,
}

/// The share of one thread.
#[derive(Clone, Debug)]
pub struct Share {
    after_throttling: f64,
    beside_others: f64,
    own: f64,
    excess: f64,
}

impl Share {
    pub fn new() -> Self {
        Self {
            after_throttling: 1.0,
            beside_others: 1.0,
            own: 0.0,
            excess: 0.0,
        }
    }

    /// The part of what is left that is kept free because periods were throttled.
    pub fn reserve(&self) -> f64 {
        1.0 - self.after_throttling
    }

    /// The part of what is left that this thread may use in a period, if it is bounded.
    pub fn bound(&self) -> Option<f64> {
        (self.beside_others < 1.0).then_some(self.beside_others)
    }

    /// What background work of other threads uses in a period, in ns.
    pub fn others(&self) -> f64 {
        self.excess.max(0.0)
    }

    /// Whether others have background work, too.
    pub fn is_noticed(&self, left: f64) -> bool {
        self.excess > NOTICED * left
    }

    /// A period has ended in which background work of this thread ran. `alone`: others hardly work.
    pub fn end_period(&mut self, throttled: bool, alone: bool) {
        let step = if alone { ALONE_STEP } else { STEP };
        Self::change(&mut self.after_throttling, throttled, THROTTLED, step);
    }

    /// A period has ended of which is known who used it.
    pub fn compare(&mut self, split: &Split) {
        self.own += (split.own - self.own) * WEIGHT;
        self.excess += (split.excess - self.excess) * WEIGHT;
        let greedy = self.is_noticed(split.left) && split.at_limit && self.own > FAIR * self.excess;
        Self::change(&mut self.beside_others, greedy, GREEDY, STEP);
    }

    fn change(number: &mut f64, cut: bool, factor: f64, step: f64) {
        *number = if cut {
            (*number * factor).max(LEAST)
        } else {
            (*number + step).min(1.0)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_throttled_period_takes_more_than_many_others_give() {
        let mut share = Share::new();
        share.end_period(true, false);
        let cut = share.reserve();
        assert!(cut >= 0.3);
        for _ in 0..5 {
            share.end_period(false, false);
        }
        assert!(share.reserve() < cut && share.reserve() > 0.2);
        for _ in 0..50 {
            share.end_period(true, false);
        }
        assert!(share.reserve() < 0.95);
        for _ in 0..100 {
            share.end_period(false, false);
        }
        assert_eq!(share.reserve(), 0.0);
    }

    #[test]
    fn who_takes_more_than_others_takes_less_until_they_are_even() {
        let mut share = Share::new();
        let mut split = Split {
            own: 60.0,
            excess: 30.0,
            left: 90.0,
            at_limit: true,
        };
        for _ in 0..60 {
            share.compare(&split);
        }
        assert!(share.bound().unwrap() < 0.4);
        (split.own, split.excess) = (30.0, 60.0);
        for _ in 0..100 {
            share.compare(&split);
        }
        assert_eq!(share.bound(), None);
    }

    #[test]
    fn below_the_limit_nobody_is_greedy() {
        let mut share = Share::new();
        for _ in 0..60 {
            share.compare(&Split {
                own: 60.0,
                excess: 30.0,
                left: 90.0,
                at_limit: false,
            });
        }
        assert_eq!(share.bound(), None);
    }

    #[test]
    fn about_as_much_as_others_is_fair() {
        let mut share = Share::new();
        for _ in 0..60 {
            share.compare(&Split {
                own: 48.0,
                excess: 38.0,
                left: 90.0,
                at_limit: true,
            });
        }
        assert_eq!(share.bound(), None);
    }
}
