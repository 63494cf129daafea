//! Shares of the thread: of the keys of one priority, the key that has used the least thread time
//! for its weight goes next.
//!
//! This is worst-case fair queueing. Each key has a time of its own, which advances by the thread
//! time that the key is charged, divided by its weight. The key with the least time goes next. The
//! *current* time is the time that a fluid server would have given to each unit of weight. It
//! advances by the time that keys are charged, divided by the sum of the weights of the keys that
//! wait or run, and never stays behind the least time of a waiting key. A key saves nothing up:
//! after a time without queued entries, the key goes on at the current time, or at its own time if
//! that is later. So an endless series of new keys leaves a waiting key its share.
//! While nothing is queued the current time advances by itself, until no key is ahead: a long
//! callback delays its key as long as others want the thread, and not hours later.
//! Source: Bennett, Zhang, "Hierarchical Packet Fair Queueing Algorithms", 1996 (WF2Q+).
//!
//! A key that runs counts as waiting until its callback has ended, so that a chain which queues its
//! continuation at the end loses nothing.
//!
//! Entries without a key are one flow of weight 1.

use crate::heap::IndexedHeap;

/// Identifies a key.
pub type KeyId = u32;

/// Time divided by weight, in nanoseconds of a key of weight 1 times [`SCALE`].
pub type Time = u128;

/// The scale of [`Time`]. With this scale a nanosecond of the heaviest weight is still one unit,
/// and so is the lightest weight.
const SCALE: f64 = (1u64 << SCALE_BITS) as f64;
const SCALE_BITS: u32 = 20;

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

/// A weight times [`SCALE`], so that sums of weights are exact.
#[must_use]
pub fn scaled(weight: f64) -> u64 {
    (weight.clamp(WEIGHTS.0, WEIGHTS.1) * SCALE) as u64
}

/// A callback advances the current time by this thread time at most, in nanoseconds. A longer one
/// is owed by its own key alone: new keys do not wait until the others have made up for it.
const LONGEST: u64 = 10_000_000;

/// The time that a fluid server gives to each unit of weight during a callback that takes `time`
/// nanoseconds, by the sum of the [`scaled`] weights.
#[must_use]
pub fn given(time: u64, weights: u64) -> Time {
    (u128::from(time.min(LONGEST)) << (2 * SCALE_BITS)) / u128::from(weights)
}

/// A sharer of the thread: a key, or `None` for the entries without a key.
pub type Sharer = Option<KeyId>;

/// The shares of one priority.
#[derive(Debug, Default)]
pub struct Shares {
    current: Time,
    /// The latest time of a sharer.
    latest: Time,
    /// By key. Keys without a time are at the current one.
    keys: Vec<Key>,
    /// The keys that have something queued, by their time and the order of their arrival.
    queued: IndexedHeap<(Time, u64)>,
    arrivals: u64,
    /// The sum of the weights of the keys that have something queued.
    queued_weight: u64,
    unkeyed: Time,
    /// Whether entries without a key were queued at the last start.
    was_unkeyed_queued: bool,
    /// The sharer of the entry that was started last, until that has ended.
    running: Option<Sharer>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Key {
    time: Time,
    /// Its weight since it has had something queued, times [`SCALE`].
    weight: u64,
}

impl Shares {
    /// Notes that a key of this weight has an entry queued, perhaps its first one.
    pub fn add(&mut self, key: KeyId, weight: f64) {
        if self.queued.key(key).is_some() {
            return;
        }
        let time = self.time(key);
        let weight = scaled(weight);
        *self.key_mut(key) = Key { time, weight };
        self.queued_weight += weight;
        self.arrivals += 1;
        self.queued.set(key, (time, self.arrivals));
    }

    /// Notes that a key has nothing queued any more.
    pub fn remove(&mut self, key: KeyId) {
        if self.queued.key(key).is_some() {
            self.queued_weight -= self.keys[key as usize].weight;
            self.queued.remove(key);
        }
    }

