//! The entries that calls take in, the checkpoints that they ask for, and the tasks that are
//! flushed at once.

use EffectivePriority::*;
use uv_scheduler_core::advice::{Advice, Code};
use uv_scheduler_core::event_loop::Check;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::{Destination, Entry};
use uv_scheduler_core::task_queues::TaskQueues;
use uv_scheduler_core::turn::DEFAULT_SLICE;

use crate::fixture::{Fixture, MILLISECOND, at, within};
use crate::giving_way::given_way;

/// Every task is flushed at once.
const ALL: u32 = 0;

type Call = fn(&mut Fixture);
type InCheck = fn(&mut Fixture, Check);

/// The calls of JavaScript.
const CALLS: [(&str, Call); 7] = [
    ("flows_mut", |f| _ = f.event_loop.flows_mut(&f.host)),
    ("flush", |f| _ = f.event_loop.flush(&f.host)),
    ("post_delayed", |f| _ = f.post_delayed(Idle, 1)),
    ("post_bounded", |f| _ = f.post_bounded(Idle, 1, 1)),
    ("should_yield", |f| _ = asks(f, Idle)),
    ("waiting", |f| _ = f.event_loop.waiting(&f.host)),
    ("queued", |f| _ = f.event_loop.queued(&f.host)),
];

/// The calls of the hooks of the loop, and of a check pass.
const HOOKS: [(&str, InCheck); 6] = [
    ("next_at_checkpoint", |f, _| _ = f.at_checkpoint()),
    ("prepare", |f, _| f.prepare()),
    ("begin_check", |f, _| _ = f.begin_check()),
    ("next_in_check", |f, mut check| _ = f.next_in(&mut check)),
    ("end_check", |f, check| f.end_check(check)),
    ("timer", |f, _| f.event_loop.timer(&f.host)),
];

/// A check pass is under way, and a task has been posted: the most that a call can find.
fn in_check() -> (Fixture, Check) {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    let check = fixture.begin_check().unwrap();
    fixture.leave(UserVisible);
    (fixture, check)
}

#[test]
fn every_hook_and_call_takes_in_what_was_posted() {
    for (name, call) in CALLS {
        let (mut fixture, _) = in_check();
        call(&mut fixture);
        assert!(fixture.host.inbox.borrow().is_empty(), "{name}");
    }
    for (name, call) in HOOKS {
        let (mut fixture, check) = in_check();
        call(&mut fixture, check);
        assert!(fixture.host.inbox.borrow().is_empty(), "{name}");
    }
}

#[test]
fn every_call_keeps_the_loop_awake_for_what_it_takes_in() {
    for (name, call) in CALLS {
        let mut fixture = Fixture::default();
        fixture.leave(UserVisible);
        call(&mut fixture);
        assert!(fixture.is_awake() && fixture.is_referenced(), "{name}");
    }
}

#[test]
fn levels_are_learned_once_a_hundred_requests_have_finished_and_were_not_given_up() {
    let destination = Destination {
        queue: TaskQueues::dynamic_queue(0),
        ..Destination::fixed(UserVisible)
    };
    for has_finished in [true, false] {
        let mut f = Fixture::default();
        let unlearned = f.event_loop.flows_mut(&f.host).levels(UserVisible).to_vec();
        for _ in 0..100 {
            f.leave_entry(Entry::OpenFlow(0, 0));
            f.leave_entry(Entry::BindQueue(0, destination.queue));
            let task = f.leave_in(destination);
            assert_eq!(f.run_turn(), [task]);
            f.leave_entry(Entry::CloseFlow(0, has_finished));
        }
        let are_learned = f.event_loop.flows_mut(&f.host).levels(UserVisible) != unlearned;
        assert_eq!(are_learned, has_finished);
    }
}

#[test]
fn the_rank_of_a_started_task_is_that_of_its_queue_and_0_before_the_first() {
    let mut fixture = Fixture::default();
    assert_eq!(fixture.event_loop.rank_of_started(), 0);
    fixture.set_max_wait(Some(MILLISECOND));
    for priority in [UserBlocking, UserVisibleContinuation, Background] {
        fixture.post(priority);
    }
    // All but the first are overdue.
    fixture.pass(2 * MILLISECOND);
    assert!(fixture.at_checkpoint().is_some());
    let rank = fixture.event_loop.rank_of_started();
    assert_eq!(rank, UserBlocking.rank());
    let mut check = fixture.begin_check().unwrap();
    for priority in [UserVisibleContinuation, Background] {
        assert!(fixture.next_in(&mut check).is_some());
        let rank = fixture.event_loop.rank_of_started();
        assert_eq!(rank, priority.rank());
    }
}

