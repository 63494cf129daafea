//! Which tasks are overdue, by the setting and by bounds of their own.

use EffectivePriority::*;
use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::task_queue::TaskId;
use uv_scheduler_core::task_queues::{Post, TaskQueues};

use crate::poster::{Poster, drained};

const BOUNDS: MaxWait = MaxWait {
    user_visible: Some(50),
    background: Some(100),
};

#[test]
fn overdue_tasks_rank_between_user_visible_continuations_and_user_blocking_tasks() {
    let mut poster = Poster::default();
    poster.queues.set_max_wait(BOUNDS, 0);
    let dynamic = poster.open_queue(Background);
    let idle = poster.append_fixed(Idle);
    let background = poster.append(dynamic);
    let visible = poster.append_fixed(UserVisible);
    let background_continuation = poster.append_fixed(BackgroundContinuation);
    let visible_continuation = poster.append_fixed(UserVisibleContinuation);
    let blocking = poster.append_fixed(UserBlocking);
    let order_at = |queues: &mut TaskQueues, now| -> Vec<(TaskId, bool)> {
        let take = || {
            let choice = queues.choose(now, true)?;
            Some((queues.take(choice), choice.is_overdue))
        };
        std::iter::from_fn(take).collect()
    };
    assert_eq!(
        order_at(&mut poster.queues, 101),
        [
            (blocking, false),
            (background, true),
            (visible, true),
            (background_continuation, true),
            (visible_continuation, true),
            (idle, false),
        ]
    );
}

#[test]
fn a_task_is_overdue_when_it_has_waited_for_longer_than_its_bound() {
    for (priority, bound) in [(UserVisible, 50), (BackgroundContinuation, 100)] {
        let mut poster = Poster::default();
        poster.queues.set_max_wait(BOUNDS, 0);
        let post = Post::default();
        poster.queues.post(7, priority.rank(), post, 1000).unwrap();
        assert_eq!(poster.queues.oldest_overdue(1000 + bound, true), None);
        let choice = poster.queues.oldest_overdue(1001 + bound, true).unwrap();
        assert_eq!((choice.task, choice.is_overdue), (7, true));
    }
}

#[test]
fn the_wait_of_a_delayed_task_counts_from_its_deadline() {
    let mut poster = Poster::default();
    poster.queues.set_max_wait(BOUNDS, 0);
    let delayed = poster.append_delayed(UserVisible.rank(), 1000);
    poster.queues.queue_due(1040);
    assert_eq!(poster.queues.oldest_overdue(1050, true), None);
    let choice = poster.queues.oldest_overdue(1051, true);
    assert_eq!(choice.map(|choice| choice.task), Some(delayed));
}

#[test]
fn the_wait_of_a_task_queued_without_bounds_counts_from_when_a_bound_was_set() {
    let mut poster = Poster::default();
    poster.append_fixed(UserVisible);
    poster.queues.set_max_wait(BOUNDS, 500);
    assert_eq!(poster.queues.oldest_overdue(550, true), None);
    assert!(poster.queues.oldest_overdue(551, true).is_some());
    // Another bound does not restart the wait.
    let shorter = MaxWait {
        user_visible: Some(10),
        ..BOUNDS
    };
    poster.queues.set_max_wait(shorter, 551);
    assert!(poster.queues.oldest_overdue(551, true).is_some());
}

#[test]
fn overdue_background_work_can_be_excluded_from_the_choice() {
    let mut poster = Poster::default();
    poster.queues.set_max_wait(BOUNDS, 0);
    let background = poster.append_fixed(Background);
    let visible = poster.append_fixed(UserVisible);
    let chosen = |queues: &TaskQueues, with| queues.choose(101, with).map(|choice| choice.task);
    assert_eq!(chosen(&poster.queues, true), Some(background));
    assert_eq!(chosen(&poster.queues, false), Some(visible));
    poster.queues.remove(visible).unwrap();
    let choice = poster.queues.choose(101, false).unwrap();
    assert_eq!((choice.task, choice.is_overdue), (background, false));
}

#[test]
fn a_priority_change_does_not_restart_the_wait_of_a_queues_tasks() {
    let mut poster = Poster::default();
    poster.queues.set_max_wait(BOUNDS, 0);
    let dynamic = poster.open_queue(UserBlocking);
    let old = poster.append(dynamic);
    assert_eq!(poster.queues.oldest_overdue(60, true), None);
    poster.queues.set_priority(dynamic, UserVisible).unwrap();
    let overdue = poster.queues.oldest_overdue(60, true);
    assert_eq!(overdue.map(|choice| choice.task), Some(old));
    poster.queues.set_priority(dynamic, Background).unwrap();
    assert_eq!(poster.queues.oldest_overdue(60, true), None);
}

