//! The refusals of the queues, and a comparison with a naive oracle.

use EffectivePriority::*;
use proptest::prelude::*;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::MAX_TASKS;
use uv_scheduler_core::task_queue::TaskId;
use uv_scheduler_core::task_queues::{Post, QueueError, TaskQueues};
use uv_scheduler_core_model::{Compared, Pick, Step};

#[test]
fn unknown_tasks_and_queues_are_refused_and_nothing_changes() {
    let mut queues = TaskQueues::default();
    let task = 1;
    queues
        .post(task, UserVisible.rank(), Post::default(), 0)
        .unwrap();
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
    let choice = queues.choose(0, true).unwrap();
    assert_eq!(queues.take(choice, 0), task);
    assert!(queues.is_empty());
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
        3 => (0u64..120).prop_map(Step::End),
        1 => any::<u8>().prop_map(Step::OpenFlow),
        2 => (pick(), priority()).prop_map(|(f, p)| Step::OpenQueueOf(f, p)),
        1 => pick().prop_map(Step::CloseFlow),
        1 => (0u64..30, 0u64..30).prop_map(|(v, b)| Step::SetMaxWait(v, b)),
    ];
    // Many at once, for the limits at which collections release memory.
    let most = if cfg!(miri) { 3 } else { 1500 };
    let times = prop_oneof![3000 => Just(1u16), 1 => 1u16..most];
    prop::collection::vec((step, times), 0..if cfg!(miri) { 20 } else { 300 })
}

/// The number of random cases.
fn cases() -> u32 {
    if cfg!(miri) {
        2
    } else if std::env::var_os("TEST_SHORT").is_some() {
        64
    } else {
        512
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
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
