//! Processor time used by the group, corrected for what the kernel has not accounted yet.

use super::{RUN, TICK};

/// The use of the group, as good as readings tell it.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    usage: u64,
    /// Our own work when the counter moved.
    accounted: u64,
    background: u64,
}

impl Meter {
    /// The use in ns: the counter, and our own work since the counter has moved.
    pub fn read(&mut self, usage: u64, background: u64) -> u64 {
        if usage != self.usage {
            self.usage = usage;
            // It moved at some time since the last reading; a long piece was accounted on the way.
            let midpoint = self.background.midpoint(background);
            self.accounted = midpoint.max(background.saturating_sub(RUN));
        }
        self.background = background;
        usage + background.saturating_sub(self.accounted).min(TICK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_work_counts_before_the_counter_moves() {
        let mut meter = Meter::default();
        assert_eq!(meter.read(7, 0), 7);
        assert_eq!(meter.read(7, 1_000_000), 1_000_007);
        assert_eq!(meter.read(7, 900_000_000), 4_000_007);
    }

    #[test]
    fn the_counter_moved_between_two_readings() {
        let mut meter = Meter::default();
        meter.read(7, 1_000_000);
        assert_eq!(meter.read(1_500_000, 2_000_000), 2_000_000);
        assert_eq!(meter.read(2_000_000, 2_000_000), 2_000_000);
        assert_eq!(meter.read(9_000_000, 12_000_000), 10_000_000);
    }
}
