//! What was used since the current period began.

use super::Reading;

/// The counters at the begin of a period, and what its first part showed.
#[derive(Clone, Debug)]
pub struct Period {
    /// ns of the clock.
    pub begin: u64,
    usage: u64,
    background: u64,
    throttled: u64,
    listened: Listened,
}

/// The part of a period in which no background work should run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listened {
    NotYet,
    /// Its length, and what others used in it, in ns.
    To(u64, u64),
    /// The period was not seen from its begin.
    Missed,
}

/// Processor time in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Of the whole group.
    pub total: u64,
    /// Background work of this thread; at most the total, also where it is known by the wall clock.
    pub own: u64,
}

impl Used {
    pub fn others(&self) -> u64 {
        self.total - self.own
    }
}

impl Period {
    /// `usage` is that at the begin; the other counters are those of the first reading.
    pub fn new(begin: u64, usage: u64, reading: &Reading) -> Self {
        Self {
            begin,
            usage,
            background: reading.background,
            throttled: reading.throttled,
            listened: Listened::NotYet,
        }
    }

    /// Counts background work that began at the last reading before the begin and went on after it.
    pub fn count_own(&mut self, before: &Reading) {
        let own = self.background.saturating_sub(before.background);
        let after = (before.now + own).saturating_sub(self.begin);
        self.background -= after.min(own);
    }

    /// What was used since the begin.
    pub fn used(&self, usage: u64, background: u64) -> Used {
        let total = usage.saturating_sub(self.usage);
        let own = background.saturating_sub(self.background).min(total);
        Used { total, own }
    }

    /// Whether the kernel counted a throttled period since the begin.
    pub fn was_throttled(&self, throttled: u64) -> bool {
        throttled > self.throttled
    }

    /// Nothing can be said of the demand in this period.
    pub fn miss(&mut self) {
        self.listened = Listened::Missed;
    }

    /// Takes what others have used so far as their demand, once. Returns the span and the use.
    pub fn listen(&mut self, now: u64, used: Used) -> Option<(u64, u64)> {
        if self.listened != Listened::NotYet {
            return None;
        }
        let span = now - self.begin;
        self.listened = Listened::To(span, used.others());
        Some((span, used.others()))
    }

    /// At the end: what others used after the first part, and how long that was.
    pub fn rest(&self, span: u64, used: Used) -> Option<(u64, u64)> {
        match self.listened {
            Listened::To(part, early) if part < span => {
                Some((span - part, used.others().saturating_sub(early)))
            }
            _ => None,
        }
    }

    /// At the end: whether the demand of the whole period can be learned.
    pub fn is_unheard(&self, used: Used) -> bool {
        self.listened == Listened::NotYet && used.own == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period() -> Period {
        let reading = Reading {
            background: 30,
            throttled: 2,
            ..Reading::default()
        };
        Period::new(1000, 500, &reading)
    }

    #[test]
    fn background_work_is_no_more_than_what_the_group_used() {
        let used = period().used(540, 100);
        assert_eq!(used, Used { total: 40, own: 40 });
        assert_eq!(used.others(), 0);
        assert_eq!(period().used(400, 30), Used { total: 0, own: 0 });
    }

    #[test]
    fn a_piece_that_ran_across_the_begin_is_background_work_in_both_periods() {
        let before = |now| Reading {
            now,
            background: 10,
            ..Reading::default()
        };
        let mut period = period();
        period.count_own(&before(985));
        assert_eq!(period.used(505, 30), Used { total: 5, own: 5 });
        let mut period = self::period();
        period.count_own(&before(970));
        assert_eq!(period.used(505, 30), Used { total: 5, own: 0 });
    }

    #[test]
    fn demand_is_heard_once_and_the_rest_is_what_comes_after() {
        let mut period = period();
        let early = period.used(512, 30);
        assert_eq!(period.listen(1040, early), Some((40, 12)));
        assert_eq!(period.listen(1050, early), None);
        let end = period.used(560, 50);
        assert!(!period.is_unheard(end));
        assert_eq!(period.rest(100, end), Some((60, 28)));
    }

    #[test]
    fn a_period_without_its_begin_tells_nothing() {
        let mut period = period();
        period.miss();
        let used = period.used(512, 30);
        assert_eq!(period.listen(1040, used), None);
        assert_eq!(period.rest(100, used), None);
        assert!(!period.is_unheard(used));
        assert!(period.was_throttled(3) && !period.was_throttled(2));
    }
}
