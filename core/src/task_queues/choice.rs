//! The choice of the next task, and which tasks are overdue.

use super::TaskQueues;
use crate::fair_queues::Next;
use crate::priority::EffectivePriority;
use crate::task_queue::{TaskId, oldest_of};

/// The priorities whose tasks can be overdue, in any order, as age decides among them.
const CAN_BE_OVERDUE: [EffectivePriority; 4] = [
    EffectivePriority::UserVisible,
    EffectivePriority::UserVisibleContinuation,
    EffectivePriority::Background,
    EffectivePriority::BackgroundContinuation,
];

/// The task to run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The oldest task of the highest effective priority, or the next one of the next flow.
    pub task: TaskId,
    /// The effective priority of its queue, even if the task is overdue.
    pub priority: EffectivePriority,
    /// Its enqueue order.
    pub order: u64,
    /// Whether the task has waited for longer than its own bound or, without one, that of its
    /// priority. It then ranks between user-visible continuations and user-blocking tasks.
    pub is_overdue: bool,
}

impl Choice {
    /// Whether this is a user-visible task or a continuation of one.
    #[must_use]
    pub fn is_user_visible(&self) -> bool {
        use EffectivePriority::*;
        matches!(self.priority, UserVisible | UserVisibleContinuation)
    }

    /// Whether this is background work: an idle callback, a background task or its continuation.
    #[must_use]
    pub fn is_background(&self) -> bool {
        self.priority < EffectivePriority::UserVisible
    }
}

impl TaskQueues {
    /// The task to run next: the oldest queued task of the highest effective priority. If flows
    /// have something queued, they and the other entries take turns, with tasks and continuations
    /// counted together. Background work counts as overdue only if `with_overdue_background` is
    /// set.
    #[must_use]
    pub fn choose(&self, now: u64, with_overdue_background: bool) -> Option<Choice> {
        let highest = self.highest()?;
        let can_be_overdue = self.max_wait.is_set() || self.bounded.has_overdue();
        if highest < EffectivePriority::UserBlocking && can_be_overdue {
            let overdue = self.oldest_overdue(now, with_overdue_background);
            return overdue.or_else(|| self.next_of(highest));
        }
        self.next_of(highest)
    }

    /// The next task of the equals of `highest`, the highest effective priority.
    fn next_of(&self, highest: EffectivePriority) -> Option<Choice> {
        if !self.fair.has_equal(highest) {
            return self.oldest(highest);
        }
        let unkeyed = self.oldest_unkeyed(highest);
        let Next::Queue(next) = self.fair.next(highest, unkeyed.is_some()) else {
            return unkeyed;
        };
        let queue = Self::dynamic_queue(next);
        let (task, order) = self.first(next)?;
        Some(Choice {
            task,
            priority: self.priority(queue).ok()?,
            order,
            is_overdue: false,
        })
    }

    /// The next task of the equals of this effective priority that belong to no flow: the oldest of
    /// the continuations or, without one, of the tasks.
    pub(super) fn oldest_unkeyed(&self, of: EffectivePriority) -> Option<Choice> {
        of.equals().iter().find_map(|&priority| {
            let fixed = self.fixed[priority.index()].first();
            let fixed = fixed.map(|task| (task, self.tasks[task as usize].order));
            let listed = oldest_of([fixed, self.dynamic.oldest(priority)]);
            let (task, order) = oldest_of([listed, self.bounded.oldest(priority, false)])?;
            Some(Choice {
                task,
                priority,
                order,
                is_overdue: false,
            })
        })
    }

    /// The oldest overdue task. Background work counts only if `with_background` is set.
    #[must_use]
    pub fn oldest_overdue(&self, now: u64, with_background: bool) -> Option<Choice> {
        let all = CAN_BE_OVERDUE.into_iter();
        let overdue = all.flat_map(|priority| {
            let by_own_bound = self.bounded.oldest_overdue(priority);
            let both = [self.overdue_by_setting(priority, now), by_own_bound];
            both.into_iter().flatten().map(move |(task, order)| Choice {
                task,
                priority,
                order,
                is_overdue: true,
            })
        });
        overdue
            .filter(|choice| with_background || !choice.is_background())
            .min_by_key(|choice| choice.order)
    }

    /// The time at which the next background task becomes overdue, or a moment before that; 0 if
    /// one is overdue. `None` if no waiting task is known to become overdue.
    #[must_use]
    pub fn next_overdue(&self) -> Option<u64> {
        use EffectivePriority::*;
        let by_setting = [Background, BackgroundContinuation]
            .into_iter()
            .filter_map(|priority| self.latest_by_setting(priority))
            .map(|(_, latest)| latest.saturating_add(1));
        by_setting.chain(self.bounded.next_overdue()).min()
    }

    /// The oldest task of this priority that is overdue by the setting, and its enqueue order.
    fn overdue_by_setting(&self, priority: EffectivePriority, now: u64) -> Option<(TaskId, u64)> {
        let (oldest, latest) = self.latest_by_setting(priority)?;
        (now > latest).then_some(oldest)
    }

    /// The task of this priority that is the first to become overdue by the setting, with its
    /// enqueue order, and the last moment at which the task is not overdue.
    fn latest_by_setting(&self, priority: EffectivePriority) -> Option<((TaskId, u64), u64)> {
        let bound = self.max_wait.of(priority)?;
        // Enqueue order is order of age, so the first task of a queue becomes overdue first.
        let (task, order) = self.oldest_listed(priority)?;
        let queued_at = self.tasks[task as usize].queued_at;
        let since = queued_at.max(self.max_wait_set_at);
        Some(((task, order), since.saturating_add(bound)))
    }

    /// The oldest queued task of this effective priority.
    #[must_use]
    pub fn oldest(&self, priority: EffectivePriority) -> Option<Choice> {
        let listed = self.oldest_listed(priority);
        let bounded = [false, true].map(|is_keyed| self.bounded.oldest(priority, is_keyed));
        let (task, order) = oldest_of([listed, oldest_of(bounded)])?;
        Some(Choice {
            task,
            priority,
            order,
            is_overdue: false,
        })
    }

    /// The oldest of the tasks that have no bound of their own, and its enqueue order.
    fn oldest_listed(&self, priority: EffectivePriority) -> Option<(TaskId, u64)> {
        let fixed = self.fixed[priority.index()].first();
        let fixed = fixed.map(|task| (task, self.tasks[task as usize].order));
        let dynamic = [
            self.dynamic.oldest(priority),
            self.dynamic.oldest_keyed(priority),
        ];
        oldest_of([fixed, oldest_of(dynamic)])
    }
}
