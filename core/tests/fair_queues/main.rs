//! Examples of every rule of flows and keys. `task_queues` compares them with a naive oracle.

use EffectivePriority::*;
use uv_scheduler_core::fair_queues::{FairQueues, KeyUse, Next};
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::FlowId;
use uv_scheduler_core::protocol::MAX_FLOWS;
use uv_scheduler_core::shares::KeyId;

const MILLISECOND: u64 = 1_000_000;

/// The time at which nothing has run. Levels end at 50 and 200 ms.
const START: u64 = 1;

/// Flows with one queue each, which has the number of the flow.
fn opened(keys: &[KeyId]) -> FairQueues {
    let mut flows = FairQueues::default();
    for (flow, key) in (0..).zip(keys) {
        assert!(flows.open(flow, *key) && flows.bind(flow, flow));
    }
    flows.advance(START);
    flows
}

/// Queues an entry of each flow, in this order.
fn queue(flows: &mut FairQueues, these: &[FlowId]) {
    for (order, flow) in (1..).zip(these) {
        flows.update(*flow, UserVisible, Some(order));
    }
}

/// Runs the entry of a flow for this time.
fn run(flows: &mut FairQueues, flow: FlowId, from: u64, time: u64) {
    flows.start(Some(flow), UserVisible, false, from);
    flows.update(flow, UserVisible, None);
    flows.end(from + time);
}

fn order(flows: &mut FairQueues, now: u64) -> Vec<FlowId> {
    flows.advance(now);
    std::iter::from_fn(|| match flows.next(UserVisible, false) {
        Next::Unkeyed => None,
        Next::Queue(queue) => {
            flows.start(Some(queue), UserVisible, false, now);
            flows.update(queue, UserVisible, None);
            flows.end(now);
            Some(queue)
        }
    })
    .collect()
}

#[test]
fn inside_a_key_and_a_level_flows_go_first_that_have_come_first() {
    let mut flows = opened(&[0, 0, 0]);
    queue(&mut flows, &[0, 1, 2]);
    // Their continuations are queued in another order.
    for (order, flow) in [(4, 1), (5, 2), (6, 0)] {
        flows.update(flow, UserVisible, Some(order));
    }
    assert_eq!(order(&mut flows, START), [0, 1, 2]);
}

#[test]
fn a_flow_that_was_idle_goes_behind_those_that_came_meanwhile() {
    // None comes, a new one, or one that was idle itself.
    for comes in [None, Some(3), Some(1)] {
        let mut flows = opened(&[0, 0, 0]);
        queue(&mut flows, &[0, 1, 2]);
        run(&mut flows, 1, START, MILLISECOND);
        run(&mut flows, 0, START, MILLISECOND);
        // Flows 0 and 1 are idle.
        if let Some(flow) = comes {
            if flow == 3 {
                assert!(flows.open(flow, 0) && flows.bind(flow, flow));
            }
            flows.update(flow, UserVisible, Some(4));
        }
        flows.update(0, UserVisible, Some(5));
        let expected: &[FlowId] = match comes {
            Some(3) => &[2, 3, 0],
            Some(_) => &[1, 2, 0],
            None => &[0, 2],
        };
        assert_eq!(
            order(&mut flows, START + MILLISECOND),
            expected,
            "{comes:?}"
        );
    }
}

#[test]
fn a_flow_that_queues_its_continuation_before_it_ends_keeps_its_place() {
    let mut flows = opened(&[0, 0]);
    queue(&mut flows, &[0, 1]);
    flows.start(Some(0), UserVisible, false, START);
    flows.update(0, UserVisible, None);
    assert!(flows.open(2, 0) && flows.bind(2, 2));
    flows.update(2, UserVisible, Some(3));
    flows.update(0, UserVisible, Some(4));
    flows.end(START + MILLISECOND);
    assert_eq!(order(&mut flows, START + MILLISECOND), [0, 1, 2]);
}

#[test]
fn a_flow_that_outgrows_its_level_goes_behind_those_that_have_not() {
    let mut flows = opened(&[0, 0, 0]);
    queue(&mut flows, &[0, 1, 2]);
    flows.start(Some(0), UserVisible, false, START);
    // Its continuation is queued before it has ended.
    flows.update(0, UserVisible, Some(9));
    let now = START + 51 * MILLISECOND;
    flows.end(now);
    assert_eq!(order(&mut flows, now), [1, 2, 0]);
}

