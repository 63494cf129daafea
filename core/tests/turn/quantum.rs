//! How long code goes on while only equals wait.

use EffectivePriority::*;
use uv_scheduler_core::host::NANOSECONDS_PER_MILLISECOND as MILLISECOND;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::rules::Place;

use crate::scheduler::{LEAST_QUANTUM, SLICE, Scheduler};
use crate::should_yield::{CONTINUATIONS, POSITIONS};

/// No turn of the loop lasts so long.
const LONG_SLICE: u64 = 1_000 * MILLISECOND;

/// The tasks whose continuations are [`CONTINUATIONS`].
const TASKS: [EffectivePriority; 3] = [Background, UserVisible, UserBlocking];

/// A length of a turn between the limits.
const LENGTH: u64 = 4 * MILLISECOND;

/// The part of that length that counts.
const COUNTED: u64 = LENGTH / 8 * 7;

fn with_slice(slice: u64) -> Scheduler {
    let mut scheduler = Scheduler::default();
    scheduler.turn.set_slice(slice);
    scheduler
}

impl Scheduler {
    /// Runs the next task of the check phase for so long; it asks at its end.
    fn run(&mut self, length: u64) -> bool {
        assert!(self.next().is_some());
        self.host.pass(length);
        self.asks(UserVisibleContinuation, Place::Check)
    }

    /// How long the code that asks now goes on if it asks in every microsecond.
    fn goes_on(&mut self, priority: EffectivePriority, position: Place) -> u64 {
        let began = self.host.now.get();
        while !self.asks(priority, position) {
            self.host.pass(1_000);
        }
        self.host.now.get() - began
    }

    /// A check phase in which a turn of this length is over, and a task begins beside equals. No
    /// turn of the loop is too long for it.
    fn behind_turn(length: u64) -> Self {
        let mut scheduler = with_slice(LONG_SLICE);
        scheduler.post(UserVisibleContinuation);
        scheduler.post(UserVisibleContinuation);
        scheduler.begin_check();
        scheduler.run(length);
        assert!(scheduler.next().is_some());
        scheduler.post(UserVisibleContinuation);
        scheduler
    }
}

#[test]
fn code_goes_on_beside_equals_for_a_millisecond_at_every_position() {
    for position in POSITIONS {
        for priority in CONTINUATIONS {
            let mut scheduler = Scheduler::default();
            scheduler.begin_check();
            scheduler.post(priority);
            let length = scheduler.goes_on(priority, position);
            assert_eq!(length, LEAST_QUANTUM, "{position:?}, {priority:?}");
        }
    }
}

#[test]
fn code_goes_on_for_as_long_as_the_longest_turn_of_an_equal_within_an_eighth() {
    let mut scheduler = Scheduler::behind_turn(LENGTH);
    let length = scheduler.goes_on(UserVisibleContinuation, Place::Check);
    assert_eq!(length, COUNTED);
}

#[test]
fn code_goes_on_for_the_time_slice_at_most() {
    let mut scheduler = Scheduler::behind_turn(100 * MILLISECOND);
    scheduler.turn.set_slice(SLICE);
    // The slice of the turn of the loop is used up; another one begins.
    scheduler.begin_check();
    assert!(scheduler.next().is_some());
    scheduler.post(UserVisibleContinuation);
    let length = scheduler.goes_on(UserVisibleContinuation, Place::Check);
    assert_eq!(length, SLICE);
}

#[test]
fn a_slice_below_a_millisecond_bounds_the_turn() {
    let mut scheduler = with_slice(LEAST_QUANTUM / 2);
    scheduler.post(UserVisibleContinuation);
    let length = scheduler.goes_on(UserVisibleContinuation, Place::Poll);
    assert_eq!(length, LEAST_QUANTUM / 2);
}

#[test]
fn a_task_and_its_continuation_are_of_one_priority_and_no_other_one_counts() {
    for (ran, asks, counts) in [
        (UserVisible, UserVisibleContinuation, true),
        (UserBlocking, UserBlockingContinuation, true),
        (Background, BackgroundContinuation, true),
        (Idle, BackgroundContinuation, true),
        (UserBlocking, UserVisibleContinuation, false),
        (UserVisible, BackgroundContinuation, false),
        (Background, UserVisibleContinuation, false),
    ] {
        let mut scheduler = with_slice(LONG_SLICE);
        scheduler.post(ran);
        scheduler.begin_check();
        assert!(scheduler.next().is_some());
        scheduler.host.pass(LENGTH);
        scheduler.post(asks);
        scheduler.post(asks);
        assert!(scheduler.next().is_some());
        let length = scheduler.goes_on(asks, Place::Check);
        let expected = if counts { COUNTED } else { LEAST_QUANTUM };
        assert_eq!(length, expected, "{ran:?}, {asks:?}");
    }
}

