//! Several threads or processes of one group, each with a controller that knows nothing of others.

use crate::MS;
use crate::scenario::{Kind, Loop, Outcome, SECOND, Scenario, compare, pieces, requests, seeds};

fn members(quota: u64, processors: usize, count: usize, load: f64) -> Scenario {
    let member = |index| Loop {
        processor: index % processors,
        requests: (load > 0.0)
            .then(|| requests(quota, load, 4 * MS, true))
            .flatten(),
        pieces: pieces(MS / 5, MS),
        ..Loop::default()
    };
    Scenario {
        quota,
        burst: 0,
        blind: false,
        processors,
        loops: (0..count).map(member).collect(),
        changes: Vec::new(),
        end: 70 * SECOND,
        from: 10 * SECOND,
    }
}

/// The greatest and the smallest share of all members, over a few runs.
fn shares(scenario: &Scenario) -> (f64, f64) {
    let mut sums = vec![0.0; scenario.loops.len()];
    for seed in seeds(3) {
        let outcome = scenario.run(Some(Kind::Ours), seed);
        assert_nobody_starves(&outcome, scenario);
        let mut shares: Vec<f64> = outcome.background.iter().map(|&one| one as f64).collect();
        shares.sort_by(f64::total_cmp);
        for (sum, share) in sums.iter_mut().zip(shares) {
            *sum += share;
        }
    }
    (sums[sums.len() - 1], sums[0])
}

fn assert_nobody_starves(outcome: &Outcome, scenario: &Scenario) {
    for member in &outcome.background_by_second {
        let seconds = &member[10..];
        let idle = seconds
            .chunks(10)
            .filter(|ten| ten.iter().sum::<u64>() == 0);
        assert_eq!(idle.count(), 0, "quota {}", scenario.quota / MS);
    }
}

#[test]
fn two_batch_programs_get_shares_within_a_factor_of_two() {
    for quota in [5, 25, 50, 100, 200] {
        for processors in [1, 4] {
            let (most, least) = shares(&members(quota * MS, processors, 2, 0.0));
            assert!(
                most <= 2.0 * least,
                "quota {quota} on {processors}: {most} and {least}"
            );
        }
    }
}

#[test]
fn two_servers_get_shares_within_a_factor_of_two() {
    let processors = 4;
    for quota in [25, 50, 100, 200] {
        let (most, least) = shares(&members(quota * MS, processors, 2, 0.1));
        assert!(
            most <= 2.0 * least,
            "quota {quota} on {processors}: {most} and {least}"
        );
    }
}

#[test]
fn two_servers_are_hardly_throttled_although_neither_knows_of_the_other() {
    let mut sum = 0.0;
    for quota in [25, 50] {
        let mut one = members(quota * MS, 4, 2, 0.1);
        one.end = 610 * SECOND;
        let figures = compare(&one, seeds(6));
        assert!(figures.p90 <= 1.1, "quota {quota}: {}", figures.p90);
        assert!(figures.p99 <= 1.25, "quota {quota}: {}", figures.p99);
        sum += figures.throttled;
    }
    assert!(sum / 2.0 <= 3.6, "{sum}");
}

#[test]
fn four_workers_all_get_a_share() {
    for quota in [25, 50, 100, 200] {
        for processors in [1, 4] {
            let (most, least) = shares(&members(quota * MS, processors, 4, 0.0));
            assert!(
                most <= 2.0 * least,
                "quota {quota} on {processors}: {most} and {least}"
            );
        }
    }
}

#[test]
fn threads_together_use_most_of_the_quota() {
    for quota in [25, 50, 100, 200] {
        let one = members(quota * MS, 4, 2, 0.0);
        let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
        let used = outcome.all_background() as f64 / (one.quota * outcome.periods) as f64;
        assert!(used >= 0.75, "quota {quota}: {used}");
        assert!(outcome.throttled_percent() <= 5.0);
    }
}

#[test]
fn who_comes_later_gets_an_equal_share() {
    for quota in [25, 50, 100] {
        for processors in [1, 4] {
            let mut one = members(quota * MS, processors, 2, 0.0);
            one.loops[1].pieces.as_mut().unwrap().from = 7 * SECOND;
            one.from = 20 * SECOND;
            let (most, least) = shares(&one);
            assert!(
                most <= 2.0 * least,
                "quota {quota} on {processors}: {most} and {least}"
            );
        }
    }
}

#[test]
fn who_stays_leaves_nothing_unused_when_the_other_has_gone() {
    for quota in [25, 50, 100] {
        let mut one = members(quota * MS, 4, 2, 0.0);
        one.loops[1].pieces.as_mut().unwrap().until = 20 * SECOND;
        one.from = 30 * SECOND;
        let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
        let used = outcome.background[0] as f64 / (one.quota * outcome.periods) as f64;
        assert!(used >= 0.9, "quota {quota}: {used}");
    }
}

#[test]
fn a_server_beside_two_batch_programs_is_hardly_disturbed() {
    for quota in [50, 100, 200] {
        let mut one = members(quota * MS, 4, 3, 0.0);
        one.loops[2].pieces = None;
        one.loops[2].requests = requests(quota * MS, 0.3, 4 * MS, true);
        one.end = 190 * SECOND;
        let figures = compare(&one, seeds(4));
        assert!(figures.p90 <= 1.1, "quota {quota}: {}", figures.p90);
        assert!(figures.p99 <= 1.25, "quota {quota}: {}", figures.p99);
        assert!(figures.throttled <= 6.0, "quota {quota}");
    }
}

/// Asserts that in each ten seconds the smallest share is at least half of the greatest.
fn assert_even_in_each_ten_seconds(mut one: Scenario, seed: u64) {
    one.end = 130 * SECOND;
    let outcome = one.run(Some(Kind::Ours), seed);
    let tens = |member: &Vec<u64>, from: usize| member[from..from + 10].iter().sum::<u64>();
    for from in (10..130).step_by(10) {
        let shares = outcome.background_by_second.iter();
        let mut shares: Vec<_> = shares.map(|member| tens(member, from)).collect();
        shares.sort_unstable();
        assert!(
            shares[shares.len() - 1] <= 2 * shares[0],
            "quota {} on {} from {from} s, seed {seed}: {shares:?}",
            one.quota / MS,
            one.processors,
        );
    }
}

#[test]
fn two_servers_get_shares_within_a_factor_of_two_in_each_ten_seconds() {
    for (quota, load) in [(25, 0.1), (50, 0.1), (50, 0.15)] {
        for processors in [1, 2] {
            for seed in seeds(4) {
                let one = members(quota * MS, processors, 2, load);
                assert_even_in_each_ten_seconds(one, seed);
            }
        }
    }
}

#[test]
fn two_and_four_batch_programs_do_so_as_well() {
    for quota in [25, 50, 100, 200] {
        for count in [2, 4] {
            for seed in seeds(2) {
                let one = members(quota * MS, 4, count, 0.0);
                assert_even_in_each_ten_seconds(one, seed);
            }
        }
    }
}
