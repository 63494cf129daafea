//! When `Idle` asks which question, and what it makes of the answers, on a system and with
//! controllers whose answers are set by hand.

mod system;

use std::rc::Rc;

use system::{Fake, Group, Script, idle};
use uv_scheduler_core::host::{Hold, Reason};
use uv_scheduler_idle::{LOOK_UP_INTERVAL, Mode};

const SECOND: u64 = 1_000_000_000;

fn quota(until: u64) -> Option<Hold> {
    let reason = Reason::Container;
    Some(Hold { until, reason })
}

fn neighbour(until: u64) -> Option<Hold> {
    let reason = Reason::Machine;
    Some(Hold { until, reason })
}

#[test]
fn without_a_quota_nothing_is_held_and_nothing_read_between_look_ups() {
    let system = Rc::new(Script::default());
    let mut idle = idle(&system);
    for now in (0..LOOK_UP_INTERVAL).step_by(1_000_000) {
        assert_eq!(idle.hold(now, 0), None);
    }
    assert_eq!(
        (
            system.look_ups.get(),
            system.updates.get(),
            system.yields.get()
        ),
        (1, 0, 0)
    );
    assert_eq!(idle.hold(LOOK_UP_INTERVAL, 0), None);
    assert_eq!(system.look_ups.get(), 2);
}

#[test]
fn in_the_mode_loop_nothing_is_looked_up() {
    let system = Rc::new(Script::with([Group::new(1).holding()]));
    let mut idle = idle(&system);
    idle.set_mode(Mode::Loop);
    for now in 0..100 {
        assert_eq!(idle.hold(now * SECOND, 0), None);
    }
    assert_eq!(system.look_ups.get(), 0);
    idle.set_mode(Mode::Container);
    assert!(idle.hold(100 * SECOND, 0).is_some());
    idle.set_mode(Mode::Loop);
    assert_eq!(idle.hold(100 * SECOND, 0), None);
}

#[test]
fn another_mode_begins_with_new_controllers() {
    let (system, mut idle) = machine([Group::new(1)]);
    system.machine_holds.set(true);
    assert!(idle.hold(0, 0).is_some());
    idle.set_mode(Mode::Container);
    assert_eq!(idle.hold(1, 0), None);
    assert_eq!(system.controllers.get(), 2);
    assert_eq!(system.yields.get(), 1);
}

#[test]
fn an_answer_counts_until_the_controller_wants_to_be_asked() {
    let system = Rc::new(Script::with([Group::new(1).asked_after(50)]));
    let mut idle = idle(&system);
    for now in 1000..1050 {
        assert_eq!(idle.hold(now, 0), None);
    }
    assert_eq!(system.reads(), 1);
    system.change(1, Group::holding);
    assert_eq!(idle.hold(1050, 0), quota(1100));
    assert_eq!(idle.hold(1099, 0), quota(1100));
    assert_eq!(system.reads(), 2);
    system.change(1, Group::running);
    assert_eq!(idle.hold(1100, 0), None);
}

#[test]
fn setting_the_mode_that_holds_changes_nothing() {
    let system = Rc::new(Script::with([Group::new(1)]));
    let mut idle = idle(&system);
    idle.hold(0, 0);
    idle.set_mode(Mode::Container);
    idle.hold(1, 0);
    assert_eq!((system.look_ups.get(), system.reads()), (1, 1));
}

#[test]
fn background_work_runs_only_if_all_groups_allow_it() {
    let groups = [Group::new(1).asked_after(10), Group::new(2).asked_after(30)];
    let system = Rc::new(Script::with(groups));
    let mut idle = idle(&system);
    assert_eq!(idle.hold(0, 0), None);
    system.change(2, Group::holding);
    assert_eq!(idle.hold(9, 0), None);
    assert_eq!(idle.hold(10, 0), quota(40));
}

#[test]
fn a_hold_lasts_until_the_last_group_that_holds_is_to_be_asked() {
    let groups = [30, 50, 40].map(|after| Group::new(after).asked_after(after).holding());
    let system = Rc::new(Script::with(groups));
    assert_eq!(idle(&system).hold(0, 0), quota(50));
    system.change(50, Group::running);
    assert_eq!(idle(&system).hold(0, 0), quota(40));
}

#[test]
fn usage_is_brought_up_to_date_once_before_the_groups_are_read() {
    let system = Rc::new(Script::with([Group::new(1), Group::new(2)]));
    idle(&system).hold(0, 0);
    assert_eq!((system.updates.get(), system.reads()), (1, 2));
    assert_eq!(*system.order.borrow(), ["update", "read", "read"]);
}

