//! How long queued tasks may wait before they are overdue.
//!
//! Off by default. An overdue task has an effective priority of its own until it has run, between
//! user-visible continuations and user-blocking tasks. Times are passed in, in nanoseconds of any
//! monotonic clock.

use crate::priority::EffectivePriority;

/// The bounds of an event loop by priority. `None`: no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaxWait {
    /// For user-visible tasks and their continuations, in nanoseconds.
    pub user_visible: Option<u64>,
    /// For background tasks and their continuations, in nanoseconds.
    pub background: Option<u64>,
}

impl MaxWait {
    /// Whether any task can become overdue.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.user_visible.is_some() || self.background.is_some()
    }

    /// The bound for tasks of this priority. User-blocking tasks and idle callbacks have none.
    #[must_use]
    pub fn of(&self, priority: EffectivePriority) -> Option<u64> {
        use EffectivePriority::*;
        match priority {
            Background | BackgroundContinuation => self.background,
            UserVisible | UserVisibleContinuation => self.user_visible,
            Idle | UserBlocking | UserBlockingContinuation => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EffectivePriority::*;

    #[test]
    fn a_bound_applies_to_tasks_and_continuations_of_its_priority() {
        let max_wait = MaxWait {
            user_visible: Some(5),
            background: Some(9),
        };
        let bounds = EffectivePriority::ALL.map(|priority| max_wait.of(priority));
        assert_eq!(
            bounds,
            [None, Some(9), Some(9), Some(5), Some(5), None, None]
        );
        assert_eq!(MaxWait::default().of(UserVisible), None);
    }
}
