//! User-visible and user-blocking work beside callbacks that are no tasks and never pause.

use proptest::prelude::*;
use uv_scheduler_core::advice::Code;
use uv_scheduler_core::priority::EffectivePriority::{self, *};
use uv_scheduler_core::protocol::Entry;
use uv_scheduler_core::turn::DEFAULT_SLICE;

use crate::fixture::{Fixture, MILLISECOND};

const WINDOW: u64 = 2_000 * MILLISECOND;
const RUNS_FOR: u64 = 5_000 * MILLISECOND;

/// Code in pieces that goes on until it is told to yield, and then waits as a continuation.
struct Page {
    priority: EffectivePriority,
    piece: u64,
}

/// A turn of the loop.
#[derive(Clone, Copy, Debug)]
struct Turn {
    ended: u64,
    /// The time of others since the check phase before.
    others: u64,
    ran: u64,
}

struct Site {
    fixture: Fixture,
    page: Page,
    /// The time of others behind the last check phase.
    behind: u64,
    turns: Vec<Turn>,
}

impl Site {
    fn new(page: Page) -> Self {
        let mut site = Self {
            fixture: Fixture::default(),
            page,
            behind: 0,
            turns: Vec::new(),
        };
        site.fixture.host.is_io_ready.set(true);
        site.fixture.host.is_busy.set(true);
        site.fixture.leave(site.page.priority);
        site
    }

    /// Runs the page until it yields. Returns for how long.
    fn run_page(&mut self) -> u64 {
        let began = self.fixture.host.now.get();
        loop {
            self.fixture.pass(self.page.piece);
            let code = Code::new(self.page.priority);
            let (event_loop, host) = (&mut self.fixture.event_loop, &self.fixture.host);
            if event_loop.should_yield(host, code).should_yield {
                break;
            }
        }
        self.fixture.leave(self.page.priority);
        self.fixture.host.now.get() - began
    }

    /// One turn of the loop: others in the poll phase and behind the check phase.
    fn turn(&mut self, in_poll: u64, behind: u64) {
        self.fixture.prepare();
        self.fixture.pass(in_poll);
        let mut check = self.fixture.begin_check().unwrap();
        let mut ran = 0;
        while self.fixture.next_in(&mut check).is_some() {
            ran += self.run_page();
        }
        self.fixture.end_check(check);
        self.fixture.pass(behind);
        self.turns.push(Turn {
            ended: self.fixture.host.now.get(),
            others: self.behind + in_poll,
            ran,
        });
        self.behind = behind;
    }
}

fn sum(turns: &[Turn], of: impl Fn(&Turn) -> u64) -> u64 {
    turns.iter().map(of).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 200 }))]

    #[test]
    fn user_visible_work_gets_its_share_beside_others_that_never_pause(
        piece in 20u64..4_000,
        lengths in prop::collection::vec((0u64..15_000, 0u64..15_000), 1..6),
    ) {
        let page = Page { priority: UserVisibleContinuation, piece: piece * 1_000 };
        let mut site = Site::new(page);
        for (in_poll, behind) in lengths.iter().cycle() {
            site.turn(in_poll * 1_000 + 1_000, behind * 1_000);
            if site.fixture.host.now.get() > RUNS_FOR {
                break;
            }
        }
        let piece = site.page.piece;
        let mut first = 0;
        for (last, turn) in site.turns.iter().enumerate() {
            // The first piece was queued before the phase; the last one begins within the
            // allowance.
            prop_assert!(turn.ran <= turn.others.min(DEFAULT_SLICE) + 2 * piece, "{turn:?}");
            while turn.ended - site.turns[first].ended > WINDOW {
                first += 1;
            }
            if turn.ended >= WINDOW {
                let window = &site.turns[first..=last];
                let due = sum(window, |turn| turn.others.min(DEFAULT_SLICE));
                let ran = sum(window, |turn| turn.ran);
                prop_assert!(ran as f64 >= 0.4 * due as f64, "{ran} of {due}");
            }
        }
    }
}