    /// The next sharer. `is_unkeyed_queued` says whether an entry without a key is queued. At least
    /// one entry is queued.
    #[must_use]
    pub fn next(&self, is_unkeyed_queued: bool) -> Sharer {
        let first = self.queued.first();
        let is_first = |((time, _), _): &((Time, u64), KeyId)| {
            !is_unkeyed_queued || *time < self.unkeyed_time()
        };
        first.filter(is_first).map(|(_, key)| key)
    }

    /// Notes that a queued entry of a sharer starts. The entry need not be the next one, as overdue
    /// entries start before their turns.
    pub fn start(&mut self, sharer: Sharer, is_unkeyed_queued: bool) {
        if is_unkeyed_queued {
            self.unkeyed = self.unkeyed_time();
        }
        self.was_unkeyed_queued = is_unkeyed_queued;
        let next = self.time_of(self.next(is_unkeyed_queued));
        self.current = self.current.max(next);
        self.running = Some(sharer);
    }

    /// Notes that the entry that was started last has ended, after the last charge.
    pub fn end(&mut self) {
        self.running = None;
    }

    /// Lets a `time` in nanoseconds pass in which no entry has started and none was queued, but for
    /// those that have arrived last. Returns whether a sharer is still ahead of the current time.
    pub fn rest(&mut self, time: u64) -> bool {
        let current = self.current.saturating_add(weighted(time, 1.0));
        self.current = self.current.max(current.min(self.latest));
        self.was_unkeyed_queued = false;
        while let Some(((time, since), key)) = self.queued.first()
            && time < self.current
        {
            self.key_mut(key).time = self.current;
            self.queued.set(key, (self.current, since));
        }
        self.current < self.latest
    }

    /// Charges a sharer of this weight for a `time` in nanoseconds.
    pub fn charge(&mut self, sharer: Sharer, weight: f64, time: u64) {
        let charged = self.time_of(sharer).saturating_add(weighted(time, weight));
        self.latest = self.latest.max(charged);
        self.advance(sharer, weight, time);
        match sharer {
            None => self.unkeyed = charged,
            Some(key) => {
                self.key_mut(key).time = charged;
                if let Some((_, since)) = self.queued.key(key) {
                    self.queued.set(key, (charged, since));
                }
            }
        }
    }

    /// Charges a sharer of this weight for what another one was served.
    pub fn charge_whole(&mut self, sharer: Sharer, weight: f64, time: u64) {
        let current = self.current;
        self.charge(sharer, weight, time);
        self.current = current;
    }

    /// Lets a key go where another sharer would, if that comes first. With `from_start` also if it
    /// comes later.
    pub fn align(&mut self, key: KeyId, other: Sharer, from_start: bool) {
        let time = self.time_of(other);
        if from_start || time < self.time(key) {
            self.key_mut(key).time = time;
            if let Some((_, since)) = self.queued.key(key) {
                self.queued.set(key, (time, since));
            }
        }
    }

    /// Advances the current time, as a sharer is served.
    fn advance(&mut self, sharer: Sharer, weight: f64, time: u64) {
        let is_queued = |key: KeyId| self.queued.key(key).is_some();
        let unkeyed = if self.was_unkeyed_queued || sharer.is_none() {
            scaled(1.0)
        } else {
            0
        };
        let unqueued = match sharer {
            Some(key) if !is_queued(key) => scaled(weight),
            _ => 0,
        };
        let given = given(time, self.queued_weight + unkeyed + unqueued);
        self.current = self.current.saturating_add(given);
    }

    /// Whether another sharer is so far behind this one that the other should go next. This one has
    /// used the thread for a further `time`, for which it was not charged yet.
    #[must_use]
    pub fn is_ahead(&self, sharer: Sharer, time: Time, is_unkeyed_queued: bool) -> bool {
        let other = match self.queued.first() {
            Some((_, key)) if Some(key) == sharer => self.queued.second(),
            first => first,
        };
        let keyed = other.map(|((time, _), _)| time);
        let unkeyed = (is_unkeyed_queued && sharer.is_some()).then(|| self.unkeyed_time());
        let least = keyed.into_iter().chain(unkeyed).min();
        let own = self.time_of(sharer).saturating_add(time);
        least.is_some_and(|least| own >= least.saturating_add(LAG))
    }