#[test]
fn the_reading_says_what_the_group_and_the_background_work_used() {
    let system = Rc::new(Script::with([Group::new(1)]));
    let mut idle = idle(&system);
    idle.hold(0, 2);
    idle.hold(1_000_070, 7);
    let reading = system.readings.borrow()[1];
    assert_eq!((reading.now, reading.background), (1_000_070, 7));
    let counters = reading.counters;
    assert_eq!(
        (counters.usage, counters.periods, counters.throttled),
        (Some(11), 12, 13)
    );
}

#[test]
fn a_changed_limit_reaches_the_same_controller_at_the_next_look_up() {
    let system = Rc::new(Script::with([Group::new(1).holding()]));
    let mut idle = idle(&system);
    idle.hold(0, 0);
    system.change(1, |group| group.with_quota(500));
    for now in [LOOK_UP_INTERVAL - 1, LOOK_UP_INTERVAL, 2 * LOOK_UP_INTERVAL] {
        idle.hold(now, 0);
    }
    let readings = system.readings.borrow();
    let quotas: Vec<u64> = readings.iter().map(|reading| reading.limit.quota).collect();
    assert_eq!(quotas, [100, 100, 500, 500]);
    assert_eq!(system.controllers.get(), 1);
}

#[test]
fn groups_that_appear_and_disappear_are_noticed_at_the_next_look_up() {
    let system = Rc::new(Script::with([Group::new(1).with_quota(300)]));
    let mut idle = idle(&system);
    assert_eq!(idle.hold(0, 0), None);
    let added = Group::new(2).with_quota(200).holding().asked_after(100);
    system.groups.borrow_mut().insert(0, added);
    assert_eq!(
        idle.hold(LOOK_UP_INTERVAL, 0),
        quota(LOOK_UP_INTERVAL + 100)
    );
    assert_eq!(system.controllers.get(), 2);
    system.groups.borrow_mut().clear();
    assert_eq!(idle.hold(2 * LOOK_UP_INTERVAL, 0), None);
    let reads = system.reads();
    assert_eq!(idle.hold(2 * LOOK_UP_INTERVAL + SECOND, 0), None);
    assert_eq!(system.reads(), reads);
}

#[test]
fn no_hold_outlasts_the_next_look_up() {
    let group = Group::new(1).holding().asked_after(100 * SECOND);
    let system = Rc::new(Script::with([group]));
    let mut idle = idle(&system);
    assert_eq!(idle.hold(0, 0), quota(LOOK_UP_INTERVAL));
    system.groups.borrow_mut().clear();
    assert_eq!(idle.hold(LOOK_UP_INTERVAL, 0), None);
}

#[test]
fn when_a_group_is_gone_the_groups_are_looked_up_at_once_with_new_controllers() {
    let system = Rc::new(Script::with([Group::new(1), Group::new(2)]));
    let mut idle = idle(&system);
    idle.hold(0, 0);
    system.gone.set(2);
    *system.groups.borrow_mut() = vec![Group::new(3).holding().asked_after(50)];
    assert_eq!(idle.hold(SECOND, 0), quota(SECOND + 50));
    assert_eq!(system.look_ups.get(), 2);
    assert_eq!(system.controllers.get(), 3);
}

#[test]
fn a_group_that_was_replaced_by_one_of_the_same_name_gets_a_new_controller() {
    let system = Rc::new(Script::with([Group::new(1)]));
    let mut idle = idle(&system);
    idle.hold(0, 0);
    system.gone.set(1);
    system.is_replaced.set(true);
    idle.hold(SECOND, 0);
    assert_eq!(system.controllers.get(), 2);
    assert_eq!(system.reads(), 2);
}

#[test]
fn a_group_that_vanishes_again_and_again_is_not_looked_up_more_often() {
    let (system, mut idle) = machine([Group::new(1)]);
    system.gone.set(1);
    for now in 0..1000 {
        assert_eq!(idle.hold(now, 0), None);
    }
    assert_eq!(system.look_ups.get(), 2);
}

/// A script in which a thread's times can be read, and `Idle` in the mode `Machine`.
fn machine(groups: impl IntoIterator<Item = Group>) -> (Rc<Script>, Fake) {
    let system = Rc::new(Script::with(groups));
    system.times.set(Some((21, 22)));
    system.can_be_batch.set(true);
    let mut idle = idle(&system);
    idle.set_mode(Mode::Machine);
    (system, idle)
}

