//! Shares of the thread: of the keys of one priority, the key that has used the least thread time
//! for its weight goes next.
//!
//! This is start-time fair queueing. Each key has a time of its own, which advances by the thread
//! time that the key is charged, divided by its weight. The key with the least time goes next. The
//! *current* time is the time of the key that started last. A key saves nothing up: after a time
//! without queued entries, the key goes on at the current time, or at its own time if that is
//! later. As the current time follows the starts, a key is ahead of it by at most its last charge.
//! While nothing is queued the current time advances by itself, until no key is ahead: a long
//! callback delays its key as long as others want the thread, and not hours later.
//! Source: Goyal, Vin, Cheng, "Start-time Fair Queuing", 1996.
//!
//! Entries without a key are one flow of weight 1.

use crate::heap::IndexedHeap;

/// Identifies a key.
pub type KeyId = u32;

/// Time divided by weight, in nanoseconds of a key of weight 1 times [`SCALE`].
pub type Time = u128;

/// The scale of [`Time`]. With this scale a nanosecond of the heaviest weight is still one unit.
const SCALE: f64 = (1u64 << 20) as f64;

/// The lag of a key from which on the key under way should yield to it: a millisecond of a key of
/// weight 1.
const LAG: Time = 1_000_000 << 20;

/// The least and the most weight.
pub const WEIGHTS: (f64, f64) = (1e-6, 1e6);

/// A thread time in nanoseconds, divided by a weight.
#[must_use]
pub fn weighted(time: u64, weight: f64) -> Time {
    (time as f64 * (SCALE / weight.clamp(WEIGHTS.0, WEIGHTS.1))) as Time
}

/// The holder of a turn: a key, or `None` for the entries without a key.
pub type Holder = Option<KeyId>;

/// The shares of one priority.
#[derive(Debug, Default)]
pub struct Shares {
    current: Time,
    /// The latest time of a holder.
    latest: Time,
    /// By key. Keys without a time are at the current one.
    times: Vec<Time>,
    /// The keys that have something queued, by their time and the order of their arrival.
    queued: IndexedHeap<(Time, u64)>,
    arrivals: u64,
    unkeyed: Time,
    /// Whether entries without a key were queued at the last start.
    was_unkeyed_queued: bool,
}

impl Shares {
    /// Notes that a key has an entry queued, perhaps its first one.
    pub fn add(&mut self, key: KeyId) {
        if self.queued.key(key).is_some() {
            return;
        }
        let time = self.time(key);
        self.set(key, time);
        self.arrivals += 1;
        self.queued.set(key, (time, self.arrivals));
    }

    /// Notes that a key has nothing queued any more.
    pub fn remove(&mut self, key: KeyId) {
        self.queued.remove(key);
    }

    /// The next holder. `is_unkeyed_queued` says whether an entry without a key is queued. At least
    /// one entry is queued.
    #[must_use]
    pub fn next(&self, is_unkeyed_queued: bool) -> Holder {
        let first = self.queued.first();
        let is_first = |((time, _), _): &((Time, u64), KeyId)| {
            !is_unkeyed_queued || *time < self.unkeyed_time()
        };
        first.filter(is_first).map(|(_, key)| key)
    }

    /// Notes that a queued entry starts. The entry need not be the next one, as overdue entries
    /// start before their turns.
    pub fn start(&mut self, is_unkeyed_queued: bool) {
        if is_unkeyed_queued {
            self.unkeyed = self.unkeyed_time();
        }
        self.was_unkeyed_queued = is_unkeyed_queued;
        let next = self.time_of(self.next(is_unkeyed_queued));
        self.current = self.current.max(next);
    }

    /// Lets a `time` in nanoseconds pass in which no entry has started and none was queued, but for
    /// those that have arrived last. Returns whether a holder is still ahead of the current time.
    pub fn rest(&mut self, time: u64) -> bool {
        let current = self.current.saturating_add(weighted(time, 1.0));
        self.current = self.current.max(current.min(self.latest));
        self.was_unkeyed_queued = false;
        while let Some(((time, since), key)) = self.queued.first()
            && time < self.current
        {
            self.set(key, self.current);
            self.queued.set(key, (self.current, since));
        }
        self.current < self.latest
    }

    /// Charges a holder for this time.
    pub fn charge(&mut self, holder: Holder, time: Time) {
        let charged = self.time_of(holder).saturating_add(time);
        self.latest = self.latest.max(charged);
        match holder {
            None => self.unkeyed = charged,
            Some(key) => {
                self.set(key, charged);
                if let Some((_, since)) = self.queued.key(key) {
                    self.queued.set(key, (charged, since));
                }
            }
        }
    }

    /// Whether another holder is so far behind this one that the other should go next. This one has
    /// used the thread for a further `time`, for which it was not charged yet.
    #[must_use]
    pub fn is_ahead(&self, holder: Holder, time: Time, is_unkeyed_queued: bool) -> bool {
        let other = match self.queued.first() {
            Some((_, key)) if Some(key) == holder => self.queued.second(),
            first => first,
        };
        let keyed = other.map(|((time, _), _)| time);
        let unkeyed = (is_unkeyed_queued && holder.is_some()).then(|| self.unkeyed_time());
        let least = keyed.into_iter().chain(unkeyed).min();
        let own = self.time_of(holder).saturating_add(time);
        least.is_some_and(|least| own >= least.saturating_add(LAG))
    }

    /// Whether a key can be forgotten: no key waits, or the key does not and is not ahead of the
    /// current time.
    #[must_use]
    pub fn is_like_new(&self, key: KeyId) -> bool {
        let is_idle = self.queued.first().is_none();
        is_idle || self.queued.key(key).is_none() && self.own(key) <= self.current
    }

