//! How long background tasks may wait, where the application has set a bound.
//!
//! Owns the bound, and which enqueue orders have waited for longer. Knows nothing of queues and
//! priorities, nor of clocks: the time is handed in, in nanoseconds of any monotonic clock.
//!
//! Orders grow with time, so the age of all tasks is known from a few marks: "what has an order
//! below this one was queued before that time". No task carries a time of its own.

use std::collections::VecDeque;

/// Marks in one timeout: how precisely a wait is known.
const MARKS: u64 = 16;

/// A time, and the first enqueue order that had not been given then.
#[derive(Debug)]
struct Mark {
    time: u64,
    next_order: u64,
}

/// The bound on the wait of background tasks; none by default.
#[derive(Debug, Default)]
pub struct BackgroundTimeout {
    timeout: Option<u64>,
    /// The oldest first; at most one for each part of the timeout, and one more.
    marks: VecDeque<Mark>,
    expired_below: u64,
}

impl BackgroundTimeout {
    /// Sets the bound, in nanoseconds. What waits already waits from now on where none was set
    /// before, and so does what had expired.
    pub fn set(&mut self, timeout: Option<u64>) {
        self.timeout = timeout;
        self.expired_below = 0;
        if timeout.is_none() {
            self.marks.clear();
        }
    }

    /// Time has passed: `next_order` is the enqueue order that the next task gets.
    pub fn advance(&mut self, now: u64, next_order: u64) {
        let Some(timeout) = self.timeout else { return };
        while let Some(mark) = self.marks.front()
            && mark.time.saturating_add(timeout) <= now
        {
            self.expired_below = mark.next_order;
            self.marks.pop_front();
        }
        let is_wanted = self.marks.back().is_none_or(|last| {
            last.next_order < next_order && now.saturating_sub(last.time) >= timeout / MARKS
        });
        if is_wanted && next_order > self.expired_below {
            self.marks.push_back(Mark {
                time: now,
                next_order,
            });
        }
    }

    /// Tasks of an enqueue order below it have waited for longer than the bound. Those that wait for
    /// a sixteenth less than that are not among them.
    #[must_use]
    pub fn expired_below(&self) -> u64 {
        self.expired_below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_bound_nothing_expires() {
        let mut timeout = BackgroundTimeout::default();
        timeout.advance(0, 5);
        timeout.advance(u64::MAX, 5);
        assert_eq!(timeout.expired_below(), 0);
    }

    #[test]
    fn what_was_queued_a_timeout_ago_has_expired_and_nothing_younger() {
        let mut timeout = BackgroundTimeout::default();
        timeout.set(Some(1600));
        // One task at each time.
        for now in 0..10_000 {
            timeout.advance(now, now + 1);
            let expired = timeout.expired_below();
            assert!(
                expired <= (now + 1).saturating_sub(1600),
                "{expired} at {now}"
            );
            assert!(
                expired >= (now + 1).saturating_sub(1701),
                "{expired} at {now}"
            );
        }
    }

    #[test]
    fn a_flood_and_a_long_quiet_time_leave_few_marks() {
        let mut timeout = BackgroundTimeout::default();
        timeout.set(Some(1600));
        for now in 0..100_000 {
            timeout.advance(now, 10 * now);
            assert!(timeout.marks.len() <= MARKS as usize + 1);
        }
        for now in 100_000..200_000 {
            timeout.advance(now, 1_000_000);
        }
        assert_eq!(timeout.expired_below(), 1_000_000);
        assert!(timeout.marks.is_empty());
    }

    #[test]
    fn another_bound_counts_for_what_waits_already() {
        let mut timeout = BackgroundTimeout::default();
        timeout.set(Some(1000));
        timeout.advance(0, 3);
        timeout.set(Some(100));
        timeout.advance(99, 3);
        assert_eq!(timeout.expired_below(), 0);
        timeout.advance(100, 3);
        assert_eq!(timeout.expired_below(), 3);
        timeout.set(Some(1000));
        timeout.advance(101, 3);
        assert_eq!(timeout.expired_below(), 0);
        timeout.set(None);
        timeout.advance(10_000, 3);
        assert_eq!(timeout.expired_below(), 0);
    }
}