    /// Whether a key can be forgotten. It can if no key has anything queued, or if this one has
    /// nothing queued and its time is not ahead of the current one.
    #[must_use]
    pub fn is_like_new(&self, key: KeyId) -> bool {
        let is_idle = self.queued.first().is_none();
        is_idle || self.queued.key(key).is_none() && self.own(key) <= self.current
    }

    /// Forgets a key that has nothing queued.
    pub fn forget(&mut self, key: KeyId) {
        if let Some(key) = self.keys.get_mut(key as usize) {
            *key = Key::default();
        }
    }

    fn time_of(&self, sharer: Sharer) -> Time {
        match sharer {
            None => self.unkeyed_time(),
            Some(key) => self.time(key),
        }
    }

    /// The time of a key; at least the current one if the key has nothing queued and does not run.
    fn time(&self, key: KeyId) -> Time {
        match self.queued.key(key) {
            Some((time, _)) => time,
            None if self.running == Some(Some(key)) => self.own(key),
            None => self.own(key).max(self.current),
        }
    }

    fn unkeyed_time(&self) -> Time {
        if self.was_unkeyed_queued || self.running == Some(None) {
            self.unkeyed
        } else {
            self.unkeyed.max(self.current)
        }
    }

    fn own(&self, key: KeyId) -> Time {
        self.keys.get(key as usize).map_or(0, |key| key.time)
    }

