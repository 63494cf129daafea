//! The scale of effective priorities.
//!
//! Source: "Scheduling Tasks and Continuations", scheduler task queue, effective priority. The
//! specification counts from 0, and idle callbacks add a level below. JavaScript and Rust both use
//! ranks, which count from 0 for the lowest level.

/// The effective priority of a queue: the three priorities, each with its continuations just above
/// it, and idle callbacks below all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum EffectivePriority {
    /// An idle callback; effective priority -1.
    Idle,
    /// A background task; 0.
    Background,
    /// A continuation of a background task; 1.
    BackgroundContinuation,
    /// A user-visible task; 2.
    UserVisible,
    /// A continuation of a user-visible task; 3.
    UserVisibleContinuation,
    /// A user-blocking task; 4.
    UserBlocking,
    /// A continuation of a user-blocking task; 5.
    UserBlockingContinuation,
}

impl EffectivePriority {
    /// Every effective priority, the lowest first.
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::Background,
        Self::BackgroundContinuation,
        Self::UserVisible,
        Self::UserVisibleContinuation,
        Self::UserBlocking,
        Self::UserBlockingContinuation,
    ];

    /// The effective priorities of the same priority, the highest first. Idle callbacks have no
    /// continuations.
    #[must_use]
    pub fn equals(self) -> &'static [Self] {
        use EffectivePriority::*;
        match self {
            Idle => &[Idle],
            Background | BackgroundContinuation => &[BackgroundContinuation, Background],
            UserVisible | UserVisibleContinuation => &[UserVisibleContinuation, UserVisible],
            UserBlocking | UserBlockingContinuation => &[UserBlockingContinuation, UserBlocking],
        }
    }

    /// Whether this is the priority of a continuation.
    #[must_use]
    pub const fn is_continuation(self) -> bool {
        self.index() != 0 && self.index().is_multiple_of(2)
    }

    /// The position on the scale, from 0 for the lowest.
    #[must_use]
    pub const fn rank(self) -> u32 {
        self as u32
    }

    /// The rank as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The priority with this rank.
    #[must_use]
    pub fn from_rank(rank: u32) -> Option<Self> {
        Self::ALL.get(rank as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_effective_priorities_of_the_specification_plus_one() {
        for (rank, priority) in (0..).zip(EffectivePriority::ALL) {
            assert_eq!(priority.rank(), rank);
            assert_eq!(EffectivePriority::from_rank(rank), Some(priority));
        }
        assert_eq!(EffectivePriority::Background.rank(), 1);
        assert_eq!(EffectivePriority::from_rank(7), None);
        assert_eq!(EffectivePriority::from_rank(u32::MAX), None);
    }

    #[test]
    fn continuations_outrank_tasks_of_their_priority_but_not_of_higher_ones() {
        use EffectivePriority::*;
        assert!(BackgroundContinuation > Background && BackgroundContinuation < UserVisible);
        assert!(UserVisibleContinuation > UserVisible && UserVisibleContinuation < UserBlocking);
        assert!(UserBlockingContinuation > UserBlocking);
    }
}
