//! Background work that the host holds: what runs all the same, when the loop sleeps, what wakes
//! it, and which time is counted.

use EffectivePriority::*;
use uv_scheduler_core::advice::Code;
use uv_scheduler_core::hold::Held;
use uv_scheduler_core::host::{Hold, Reason};
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::Entry;

use crate::fixture::{Fixture, MILLISECOND};

const BACKGROUND: [EffectivePriority; 3] = [Idle, Background, BackgroundContinuation];

fn hold(until: u64) -> Option<Hold> {
    let reason = Reason::Container;
    Some(Hold { until, reason })
}

/// A loop that sleeps, as the host holds its background task for ten milliseconds.
fn held() -> Fixture {
    let mut fixture = Fixture::default();
    fixture.post(Background);
    fixture.host.hold.set(hold(10 * MILLISECOND));
    assert_eq!(fixture.run_turn(), []);
    fixture
}

#[test]
fn background_tasks_their_continuations_and_idle_callbacks_are_held_and_nothing_else() {
    for priority in EffectivePriority::ALL {
        let mut fixture = Fixture::default();
        fixture.host.hold.set(hold(MILLISECOND));
        let task = fixture.post(priority);
        let started = fixture.run_turn();
        let is_held = BACKGROUND.contains(&priority);
        assert_eq!(started.is_empty(), is_held, "{priority:?} {task}");
    }
}

#[test]
fn the_loop_sleeps_until_the_hold_ends_and_the_process_stays() {
    let mut fixture = held();
    assert!(!fixture.is_awake() && fixture.is_referenced());
    assert_eq!(fixture.host.timer.get(), Some(10 * MILLISECOND));
    fixture.prepare();
    assert!(!fixture.is_awake());
    fixture.pass(10 * MILLISECOND);
    fixture.host.hold.set(None);
    fixture.fire_timer();
    assert!(fixture.is_awake());
    assert_eq!(fixture.run_turn(), [1]);
}

#[test]
fn held_work_that_nobody_waits_for_keeps_no_process() {
    let mut fixture = Fixture::default();
    fixture.post_unreferenced(Background);
    fixture.host.hold.set(hold(MILLISECOND));
    assert_eq!(fixture.run_turn(), []);
    assert!(!fixture.is_awake() && !fixture.is_referenced());
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
}

#[test]
fn the_timer_that_ends_a_hold_does_not_count_as_something_runnable() {
    let mut fixture = held();
    fixture.pass(10 * MILLISECOND);
    fixture.host.hold.set(None);
    fixture.prepare();
    let check = fixture.begin_check().unwrap();
    assert_eq!(fixture.host.timer.get(), None);
    fixture.end_check(check);
}

#[test]
fn the_answer_counts_until_its_time_has_come() {
    let mut fixture = held();
    let asked = || fixture.host.asked_to_hold.get();
    assert_eq!(asked(), 1);
    fixture.pass(10 * MILLISECOND - 1);
    assert_eq!(fixture.run_turn(), []);
    assert_eq!(fixture.host.asked_to_hold.get(), 1);
    fixture.pass(1);
    assert_eq!(fixture.run_turn(), []);
    assert_eq!(fixture.host.asked_to_hold.get(), 2);
}

#[test]
fn the_host_is_asked_before_every_background_task_and_last_of_all_questions() {
    let mut fixture = Fixture::default();
    fixture.post(UserBlocking);
    fixture.post(UserVisible);
    let tasks = [fixture.post(Background), fixture.post(Background)];
    fixture.host.is_busy.set(true);
    assert_eq!(fixture.run_turn(), [1, 2]);
    assert_eq!(fixture.host.asked_to_hold.get(), 0);
    fixture.host.is_busy.set(false);
    assert_eq!(fixture.run_turn(), tasks);
    assert_eq!(fixture.host.asked_to_hold.get(), 2);
}

#[test]
fn other_work_wakes_a_loop_that_sleeps_in_a_hold_and_more_background_work_does_not() {
    let mut fixture = held();
    assert_eq!(fixture.host.notify_rank.get(), UserVisible.rank());
    fixture.prepare();
    assert_eq!(fixture.host.notify_rank.get(), UserVisible.rank());
    fixture.post(Background);
    assert!(!fixture.is_awake());
    let task = fixture.post(UserVisible);
    assert!(fixture.is_awake());
    assert_eq!(fixture.run_check(), [task]);
    assert!(!fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), Some(10 * MILLISECOND));
}

#[test]
fn overdue_work_is_not_held_and_wakes_the_loop_before_the_hold_ends() {
    let mut fixture = Fixture::default();
    fixture.set_max_wait(Some(3 * MILLISECOND));
    fixture.post(Background);
    fixture.host.hold.set(hold(10 * MILLISECOND));
    assert_eq!(fixture.run_turn(), []);
    assert_eq!(fixture.host.timer.get(), Some(3 * MILLISECOND + 1));
    fixture.pass(3 * MILLISECOND + 1);
    fixture.fire_timer();
    assert_eq!(fixture.run_turn(), [1]);
}

#[test]
fn a_bound_that_is_set_or_posted_during_a_hold_counts() {
    let mut fixture = held();
    fixture.post_bounded(Background, 0, MILLISECOND);
    assert_eq!(fixture.run_turn(), []);
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND + 1));
    let mut fixture = held();
    fixture.set_max_wait(Some(2 * MILLISECOND));
    assert_eq!(fixture.run_turn(), []);
    assert_eq!(fixture.host.timer.get(), Some(2 * MILLISECOND + 1));
}

