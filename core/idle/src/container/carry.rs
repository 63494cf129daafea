//! What is left of one period's quota for the next one.
//!
//! The kernel hands out the quota to processors in slices. A processor that gets idle gives its
//! slice back, but for up to 1 ms, which it keeps for as long as it needs. So a little that a
//! period leaves is not lost, though the quota is filled up to no more than itself.

use super::MS;

/// What an idle processor keeps of its slice, in ns.
const KEPT: u64 = MS;

/// What this thread's processor has kept.
#[derive(Clone, Debug, Default)]
pub struct Carry(u64);

impl Carry {
    /// In ns.
    pub fn get(&self) -> u64 {
        self.0
    }

    /// What background work that is alone sets aside for the length of a piece. All of it up to
    /// what is kept anyway: then nothing is throttled, and nothing lost.
    pub fn set_aside(overshoot: f64) -> f64 {
        overshoot.min(KEPT as f64).max(0.5 * overshoot)
    }

    /// A period has ended in which the group used `total` ns. A throttled one shows that nothing
    /// was kept, or by another processor.
    pub fn end_period(&mut self, quota: u64, total: u64, throttled: bool) {
        self.0 = if throttled {
            0
        } else {
            (quota + self.0).saturating_sub(total).min(KEPT)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_little_that_is_left_is_there_in_the_next_period() {
        let mut carry = Carry::default();
        carry.end_period(5 * MS, 5 * MS - 300_000, false);
        assert_eq!(carry.get(), 300_000);
        carry.end_period(5 * MS, 5 * MS + 100_000, false);
        assert_eq!(carry.get(), 200_000);
        carry.end_period(5 * MS, MS, false);
        assert_eq!(carry.get(), KEPT);
        carry.end_period(5 * MS, 7 * MS, false);
        assert_eq!(carry.get(), 0);
    }

    #[test]
    fn nothing_is_left_after_a_throttled_period() {
        let mut carry = Carry::default();
        carry.end_period(5 * MS, 4 * MS, false);
        carry.end_period(5 * MS, 4 * MS, true);
        assert_eq!(carry.get(), 0);
    }
}
