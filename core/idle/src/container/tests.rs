//! What the controller answers to readings that are set by hand.

use super::*;

const LIMIT: Limit = Limit {
    quota: 50 * MS,
    period: 100 * MS,
    burst: 0,
};

/// A controller that saw a boundary at 100 ms.
fn settled() -> Container {
    let mut container = Container::new(LIMIT);
    for ms in [98, 99, 100] {
        container.decide(&reading(ms));
    }
    container
}

fn reading(ms: u64) -> Reading {
    Reading {
        now: ms * MS,
        usage: Some(0),
        periods: ms / 100,
        ..Reading::default()
    }
}

#[test]
fn background_work_starts_late_once_the_period_is_known() {
    let mut container = settled();
    let Verdict::Hold { until } = container.decide(&reading(101)) else {
        panic!("held at the begin of the period");
    };
    assert!(until > 120 * MS && until < 150 * MS, "{until}");
}

#[test]
fn another_period_makes_the_controller_search_again() {
    let mut container = settled();
    container.set_limit(Limit {
        period: 50 * MS,
        ..LIMIT
    });
    assert!(matches!(
        container.decide(&reading(101)),
        Verdict::Run { .. }
    ));
}

#[test]
fn another_quota_counts_from_the_next_question() {
    let mut container = settled();
    container.set_limit(Limit {
        quota: 10 * MS,
        ..LIMIT
    });
    let Verdict::Hold { until } = container.decide(&reading(101)) else {
        panic!("held at the begin of the period");
    };
    assert!(until > 180 * MS, "{until}");
}
