//! When the loop is referenced, kept awake and woken by the timer.

use EffectivePriority::*;
use uv_scheduler_core::drain::DEFAULT_SLICE;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::Destination;
use uv_scheduler_core::task_queue::QueueId;
use uv_scheduler_core::task_queues::QueueError;

use crate::fixture::{Fixture, MILLISECOND};

#[test]
fn handles_are_told_only_what_has_changed() {
    let mut fixture = Fixture::default();
    fixture.post(UserBlocking);
    fixture.post_delayed(UserVisible, MILLISECOND);
    let told = fixture.host.told.get();
    fixture.post(UserBlocking);
    fixture.post_delayed(UserVisible, MILLISECOND);
    fixture.event_loop.flush(&fixture.host);
    assert_eq!(fixture.host.told.get(), told);
}

#[test]
fn the_loop_is_referenced_from_the_first_task_until_a_check_phase_finds_none() {
    let mut fixture = Fixture::default();
    assert!(!fixture.is_referenced());
    let task = fixture.post(UserBlocking);
    assert!(fixture.is_referenced());
    assert_eq!(fixture.at_checkpoint(), Some(task));
    assert_eq!(fixture.at_checkpoint(), None);
    assert!(fixture.is_referenced());
    fixture.prepare();
    assert!(fixture.is_referenced());
    assert!(fixture.begin_check().is_none());
    assert!(!fixture.is_referenced());
}

#[test]
fn the_loop_is_released_at_the_end_of_a_check_phase_that_has_started_the_last_task() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    fixture.prepare();
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    assert_eq!(fixture.next_in(&mut check), None);
    assert!(fixture.is_referenced());
    fixture.end_check(check);
    assert!(!fixture.is_referenced() && !fixture.is_awake());
}

#[test]
fn a_task_without_reference_runs_but_does_not_keep_the_process_alive() {
    for priority in [Idle, Background, UserVisible, UserBlocking] {
        let mut fixture = Fixture::default();
        let task = fixture.post_unreferenced(priority);
        assert!(!fixture.is_referenced() && fixture.is_awake());
        assert!(fixture.notifies(Idle), "every task is flushed");
        assert_eq!(fixture.run_turn(), [task]);
        assert!(!fixture.is_referenced() && !fixture.is_awake());
    }
}

#[test]
fn a_delayed_task_without_reference_wakes_the_loop_but_does_not_keep_the_process_alive() {
    let mut fixture = Fixture::default();
    let destination = Destination::fixed(UserVisible).unreferenced();
    let posted = fixture
        .event_loop
        .post_delayed(&fixture.host, 7, destination, MILLISECOND);
    assert_eq!(posted, Ok(()));
    assert!(!fixture.is_referenced() && !fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    fixture.pass(MILLISECOND);
    fixture.fire_timer();
    assert_eq!(fixture.run_turn(), [7]);
    assert_eq!(fixture.host.timer.get(), None);
}

#[test]
fn the_loop_is_released_where_only_tasks_without_reference_are_left() {
    let mut fixture = Fixture::default();
    fixture.host.is_busy.set(true);
    let left = fixture.post_unreferenced(Background);
    let task = fixture.post(UserVisible);
    assert!(fixture.is_referenced());
    assert_eq!(fixture.run_turn(), [task]);
    assert!(!fixture.is_referenced());
    let removed = fixture.post(Background);
    assert!(fixture.is_referenced());
    fixture.remove(removed);
    assert!(!fixture.is_referenced());
    fixture.host.is_busy.set(false);
    assert_eq!(fixture.run_turn(), [left]);
}

#[test]
fn a_refused_delayed_task_does_not_keep_back_the_tasks_that_were_posted_before() {
    let mut fixture = Fixture::default();
    fixture.leave(UserVisible);
    let nowhere = Destination {
        queue: QueueId::MAX,
        priority: UserVisible,
        is_referenced: true,
    };
    let refused = fixture
        .event_loop
        .post_delayed(&fixture.host, 99, nowhere, MILLISECOND);
    assert_eq!(refused, Err(QueueError::NoSuchQueue(QueueId::MAX)));
    assert!(fixture.is_referenced() && fixture.is_awake());
}

#[test]
fn a_delayed_task_references_the_loop() {
    let mut fixture = Fixture::default();
    fixture.post_delayed(UserVisible, MILLISECOND);
    assert!(fixture.is_referenced());
    assert_eq!(fixture.run_turn(), []);
    assert!(fixture.is_referenced());
    let task = fixture.post(UserVisible);
    assert_eq!(fixture.run_turn(), [task]);
    assert!(fixture.is_referenced());
    let task = fixture.post(UserVisible);
    fixture.remove(task);
    assert!(fixture.is_referenced());
    assert_eq!(fixture.host.released.get(), 0);
}

#[test]
fn a_removal_releases_the_loop_at_once_while_no_task_has_started() {
    let mut fixture = Fixture::default();
    let task = fixture.post(UserVisible);
    fixture.remove(task);
    assert!(!fixture.is_referenced() && !fixture.is_awake());
}

#[test]
fn after_a_task_has_started_a_removal_leaves_the_release_to_the_check_phase() {
    for ends_chain in [false, true] {
        let mut fixture = Fixture::default();
        let visible = fixture.post(UserVisible);
        fixture.post(UserBlocking);
        assert!(fixture.at_checkpoint().is_some());
        if ends_chain {
            assert_eq!(fixture.at_checkpoint(), None);
        }
        fixture.remove(visible);
        assert!(fixture.is_referenced() && fixture.is_awake());
        assert_eq!(fixture.run_turn(), []);
        assert!(!fixture.is_referenced() && !fixture.is_awake());
        // From here on no task has started.
        let task = fixture.post(UserVisible);
        fixture.remove(task);
        assert!(!fixture.is_referenced());
    }
}

#[test]
fn a_removal_releases_the_loop_at_once_if_only_unreferenced_tasks_have_started() {
    for was_referenced in [false, true] {
        let mut fixture = Fixture::default();
        let mut tasks = Vec::new();
        if was_referenced {
            tasks.push(fixture.post_delayed(UserVisible, MILLISECOND));
        }
        let urgent = fixture.post_unreferenced(UserBlocking);
        assert_eq!(fixture.at_checkpoint(), Some(urgent));
        tasks.push(fixture.post(UserVisible));
        for task in tasks {
            assert!(fixture.is_referenced());
            fixture.remove(task);
        }
        assert!(!fixture.is_referenced());
    }
}

#[test]
fn a_removal_in_a_check_drain_leaves_the_release_to_its_end() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    let other = fixture.post(UserVisible);
    fixture.prepare();
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    fixture.remove(other);
    assert!(fixture.is_referenced());
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    assert!(!fixture.is_referenced());
}