#[test]
fn a_thread_that_can_preempts_nobody_while_it_holds_work_for_neighbours() {
    let (system, mut idle) = machine([]);
    idle.hold(0, 0);
    assert_eq!(system.batch.take(), [true, false]);
    system.machine_holds.set(true);
    idle.hold(100, 0);
    idle.hold(200, 0);
    assert_eq!(system.batch.take(), [true]);
    system.machine_holds.set(false);
    idle.hold(300, 0);
    assert_eq!(system.batch.take(), [false]);
}

#[test]
fn a_thread_is_a_normal_one_again_when_nothing_is_held_any_more_or_the_mode_is_another() {
    for end in [Fake::end_hold, |idle: &mut Fake| idle.set_mode(Mode::Loop)] {
        let (system, mut idle) = machine([]);
        system.machine_holds.set(true);
        idle.hold(0, 0);
        assert_eq!(system.batch.take(), [true, false, true]);
        end(&mut idle);
        assert_eq!(system.batch.take(), [false]);
    }
}

#[test]
fn for_a_thread_that_cannot_the_machine_is_as_the_container() {
    let (system, mut idle) = machine([Group::new(1).holding().asked_after(30)]);
    system.can_be_batch.set(false);
    system.machine_holds.set(true);
    assert_eq!(idle.hold(0, 0), quota(30));
    assert_eq!(system.batch.take(), [true]);
    assert_eq!(system.yields.get(), 0);
    assert!(system.thread_readings.borrow().is_empty());
    assert_eq!(idle.hold(LOOK_UP_INTERVAL, 0), quota(LOOK_UP_INTERVAL + 30));
    assert_eq!(system.batch.take(), [true]);
}

#[test]
fn background_work_counts_only_with_the_processor_time_of_the_thread() {
    let system = Rc::new(Script::with([Group::new(1).asked_after(10)]));
    let mut idle = idle(&system);
    let steps = [(0, 100, 5), (10, 130, 25), (20, 140, 65), (30, 150, 66)];
    for (now, background, time) in steps {
        system.thread_time.set(time);
        idle.hold(now, background);
    }
    let readings = system.readings.borrow();
    let own: Vec<u64> = readings.iter().map(|reading| reading.background).collect();
    assert_eq!(own, [5, 25, 35, 36]);
}

#[test]
fn other_threads_run_first_before_anything_is_read_for_the_machine() {
    let (system, mut idle) = machine([Group::new(1)]);
    system.clock.replace([107, 108].into());
    idle.hold(100, 5);
    // The first times tell only whether there are any.
    assert_eq!(
        *system.order.borrow(),
        ["times", "yield", "update", "read", "times"]
    );
    let reading = system.thread_readings.borrow()[0];
    assert_eq!((reading.now, reading.background), (107, 5));
    assert_eq!((reading.times.ran, reading.times.waited), (21, 22));
    assert_eq!(system.readings.borrow()[0].now, 108);
}

#[test]
fn counters_that_were_read_after_the_thread_was_stopped_are_read_again() {
    let system = Rc::new(Script::with([Group::new(1)]));
    let stopped = 75_000_000;
    system.clock.replace([100, stopped, stopped + 9].into());
    idle(&system).hold(100, 0);
    assert_eq!(*system.order.borrow(), ["update", "read", "read"]);
    assert_eq!(system.readings.borrow()[0].now, stopped + 9);
}

#[test]
fn counters_are_read_a_few_times_at_most() {
    let system = Rc::new(Script::with([Group::new(1)]));
    system
        .clock
        .replace((0..9).map(|count| count * SECOND).collect());
    idle(&system).hold(0, 0);
    assert_eq!(system.order.borrow().len(), 5);
}

#[test]
fn with_the_container_the_main_thread_never_gives_way_to_other_threads() {
    let (system, mut idle) = machine([Group::new(1)]);
    idle.set_mode(Mode::Container);
    idle.hold(100, 5);
    assert_eq!(system.yields.get(), 0);
    assert!(system.thread_readings.borrow().is_empty());
}

#[test]
fn nor_does_a_worker_thread_where_there_is_no_quota() {
    let (system, mut idle) = worker([]);
    idle.hold(100, 5);
    assert_eq!((system.yields.get(), system.updates.get()), (0, 0));
    assert_eq!(system.batch.take(), []);
}

/// A worker thread whose times can be read, in the mode `Container`.
fn worker(groups: impl IntoIterator<Item = Group>) -> (Rc<Script>, Fake) {
    let (system, mut idle) = machine(groups);
    system.is_worker.set(true);
    idle.set_mode(Mode::Container);
    (system, idle)
}

#[test]
fn with_a_quota_a_worker_thread_gives_way_to_the_others_of_the_group() {
    let (system, mut idle) = worker([Group::new(1).asked_after(50)]);
    system.machine_holds.set(true);
    assert_eq!(idle.hold(0, 0), quota(20));
    assert_eq!(system.yields.get(), 1);
    assert_eq!(system.batch.take(), [true, false, true]);
}