#[test]
fn an_entry_that_javascript_could_not_begin_starts_the_next_pass_unless_it_is_removed() {
    for is_removed in [false, true] {
        let mut fixture = Fixture::default();
        let task = fixture.post(Background);
        fixture.prepare();
        let mut check = fixture.begin_check().unwrap();
        assert_eq!(fixture.next_in(&mut check), Some(task));
        fixture.event_loop.give_back(&fixture.host, task);
        fixture.end_check(check);
        assert!(fixture.is_referenced() && fixture.is_awake());
        assert!(!fixture.event_loop.may_rest());
        let urgent = fixture.post(UserBlocking);
        let expected = if is_removed {
            fixture.remove(task);
            vec![urgent]
        } else {
            vec![task, urgent]
        };
        assert_eq!(fixture.run_turn(), expected);
        assert_eq!(fixture.run_turn(), []);
        assert!(!fixture.is_referenced() && fixture.event_loop.may_rest());
    }
}

#[test]
fn when_the_oldest_task_was_queued_is_known_after_a_delay_and_while_waits_are_bounded() {
    let queued_at = |fixture: &mut Fixture, priority: EffectivePriority| {
        fixture.event_loop.queued(&fixture.host)[priority.index()].queued_at
    };
    let mut fixture = Fixture::default();
    fixture.pass(MILLISECOND);
    fixture.post(UserVisible);
    fixture.post_delayed(Background, 3 * MILLISECOND);
    fixture.pass(4 * MILLISECOND);
    assert_eq!(queued_at(&mut fixture, UserVisible), 0);
    assert_eq!(queued_at(&mut fixture, Background), 3 * MILLISECOND);
    assert_eq!(queued_at(&mut fixture, UserBlocking), 0, "none is queued");
    fixture.set_max_wait(Some(MILLISECOND));
    fixture.post(UserBlocking);
    assert_eq!(queued_at(&mut fixture, UserBlocking), 5 * MILLISECOND);
}

#[test]
fn a_delayed_task_can_take_the_id_of_one_that_was_removed_before() {
    let mut fixture = Fixture::default();
    let id = fixture.post(UserVisible);
    let removal = Entry::Remove(id);
    fixture.host.inbox.get_mut().push(removal);
    let destination = Destination::fixed(UserVisible);
    assert!(!fixture.post_as(id, destination, at(MILLISECOND)));
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
}

#[test]
fn a_flush_asks_for_a_checkpoint_for_the_highest_priority_that_came() {
    let mut fixture = Fixture::default();
    fixture.leave(UserBlocking);
    fixture.leave(Background);
    assert!(fixture.event_loop.flush(&fixture.host));
    fixture.leave(UserBlocking);
    assert!(!fixture.event_loop.flush(&fixture.host), "one is to come");
}

#[test]
fn a_flush_asks_for_no_checkpoint_in_the_poll_phase_and_in_a_check_drain() {
    let mut fixture = Fixture::default();
    fixture.prepare();
    fixture.leave(UserBlocking);
    assert!(!fixture.event_loop.flush(&fixture.host));
    let check = fixture.begin_check().unwrap();
    fixture.leave(UserBlocking);
    assert!(!fixture.event_loop.flush(&fixture.host));
    fixture.end_check(check);
    fixture.leave(UserBlocking);
    assert!(fixture.event_loop.flush(&fixture.host));
}

fn dynamic(priority: EffectivePriority) -> Destination {
    Destination {
        queue: TaskQueues::dynamic_queue(0),
        priority,
        is_referenced: true,
    }
}

#[test]
fn raising_a_queue_asks_for_a_checkpoint_if_it_holds_a_task() {
    let mut fixture = Fixture::default();
    let destination = dynamic(Background);
    assert!(!fixture.post_as(100, destination, at(MILLISECOND)));
    let raise = Entry::MoveQueue(destination.queue, UserBlocking);
    assert!(!fixture.tell(raise));
    fixture.leave_in(destination);
    assert!(fixture.tell(raise));
    assert!(!fixture.tell(raise), "one is to come");
}

