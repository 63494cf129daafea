//! When code should yield: what would run before its continuation.

use EffectivePriority::*;
use uv_scheduler_core::advice::Code;
use uv_scheduler_core::host::Host;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::rules::Place;
use uv_scheduler_core::turn::Question;

use crate::scheduler::{HEAD_START, LEAST_QUANTUM, SLICE, Scheduler};

pub const CONTINUATIONS: [EffectivePriority; 3] = [
    BackgroundContinuation,
    UserVisibleContinuation,
    UserBlockingContinuation,
];

pub const POSITIONS: [Place; 3] = [Place::Check, Place::Poll, Place::Elsewhere];

impl Scheduler {
    pub fn asks(&mut self, priority: EffectivePriority, position: Place) -> bool {
        self.asks_as(priority, position, false)
    }

    /// Asks as code that has not asked before.
    pub fn asks_as_other(&mut self, priority: EffectivePriority, position: Place) -> bool {
        self.asks_as(priority, position, true)
    }

    fn asks_as(
        &mut self,
        priority: EffectivePriority,
        position: Place,
        is_other_code: bool,
    ) -> bool {
        let code = Code {
            is_other: is_other_code,
            ..Code::new(priority)
        };
        let question = Question {
            code,
            place: position,
            at: self.meter.read(self.host.now()),
        };
        let queues = &mut self.queues;
        let (host, turn) = (&self.host, &mut self.turn);
        turn.should_yield(question, queues, host, || host.is_busy(), || false)
    }
}

/// For each continuation, whether code should yield at this position.
fn answers(position: Place, set_up: impl Fn(&mut Scheduler)) -> [bool; 3] {
    CONTINUATIONS.map(|priority| {
        let mut scheduler = Scheduler::default();
        if position == Place::Check {
            scheduler.begin_check();
        }
        // The turn is known to have begun from now on.
        assert!(!scheduler.asks(UserBlockingContinuation, position));
        set_up(&mut scheduler);
        scheduler.asks(priority, position)
    })
}

#[test]
fn code_goes_on_while_nothing_else_is_runnable() {
    for position in POSITIONS {
        assert_eq!(answers(position, |_| {}), [false; 3], "{position:?}");
    }
}

#[test]
fn code_yields_when_the_slice_is_used_up() {
    for position in POSITIONS {
        let late = answers(position, |scheduler| scheduler.host.pass(SLICE));
        assert_eq!(late, [true; 3], "{position:?}");
        let almost = answers(position, |scheduler| scheduler.host.pass(SLICE - 1));
        assert_eq!(almost, [false; 3], "{position:?}");
    }
}

#[test]
fn code_yields_at_once_to_queued_work_of_a_higher_effective_priority() {
    for position in POSITIONS {
        for (queued, expected) in [
            (Idle, [false; 3]),
            (Background, [false; 3]),
            (BackgroundContinuation, [false; 3]),
            (UserVisible, [true, false, false]),
            (UserVisibleContinuation, [true, false, false]),
            (UserBlocking, [true, true, false]),
            (UserBlockingContinuation, [true, true, false]),
        ] {
            let answers = answers(position, |scheduler| _ = scheduler.post(queued));
            assert_eq!(answers, expected, "{position:?}, {queued:?}");
        }
    }
}

#[test]
fn code_yields_to_queued_work_that_would_start_before_its_continuation_once_it_had_its_turn() {
    for position in POSITIONS {
        for (queued, expected) in [
            (Idle, [false; 3]),
            (Background, [false; 3]),
            (BackgroundContinuation, [true, false, false]),
            (UserVisible, [true, false, false]),
            (UserVisibleContinuation, [true, true, false]),
            (UserBlocking, [true, true, false]),
            (UserBlockingContinuation, [true; 3]),
        ] {
            let answers = answers(position, |scheduler| {
                scheduler.post(queued);
                scheduler.host.pass(LEAST_QUANTUM);
            });
            assert_eq!(answers, expected, "{position:?}, {queued:?}");
        }
    }
}

