//! What overdue tasks are allowed, and how many of them.

use EffectivePriority::*;
use uv_scheduler_core::priority::EffectivePriority;

use crate::scheduler::{SLICE, Scheduler};

#[test]
fn an_overdue_task_runs_though_something_else_is_runnable() {
    for priority in [UserVisible, UserVisibleContinuation, Background] {
        let mut scheduler = Scheduler::default();
        scheduler.set_max_wait(Some(1000), Some(1000));
        scheduler.host.busy.set(true);
        scheduler.host.io_ready.set(true);
        scheduler.begin_check();
        let old = scheduler.post(priority);
        scheduler.post(priority);
        scheduler.host.pass(SLICE / 2);
        assert_eq!(scheduler.next(), Some(old), "{priority:?}");
    }
}

#[test]
fn every_check_phase_starts_an_overdue_task_even_with_its_slice_spent() {
    let mut scheduler = Scheduler::default();
    scheduler.set_max_wait(Some(1000), None);
    let old = scheduler.post(UserVisible);
    scheduler.post(UserVisible);
    let first = scheduler.post(UserBlocking);
    scheduler.post(UserBlocking);
    scheduler.host.pass(1001);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(first));
    scheduler.host.pass(SLICE);
    assert_eq!(scheduler.next(), Some(old));
    assert_eq!(scheduler.next(), None);
}

#[test]
fn a_check_phase_starts_one_task_at_most_that_is_overdue_background_work() {
    let mut scheduler = Scheduler::default();
    scheduler.set_max_wait(None, Some(1000));
    scheduler.host.busy.set(true);
    let old = scheduler.post(Background);
    let next = scheduler.post(BackgroundContinuation);
    scheduler.host.pass(1001);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(old));
    assert_eq!(scheduler.next(), None);
    // It does not hold back what is more urgent than background work either.
    let continuation = scheduler.post(UserVisibleContinuation);
    assert_eq!(scheduler.next_at_checkpoint(), Some(continuation));
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(next));
}

#[test]
fn a_checkpoint_leaves_overdue_tasks_and_all_below_them_to_the_check_phase() {
    let mut scheduler = Scheduler::default();
    scheduler.set_max_wait(Some(1000), None);
    scheduler.post(UserVisible);
    scheduler.host.pass(1001);
    scheduler.post(UserVisibleContinuation);
    assert_eq!(scheduler.next_at_checkpoint(), None);
    let blocking = scheduler.post(UserBlocking);
    assert_eq!(scheduler.next_at_checkpoint(), Some(blocking));
}

#[test]
fn a_check_phase_starts_tasks_that_are_overdue_by_their_own_bounds_as_it_does_others() {
    let mut scheduler = Scheduler::default();
    scheduler.host.busy.set(true);
    let background = scheduler.post_bounded(Background, 1000);
    let next = scheduler.post_bounded(Background, 1000);
    let visible = scheduler.post_bounded(UserVisible, 1000);
    scheduler.post(UserVisibleContinuation);
    let blocking = scheduler.post_bounded(UserBlocking, 1);
    scheduler.host.pass(1001);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(blocking));
    scheduler.host.pass(SLICE);
    assert_eq!(scheduler.next(), Some(background), "one past the slice");
    assert_eq!(scheduler.next(), None);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(next));
    assert_eq!(scheduler.next(), Some(visible), "before a continuation");
}

#[test]
fn a_task_with_a_longer_bound_of_its_own_waits_though_the_setting_is_shorter() {
    let mut scheduler = Scheduler::default();
    scheduler.set_max_wait(Some(1000), Some(1000));
    scheduler.host.busy.set(true);
    let patient = scheduler.post_bounded(Background, 2000);
    scheduler.host.pass(2000);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), None);
    scheduler.host.pass(1);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(patient));
}