#[test]
fn thread_time_fades_while_a_flow_has_nothing_queued_and_does_not_run() {
    let mut flows = opened(&[0, 0]);
    queue(&mut flows, &[0]);
    run(&mut flows, 0, START, 60 * MILLISECOND);
    let ended = START + 60 * MILLISECOND;
    for (idle, expected) in [(9, [1, 0]), (10, [0, 1])] {
        let mut flows = opened(&[0, 0]);
        queue(&mut flows, &[0]);
        run(&mut flows, 0, START, 60 * MILLISECOND);
        queue(&mut flows, &[0, 1]);
        assert_eq!(order(&mut flows, ended + idle * MILLISECOND), expected);
    }
    // It does not fade while an entry waits.
    queue(&mut flows, &[0]);
    flows.advance(ended);
    queue(&mut flows, &[0, 1]);
    assert_eq!(order(&mut flows, ended + 100 * MILLISECOND), [1, 0]);
}

#[test]
fn a_flow_that_waits_elsewhere_does_not_fade_and_stays_open() {
    let mut flows = opened(&[0, 0]);
    queue(&mut flows, &[0]);
    run(&mut flows, 0, START, 60 * MILLISECOND);
    assert!(flows.wait_outside(0, true));
    flows.advance(START + 60 * MILLISECOND);
    let now = START + 160 * MILLISECOND;
    assert!(!flows.close(0, true, || now));
    queue(&mut flows, &[0, 1]);
    assert_eq!(order(&mut flows, now), [1, 0]);
    assert!(flows.wait_outside(0, false));
    // There is nothing left that could end, and no such flow.
    assert!(!flows.wait_outside(0, false) && !flows.wait_outside(7, true));
    // Now it fades.
    flows.advance(now + 100 * MILLISECOND);
    queue(&mut flows, &[0, 1]);
    assert_eq!(order(&mut flows, now + 100 * MILLISECOND), [0, 1]);
    assert!(flows.close(0, true, || now));
}

#[test]
fn what_a_flow_runs_outside_of_tasks_is_charged_to_it_and_to_its_key() {
    let mut flows = opened(&[0, 0, 1]);
    let now = START + 51 * MILLISECOND;
    queue(&mut flows, &[2]);
    flows.charge_outside(Some(0), UserVisible, 51 * MILLISECOND, now);
    flows.charge_outside(None, UserVisible, 60 * MILLISECOND, now);
    queue(&mut flows, &[0, 1]);
    assert_eq!(order(&mut flows, now), [2, 1, 0]);
    assert_eq!(
        flows.keys().next().map(|of| of.used),
        Some(51 * MILLISECOND)
    );
    // A task that runs is charged by itself, and a flow that has closed not at all.
    flows.start(Some(1), UserVisible, false, now);
    flows.charge_outside(Some(1), UserVisible, 60 * MILLISECOND, now);
    flows.end(now);
    assert!(flows.close(2, true, || now));
    flows.charge_outside(Some(2), UserVisible, 60 * MILLISECOND, now);
    let used: Vec<_> = flows.keys().map(|of| of.used).collect();
    assert_eq!(used, [51 * MILLISECOND]);
}

#[test]
fn the_thread_time_of_an_idle_flow_fades_until_it_runs_outside_of_tasks() {
    for (idle, expected) in [(10, [1, 0]), (11, [0, 1])] {
        let mut flows = opened(&[0, 0]);
        queue(&mut flows, &[0]);
        run(&mut flows, 0, START, 60 * MILLISECOND);
        let now = START + (60 + idle + 1) * MILLISECOND;
        flows.charge_outside(Some(0), UserVisible, MILLISECOND, now);
        queue(&mut flows, &[0, 1]);
        assert_eq!(order(&mut flows, now), expected);
    }
}

#[test]
fn a_continuation_goes_before_a_task_of_its_flow() {
    let mut flows = opened(&[0]);
    assert!(flows.bind(7, 0));
    flows.update(0, UserVisible, Some(1));
    flows.update(7, UserVisibleContinuation, Some(2));
    assert_eq!(order(&mut flows, START), [7, 0]);
}

#[test]
fn code_should_yield_to_a_key_that_is_behind_and_to_a_lower_level_of_its_own() {
    for (keys, at) in [([0, 1], 1), ([0, 0], 51)] {
        let mut flows = opened(&keys);
        queue(&mut flows, &[0, 1]);
        flows.start(Some(0), UserVisible, false, START);
        flows.update(0, UserVisible, None);
        let is_behind = |time: u64| {
            let now = START + time * MILLISECOND;
            flows.is_behind(Some(0), UserVisibleContinuation, false, 0, now)
        };
        assert!(!is_behind(at - 1) && is_behind(at), "{keys:?}");
        // Another priority is none of its business.
        let now = START + 1_000 * MILLISECOND;
        assert!(!flows.is_behind(Some(0), BackgroundContinuation, false, 0, now));
    }
}