#[test]
fn code_yields_to_a_delayed_task_that_is_due() {
    for (passed, expected) in [(99, false), (100, true)] {
        let answers = answers(Place::Elsewhere, |scheduler| {
            scheduler.post_delayed(UserBlocking, 100);
            scheduler.host.pass(passed);
        });
        assert_eq!(answers, [expected, expected, false]);
    }
}

#[test]
fn code_yields_to_overdue_work_unless_it_is_user_blocking() {
    let answers = answers(Place::Elsewhere, |scheduler| {
        scheduler.set_max_wait(None, Some(10));
        scheduler.post(Background);
        scheduler.host.pass(11);
    });
    assert_eq!(answers, [true, true, false]);
}

#[test]
fn code_yields_to_work_that_is_overdue_by_its_own_bound_unless_it_is_user_blocking() {
    for (passed, expected) in [(10, false), (11, true)] {
        let answers = answers(Place::Elsewhere, |scheduler| {
            scheduler.post_bounded(Background, 10);
            scheduler.host.pass(passed);
        });
        assert_eq!(answers, [expected, expected, false]);
    }
}

#[test]
fn an_overdue_task_yields_only_to_user_blocking_work_until_it_has_had_its_turn() {
    for (priority, continuation) in [
        (Background, BackgroundContinuation),
        (UserVisible, UserVisibleContinuation),
    ] {
        let mut scheduler = Scheduler::default();
        scheduler.post_bounded(priority, 10);
        scheduler.begin_check();
        // The slice is used up by other work.
        scheduler.host.pass(SLICE);
        assert!(scheduler.next().is_some());
        scheduler.host.io_ready.set(true);
        scheduler.host.busy.set(true);
        scheduler.post_bounded(priority, 0);
        scheduler.post(UserVisibleContinuation);
        scheduler.host.pass(LEAST_QUANTUM - 1);
        let asks = |scheduler: &mut Scheduler| scheduler.asks(continuation, Place::Check);
        assert!(!asks(&mut scheduler));
        let urgent = scheduler.post(UserBlocking);
        assert!(asks(&mut scheduler));
        scheduler.queues.remove(urgent).unwrap();
        scheduler.host.pass(1);
        assert!(asks(&mut scheduler));
    }
}

#[test]
fn user_visible_code_yields_to_ready_io_and_only_past_its_head_start_to_timers() {
    for position in POSITIONS {
        let to_io = answers(position, |scheduler| scheduler.host.io_ready.set(true));
        assert_eq!(to_io, [true, true, false], "{position:?}");
        let to_timers = answers(position, |scheduler| scheduler.host.busy.set(true));
        assert_eq!(to_timers, [true, false, false], "{position:?}");
    }
    let late = |scheduler: &mut Scheduler| {
        scheduler.host.busy.set(true);
        scheduler.host.pass(HEAD_START);
    };
    assert_eq!(answers(Place::Check, late), [true, true, false]);
    assert_eq!(answers(Place::Poll, late), [true, false, false]);
}

#[test]
fn io_that_was_ready_before_the_poll_phase_and_is_ready_in_it_ends_code_there() {
    let mut scheduler = Scheduler::default();
    scheduler.host.io_ready.set(true);
    assert!(scheduler.asks(UserVisibleContinuation, Place::Elsewhere));
    scheduler.turn.poll();
    assert!(!scheduler.asks(UserBlockingContinuation, Place::Poll));
    assert!(scheduler.asks(UserVisibleContinuation, Place::Poll));
}

#[test]
fn code_at_a_checkpoint_yields_when_the_budget_of_checkpoints_is_spent() {
    let mut scheduler = Scheduler::default();
    scheduler.begin_check();
    scheduler.post(UserBlocking);
    scheduler.host.pass(SLICE / 2);
    assert!(scheduler.next_at_checkpoint().is_some());
    let asks =
        |scheduler: &mut Scheduler| scheduler.asks(UserBlockingContinuation, Place::Elsewhere);
    assert!(!asks(&mut scheduler));
    scheduler.host.pass(SLICE / 2);
    assert!(asks(&mut scheduler));
}