#[test]
fn background_work_that_waits_for_its_turn_as_overdue_keeps_the_loop_awake() {
    let mut fixture = Fixture::default();
    fixture.set_max_wait(Some(MILLISECOND));
    let tasks = [fixture.post(Background), fixture.post(Background)];
    fixture.pass(2 * MILLISECOND);
    fixture.host.hold.set(hold(10 * MILLISECOND));
    assert_eq!(fixture.run_turn(), tasks[..1]);
    assert!(fixture.is_awake());
    assert_eq!(fixture.run_turn(), tasks[1..]);
}

#[test]
fn background_code_is_told_to_yield_while_its_continuation_would_be_held() {
    let mut fixture = Fixture::default();
    fixture.host.hold.set(hold(10 * MILLISECOND));
    for priority in EffectivePriority::ALL {
        let advice = fixture
            .event_loop
            .should_yield(&fixture.host, Code::new(priority));
        assert_eq!(advice.should_yield, BACKGROUND.contains(&priority));
    }
}

#[test]
fn background_code_beside_equals_is_told_to_yield_at_once_while_they_are_held() {
    let mut fixture = Fixture::default();
    let asks = |fixture: &mut Fixture| {
        let event_loop = &mut fixture.event_loop;
        event_loop.should_yield(&fixture.host, Code::new(BackgroundContinuation))
    };
    fixture.post(BackgroundContinuation);
    assert!(!asks(&mut fixture).should_yield);
    fixture.host.hold.set(hold(10 * MILLISECOND));
    assert!(asks(&mut fixture).should_yield);
}

#[test]
fn a_lifted_hold_lets_background_work_run_until_it_is_set_down_again() {
    let mut fixture = held();
    fixture.tell(Entry::LiftHold(true));
    assert!(fixture.is_awake());
    assert_eq!(fixture.host.timer.get(), None);
    assert_eq!(fixture.run_turn(), [1]);
    fixture.tell(Entry::LiftHold(false));
    fixture.post(Background);
    assert_eq!(fixture.run_turn(), []);
}

#[test]
fn a_host_that_may_answer_otherwise_is_asked_again_at_once() {
    let mut fixture = held();
    fixture.host.hold.set(None);
    fixture.tell(Entry::SetIdle(0));
    assert!(fixture.is_awake());
    assert_eq!(fixture.run_turn(), [1]);
}

#[test]
fn the_host_is_told_once_that_a_hold_is_over_without_a_question() {
    let mut fixture = held();
    fixture.prepare();
    assert_eq!(fixture.host.ended_holds.get(), 0);
    fixture.remove(1);
    fixture.prepare();
    assert_eq!(fixture.host.ended_holds.get(), 1);
}

#[test]
fn what_runs_past_the_end_of_a_hold_is_no_time_of_it() {
    let mut fixture = held();
    fixture.pass(12 * MILLISECOND);
    let held = fixture.event_loop.held(&fixture.host);
    assert_eq!(held.time, [10 * MILLISECOND, 0]);
}

#[test]
fn the_time_of_holds_is_counted_by_reason_until_nothing_is_held_any_more() {
    let mut fixture = held();
    let read = |fixture: &mut Fixture| fixture.event_loop.held(&fixture.host);
    fixture.pass(4 * MILLISECOND);
    let reason = Some(Reason::Container);
    let time = [4 * MILLISECOND, 0];
    assert_eq!(read(&mut fixture), Held { time, reason });
    fixture.pass(6 * MILLISECOND);
    let reason = Some(Reason::Machine);
    fixture.host.hold.set(Some(Hold {
        until: 20 * MILLISECOND,
        reason: Reason::Machine,
    }));
    assert_eq!(fixture.run_turn(), []);
    fixture.pass(MILLISECOND);
    let time = [10 * MILLISECOND, MILLISECOND];
    assert_eq!(read(&mut fixture), Held { time, reason });
    fixture.remove(1);
    fixture.pass(MILLISECOND);
    assert_eq!(read(&mut fixture), Held { time, reason: None });
    assert_eq!(fixture.host.timer.get(), None);
}

#[test]
fn the_host_is_told_for_how_long_background_work_has_run() {
    let mut fixture = Fixture::default();
    for priority in [UserVisible, Background, Idle] {
        fixture.post(priority);
    }
    let mut check = fixture.begin_check().unwrap();
    for passed in [4, 2, 1] {
        assert!(fixture.next_in(&mut check).is_some());
        fixture.pass(passed * MILLISECOND / 2);
    }
    assert_eq!(fixture.host.background.get(), MILLISECOND);
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    fixture.pass(MILLISECOND);
    fixture.post(Background);
    fixture.run_turn();
    assert_eq!(fixture.host.background.get(), 3 * MILLISECOND / 2);
}

#[test]
fn an_entry_that_becomes_overdue_during_a_hold_wakes_the_loop_then() {
    let mut bounded = held();
    bounded.post_bounded(Background, 0, 3 * MILLISECOND);
    assert_eq!(bounded.host.timer.get(), Some(3 * MILLISECOND + 1));
    let mut delayed = held();
    delayed.post_bounded(Background, MILLISECOND, 3 * MILLISECOND);
    assert_eq!(delayed.host.timer.get(), Some(MILLISECOND));
    delayed.pass(MILLISECOND);
    delayed.fire_timer();
    assert_eq!(delayed.host.timer.get(), Some(4 * MILLISECOND + 1));
    let mut set = held();
    set.pass(MILLISECOND);
    set.set_max_wait(Some(5 * MILLISECOND));
    assert!(set.host.timer.get() <= Some(6 * MILLISECOND + 1));
    for fixture in [bounded, delayed, set] {
        assert!(!fixture.is_awake());
    }
}