#[test]
fn user_visible_work_gives_way_at_once_while_it_is_not_behind() {
    let piece = MILLISECOND / 10;
    let mut site = Site::new(Page {
        priority: UserVisibleContinuation,
        piece,
    });
    for _ in 0..100 {
        site.turn(piece / 2, piece / 2);
    }
    assert!(site.turns.iter().all(|turn| turn.ran == piece));
}

#[test]
fn user_visible_work_is_forgotten_to_be_behind_when_none_is_queued() {
    let piece = MILLISECOND / 10;
    let mut site = Site::new(Page {
        priority: UserVisibleContinuation,
        piece,
    });
    for _ in 0..100 {
        site.turn(2 * MILLISECOND, 0);
    }
    assert!(site.turns.last().unwrap().ran > MILLISECOND);
    // A check phase that leaves nothing.
    site.fixture.run_check();
    site.fixture.leave(UserVisibleContinuation);
    site.turns.clear();
    site.turn(2 * MILLISECOND, 0);
    site.turn(2 * MILLISECOND, 0);
    assert!(site.turns.iter().all(|turn| turn.ran == piece));
}

#[test]
fn user_visible_work_that_ends_a_nested_run_catches_up_like_any_other() {
    let piece = MILLISECOND / 10;
    let mut site = Site::new(Page {
        priority: UserVisibleContinuation,
        piece,
    });
    // Beside flows, the time of every task is read.
    site.fixture.leave_entry(Entry::OpenFlow(0, 0));
    for _ in 0..100 {
        site.turn(2 * MILLISECOND, 0);
    }
    assert!(site.turns.last().unwrap().ran > MILLISECOND);
    let around = site.fixture.leave(UserBlocking);
    let mut check = site.fixture.begin_check().unwrap();
    assert_eq!(site.fixture.next_in(&mut check), Some(around));
    site.fixture.prepare();
    let mut nested = site.fixture.begin_check().unwrap();
    assert!(site.fixture.next_in(&mut nested).is_some());
    site.fixture.pass(100 * MILLISECOND);
    assert_eq!(site.fixture.next_in(&mut nested), None);
    site.fixture.end_check(nested);
    site.fixture.leave(UserVisibleContinuation);
    assert_eq!(site.fixture.next_in(&mut check), None);
    site.fixture.end_check(check);
    site.turn(2 * MILLISECOND, 0);
    assert_eq!(site.turns.last().unwrap().ran, piece);
}

#[test]
fn user_blocking_work_runs_as_long_as_others_at_most_four_slices() {
    for (others, expected) in [(1, 5), (5, 5), (12, 12), (20, 20), (50, 20)] {
        let mut site = Site::new(Page {
            priority: UserBlockingContinuation,
            piece: MILLISECOND,
        });
        for _ in 0..3 {
            site.turn(others * MILLISECOND, 0);
        }
        let ran = site.turns.last().unwrap().ran;
        assert_eq!(ran, expected * MILLISECOND, "beside {others} ms");
    }
}

#[test]
fn sleep_while_only_held_work_waits_is_not_the_others() {
    use uv_scheduler_core::host::{Hold, Reason};
    let mut site = Site::new(Page {
        priority: UserBlockingContinuation,
        piece: MILLISECOND,
    });
    site.fixture.run_check();
    site.fixture.leave(Background);
    let host = &site.fixture.host;
    host.is_io_ready.set(false);
    host.is_busy.set(false);
    let until = host.now.get() + 100 * MILLISECOND;
    host.hold.set(Some(Hold {
        until,
        reason: Reason::Container,
    }));
    assert_eq!(site.fixture.run_check(), []);
    site.fixture.pass(50 * MILLISECOND);
    site.fixture.leave(UserBlockingContinuation);
    site.turn(0, 0);
    assert_eq!(site.turns.last().unwrap().ran, 5 * MILLISECOND);
}
