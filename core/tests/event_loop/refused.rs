//! The entry that a check pass did not start, and the condition for which it waits.

use EffectivePriority::*;
use uv_scheduler_core::event_loop::Refused;
use uv_scheduler_core::host::{Hold, Reason};
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::Entry;
use uv_scheduler_core::rules::WaitsFor;

use crate::fixture::{Fixture, MILLISECOND};

fn refused(fixture: &mut Fixture) -> Option<(u32, EffectivePriority, WaitsFor)> {
    let refused = fixture.event_loop.refused(&fixture.host);
    refused.map(|entry| (entry.task, entry.priority, entry.waits_for))
}

#[test]
fn background_work_waits_for_callbacks_before_io_and_for_io_before_a_hold() {
    let reason = Reason::Container;
    let until = MILLISECOND;
    for priority in [Idle, Background, BackgroundContinuation] {
        let mut fixture = Fixture::default();
        let task = fixture.post(priority);
        fixture.host.hold.set(Some(Hold { until, reason }));
        fixture.host.is_io_ready.set(true);
        fixture.host.is_busy.set(true);
        assert_eq!(fixture.run_turn(), []);
        let condition = Some((task, priority, WaitsFor::Callbacks));
        assert_eq!(refused(&mut fixture), condition);
        fixture.host.is_busy.set(false);
        assert_eq!(fixture.run_turn(), []);
        let condition = Some((task, priority, WaitsFor::Io));
        assert_eq!(refused(&mut fixture), condition);
        fixture.host.is_io_ready.set(false);
        assert_eq!(fixture.run_turn(), []);
        let condition = Some((task, priority, WaitsFor::Hold));
        assert_eq!(refused(&mut fixture), condition);
    }
}

#[test]
fn work_waits_for_the_next_slice_whatever_its_priority() {
    for priority in [Background, UserVisible, UserBlocking] {
        let mut fixture = Fixture::default();
        let tasks = [fixture.post(priority), fixture.post(priority)];
        let mut check = fixture.begin_check().unwrap();
        assert_eq!(fixture.next_in(&mut check), Some(tasks[0]));
        fixture.pass(100 * MILLISECOND);
        assert_eq!(fixture.next_in(&mut check), None);
        fixture.end_check(check);
        let condition = Some((tasks[1], priority, WaitsFor::Slice));
        assert_eq!(refused(&mut fixture), condition, "{priority:?}");
    }
}

#[test]
fn an_idle_callback_that_another_one_requests_waits_for_the_next_idle_period() {
    let mut fixture = Fixture::default();
    let first = fixture.post(Idle);
    let mut check = fixture.begin_check().unwrap();
    assert_eq!(fixture.next_in(&mut check), Some(first));
    let second = fixture.post(Idle);
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    let condition = Some((second, Idle, WaitsFor::IdlePeriod));
    assert_eq!(refused(&mut fixture), condition);
}

#[test]
fn user_visible_work_waits_for_the_end_of_a_pause() {
    let mut fixture = Fixture::default();
    fixture.tell(Entry::Pause(MILLISECOND));
    let task = fixture.post(UserVisible);
    assert_eq!(fixture.run_turn(), []);
    let condition = Some((task, UserVisible, WaitsFor::Pause));
    assert_eq!(refused(&mut fixture), condition);
}

#[test]
fn the_first_entry_is_named_and_not_those_behind_it() {
    let mut fixture = Fixture::default();
    fixture.post(Background);
    let mut check = fixture.begin_check().unwrap();
    let task = fixture.post(UserVisible);
    fixture.host.is_busy.set(true);
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    let condition = Some((task, UserVisible, WaitsFor::Callbacks));
    assert_eq!(refused(&mut fixture), condition);
}

#[test]
fn no_entry_is_named_once_all_have_started_or_are_removed() {
    let mut fixture = Fixture::default();
    assert_eq!(refused(&mut fixture), None);
    let task = fixture.post(Background);
    fixture.host.is_busy.set(true);
    assert_eq!(fixture.run_turn(), []);
    assert!(refused(&mut fixture).is_some());
    let next = fixture.post(Background);
    fixture.remove(task);
    assert_eq!(refused(&mut fixture), None);
    fixture.host.is_busy.set(false);
    assert_eq!(fixture.run_turn(), [next]);
    fixture.post(Background);
    assert_eq!(refused(&mut fixture), None);
}

#[test]
fn an_overdue_entry_that_starts_past_the_slice_is_not_named() {
    let mut fixture = Fixture::default();
    fixture.set_max_wait(Some(MILLISECOND));
    let overdue = fixture.post(Background);
    fixture.pass(2 * MILLISECOND);
    let blocking = fixture.post(UserBlocking);
    let mut check = fixture.begin_check().unwrap();
    assert_eq!(fixture.next_in(&mut check), Some(blocking));
    fixture.pass(100 * MILLISECOND);
    let last = fixture.post(UserBlocking);
    assert_eq!(fixture.next_in(&mut check), Some(overdue));
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    let condition = Some((last, UserBlocking, WaitsFor::Slice));
    assert_eq!(refused(&mut fixture), condition);
}

#[test]
fn javascript_gets_the_condition_the_rank_and_the_task() {
    let refused = Refused {
        task: 12,
        priority: UserVisible,
        waits_for: WaitsFor::Callbacks,
    };
    assert_eq!(refused.numbers(), [4.0, 3.0, 12.0]);
}