#[test]
fn a_turn_counts_for_the_priority_that_has_asked_last() {
    let mut scheduler = with_slice(LONG_SLICE);
    scheduler.post(UserBlocking);
    scheduler.begin_check();
    assert!(scheduler.next().is_some());
    // The priority of the task has changed, or what it reads in pieces has another one.
    scheduler.asks(UserVisibleContinuation, Place::Check);
    scheduler.host.pass(LENGTH);
    scheduler.post(UserVisibleContinuation);
    scheduler.post(UserVisibleContinuation);
    assert!(scheduler.next().is_some());
    let length = scheduler.goes_on(UserVisibleContinuation, Place::Check);
    assert_eq!(length, COUNTED);
}

#[test]
fn a_long_turn_is_forgotten_after_two_rounds() {
    let mut scheduler = with_slice(LONG_SLICE);
    for _ in 0..3 {
        scheduler.post(UserVisibleContinuation);
    }
    scheduler.begin_check();
    scheduler.run(LENGTH);
    // The rest of the round, and the two rounds that begin behind it: each entry comes back.
    let mut lengths = Vec::new();
    for _ in 0..9 {
        scheduler.post(UserVisibleContinuation);
        assert!(scheduler.next().is_some());
        lengths.push(scheduler.goes_on(UserVisibleContinuation, Place::Check));
    }
    let of = |round: usize| lengths[3 * round..3 * round + 3].to_vec();
    assert_eq!(lengths[..5], [COUNTED; 5], "{lengths:?}");
    assert!(of(2).iter().all(|length| *length < COUNTED), "{lengths:?}");
}

#[test]
fn turns_that_outlast_the_quantum_by_part_of_a_piece_do_not_make_it_grow() {
    const PIECE: u64 = 110_000;
    let mut scheduler = with_slice(LONG_SLICE);
    scheduler.begin_check();
    for _ in 0..2 {
        scheduler.post(UserVisibleContinuation);
    }
    let mut longest = 0;
    for _ in 0..100 {
        assert!(scheduler.next().is_some());
        scheduler.post(UserVisibleContinuation);
        let began = scheduler.host.now.get();
        while !scheduler.asks(UserVisibleContinuation, Place::Check) {
            scheduler.host.pass(PIECE);
        }
        longest = longest.max(scheduler.host.now.get() - began);
    }
    assert_eq!(longest, LEAST_QUANTUM.next_multiple_of(PIECE));
}

#[test]
fn a_turn_of_a_task_begins_with_its_callback() {
    let mut scheduler = Scheduler::default();
    scheduler.post(UserVisibleContinuation);
    scheduler.post(UserVisibleContinuation);
    scheduler.begin_check();
    // The first question, whose code did not ask before.
    assert!(scheduler.next().is_some());
    scheduler.host.pass(LEAST_QUANTUM);
    assert!(scheduler.asks_as_other(UserVisibleContinuation, Place::Check));
}

#[test]
fn a_turn_at_a_checkpoint_begins_with_its_task() {
    let mut scheduler = Scheduler::default();
    scheduler.begin_check();
    scheduler.post(UserBlockingContinuation);
    scheduler.post(UserBlockingContinuation);
    // Code of the callback before has asked.
    scheduler.asks(UserBlockingContinuation, Place::Elsewhere);
    scheduler.host.pass(LEAST_QUANTUM / 2);
    assert!(scheduler.next_at_checkpoint().is_some());
    let length = scheduler.goes_on(UserBlockingContinuation, Place::Elsewhere);
    assert_eq!(length, LEAST_QUANTUM);
}

#[test]
fn a_turn_begins_with_the_first_question_of_other_code_in_the_callback() {
    for position in POSITIONS {
        let mut scheduler = Scheduler::default();
        scheduler.post(UserVisibleContinuation);
        scheduler.post(UserVisibleContinuation);
        scheduler.begin_check();
        if position == Place::Check {
            assert!(scheduler.next().is_some());
        }
        assert!(!scheduler.asks_as_other(UserVisibleContinuation, position));
        scheduler.host.pass(LEAST_QUANTUM);
        assert!(!scheduler.asks_as_other(UserVisibleContinuation, position));
        let length = scheduler.goes_on(UserVisibleContinuation, position);
        assert_eq!(length, LEAST_QUANTUM, "{position:?}");
    }
}

#[test]
fn a_turn_whose_end_is_not_seen_has_lasted_until_its_last_question() {
    for position in [Place::Poll, Place::Elsewhere] {
        let mut scheduler = with_slice(LONG_SLICE);
        scheduler.post(UserVisibleContinuation);
        scheduler.asks(UserVisibleContinuation, position);
        scheduler.host.pass(LENGTH);
        scheduler.asks(UserVisibleContinuation, position);
        scheduler.host.pass(100 * MILLISECOND);
        scheduler.asks_as_other(UserVisibleContinuation, position);
        let length = scheduler.goes_on(UserVisibleContinuation, position);
        assert_eq!(length, COUNTED, "{position:?}");
    }
}

