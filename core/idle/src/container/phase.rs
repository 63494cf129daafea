//! When the periods of the quota begin.
//!
//! The kernel's timer fires at times that are equal modulo the period, also after it was stopped
//! while the group was idle. Between two readings whose count of periods differs lies a boundary.
//! The intersection of such intervals, modulo the period, narrows it down.

/// Narrower than a two-hundredth of the period says nothing: timers fire late.
const NARROWEST: u64 = 200;
/// Known well enough to decide by it: a twentieth of the period.
const KNOWN: u64 = 20;

/// The boundaries of periods, as far as readings have shown them.
#[derive(Clone, Debug)]
pub struct Phase {
    period: u64,
    /// The latest time at which a boundary can lie, modulo the period.
    late: u64,
    /// The boundary lies at most this much earlier. `None`: nothing is known.
    width: Option<u64>,
    /// The last interval contradicted what was known.
    in_doubt: bool,
}

impl Phase {
    /// Nothing known yet of periods of this length, in ns.
    pub fn new(period: u64) -> Self {
        Self {
            period,
            late: 0,
            width: None,
            in_doubt: false,
        }
    }

    /// Whether boundaries are known to a twentieth of the period.
    pub fn is_known(&self) -> bool {
        self.width.is_some_and(|width| width <= self.period / KNOWN)
    }

    /// A boundary was counted after `before` and not after `after`.
    pub fn narrow(&mut self, before: u64, after: u64) {
        let seen = after - before;
        if seen >= self.period {
            return;
        }
        let (late, width) = match self.width {
            None => (after, seen),
            Some(width) => {
                // The one nearest to the middle of the interval.
                let middle = before.midpoint(after);
                let late = self.last(middle.saturating_add(self.period / 2)).max(width);
                let (low, high) = (before.max(late - width), after.min(late));
                if low < high {
                    self.in_doubt = false;
                    (high, high - low)
                } else if !self.in_doubt {
                    // A thread that was stopped between its clock and its reading is no proof.
                    self.in_doubt = true;
                    return;
                } else {
                    // Twice in succession: the phase has changed.
                    self.in_doubt = false;
                    (after, seen)
                }
            }
        };
        self.late = late % self.period;
        self.width = Some(width.max(self.period / NARROWEST));
    }

    /// The last boundary not after this time, at its latest.
    pub fn last(&self, time: u64) -> u64 {
        let past = (time % self.period + self.period - self.late) % self.period;
        time.saturating_sub(past)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_different_periods_narrow_the_phase() {
        let mut phase = Phase::new(1000);
        phase.narrow(5_100, 5_300);
        assert!(!phase.is_known());
        phase.narrow(8_170, 8_400);
        assert!(!phase.is_known());
        phase.narrow(9_050, 9_210);
        assert!(phase.is_known());
        assert_eq!(phase.last(12_209), 11_210);
        assert_eq!(phase.last(12_210), 12_210);
    }

    #[test]
    fn a_phase_across_the_end_of_the_numbers_is_one_interval() {
        let mut phase = Phase::new(1000);
        phase.narrow(5_960, 6_060);
        phase.narrow(7_970, 8_010);
        assert!(phase.is_known());
        assert_eq!(phase.last(10_050), 10_010);
        assert_eq!(phase.last(10_009), 9_010);
    }

    #[test]
    fn contradicting_readings_start_over() {
        let mut phase = Phase::new(1000);
        phase.narrow(5_100, 5_120);
        assert!(phase.is_known());
        phase.narrow(7_500, 7_700);
        phase.narrow(8_500, 8_700);
        assert!(!phase.is_known());
        assert_eq!(phase.last(8_700), 8_700);
    }

    #[test]
    fn a_single_contradiction_changes_nothing() {
        let mut phase = Phase::new(1000);
        phase.narrow(5_100, 5_120);
        for count in 6..20 {
            phase.narrow(count * 1000 + 500, count * 1000 + 510);
            phase.narrow(count * 1000 + 1100, count * 1000 + 1130);
            assert_eq!(phase.last(count * 1000 + 1500), count * 1000 + 1120);
        }
    }

    #[test]
    fn an_interval_of_nearly_a_period_contradicts_nothing() {
        let mut phase = Phase::new(1000);
        phase.narrow(5_100, 5_120);
        for count in 6..20 {
            phase.narrow(count * 1000 + 80, count * 1000 + 1060);
            phase.narrow(count * 1000 + 160, count * 1000 + 1140);
            assert_eq!(phase.last(count * 1000 + 1500), count * 1000 + 1120);
        }
    }

    #[test]
    fn readings_a_period_apart_say_nothing() {
        let mut phase = Phase::new(1000);
        phase.narrow(5_100, 6_100);
        assert!(!phase.is_known());
        assert!(phase.width.is_none());
    }

    #[test]
    fn a_late_timer_does_not_make_the_phase_unknown() {
        let mut phase = Phase::new(1000);
        phase.narrow(5_103, 5_104);
        phase.narrow(7_040, 7_102);
        assert!(phase.is_known());
        assert_eq!(phase.last(8_150), 8_102);
    }
}
