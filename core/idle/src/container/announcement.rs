//! How a thread that gets nothing shows others that it waits.
//!
//! One that believes it is alone uses the whole quota, which looks like demand to a newcomer. The
//! newcomer works a little at the begin of several periods, whatever the rule says. Against real
//! demand it does so ever more rarely.

use super::company::LASTING;

/// How many periods an announcement lasts: one of them is a period in which others listen.
const PERIODS: u64 = 11;
/// The longest time between two announcements, in ns.
const RAREST: u64 = 8 * LASTING;

/// The time without a share, and what is done about it.
#[derive(Clone, Debug)]
pub struct Announcement {
    fed_at: u64,
    patience: u64,
    begun: Option<u64>,
}

impl Announcement {
    /// Waits since `now`.
    pub fn new(now: u64) -> Self {
        Self {
            fed_at: now,
            patience: LASTING,
            begun: None,
        }
    }

    /// Nobody waited until `now`.
    pub fn restart(&mut self, now: u64) {
        self.fed_at = now;
    }

    pub fn is_under_way(&self) -> bool {
        self.begun.is_some()
    }

    /// Background work per period of an announcement, in ns.
    pub fn size(quota: u64) -> u64 {
        quota / 20 + 250_000
    }

    /// A period has ended. `fed`: background work got more than nothing.
    pub fn end_period(&mut self, now: u64, period: u64, fed: bool) {
        if self.begun.is_none() && fed {
            self.fed_at = now;
            self.patience = LASTING;
        }
        self.begun = self.begun.filter(|begun| now - begun <= PERIODS * period);
    }

    /// Begins an announcement if nothing was got for long enough.
    pub fn begin(&mut self, now: u64) {
        if self.begun.is_none() && now - self.fed_at > self.patience {
            self.begun = Some(now);
            self.fed_at = now;
            self.patience = (self.patience * 2).min(RAREST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_without_effect_become_rare() {
        let mut announcement = Announcement::new(0);
        let period = LASTING / 10;
        let begins: Vec<u64> = (0..600)
            .filter(|count| {
                let now = count * period;
                announcement.end_period(now, period, false);
                let before = announcement.is_under_way();
                announcement.begin(now);
                announcement.is_under_way() && !before
            })
            .collect();
        assert_eq!(begins[0], 11);
        assert!(begins.len() >= 7, "{begins:?}");
        let last = begins.len() - 1;
        assert!(begins[last] - begins[last - 1] >= 80);
    }

    #[test]
    fn who_gets_something_announces_nothing() {
        let mut announcement = Announcement::new(0);
        for count in 0..100 {
            let now = count * LASTING / 10;
            announcement.end_period(now, LASTING / 10, true);
            announcement.begin(now);
            assert!(!announcement.is_under_way());
        }
    }
}