#[test]
fn where_a_check_phase_is_sure_to_come_only_tasks_for_a_checkpoint_are_flushed_at_once() {
    let mut fixture = Fixture::default();
    assert_eq!(fixture.host.notify_rank.get(), ALL);
    fixture.post(UserVisible);
    assert!(fixture.notifies(UserVisibleContinuation) && !fixture.notifies(UserVisible));
    // A chain is under way.
    fixture.post(UserBlocking);
    assert!(fixture.notifies_none());
    assert!(fixture.at_checkpoint().is_some());
    fixture.pass(DEFAULT_SLICE / 5);
    assert_eq!(fixture.at_checkpoint(), None);
    // The head start is over.
    assert!(fixture.notifies(UserBlocking) && !fixture.notifies(UserVisibleContinuation));
}

#[test]
fn in_the_poll_phase_and_in_a_drain_no_task_is_flushed_at_once() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    fixture.prepare();
    assert!(fixture.notifies_none());
    let check = fixture.begin_check().unwrap();
    assert!(fixture.notifies_none());
    fixture.end_check(check);
    assert!(!fixture.notifies_none());
}

#[test]
fn where_the_loop_may_sleep_or_end_every_task_is_flushed_at_once() {
    let mut fixture = Fixture::default();
    fixture.prepare();
    assert_eq!(fixture.host.notify_rank.get(), ALL, "not referenced");
    assert_eq!(fixture.run_check(), []);
    fixture.post_delayed(UserVisible, MILLISECOND);
    assert_eq!(fixture.host.notify_rank.get(), ALL, "delayed tasks only");
    fixture.prepare();
    assert_eq!(fixture.host.notify_rank.get(), ALL, "poll can block");
    fixture.post(UserVisible);
    assert!(fixture.notifies_none());
}

#[test]
fn after_a_drain_that_has_given_way_only_tasks_for_a_checkpoint_are_flushed_at_once() {
    let fixture = given_way();
    assert!(fixture.notifies(UserVisibleContinuation) && !fixture.notifies(UserVisible));
}

#[test]
fn in_a_nested_poll_phase_that_can_block_every_task_is_flushed_at_once() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    fixture.post_delayed(UserVisible, MILLISECOND);
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    assert!(fixture.notifies_none());
    fixture.prepare();
    assert!(!fixture.is_awake());
    assert_eq!(fixture.host.notify_rank.get(), ALL);
}

#[test]
fn another_slice_holds_at_once() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    assert!(fixture.notifies(UserVisibleContinuation));
    fixture.tell(Entry::SetTimeSlice(0));
    assert!(fixture.notifies_none());
}

#[test]
fn while_waits_are_bounded_every_task_is_flushed_at_once_and_its_age_counts_from_then() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    fixture.set_max_wait(Some(MILLISECOND));
    assert_eq!(fixture.host.notify_rank.get(), ALL);
    fixture.pass(10 * MILLISECOND);
    let visible = fixture.post(UserVisible);
    fixture.remove(1);
    let continuation = fixture.post(UserVisibleContinuation);
    fixture.pass(MILLISECOND);
    assert_eq!(
        fixture.at_checkpoint(),
        Some(continuation),
        "nothing is overdue"
    );
    fixture.pass(1);
    let continuation = fixture.post(UserVisibleContinuation);
    assert_eq!(
        fixture.run_turn(),
        [visible, continuation],
        "one is overdue"
    );
    fixture.set_max_wait(None);
    fixture.post(UserVisible);
    assert_ne!(fixture.host.notify_rank.get(), ALL);
}

#[test]
fn a_task_with_its_own_bound_is_queued_behind_what_was_posted_and_its_age_counts_from_then() {
    let mut fixture = Fixture::default();
    let visible = fixture.post(UserVisible);
    let left = fixture.leave(UserVisible);
    fixture.pass(MILLISECOND);
    assert!(!fixture.post_bounded(UserVisible, 0, MILLISECOND));
    let bounded = fixture.ids;
    assert_ne!(fixture.host.notify_rank.get(), ALL, "others need no call");
    fixture.pass(MILLISECOND);
    assert_eq!(fixture.event_loop.queued(&fixture.host)[3].count, 3);
    let continuation = fixture.post(UserVisibleContinuation);
    assert_eq!(fixture.at_checkpoint(), Some(continuation), "not overdue");
    fixture.pass(1);
    assert_eq!(fixture.run_turn(), [bounded, visible, left]);
}