#[test]
fn a_removal_lets_the_loop_sleep_until_the_next_deadline() {
    let mut fixture = Fixture::default();
    let early = fixture.post_delayed(UserVisible, MILLISECOND);
    fixture.post_delayed(UserVisible, 2 * MILLISECOND);
    let queued = fixture.post(UserVisible);
    assert!(fixture.is_awake());
    fixture.remove(queued);
    assert!(!fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    fixture.remove(early);
    assert_eq!(fixture.host.timer.get(), Some(2 * MILLISECOND));
}

#[test]
fn the_loop_is_awake_from_the_first_queued_task_to_the_check_phase_and_after_one_that_leaves_any() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    assert!(fixture.is_awake());
    fixture.prepare();
    assert!(fixture.is_awake());
    fixture.post(UserVisible);
    let mut check = fixture.begin_check().unwrap();
    assert!(!fixture.is_awake());
    assert!(fixture.next_in(&mut check).is_some());
    fixture.pass(DEFAULT_SLICE);
    assert_eq!(fixture.next_in(&mut check), None);
    assert!(!fixture.is_awake());
    fixture.end_check(check);
    assert!(fixture.is_awake());
}

#[test]
fn delayed_tasks_alone_let_the_loop_sleep() {
    let mut fixture = Fixture::default();
    fixture.post_delayed(UserVisible, MILLISECOND);
    assert!(!fixture.is_awake());
    fixture.prepare();
    assert!(!fixture.is_awake());
}

#[test]
fn a_task_posted_in_the_poll_phase_keeps_the_loop_from_sleeping_in_it() {
    let mut fixture = Fixture::default();
    fixture.prepare();
    fixture.post(UserVisible);
    assert!(fixture.is_awake());
}

#[test]
fn the_timer_queues_what_is_due_and_waits_for_the_rest() {
    let mut fixture = Fixture::default();
    fixture.post_delayed(UserVisible, 2 * MILLISECOND);
    let early = fixture.post_delayed(UserVisible, MILLISECOND);
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    fixture.pass(MILLISECOND);
    fixture.fire_timer();
    assert_eq!(fixture.host.timer.get(), Some(2 * MILLISECOND));
    assert!(fixture.is_awake());
    assert_eq!(fixture.run_turn(), [early]);
}

#[test]
fn a_timer_that_fires_early_is_set_again() {
    let mut fixture = Fixture::default();
    fixture.post_delayed(UserVisible, MILLISECOND);
    fixture.pass(MILLISECOND - 1);
    fixture.fire_timer();
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
}