    fn key_mut(&mut self, key: KeyId) -> &mut Key {
        let index = key as usize;
        if index >= self.keys.len() {
            self.keys.resize(index + 1, Key::default());
        }
        &mut self.keys[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000;

    /// Runs the sharers that `shares` names, a millisecond each, and counts how often each ran.
    fn run(shares: &mut Shares, weights: &[f64], rounds: usize, unkeyed: bool) -> Vec<usize> {
        let mut counts = vec![0; weights.len() + 1];
        for _ in 0..rounds {
            let next = shares.next(unkeyed);
            shares.start(next, unkeyed);
            let weight = next.map_or(1.0, |key| weights[key as usize]);
            shares.charge(next, weight, MILLISECOND);
            shares.end();
            counts[next.map_or(weights.len(), |key| key as usize)] += 1;
        }
        counts
    }

    /// Runs a sharer of weight 1 for so many ms.
    fn serve(shares: &mut Shares, sharer: Sharer, ms: u64) {
        shares.start(sharer, sharer.is_none());
        shares.charge(sharer, 1.0, ms * MILLISECOND);
        shares.end();
    }

    #[test]
    fn new_keys_without_end_leave_a_waiting_key_its_share() {
        // Five keys that run once each are queued at any time, beside one sharer that stays.
        for stays in [Some(0), None] {
            let mut shares = Shares::default();
            if let Some(key) = stays {
                shares.add(key, 1.0);
            }
            for key in 1..=5 {
                shares.add(key, 1.0);
            }
            let mut turns = 0;
            for key in 6..3006 {
                let next = shares.next(stays.is_none());
                if next == stays {
                    turns += 1;
                } else if let Some(gone) = next {
                    shares.start(next, stays.is_none());
                    shares.remove(gone);
                    shares.charge(next, 1.0, MILLISECOND);
                    shares.end();
                    shares.add(key, 1.0);
                    continue;
                }
                // The chain queues its continuation before it ends.
                shares.start(next, stays.is_none());
                if let Some(key) = stays {
                    shares.remove(key);
                    shares.add(key, 1.0);
                }
                shares.charge(next, 1.0, MILLISECOND);
                shares.end();
            }
            assert!((490..=510).contains(&turns), "{stays:?}: {turns} of 3,000");
        }
    }

    #[test]
    fn keys_share_the_thread_by_weight() {
        let weights = [3.0, 1.0];
        let mut shares = Shares::default();
        shares.add(0, weights[0]);
        shares.add(1, weights[1]);
        assert_eq!(run(&mut shares, &weights, 400, false)[..2], [300, 100]);
        assert_eq!(run(&mut shares, &weights, 500, true), [300, 100, 100]);
    }

    #[test]
    fn the_extremes_of_weights_are_told_apart() {
        let weights = [WEIGHTS.1, 1.0, WEIGHTS.0];
        let mut shares = Shares::default();
        for (key, weight) in (0..).zip(weights) {
            shares.add(key, weight);
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
        shares.add(0, 1.0);
        run(&mut shares, &weights, 100, false);
        shares.add(1, 1.0);
        assert_eq!(run(&mut shares, &weights, 100, false)[..2], [50, 50]);
    }

    #[test]
    fn a_new_key_does_not_come_before_the_debt_of_the_only_one_that_waits() {
        let mut shares = Shares::default();
        shares.add(0, 1.0);
        serve(&mut shares, Some(0), 100);
        serve(&mut shares, Some(0), 1);
        shares.add(1, 1.0);
        assert_eq!(run(&mut shares, &[1.0; 2], 10, false)[..2], [5, 5]);
    }

    #[test]
    fn a_key_keeps_its_debt_while_others_are_queued() {
        let mut shares = Shares::default();
        shares.add(0, 1.0);
        shares.add(1, 1.0);
        serve(&mut shares, Some(0), 10);
        shares.remove(0);
        shares.add(0, 1.0);
        assert_eq!(run(&mut shares, &[1.0; 2], 10, false)[..2], [0, 10]);
        // Also where nothing was queued for a while.
        shares.remove(1);
        shares.remove(0);
        shares.add(0, 1.0);
        shares.add(1, 1.0);
        serve(&mut shares, Some(1), 1);
        assert_eq!(run(&mut shares, &[1.0; 2], 1, false)[..2], [1, 0]);
    }

    #[test]
    fn what_a_key_owes_fades_while_nothing_is_queued() {
        for (rested, counts) in [(0, [8, 12]), (2, [9, 11]), (4, [10, 10]), (99, [10, 10])] {
            for is_queued_before in [false, true] {
                let mut shares = Shares::default();
                shares.add(0, 1.0);
                shares.add(1, 1.0);
                serve(&mut shares, Some(0), 8);
                shares.remove(0);
                shares.remove(1);
                if is_queued_before {
                    shares.add(1, 1.0);
                }
                assert_eq!(shares.rest(rested * MILLISECOND), rested < 4);
                shares.add(0, 1.0);
                shares.add(1, 1.0);
                let found = run(&mut shares, &[1.0; 2], 20, false);
                assert_eq!(found[..2], counts, "after {rested} ms");
            }
        }
    }

    #[test]
    fn what_entries_without_a_key_owe_fades_while_nothing_is_queued() {
        for (rested, counts) in [(0, [12, 8]), (4, [10, 10])] {
            let mut shares = Shares::default();
            shares.add(0, 1.0);
            serve(&mut shares, None, 8);
            shares.remove(0);
            shares.rest(rested * MILLISECOND);
            shares.add(0, 1.0);
            assert_eq!(run(&mut shares, &[1.0], 20, true), counts);
        }
    }

    #[test]
    fn a_key_that_runs_alone_owes_nothing_but_for_long_callbacks() {
        for (ran, counts) in [(10, [10, 10]), (30, [0, 20])] {
            let mut shares = Shares::default();
            shares.add(0, 1.0);
            serve(&mut shares, Some(0), ran);
            shares.add(1, 1.0);
            assert_eq!(run(&mut shares, &[1.0; 2], 20, false)[..2], counts);
        }
    }

    #[test]
    fn another_key_is_behind_once_it_is_by_a_millisecond() {
        let mut shares = Shares::default();
        shares.add(0, 1.0);
        shares.add(1, 1.0);
        shares.start(Some(0), false);
        let ahead = |time| shares.is_ahead(Some(0), weighted(time, 1.0), false);
        assert!(!ahead(MILLISECOND - 1) && ahead(MILLISECOND));
        // Nothing else is queued.
        shares.remove(1);
        assert!(!shares.is_ahead(Some(0), weighted(u64::MAX, 1.0), false));
        assert!(shares.is_ahead(Some(0), weighted(MILLISECOND, 1.0), true));
        assert!(shares.is_ahead(None, weighted(MILLISECOND, 1.0), true));
    }
}