#[test]
fn a_task_with_its_own_bound_is_queued_when_its_delay_has_passed() {
    let mut fixture = Fixture::default();
    assert!(!fixture.post_bounded(UserBlocking, MILLISECOND, MILLISECOND));
    assert_eq!(fixture.host.timer.get(), Some(MILLISECOND));
    assert!(fixture.is_referenced() && !fixture.is_awake());
    assert_eq!(fixture.run_turn(), []);
    fixture.pass(MILLISECOND);
    assert_eq!(fixture.run_turn(), [fixture.ids]);
    assert!(!fixture.is_referenced());
}

#[test]
fn a_user_blocking_task_with_its_own_bound_needs_a_checkpoint() {
    let mut fixture = Fixture::default();
    assert!(fixture.post_bounded(UserBlocking, 0, MILLISECOND));
    assert!(
        !fixture.post_bounded(UserBlocking, 0, MILLISECOND),
        "one is to come"
    );
    assert!(fixture.at_checkpoint().is_some());
}

#[test]
fn raising_a_queue_asks_for_a_checkpoint_if_it_holds_a_task_with_its_own_bound() {
    let mut fixture = Fixture::default();
    let destination = dynamic(Background);
    assert!(!fixture.post_as(100, destination, within(MILLISECOND)));
    assert!(fixture.tell(Entry::MoveQueue(destination.queue, UserBlocking)));
    assert_eq!(fixture.at_checkpoint(), Some(100));
}

#[test]
fn an_unreferenced_task_with_its_own_bound_does_not_keep_the_process_alive() {
    let mut fixture = Fixture::default();
    let destination = Destination::fixed(UserVisible).unreferenced();
    assert!(!fixture.post_as(1, destination, within(MILLISECOND)));
    assert!(!fixture.is_referenced());
    assert_eq!(fixture.run_turn(), [1]);
}

#[test]
fn tasks_posted_before_waits_were_bounded_count_from_then_and_keep_their_order() {
    let mut fixture = Fixture::default();
    let delayed = fixture.post_delayed(UserVisible, MILLISECOND);
    let first = fixture.post(UserVisible);
    let second = fixture.leave(UserVisible);
    fixture.pass(10 * MILLISECOND);
    fixture.set_max_wait(Some(MILLISECOND));
    fixture.pass(MILLISECOND / 2);
    fixture.post(UserVisibleContinuation);
    assert!(fixture.at_checkpoint().is_some(), "nothing is overdue");
    assert_eq!(fixture.run_turn(), [first, second, delayed]);
}

#[test]
fn while_waits_are_bounded_passed_delays_are_older_than_what_is_posted_then() {
    let mut fixture = Fixture::default();
    fixture.set_max_wait(Some(MILLISECOND));
    let delayed = fixture.post_delayed(UserVisible, MILLISECOND);
    fixture.pass(2 * MILLISECOND);
    let posted = fixture.post(UserVisible);
    assert_eq!(fixture.run_turn(), [delayed, posted]);
}

#[test]
fn while_waits_are_not_bounded_a_passed_delay_is_queued_by_the_next_hook() {
    let mut fixture = Fixture::default();
    let delayed = fixture.post_delayed(UserVisible, MILLISECOND);
    fixture.pass(2 * MILLISECOND);
    let posted = fixture.post(UserVisible);
    assert_eq!(fixture.run_turn(), [posted, delayed]);
}

#[test]
fn whether_to_yield_is_asked_as_if_the_scheduler_did_not_keep_the_loop_busy() {
    let mut fixture = Fixture::default();
    // A queued task keeps the loop awake and alive; without one the loop may be dead.
    for waits in [true, false] {
        let task = waits.then(|| fixture.post(Background));
        let (was_awake, was_referenced) = (fixture.is_awake(), fixture.is_referenced());
        assert_eq!(was_awake, waits);
        assert!(!asks(&mut fixture, BackgroundContinuation).should_yield);
        fixture.host.is_busy.set(true);
        fixture.pass(MILLISECOND);
        assert!(asks(&mut fixture, BackgroundContinuation).should_yield);
        fixture.host.is_busy.set(false);
        assert_eq!(fixture.is_awake(), was_awake);
        assert_eq!(fixture.is_referenced(), was_referenced);
        if let Some(task) = task {
            fixture.remove(task);
        }
    }
}