#[test]
fn code_need_not_yield_to_others_of_its_level_nor_to_its_own_flow() {
    let mut flows = opened(&[0, 0]);
    assert!(flows.bind(7, 0));
    queue(&mut flows, &[0, 1]);
    flows.update(7, UserVisible, Some(9));
    flows.start(Some(0), UserVisible, false, START);
    flows.update(0, UserVisible, None);
    let now = START + 50 * MILLISECOND;
    assert!(!flows.is_behind(Some(0), UserVisible, false, 0, now));
    flows.update(1, UserVisible, None);
    let now = START + 1_000 * MILLISECOND;
    assert!(!flows.is_behind(Some(0), UserVisible, false, 0, now));
}

#[test]
fn code_without_a_key_should_yield_to_one_that_is_behind_and_the_other_way_round() {
    let mut flows = opened(&[0]);
    queue(&mut flows, &[0]);
    let is_behind = |flows: &FairQueues, flow, time| {
        flows.is_behind(flow, UserVisible, true, time * MILLISECOND, START)
    };
    assert!(!is_behind(&flows, None, 0) && is_behind(&flows, None, 1));
    assert!(!is_behind(&flows, Some(0), 0) && is_behind(&flows, Some(0), 1));
}

#[test]
fn a_flow_that_closes_while_it_runs_is_charged() {
    let mut flows = opened(&[0]);
    queue(&mut flows, &[0]);
    flows.start(Some(0), UserVisible, false, START);
    assert!(!flows.close(0, true, || START), "an entry is queued");
    flows.update(0, UserVisible, None);
    assert!(flows.close(0, true, || START + 2 * MILLISECOND));
    assert_eq!(flows.flow_of(0), None);
    // The rest of its callback is charged to the key, also if another flow has the number now.
    assert!(flows.open(0, 1));
    flows.end(START + 3 * MILLISECOND);
    let used = |key, used, flows| KeyUse { key, used, flows };
    let expected = [used(0, 3 * MILLISECOND, 0), used(1, 0, 1)];
    assert_eq!(flows.keys().collect::<Vec<_>>(), expected);
}

#[test]
fn levels_are_learned_from_the_flows_that_have_finished() {
    let mut flows = FairQueues::default();
    let mut now = START;
    for _ in 0..100 {
        assert!(flows.open(0, 0) && flows.bind(0, 0));
        queue(&mut flows, &[0]);
        run(&mut flows, 0, now, 3 * MILLISECOND);
        now += 3 * MILLISECOND;
        assert!(flows.close(0, true, || now));
    }
    let first = flows.levels(UserVisible)[0];
    assert!((3 * MILLISECOND..4 * MILLISECOND).contains(&first));
    assert_eq!(
        flows.levels(UserBlocking),
        [50, 200].map(|ms| ms * MILLISECOND)
    );
    assert!(flows.levels(Idle).is_empty());
}

#[test]
fn what_is_queued_moves_to_its_place_in_the_new_levels() {
    let mut flows = opened(&[0, 0]);
    let mut now = START;
    // 20 ms are in the first level until levels are learned from flows of 3 ms.
    queue(&mut flows, &[0]);
    run(&mut flows, 0, now, 20 * MILLISECOND);
    now += 20 * MILLISECOND;
    flows.advance(now);
    queue(&mut flows, &[0]);
    flows.advance(now);
    for _ in 0..100 {
        assert!(flows.open(2, 1) && flows.bind(2, 2));
        queue(&mut flows, &[2]);
        run(&mut flows, 2, now, 3 * MILLISECOND);
        now += 3 * MILLISECOND;
        assert!(flows.close(2, true, || now));
    }
    flows.update(1, UserVisible, Some(9));
    assert_eq!(order(&mut flows, now), [1, 0]);
}

#[test]
fn thread_time_fades_also_if_an_entry_comes_and_goes_before_the_next_choice() {
    let mut flows = opened(&[0, 0]);
    queue(&mut flows, &[0]);
    run(&mut flows, 0, START, 60 * MILLISECOND);
    flows.advance(START + 65 * MILLISECOND);
    queue(&mut flows, &[0]);
    flows.update(0, UserVisible, None);
    queue(&mut flows, &[0, 1]);
    assert_eq!(order(&mut flows, START + 70 * MILLISECOND), [0, 1]);
}

