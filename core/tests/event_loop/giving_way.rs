//! The states of the handles when a check pass gives way, and in nested runs of the loop.

use EffectivePriority::*;
use uv_scheduler_core::priority::EffectivePriority;

use crate::fixture::{Fixture, MILLISECOND};

/// A check pass that has left a background task because something else is runnable.
pub fn given_way() -> Fixture {
    let mut fixture = Fixture::default();
    fixture.post(Background);
    fixture.host.is_busy.set(true);
    assert_eq!(fixture.run_turn(), []);
    fixture
}

#[test]
fn a_drain_that_has_given_way_leaves_the_loop_to_a_timer_until_the_next_prepare() {
    let mut fixture = given_way();
    assert!(fixture.is_referenced() && !fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    fixture.prepare();
    assert!(fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), None);
}

#[test]
fn a_drain_whose_user_visible_task_gives_way_keeps_the_loop_awake() {
    let mut fixture = Fixture::default();
    fixture.post(Background);
    let mut check = fixture.begin_check().unwrap();
    fixture.post(UserVisible);
    fixture.host.is_busy.set(true);
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    assert!(fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), None);
}

#[test]
fn a_drain_that_gives_way_to_io_alone_or_to_its_slice_keeps_the_loop_awake() {
    let mut fixture = Fixture::default();
    fixture.post(Background);
    fixture.host.is_io_ready.set(true);
    assert_eq!(fixture.run_turn(), []);
    assert!(fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), None);
}

#[test]
fn what_a_drain_has_given_way_to_can_be_gone_before_the_next_turn() {
    let mut fixture = given_way();
    fixture.pass(MILLISECOND - 1);
    // The timer has fired early.
    fixture.fire_timer();
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    assert!(!fixture.is_awake());
    fixture.pass(1);
    fixture.fire_timer();
    assert_eq!(fixture.host.timer.get(), None);
    assert!(fixture.is_awake());
}

#[test]
fn a_drain_that_has_given_way_keeps_the_timer_of_an_earlier_deadline_which_can_fire_late() {
    let mut fixture = Fixture::default();
    fixture.set_max_wait(Some(0));
    let overdue = [fixture.post(Background), fixture.post(Background)];
    fixture.post_delayed(Background, MILLISECOND);
    fixture.pass(1);
    fixture.host.is_busy.set(true);
    assert_eq!(fixture.run_turn(), overdue[..1]);
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    assert!(!fixture.is_awake());
    fixture.pass(2 * MILLISECOND - 2);
    fixture.fire_timer();
    assert_eq!(fixture.host.timer.get(), None);
    assert!(fixture.is_awake());
}

#[test]
fn a_release_forgets_that_a_drain_has_given_way() {
    let mut fixture = given_way();
    let task = fixture.post(UserVisible);
    fixture.remove(task);
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    fixture.remove(1);
    assert!(!fixture.is_referenced());
    assert_eq!(fixture.host.timer.get(), None);
}

#[test]
fn a_nested_run_calls_the_check_hooks_that_the_drain_around_it_holds_back() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    fixture.prepare();
    assert_eq!(fixture.host.restored.get(), 0);
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    fixture.prepare();
    assert_eq!(fixture.host.restored.get(), 1);
    assert!(fixture.begin_check().is_none());
    fixture.end_check(check);
    fixture.prepare();
    assert_eq!(fixture.host.restored.get(), 1);
}

#[test]
fn a_nested_run_that_gives_way_inside_a_drain_sets_no_timer() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    fixture.post(Background);
    fixture.prepare();
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    fixture.host.is_busy.set(true);
    assert_eq!(fixture.run_turn(), []);
    assert_eq!(fixture.host.timer.get(), None);
    assert!(!fixture.is_awake(), "the pass goes on");
    fixture.host.is_busy.set(false);
    assert!(fixture.next_in(&mut check).is_some());
    fixture.end_check(check);
    assert!(!fixture.is_referenced());
}

#[test]
fn after_a_nested_run_in_the_poll_phase_the_check_phase_needs_no_timer() {
    let mut fixture = given_way();
    assert!(fixture.host.timer.get().is_some());
    // The poll phase around the nested run ends.
    let check = fixture.begin_check().unwrap();
    assert_eq!(fixture.host.timer.get(), None);
    fixture.end_check(check);
}

#[test]
fn in_the_poll_phase_of_a_nested_run_a_task_needs_no_checkpoint_and_the_loop_is_awake() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    fixture.prepare();
    fixture.leave(UserBlocking);
    assert!(!fixture.event_loop.flush(&fixture.host));
    assert!(fixture.is_awake());
}