#[test]
fn whether_to_yield_knows_tasks_that_were_posted_without_a_call() {
    let mut fixture = Fixture::default();
    fixture.post(UserVisible);
    fixture.leave(UserBlocking);
    assert!(asks(&mut fixture, UserVisibleContinuation).should_yield);
}

#[test]
fn sleep_in_the_poll_phase_is_no_use_of_the_slice() {
    let mut fixture = Fixture::default();
    let should = |fixture: &mut Fixture| asks(fixture, UserBlockingContinuation).should_yield;
    let task = fixture.post(UserVisible);
    assert_eq!(fixture.run_turn(), [task]);
    fixture.pass(DEFAULT_SLICE);
    assert!(should(&mut fixture), "the loop has not polled since");
    fixture.prepare();
    fixture.pass(DEFAULT_SLICE);
    assert!(!should(&mut fixture), "the loop has slept");
    fixture.pass(DEFAULT_SLICE - 1);
    assert!(!should(&mut fixture));
    fixture.pass(1);
    assert!(should(&mut fixture), "the first question is a slice ago");
}

#[test]
fn ready_io_counts_until_the_loop_polls_without_a_further_question() {
    let mut fixture = Fixture::default();
    let should = |fixture: &mut Fixture| asks(fixture, UserVisibleContinuation).should_yield;
    fixture.prepare();
    fixture.host.is_io_ready.set(true);
    assert!(should(&mut fixture));
    fixture.host.is_io_ready.set(false);
    assert!(should(&mut fixture), "not asked again");
    fixture.prepare();
    assert!(!should(&mut fixture));
    fixture.host.is_io_ready.set(true);
    fixture.pass(MILLISECOND);
    assert!(should(&mut fixture), "found later");
    assert_eq!(fixture.run_check(), []);
    fixture.host.is_io_ready.set(false);
    assert!(!should(&mut fixture), "another turn");
}

#[test]
fn an_answer_may_be_repeated_for_code_that_asks_often() {
    let mut fixture = Fixture::default();
    let repeats = |fixture: &mut Fixture| asks(fixture, UserBlockingContinuation).may_repeat;
    assert!(!repeats(&mut fixture), "the first answer");
    fixture.pass(10_000);
    assert!(repeats(&mut fixture));
    fixture.pass(10_001);
    assert!(!repeats(&mut fixture));
}

#[test]
fn the_end_of_a_callback_is_seen_if_the_callback_is_a_task() {
    let mut fixture = Fixture::default();
    let is_seen = |fixture: &mut Fixture| !asks(fixture, UserBlockingContinuation).has_unseen_end;
    assert!(!is_seen(&mut fixture), "the main script");
    fixture.prepare();
    assert!(!is_seen(&mut fixture), "the poll phase");
    fixture.post(UserVisible);
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    assert!(is_seen(&mut fixture), "a task of the check phase");
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    assert!(!is_seen(&mut fixture), "a callback behind the check phase");
    fixture.post(UserBlocking);
    assert!(
        fixture
            .event_loop
            .next_at_checkpoint(&fixture.host)
            .is_some()
    );
    assert!(is_seen(&mut fixture), "a task at a checkpoint");
    assert_eq!(fixture.event_loop.next_at_checkpoint(&fixture.host), None);
    assert!(!is_seen(&mut fixture), "behind the checkpoint");
}

fn asks(fixture: &mut Fixture, priority: EffectivePriority) -> Advice {
    fixture
        .event_loop
        .should_yield(&fixture.host, Code::new(priority))
}

#[test]
fn time_in_which_the_thread_was_stopped_is_charged_to_nothing() {
    let mut fixture = Fixture::default();
    let queue = TaskQueues::dynamic_queue(0);
    let destination = Destination {
        queue,
        ..Destination::fixed(UserVisible)
    };
    // The flow may end in the callback in which the thread was stopped.
    for is_closed in [false, true] {
        fixture.leave_entry(Entry::OpenFlow(0, 4));
        fixture.leave_entry(Entry::BindQueue(0, queue));
        let task = fixture.leave_in(destination);
        let used = |fixture: &mut Fixture| {
            let mut keys = fixture.event_loop.flows_mut(&fixture.host).keys();
            keys.next().map_or(0, |of| of.used)
        };
        let before = used(&mut fixture);
        let mut check = fixture.begin_check().unwrap();
        assert_eq!(fixture.next_in(&mut check), Some(task));
        fixture.pass(20 * MILLISECOND);
        fixture.stop(3_000 * MILLISECOND);
        fixture.pass(20 * MILLISECOND);
        if is_closed {
            fixture.leave_entry(Entry::CloseFlow(0, true));
        }
        assert_eq!(fixture.next_in(&mut check), None);
        fixture.end_check(check);
        assert_eq!(used(&mut fixture) - before, 40 * MILLISECOND);
        let stop = 1_000 * MILLISECOND;
        fixture.stop(stop);
        fixture.tell(Entry::ChargeOutside(Some(0), UserVisible, stop));
        if !is_closed {
            // The time since the last reading of the thread's clock may count.
            let ran = used(&mut fixture) - before;
            assert!(ran <= 80 * MILLISECOND, "{ran}");
            fixture.leave_entry(Entry::CloseFlow(0, true));
        }
    }
}

