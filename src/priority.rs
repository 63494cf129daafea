//! The effective priority of a scheduler task queue.
//!
//! Owns the scale and its meaning for the event loop; knows nothing of queues, tasks or time.
//! Source: "Scheduling Tasks and Continuations", scheduler task queue, effective priority; the
//! idle callbacks extend the scale downwards.

/// How urgent the tasks of a queue are: the three priorities, each with its continuations just
/// above it, and the idle callbacks below all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i8)]
pub enum EffectivePriority {
    /// An idle callback.
    Idle = -1,
    /// A background task.
    Background = 0,
    /// A continuation of a background task.
    BackgroundContinuation = 1,
    /// A user-visible task.
    UserVisible = 2,
    /// A continuation of a user-visible task.
    UserVisibleContinuation = 3,
    /// A user-blocking task.
    UserBlocking = 4,
    /// A continuation of a user-blocking task.
    UserBlockingContinuation = 5,
}

impl EffectivePriority {
    /// Every effective priority, the lowest first; the position is [`index`](Self::index).
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::Background,
        Self::BackgroundContinuation,
        Self::UserVisible,
        Self::UserVisibleContinuation,
        Self::UserBlocking,
        Self::UserBlockingContinuation,
    ];

    /// The lowest effective priority whose tasks run as soon as the current callback has ended,
    /// instead of waiting for the loop's check phase.
    pub const LOWEST_AT_CHECKPOINT: Self = Self::UserVisibleContinuation;

    /// The background priorities, each with what it becomes when a task has waited for too long.
    pub const RAISED_IN_TIME: [(Self, Self); 2] = [
        (Self::Background, Self::UserVisible),
        (Self::BackgroundContinuation, Self::UserVisibleContinuation),
    ];

    /// Position on the scale, counted from 0 for the lowest.
    #[must_use]
    pub const fn index(self) -> usize {
        (self as i8 + 1) as usize
    }

    /// Whether a task of this priority runs at a checkpoint.
    #[must_use]
    pub fn runs_at_checkpoint(self) -> bool {
        self >= Self::LOWEST_AT_CHECKPOINT
    }
}

/// The number is not on the scale from -1 to 5.
#[derive(Debug, PartialEq, Eq)]
pub struct NotAPriority(pub i32);

impl TryFrom<i32> for EffectivePriority {
    type Error = NotAPriority;

    fn try_from(value: i32) -> Result<Self, NotAPriority> {
        usize::try_from(i64::from(value) + 1)
            .ok()
            .and_then(|index| Self::ALL.get(index).copied())
            .ok_or(NotAPriority(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_that_of_the_specification() {
        let numbers: Vec<i8> = EffectivePriority::ALL.iter().map(|p| *p as i8).collect();
        assert_eq!(numbers, [-1, 0, 1, 2, 3, 4, 5]);
        for (index, priority) in EffectivePriority::ALL.into_iter().enumerate() {
            assert_eq!(priority.index(), index);
            assert_eq!(EffectivePriority::try_from(priority as i32), Ok(priority));
        }
    }

    #[test]
    fn numbers_off_the_scale_are_refused() {
        for number in [-2, 6, i32::MIN, i32::MAX] {
            assert_eq!(
                EffectivePriority::try_from(number),
                Err(NotAPriority(number))
            );
        }
    }

    #[test]
    fn continuations_outrank_tasks_of_their_priority_and_no_others() {
        use EffectivePriority::*;
        assert!(BackgroundContinuation > Background && BackgroundContinuation < UserVisible);
        assert!(UserVisibleContinuation > UserVisible && UserVisibleContinuation < UserBlocking);
        assert!(UserBlockingContinuation > UserBlocking);
    }
}
