//! How much processor time work that is not ours will want, from what it used lately.

/// What is kept of the past with each span that is learned: about twenty spans are remembered.
const KEPT: f64 = 0.95;
/// The deviations that are set aside over the mean, and of quotas up to a quarter of the period: the
/// smaller the quota, the longer a stop.
const DEVIATIONS: f64 = 1.5;
const MOST_DEVIATIONS: f64 = 2.1;

/// Mean and variance of the demand per ns, over about the last twenty periods.
#[derive(Clone, Debug)]
pub struct Demand {
    span: f64,
    used: f64,
    squares: f64,
    squares_span: f64,
    deviations: f64,
}

impl Demand {
    /// A guess that a few periods replace: a third of the quota, with a third as its deviation.
    pub fn new(quota: u64, period: u64) -> Self {
        let (span, guess) = (0.5 * period as f64, quota as f64 / 3.0);
        Self {
            span,
            used: 0.5 * guess,
            squares: 0.5 * guess * guess,
            squares_span: span,
            deviations: deviations(quota, period),
        }
    }

    /// The quota has changed. What was learned is kept.
    pub fn set_quota(&mut self, quota: u64, period: u64) {
        self.deviations = deviations(quota, period);
    }

    /// Work that is not ours used `used` in `span`, both in ns.
    pub fn learn(&mut self, span: u64, used: u64) {
        let (span, used) = (span as f64, used as f64);
        let surprise = used - self.mean() * span;
        self.span = self.span * KEPT + span;
        self.used = self.used * KEPT + used;
        self.squares = self.squares * KEPT + surprise * surprise;
        self.squares_span = self.squares_span * KEPT + span;
    }

    /// The mean, as a part of one processor.
    pub fn mean(&self) -> f64 {
        self.used / self.span
    }

    fn deviation(&self) -> f64 {
        self.deviations * (self.squares / self.squares_span).sqrt()
    }

    /// What is set aside for the next `span` ns.
    pub fn expected(&self, span: u64) -> f64 {
        self.mean() * span as f64 + self.deviation() * (span as f64).sqrt()
    }

    /// For how many ns the expected demand fits into `room` ns.
    pub fn fits(&self, room: f64) -> f64 {
        if room <= 0.0 {
            return 0.0;
        }
        let (mean, deviation) = (self.mean(), self.deviation());
        let root = (deviation * deviation + 4.0 * mean * room).sqrt() + deviation;
        if root == 0.0 {
            return f64::INFINITY;
        }
        (2.0 * room / root).powi(2)
    }
}

fn deviations(quota: u64, period: u64) -> f64 {
    let part = quota as f64 / period as f64;
    (2.7 - 2.4 * part).clamp(DEVIATIONS, MOST_DEVIATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_demand_is_expected_to_go_on() {
        let mut demand = Demand::new(50_000, 100_000);
        for _ in 0..200 {
            demand.learn(40_000, 8_000);
        }
        assert!((demand.mean() - 0.2).abs() < 0.001);
        assert!(demand.expected(10_000) < 2_200.0);
    }

    #[test]
    fn demand_that_comes_in_bursts_gets_more_than_its_mean() {
        let mut demand = Demand::new(50_000, 100_000);
        for round in 0..200 {
            demand.learn(40_000, if round % 4 == 0 { 32_000 } else { 0 });
        }
        assert!((demand.mean() - 0.2).abs() < 0.1);
        assert!(demand.expected(10_000) > 10_000.0);
    }

    #[test]
    fn what_fits_is_what_is_expected() {
        let demand = Demand::new(50_000, 100_000);
        for span in [100, 5_000, 80_000] {
            let fits = demand.fits(demand.expected(span));
            assert!((fits - span as f64).abs() < 1.0, "{span}: {fits}");
        }
        assert_eq!(demand.fits(-1.0), 0.0);
    }
}
