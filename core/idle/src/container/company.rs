//! Whether other members of the group leave room to start early in the period.

/// A state has to last for this long before it counts, in ns.
pub const LASTING: u64 = 1_000_000_000;
/// Nobody is alone in every tenth period: then work of others shows before our own begins.
const LISTENING: u64 = 10;

/// What was seen of the other members, and of the group as a whole.
#[derive(Clone, Debug)]
pub struct Company {
    seen_at: u64,
    crowded_at: u64,
    recent: f64,
    periods: u64,
}

impl Company {
    /// Knows of nothing before `now`.
    pub fn new(now: u64) -> Self {
        Self {
            seen_at: now,
            crowded_at: now,
            recent: 0.0,
            periods: 0,
        }
    }

    /// A fiftieth of the quota: less is not taken for work of others.
    pub fn notable(quota: u64) -> u64 {
        quota / 50
    }

    /// Others have worked.
    pub fn see(&mut self, now: u64) {
        self.seen_at = now;
    }

    /// A period has ended: what all used, and what others used of it.
    pub fn end_period(&mut self, now: u64, quota: u64, total: u64, others: u64) {
        self.periods += 1;
        // Up to one tick of our own work may look like work of others.
        if others > Self::notable(quota) + super::TICK.min(quota / 10) {
            self.seen_at = now;
        }
        self.recent = self.recent * 0.9 + others as f64;
        if total > quota / 10 * 7 {
            self.crowded_at = now;
        }
    }

    /// No other work was seen for a second.
    pub fn is_alone(&self, now: u64, quota: u64) -> bool {
        let recent = self.recent < 10.0 * Self::notable(quota) as f64;
        recent && now - self.seen_at > LASTING
    }

    /// Whether background work may start with the period. Late in the period it finds time for
    /// seven tenths of a processor, so only a greater quota needs more.
    pub fn may_start_early(&self, now: u64, quota: u64, period: u64) -> bool {
        let quiet = now - self.crowded_at > LASTING;
        let listening = self.periods.is_multiple_of(LISTENING);
        quiet || quota / 7 > period / 10 && self.is_alone(now, quota) && !listening
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTA: u64 = 50_000_000;

    #[test]
    fn whoever_saw_nobody_for_a_second_is_alone() {
        let mut company = Company::new(0);
        assert!(!company.is_alone(LASTING, QUOTA));
        assert!(company.is_alone(LASTING + 1, QUOTA));
        company.end_period(LASTING, QUOTA, QUOTA, 8_000_000);
        assert!(!company.is_alone(LASTING + 1, QUOTA));
        assert!(company.is_alone(2 * LASTING + 1, QUOTA));
    }

    #[test]
    fn little_work_in_each_period_is_company() {
        let mut company = Company::new(0);
        for period in 0..30 {
            company.end_period(period, QUOTA, QUOTA, 2_000_000);
        }
        assert!(!company.is_alone(9 * LASTING, QUOTA));
    }

    #[test]
    fn a_great_quota_is_used_early_by_one_but_not_in_every_period() {
        let period = 100_000_000;
        let mut company = Company::new(0);
        let mut early = 0;
        for count in 0..20 {
            let now = 2 * LASTING + count;
            company.end_period(now, period, period, 0);
            early += u32::from(company.may_start_early(now, period, period));
            assert!(!company.may_start_early(now, QUOTA, period));
        }
        assert_eq!(early, 18);
    }

    #[test]
    fn far_below_the_limit_everybody_starts_early() {
        let mut company = Company::new(0);
        company.end_period(0, QUOTA, QUOTA / 2, QUOTA / 2);
        assert!(company.may_start_early(LASTING + 1, QUOTA, 2 * QUOTA));
        company.end_period(LASTING, QUOTA, QUOTA / 10 * 8, QUOTA / 2);
        assert!(!company.may_start_early(LASTING + 1, QUOTA, 2 * QUOTA));
    }
}