    /// Forgets a key that has nothing queued.
    pub fn forget(&mut self, key: KeyId) {
        if (key as usize) < self.times.len() {
            self.times[key as usize] = 0;
        }
    }

    fn time_of(&self, holder: Holder) -> Time {
        match holder {
            None => self.unkeyed_time(),
            Some(key) => self.time(key),
        }
    }

    /// The time of a key; at least the current one if the key has nothing queued.
    fn time(&self, key: KeyId) -> Time {
        match self.queued.key(key) {
            Some((time, _)) => time,
            None => self.own(key).max(self.current),
        }
    }

    fn unkeyed_time(&self) -> Time {
        if self.was_unkeyed_queued {
            self.unkeyed
        } else {
            self.unkeyed.max(self.current)
        }
    }

    fn own(&self, key: KeyId) -> Time {
        self.times.get(key as usize).copied().unwrap_or(0)
    }

    fn set(&mut self, key: KeyId, time: Time) {
        let index = key as usize;
        if index >= self.times.len() {
            self.times.resize(index + 1, 0);
        }
        self.times[index] = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000;

    /// Runs the holders that `shares` names, a millisecond each, and counts how often each ran.
    fn run(shares: &mut Shares, weights: &[f64], rounds: usize, unkeyed: bool) -> Vec<usize> {
        let mut counts = vec![0; weights.len() + 1];
        for _ in 0..rounds {
            let next = shares.next(unkeyed);
            shares.start(unkeyed);
            let weight = next.map_or(1.0, |key| weights[key as usize]);
            shares.charge(next, weighted(MILLISECOND, weight));
            counts[next.map_or(weights.len(), |key| key as usize)] += 1;
        }
        counts
    }

    #[test]
    fn keys_share_the_thread_by_weight() {
        let weights = [3.0, 1.0];
        let mut shares = Shares::default();
        shares.add(0);
        shares.add(1);
        assert_eq!(run(&mut shares, &weights, 400, false)[..2], [300, 100]);
        assert_eq!(run(&mut shares, &weights, 500, true), [300, 100, 100]);
    }

    #[test]
    fn the_extremes_of_weights_are_told_apart() {
        let weights = [WEIGHTS.1, 1.0, WEIGHTS.0];
        let mut shares = Shares::default();
        for key in 0..3 {
            shares.add(key);
        }
        let counts = run(&mut shares, &weights, 100_000, false);
        assert_eq!(counts[..3], [99_998, 1, 1]);
        assert_eq!(weighted(1, f64::MAX), 1);
        assert!(weighted(u64::MAX, 0.0) > weighted(u64::MAX, 1.0));
    }

    #[test]
    fn a_key_that_had_nothing_queued_saves_up_nothing() {
        let weights = [1.0, 1.0];
        let mut shares = Shares::default();
        shares.add(0);
        run(&mut shares, &weights, 100, false);
        shares.add(1);
        assert_eq!(run(&mut shares, &weights, 100, false)[..2], [50, 50]);
    }

    #[test]
    fn a_key_keeps_its_debt_while_others_are_queued() {
        let mut shares = Shares::default();
        shares.add(0);
        shares.add(1);
        shares.start(false);
        shares.charge(Some(0), weighted(10 * MILLISECOND, 1.0));
        shares.remove(0);
        shares.add(0);
        assert_eq!(run(&mut shares, &[1.0; 2], 10, false)[..2], [0, 10]);
        // Also where nothing was queued for a while.
        shares.remove(1);
        shares.remove(0);
        shares.add(0);
        shares.add(1);
        shares.start(false);
        shares.charge(Some(1), weighted(MILLISECOND, 1.0));
        assert_eq!(run(&mut shares, &[1.0; 2], 1, false)[..2], [1, 0]);
    }

    #[test]
    fn what_a_key_owes_fades_while_nothing_is_queued() {
        for (rested, counts) in [(0, [0, 10]), (4, [2, 8]), (10, [5, 5]), (99, [5, 5])] {
            for is_queued_before in [false, true] {
                let mut shares = Shares::default();
                shares.add(0);
                shares.start(false);
                shares.charge(Some(0), weighted(10 * MILLISECOND, 1.0));
                shares.remove(0);
                if is_queued_before {
                    shares.add(1);
                }
                assert_eq!(shares.rest(rested * MILLISECOND), rested < 10);
                shares.add(0);
                shares.add(1);
                let found = run(&mut shares, &[1.0; 2], 10, false);
                assert_eq!(found[..2], counts, "after {rested} ms");
            }
        }
    }

    #[test]
    fn what_entries_without_a_key_owe_fades_while_nothing_is_queued() {
        let mut shares = Shares::default();
        shares.start(true);
        shares.charge(None, weighted(10 * MILLISECOND, 1.0));
        assert!(!shares.rest(10 * MILLISECOND));
        shares.add(0);
        assert_eq!(run(&mut shares, &[1.0], 10, true), [5, 5]);
    }

    #[test]
    fn another_key_is_behind_once_it_is_by_a_millisecond() {
        let mut shares = Shares::default();
        shares.add(0);
        shares.add(1);
        shares.start(false);
        let ahead = |time| shares.is_ahead(Some(0), weighted(time, 1.0), false);
        assert!(!ahead(MILLISECOND - 1) && ahead(MILLISECOND));
        // Nothing else is queued.
        shares.remove(1);
        assert!(!shares.is_ahead(Some(0), weighted(u64::MAX, 1.0), false));
        assert!(shares.is_ahead(Some(0), weighted(MILLISECOND, 1.0), true));
        assert!(shares.is_ahead(None, weighted(MILLISECOND, 1.0), true));
    }
}