#[test]
fn a_key_is_forgotten_once_time_has_passed_it() {
    let mut flows = opened(&[0, 1]);
    queue(&mut flows, &[0, 1]);
    flows.start(Some(0), UserVisible, false, START);
    flows.update(0, UserVisible, None);
    flows.end(START + 5 * MILLISECOND);
    assert!(!flows.forget(0), "a flow is open");
    assert!(flows.close(0, true, || START));
    assert!(!flows.forget(0), "it has used more than its share");
    run(&mut flows, 1, START, 5 * MILLISECOND);
    assert!(flows.forget(0) && flows.forget(99));
    assert_eq!(flows.keys().map(|of| of.key).collect::<Vec<_>>(), [1]);
}

#[test]
fn what_cannot_be_opened_or_closed_changes_nothing() {
    let mut flows = opened(&[0]);
    assert!(!flows.open(0, 0) && !flows.open(MAX_FLOWS, 0));
    assert!(!flows.open(1, MAX_FLOWS));
    assert!(!flows.bind(1, 1));
    assert!(!flows.close(1, true, || START) && flows.close(0, true, || START));
    assert!(!flows.close(0, true, || START) && !flows.is_in_use());
}

#[test]
fn a_clock_that_stands_still_or_jumps_leaves_everything_in_order() {
    for jump in [0, u64::MAX - START] {
        let mut flows = opened(&[0, 0, 1]);
        queue(&mut flows, &[0, 1, 2]);
        run(&mut flows, 0, START, jump);
        queue(&mut flows, &[0]);
        assert_eq!(order(&mut flows, START + jump).len(), 3);
    }
}

/// Flows 0, 1 and 3 of keys of these numbers, of which the first has used so much time, and flow 2
/// of a part of key 0.
fn with_part(used: u64) -> FairQueues {
    const PART: KeyId = 9;
    let mut flows = opened(&[0, 1]);
    assert!(flows.open(3, 3) && flows.bind(3, 3));
    queue(&mut flows, &[0, 1, 3]);
    run(&mut flows, 0, START, used);
    assert!(flows.open_part(PART, Some(0)) && flows.open(2, PART) && flows.bind(2, 2));
    flows
}

#[test]
fn what_a_part_uses_is_charged_to_its_whole_which_stays_known() {
    let mut flows = with_part(0);
    flows.update(2, UserVisible, Some(4));
    run(&mut flows, 2, START, 5 * MILLISECOND);
    let used: Vec<_> = flows.keys().map(|of| (of.key, of.used)).collect();
    assert_eq!(used, [(0, 5 * MILLISECOND), (1, 0), (3, 0)]);
    queue(&mut flows, &[0, 1]);
    assert_eq!(order(&mut flows, START + 5 * MILLISECOND), [1, 3, 0]);
    assert!(flows.close(0, true, || START));
    assert!(!flows.forget(0), "it has a part");
    assert!(flows.close(2, true, || START) && flows.forget(9) && flows.forget(0));
}

#[test]
fn a_part_goes_where_the_best_of_those_would_that_wait_for_it() {
    for (joins, expected) in [(None, [3, 1, 2]), (Some(3), [3, 2, 1])] {
        let mut flows = with_part(5 * MILLISECOND);
        let now = START + 5 * MILLISECOND;
        // Key 3 has used nothing, key 1 less than key 0 and its part.
        flows.charge_outside(Some(1), UserVisible, MILLISECOND, now);
        flows.update(2, UserVisible, Some(4));
        if let Some(key) = joins {
            flows.join_part(9, Some(key));
        }
        assert_eq!(order(&mut flows, now), expected);
    }
}

#[test]
fn a_part_of_no_key_is_charged_to_the_entries_without_one() {
    let mut flows = opened(&[0]);
    queue(&mut flows, &[0]);
    assert!(flows.open_part(9, None) && flows.open(1, 9) && flows.bind(1, 1));
    flows.update(1, UserVisible, Some(2));
    run(&mut flows, 1, START, 5 * MILLISECOND);
    assert_eq!(flows.next(UserVisible, true), Next::Queue(0));
    assert!(flows.close(1, true, || START) && flows.forget(9));
    assert!(!FairQueues::default().open_part(MAX_FLOWS, None));
}