#[test]
fn it_has_waited_for_them_no_longer_than_they_ran() {
    let (system, mut idle) = worker([Group::new(1), Group::new(2)]);
    // At each question: the use of the group, that of this thread, and for how long it has waited.
    let steps = [
        (Some(100), 40, 1000),
        (Some(130), 50, 1050),
        (Some(200), 60, 1055),
        (Some(260), 120, 1099),
        (None, 130, 1200),
        (None, 140, 1300),
    ];
    for (step, (usage, thread_time, waited)) in (0..).zip(steps) {
        system.change(1, |group| group.with_usage(usage));
        system.thread_time.set(thread_time);
        system.times.set(Some((21, waited)));
        idle.hold(20 * step, 0);
    }
    let readings = system.thread_readings.borrow();
    let waited: Vec<u64> = readings
        .iter()
        .map(|reading| reading.times.waited)
        .collect();
    assert_eq!(waited, [60, 80, 85, 85, 85, 85]);
}

#[test]
fn it_gives_way_no_longer_when_the_quota_is_gone() {
    let (system, mut idle) = worker([Group::new(1)]);
    system.machine_holds.set(true);
    assert!(idle.hold(0, 0).is_some());
    assert_eq!(system.batch.take(), [true, false, true]);
    system.groups.borrow_mut().clear();
    assert_eq!(idle.hold(LOOK_UP_INTERVAL, 0), None);
    assert_eq!(system.batch.take(), [false]);
}

#[test]
fn a_hold_for_neighbours_says_so() {
    let (system, mut idle) = machine([]);
    system.machine_holds.set(true);
    assert_eq!(idle.hold(0, 0), neighbour(20));
    assert_eq!(idle.hold(19, 0), neighbour(20));
    system.machine_holds.set(false);
    assert_eq!(idle.hold(20, 0), None);
}

#[test]
fn the_container_and_the_machine_both_have_to_allow_background_work() {
    let (system, mut idle) = machine([Group::new(1).asked_after(50)]);
    assert_eq!(idle.hold(0, 0), None);
    system.change(1, Group::holding);
    // The neighbours' controller is asked every 20 ns, and the group is read again then.
    assert_eq!(idle.hold(20, 0), quota(70));
    system.change(1, Group::running);
    system.machine_holds.set(true);
    assert_eq!(idle.hold(70, 0), neighbour(90));
}

#[test]
fn the_reason_is_the_one_that_ends_the_hold() {
    let (system, mut idle) = machine([Group::new(1).asked_after(50).holding()]);
    system.machine_holds.set(true);
    assert_eq!(idle.hold(0, 0), quota(50));
    system.change(1, |group| group.asked_after(5));
    assert_eq!(idle.hold(50, 0), neighbour(70));
}

#[test]
fn the_machine_is_not_asked_before_it_wants_to_be() {
    let (system, mut idle) = machine([Group::new(1).asked_after(1)]);
    for now in 0..40 {
        idle.hold(now, 0);
    }
    assert_eq!(system.yields.get(), 2);
    assert_eq!(system.thread_readings.borrow().len(), 2);
    assert_eq!(system.reads(), 40);
}

#[test]
fn the_time_that_the_groups_were_stopped_is_added_up() {
    let (system, mut idle) = machine([Group::new(1).stopped(1000), Group::new(2).stopped(5)]);
    idle.hold(0, 0);
    system.change(1, |group| group.stopped(1030));
    system.change(2, |group| group.stopped(7));
    idle.hold(20, 0);
    system.groups.borrow_mut().remove(0);
    idle.hold(LOOK_UP_INTERVAL, 0);
    let stopped = system
        .thread_readings
        .borrow()
        .iter()
        .map(|reading| reading.stopped)
        .collect::<Vec<_>>();
    assert_eq!(stopped, [1005, 1037, 7]);
}

#[test]
fn without_times_of_the_thread_the_machine_is_as_the_container() {
    let (system, mut idle) = machine([Group::new(1).holding().asked_after(30)]);
    system.times.set(None);
    system.machine_holds.set(true);
    assert_eq!(idle.hold(0, 0), quota(30));
    assert_eq!(system.yields.get(), 0);
}

#[test]
fn times_that_can_no_longer_be_read_end_the_neighbours_hold() {
    let (system, mut idle) = machine([]);
    system.machine_holds.set(true);
    assert_eq!(idle.hold(0, 0), neighbour(20));
    system.times.set(None);
    assert_eq!(idle.hold(20, 0), None);
}