#[test]
fn a_task_with_its_own_bound_is_overdue_when_it_has_waited_for_longer() {
    for priority in [Background, UserVisible] {
        let mut poster = Poster::default();
        let bounded = poster.append_bounded(priority.rank(), 1000, 50);
        let other = poster.append_fixed(UserVisibleContinuation);
        assert_eq!(poster.chosen_at(1050), Some((other, false)));
        assert_eq!(poster.chosen_at(1051), Some((bounded, true)));
    }
}

#[test]
fn the_wait_of_a_delayed_task_with_its_own_bound_counts_from_its_deadline() {
    let mut poster = Poster::default();
    let queue = Background.rank();
    let post = Post {
        deadline: Some(1000),
        max_wait: Some(50),
    };
    poster.queues.post(7, queue, post, 0).unwrap();
    let other = poster.append_fixed(UserVisible);
    assert_eq!(poster.chosen_at(999), Some((other, false)), "not queued");
    assert_eq!(poster.chosen_at(1050), Some((other, false)));
    assert_eq!(poster.chosen_at(1051), Some((7, true)));
}

#[test]
fn a_tasks_own_bound_outranks_the_setting() {
    let mut poster = Poster::default();
    poster.queues.set_max_wait(BOUNDS, 0);
    let never = poster.append_bounded(UserVisible.rank(), 0, u64::MAX);
    let late = poster.append_bounded(UserVisible.rank(), 0, 1000);
    let by_setting = poster.append_fixed(UserVisible);
    let early = poster.append_bounded(UserVisible.rank(), 0, 10);
    assert_eq!(poster.chosen_at(10), Some((never, false)));
    assert_eq!(poster.chosen_at(11), Some((early, true)));
    poster.queues.remove(early).unwrap();
    assert_eq!(poster.chosen_at(51), Some((by_setting, true)));
    poster.queues.remove(by_setting).unwrap();
    assert_eq!(poster.chosen_at(1000), Some((never, false)));
    assert_eq!(poster.chosen_at(1001), Some((late, true)));
    poster.queues.remove(late).unwrap();
    assert_eq!(poster.chosen_at(u64::MAX), Some((never, false)));
}

#[test]
fn a_priority_change_keeps_a_tasks_own_bound_which_user_blocking_work_ignores() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(Background);
    let bounded = poster.append_bounded(dynamic, 0, 50);
    let visible = poster.append_fixed(UserVisible);
    let continuation = poster.append_fixed(UserVisibleContinuation);
    let set_priority = |poster: &mut Poster, priority| {
        assert_eq!(poster.queues.set_priority(dynamic, priority), Ok(true));
    };
    set_priority(&mut poster, UserVisible);
    assert_eq!(poster.chosen_at(50), Some((continuation, false)));
    assert_eq!(poster.chosen_at(51), Some((bounded, true)));
    set_priority(&mut poster, UserBlocking);
    assert_eq!(poster.chosen_at(52), Some((bounded, false)));
    assert_eq!(poster.queues.oldest_overdue(52, true), None);
    set_priority(&mut poster, Background);
    assert_eq!(poster.chosen_at(53), Some((bounded, true)));
    let without = poster.queues.choose(53, false).map(|choice| choice.task);
    assert_eq!(
        without,
        Some(continuation),
        "overdue background work excluded"
    );
    set_priority(&mut poster, Idle);
    assert_eq!(poster.chosen_at(54), Some((continuation, false)));
    assert_eq!(
        drained(&mut poster.queues),
        [continuation, visible, bounded]
    );
}

#[test]
fn tasks_with_their_own_bounds_run_in_enqueue_order_with_all_others() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(UserVisible);
    let fixed = UserVisible.rank();
    let ids = [
        poster.append(dynamic),
        poster.append_bounded(fixed, 0, 1000),
        poster.append_bounded(dynamic, 0, 10),
        poster.append_fixed(UserVisible),
        poster.append_bounded(fixed, 0, 20),
    ];
    assert_eq!(poster.queues.queued_of(UserVisible), 5);
    assert_eq!(drained(&mut poster.queues), ids);
    assert!(poster.queues.is_empty());
    assert!(poster.queues.priority(dynamic).is_err(), "removed");
}
