//! Whether other members of the group leave room to start early in the period.

/// A state has to last for this long before it counts, in ns.
pub const LASTING: u64 = 1_000_000_000;
/// Nobody is alone in every tenth period: then work of others shows before our own begins.
const LISTENING: u64 = 10;
/// What it costs to wake up, a few times in a period, in ns.
const WAKING: u64 = 300_000;

/// What was seen of the other members, and of the group as a whole.
#[derive(Clone, Debug)]
pub struct Company {
    seen_at: u64,
    crowded_at: u64,
    recent: f64,
    periods: u64,
    /// The last late start was too late to use the quota.
    short: bool,
    early: bool,
}

impl Company {
    /// Knows of nothing before `now`.
    pub fn new(now: u64) -> Self {
        Self {
            seen_at: now,
            crowded_at: now,
            recent: 0.0,
            periods: 0,
            short: false,
            early: false,
        }
    }

    /// A fiftieth of the quota, or what waking up costs in a period: less is not taken for work of
    /// others.
    pub fn notable(quota: u64) -> u64 {
        (quota / 50).max(WAKING)
    }

    /// Whether work of others shows in this period before our own begins.
    pub fn is_listening(&self) -> bool {
        self.periods.is_multiple_of(LISTENING)
    }

    /// A period has ended: what all used, what others used of it, and whether background work was
    /// still running although less than the quota was used.
    pub fn end_period(&mut self, now: u64, quota: u64, total: u64, others: u64, short: bool) {
        self.periods += 1;
        // The collection of garbage in other threads is work of our own.
        if others > Self::notable(quota) + super::TICK.min(quota / 10) {
            self.seen_at = now;
        }
        self.recent = self.recent * 0.9 + others as f64;
        if total > quota / 10 * 7 {
            self.crowded_at = now;
        }
        if !self.early {
            self.short = short;
        }
        let quiet = now - self.crowded_at > LASTING;
        self.early = quiet || self.short && self.is_alone(now, quota) && !self.is_listening();
    }

    /// No other work was seen for a second.
    pub fn is_alone(&self, now: u64, quota: u64) -> bool {
        let recent = self.recent < 10.0 * Self::notable(quota) as f64;
        recent && now - self.seen_at > LASTING
    }

    /// Whether background work may start with the period: far below the limit, or alone with a
    /// quota that a late start does not use up.
    pub fn may_start_early(&self) -> bool {
        self.early
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
        company.end_period(LASTING, QUOTA, QUOTA, 8_000_000, false);
        assert!(!company.is_alone(LASTING + 1, QUOTA));
        assert!(company.is_alone(2 * LASTING + 1, QUOTA));
    }

    #[test]
    fn little_work_in_each_period_is_company() {
        let mut company = Company::new(0);
        for period in 0..30 {
            company.end_period(period, QUOTA, QUOTA, 2_000_000, false);
        }
        assert!(!company.is_alone(9 * LASTING, QUOTA));
    }

    #[test]
    fn who_is_alone_and_late_starts_early_but_not_in_every_period() {
        let mut company = Company::new(0);
        let mut early = 0;
        for count in 0..20 {
            let late = !company.may_start_early();
            company.end_period(2 * LASTING + count, QUOTA, QUOTA / 10 * 8, 0, late);
            early += u32::from(company.may_start_early());
        }
        assert_eq!(early, 18);
        company.end_period(2 * LASTING + 20, QUOTA, QUOTA, 0, false);
        assert!(!company.may_start_early());
    }

    #[test]
    fn far_below_the_limit_everybody_starts_early() {
        let mut company = Company::new(0);
        company.end_period(LASTING + 1, QUOTA, QUOTA / 2, QUOTA / 2, false);
        assert!(company.may_start_early());
        company.end_period(LASTING + 2, QUOTA, QUOTA / 10 * 8, QUOTA / 2, false);
        assert!(!company.may_start_early());
    }
}