#[test]
fn a_turn_ends_with_its_phase_and_with_a_chain_of_checkpoints() {
    let ends: [fn(&mut Scheduler); 3] = [
        |scheduler| scheduler.turn.poll(),
        |scheduler| scheduler.begin_check(),
        |scheduler| {
            scheduler.host.io_ready.set(true);
            assert_eq!(scheduler.next_at_checkpoint(), None);
            scheduler.host.io_ready.set(false);
        },
    ];
    for end in ends {
        let mut scheduler = Scheduler::default();
        scheduler.post(UserVisibleContinuation);
        scheduler.asks(UserVisibleContinuation, Place::Elsewhere);
        scheduler.host.pass(LEAST_QUANTUM);
        end(&mut scheduler);
        let length = scheduler.goes_on(UserVisibleContinuation, Place::Elsewhere);
        assert_eq!(length, LEAST_QUANTUM);
    }
}

#[test]
fn whatever_else_a_yield_would_serve_counts_at_once_beside_equals() {
    const PAST_HEAD_START: u64 = LEAST_QUANTUM / 2;
    let reasons: [fn(&mut Scheduler); 5] = [
        |scheduler| _ = scheduler.post(UserBlocking),
        |scheduler| _ = scheduler.post_bounded(Background, 1),
        |scheduler| _ = scheduler.post_delayed(UserBlocking, PAST_HEAD_START + 1),
        |scheduler| scheduler.host.io_ready.set(true),
        |scheduler| scheduler.host.busy.set(true),
    ];
    for (index, reason) in reasons.into_iter().enumerate() {
        let mut scheduler = with_slice(5 * PAST_HEAD_START);
        scheduler.begin_check();
        scheduler.post(UserVisibleContinuation);
        assert!(!scheduler.asks(UserVisibleContinuation, Place::Check));
        scheduler.host.pass(PAST_HEAD_START);
        assert!(!scheduler.asks(UserVisibleContinuation, Place::Check));
        reason(&mut scheduler);
        scheduler.host.pass(PAST_HEAD_START / 2);
        let should_yield = scheduler.asks(UserVisibleContinuation, Place::Check);
        assert!(should_yield, "reason {index}");
    }
}

#[test]
fn what_waits_behind_an_equal_that_was_queued_before_the_check_phase_does_not_count() {
    for position in POSITIONS {
        for (priority, expected) in [
            (BackgroundContinuation, true),
            (UserVisibleContinuation, position != Place::Check),
            (UserBlockingContinuation, false),
        ] {
            let mut scheduler = Scheduler::default();
            scheduler.post(priority);
            scheduler.begin_check();
            scheduler.host.io_ready.set(true);
            scheduler.host.busy.set(true);
            let should_yield = scheduler.asks(priority, position);
            assert_eq!(should_yield, expected, "{position:?}, {priority:?}");
        }
    }
}

#[test]
fn what_is_ready_counts_once_no_equal_is_left_that_was_queued_before_the_check_phase() {
    let mut scheduler = Scheduler::default();
    let old = scheduler.post(UserVisibleContinuation);
    scheduler.begin_check();
    scheduler.host.io_ready.set(true);
    assert!(!scheduler.asks(UserVisibleContinuation, Place::Check));
    assert_eq!(scheduler.next(), Some(old));
    scheduler.post(UserVisibleContinuation);
    assert!(scheduler.asks(UserVisibleContinuation, Place::Check));
}

#[test]
fn tasks_that_come_behind_every_continuation_make_no_code_yield() {
    for (task, priority) in TASKS.into_iter().zip(CONTINUATIONS) {
        let mut scheduler = Scheduler::default();
        scheduler.post(task);
        scheduler.asks(priority, Place::Elsewhere);
        scheduler.host.pass(LEAST_QUANTUM);
        assert!(!scheduler.asks(priority, Place::Elsewhere), "{task:?}");
    }
}

#[test]
fn a_clock_that_stands_still_or_goes_back_neither_ends_a_turn_nor_panics() {
    let mut scheduler = Scheduler::default();
    scheduler.host.pass(LENGTH);
    scheduler.post(UserVisibleContinuation);
    for _ in 0..100 {
        assert!(!scheduler.asks(UserVisibleContinuation, Place::Poll));
    }
    scheduler.host.now.set(0);
    assert!(!scheduler.asks(UserVisibleContinuation, Place::Poll));
    scheduler.begin_check();
    assert!(scheduler.next().is_some());
}
