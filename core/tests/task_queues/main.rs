//! Examples of every rule of the queues, and a comparison with a naive oracle.

mod overdue;
mod poster;

use EffectivePriority::*;
use proptest::prelude::*;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::MAX_TASKS;
use uv_scheduler_core::task_queue::TaskId;
use uv_scheduler_core::task_queues::{Post, QueueError, Waiting};
use uv_scheduler_core_model::{Compared, Pick, Step};

use poster::{Poster, drained};

#[test]
fn waiting_tasks_are_listed_by_enqueue_order_and_delayed_ones_behind_them_by_deadline() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(UserBlocking);
    let late = poster.append_delayed(UserVisible.rank(), 30);
    let removed = poster.append_fixed(Background);
    let first = poster.append_fixed(BackgroundContinuation);
    let second = poster.append(dynamic);
    let early = poster.append_delayed(dynamic, 10);
    let passed = poster.append_delayed(Background.rank(), 5);
    poster.queues.remove(removed).unwrap();
    poster.queues.queue_due(5);
    poster
        .queues
        .set_priority(dynamic, UserVisibleContinuation)
        .unwrap();
    let listed = |task, priority, is_delayed| Waiting {
        task,
        priority,
        is_delayed,
    };
    assert_eq!(
        poster.queues.waiting(),
        [
            listed(first, BackgroundContinuation, false),
            listed(second, UserVisibleContinuation, false),
            listed(passed, Background, false),
            listed(early, UserVisibleContinuation, true),
            listed(late, UserVisible, true),
        ]
    );
}

#[test]
fn queued_tasks_are_counted_by_priority_with_those_whose_delay_has_passed() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(UserBlocking);
    let first = poster.append(dynamic);
    poster.append_fixed(Background);
    poster.append(dynamic);
    let passed = poster.append_delayed(dynamic, 10);
    let delayed = poster.append_delayed(dynamic, 20);
    poster.append_fixed(UserVisible);
    poster.queues.queue_due(10);
    poster.queues.set_priority(dynamic, UserVisible).unwrap();
    let count = |poster: &Poster, priority| poster.queues.queued_of(priority);
    assert_eq!(count(&poster, UserBlocking), 0);
    assert_eq!(count(&poster, UserVisible), 4);
    assert_eq!(count(&poster, Background), 1);
    let oldest = |poster: &Poster| poster.queues.oldest(UserVisible).map(|each| each.task);
    assert_eq!(oldest(&poster), Some(first));
    for _ in 0..3 {
        let first = oldest(&poster).unwrap();
        poster.queues.remove(first).unwrap();
    }
    assert_eq!(count(&poster, UserVisible), 1);
    assert_eq!(oldest(&poster), Some(passed));
    poster.queues.queue_due(20);
    poster.queues.remove(passed).unwrap();
    assert_eq!(count(&poster, UserVisible), 1);
    assert_eq!(oldest(&poster), Some(delayed));
}

#[test]
fn the_highest_effective_priority_is_chosen_first() {
    let mut poster = Poster::default();
    let ids = EffectivePriority::ALL.map(|priority| poster.append_fixed(priority));
    let highest_first: Vec<TaskId> = ids.into_iter().rev().collect();
    assert_eq!(drained(&mut poster.queues), highest_first);
}

#[test]
fn the_oldest_task_of_a_priority_is_chosen_first_whatever_its_queue() {
    let mut poster = Poster::default();
    let first_dynamic = poster.open_queue(UserVisible);
    let second_dynamic = poster.open_queue(UserVisible);
    let fixed = UserVisible.rank();
    let ids = [
        second_dynamic,
        fixed,
        first_dynamic,
        fixed,
        second_dynamic,
        first_dynamic,
    ]
    .map(|queue| poster.append(queue));
    assert_eq!(drained(&mut poster.queues), ids);
}

#[test]
fn a_queue_that_changes_priority_merges_by_age() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(Background);
    let a = poster.append(dynamic);
    let b = poster.append_fixed(UserVisible);
    let c = poster.append(dynamic);
    let d = poster.append_fixed(UserVisible);
    assert_eq!(poster.queues.set_priority(dynamic, UserVisible), Ok(true));
    assert_eq!(drained(&mut poster.queues), [a, b, c, d]);
}

#[test]
fn the_priority_of_a_queue_can_be_lowered_as_well_as_raised() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(UserBlocking);
    let a = poster.append(dynamic);
    let b = poster.append_fixed(UserVisible);
    poster.queues.set_priority(dynamic, Background).unwrap();
    assert_eq!(
        poster.queues.choose(0, true).map(|choice| choice.task),
        Some(b)
    );
    poster
        .queues
        .set_priority(dynamic, UserBlockingContinuation)
        .unwrap();
    assert_eq!(drained(&mut poster.queues), [a, b]);
}