#[test]
fn what_happens_to_flows_is_taken_in_between_the_posts_in_order() {
    let mut fixture = Fixture::default();
    let queue = TaskQueues::dynamic_queue(0);
    let destination = Destination {
        queue,
        ..Destination::fixed(UserVisible)
    };
    fixture.leave_entry(Entry::OpenFlow(0, 4));
    fixture.leave_entry(Entry::BindQueue(0, queue));
    let tasks = [(); 2].map(|()| fixture.leave_in(destination));
    let used = |fixture: &mut Fixture| {
        let keys = fixture.event_loop.flows_mut(&fixture.host).keys();
        keys.map(|of| (of.key, of.used, of.flows))
            .collect::<Vec<_>>()
    };
    assert_eq!(used(&mut fixture), [(4, 0, 1)]);
    // With its last task the queue leaves the flow, which is closed while that task runs. Another
    // flow of another key takes both numbers.
    let mut check = fixture.begin_check().unwrap();
    assert_eq!(fixture.next_in(&mut check), Some(tasks[0]));
    fixture.leave_entry(Entry::Remove(tasks[1]));
    fixture.leave_entry(Entry::CloseFlow(0, true));
    fixture.leave_entry(Entry::OpenFlow(0, 7));
    fixture.leave_entry(Entry::BindQueue(0, queue));
    let other = fixture.leave_in(destination);
    fixture.pass(MILLISECOND);
    assert_eq!(fixture.next_in(&mut check), Some(other));
    fixture.pass(2 * MILLISECOND);
    assert_eq!(fixture.next_in(&mut check), None);
    assert_eq!(
        used(&mut fixture),
        [(4, MILLISECOND, 0), (7, 2 * MILLISECOND, 1)]
    );
}

#[test]
fn in_a_pause_only_user_blocking_and_overdue_work_starts() {
    let mut fixture = Fixture::default();
    let visible = fixture.leave(UserVisibleContinuation);
    fixture.tell(Entry::Pause(MILLISECOND));
    assert_eq!(fixture.run_check(), []);
    let urgent = fixture.leave(UserBlocking);
    assert_eq!(fixture.run_check(), [urgent]);
    fixture.post_bounded(Background, 0, 1);
    fixture.pass(2);
    assert_eq!(fixture.run_check().len(), 1);
    assert_eq!(fixture.run_check(), []);
    fixture.pass(MILLISECOND);
    assert_eq!(fixture.run_check(), [visible]);
}

#[test]
fn a_pause_of_no_time_ends_the_one_under_way() {
    let mut fixture = Fixture::default();
    fixture.tell(Entry::Pause(MILLISECOND));
    let visible = fixture.leave(UserVisible);
    fixture.tell(Entry::Pause(0));
    assert_eq!(fixture.run_check(), [visible]);
}

#[test]
fn the_time_of_tasks_counts_the_last_one_of_a_drain_and_the_one_that_runs() {
    let mut fixture = Fixture::default();
    assert_eq!(fixture.event_loop.task_time(&fixture.host), 0);
    fixture.leave(UserVisible);
    let mut check = fixture.begin_check().unwrap();
    assert!(fixture.next_in(&mut check).is_some());
    fixture.pass(5);
    assert_eq!(fixture.event_loop.task_time(&fixture.host), 5);
    fixture.pass(2);
    assert_eq!(fixture.next_in(&mut check), None);
    fixture.end_check(check);
    fixture.pass(100);
    assert_eq!(fixture.event_loop.task_time(&fixture.host), 7);
}