#[test]
fn a_dynamic_queue_is_removed_with_its_last_task() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(UserVisible);
    let task = poster.append(dynamic);
    poster.append(dynamic);
    poster.queues.remove(task).unwrap();
    assert_eq!(poster.queues.priority(dynamic), Ok(UserVisible));
    drained(&mut poster.queues);
    assert_eq!(
        poster.queues.priority(dynamic),
        Err(QueueError::NoSuchQueue(dynamic))
    );
    assert_eq!(
        poster.queues.post(9, dynamic, Post::default(), 0),
        Err(QueueError::NoSuchQueue(dynamic))
    );
}

#[test]
fn a_delayed_task_keeps_its_queue() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(UserVisible);
    let delayed = poster.append_delayed(dynamic, 10);
    let task = poster.append(dynamic);
    poster.queues.remove(task).unwrap();
    assert_eq!(poster.queues.set_priority(dynamic, UserBlocking), Ok(false));
    poster.queues.queue_due(10);
    let choice = poster.queues.choose(0, true).unwrap();
    assert_eq!((choice.task, choice.priority), (delayed, UserBlocking));
}

#[test]
fn a_delayed_task_gets_its_enqueue_order_when_it_is_queued() {
    let mut poster = Poster::default();
    let queue = UserVisible.rank();
    let late = poster.append_delayed(queue, 20);
    let early = poster.append_delayed(queue, 10);
    let now = poster.append_fixed(UserVisible);
    assert_eq!(poster.queues.queued(), 1);
    poster.queues.queue_due(20);
    assert_eq!(poster.queues.queued(), 3);
    assert_eq!(drained(&mut poster.queues), [now, early, late]);
}

#[test]
fn unknown_tasks_and_queues_are_refused_and_nothing_changes() {
    let mut poster = Poster::default();
    let task = poster.append_fixed(UserVisible);
    let queues = &mut poster.queues;
    for (task, queue, error) in [
        (8, 7, QueueError::NoSuchQueue(7)),
        (8, 99, QueueError::NoSuchQueue(99)),
        (task, 0, QueueError::BadTaskId(task)),
        (TaskId::MAX, 0, QueueError::BadTaskId(TaskId::MAX)),
        (MAX_TASKS, 0, QueueError::BadTaskId(MAX_TASKS)),
    ] {
        let posted = queues.post(task, queue, Post::default(), 0);
        assert_eq!(posted, Err(error));
    }
    assert_eq!(
        queues.set_priority(0, UserVisible),
        Err(QueueError::NoSuchQueue(0))
    );
    assert_eq!(queues.remove(9), Err(QueueError::NoSuchTask(9)));
    assert_eq!(drained(queues), [task]);
    assert_eq!(queues.remove(task), Err(QueueError::NoSuchTask(task)));
}

fn steps() -> impl Strategy<Value = Vec<(Step, u16)>> {
    let priority = || prop::sample::select(&EffectivePriority::ALL[..]);
    let pick = any::<Pick>;
    let bound = prop_oneof![6 => 0u64..60, 1 => Just(u64::MAX)];
    let step = prop_oneof![
        1 => priority().prop_map(Step::OpenQueue),
        8 => pick().prop_map(Step::Append),
        1 => (0u32..300, pick()).prop_map(|(id, q)| Step::AppendAs(id, q)),
        2 => (pick(), 0u64..50).prop_map(|(q, d)| Step::AppendDelayed(q, d)),
        2 => (pick(), 0u64..20, bound).prop_map(|(q, d, b)| Step::AppendBounded(q, d, b)),
        3 => (pick(), priority()).prop_map(|(q, p)| Step::SetPriority(q, p)),
        2 => pick().prop_map(Step::Remove),
        3 => pick().prop_map(Step::Unreference),
        2 => (0u64..20).prop_map(Step::Advance),
        5 => Just(Step::Take),
        1 => (0u64..30, 0u64..30).prop_map(|(v, b)| Step::SetMaxWait(v, b)),
    ];
    // Many at once, for the limits at which collections release memory.
    let most = if cfg!(miri) { 3 } else { 1500 };
    let times = prop_oneof![3000 => Just(1u16), 1 => 1u16..most];
    prop::collection::vec((step, times), 0..if cfg!(miri) { 20 } else { 300 })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 512 },
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_queues_agree_with_the_naive_oracle(steps in steps()) {
        let mut compared = Compared::default();
        for (step, times) in steps {
            compared.step(step, times);
        }
        compared.finish();
    }
}
