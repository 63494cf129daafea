//! Every rule of the queues by example, and all of them together against a naive oracle.

#[path = "task_queues_model.rs"]
mod model;

use proptest::prelude::*;

use super::*;
use EffectivePriority::*;
use model::{Compared, Pick, Step};

/// Takes every task in the order of choice.
fn drained(queues: &mut TaskQueues) -> Vec<TaskId> {
    std::iter::from_fn(|| queues.choose().map(|choice| queues.take(choice))).collect()
}

/// The queues, and who gives the ids.
#[derive(Default)]
struct Poster {
    queues: TaskQueues,
    next: TaskId,
}

impl Poster {
    fn open_queue(&mut self, priority: EffectivePriority) -> QueueId {
        let numbers = (0..).map(TaskQueues::dynamic_queue);
        let is_free = |queue: &QueueId| self.queues.priority(*queue).is_err();
        let queue = numbers.into_iter().find(is_free).unwrap();
        self.queues.open_queue(queue, priority).unwrap();
        queue
    }

    fn append(&mut self, queue: QueueId) -> TaskId {
        self.next += 1;
        self.queues.append(self.next, queue).unwrap();
        self.next
    }

    fn append_fixed(&mut self, priority: EffectivePriority) -> TaskId {
        self.append(TaskQueues::fixed_queue(priority))
    }

    fn append_delayed(&mut self, queue: QueueId, deadline: u64) -> TaskId {
        self.next += 1;
        self.queues
            .append_delayed(self.next, queue, deadline)
            .unwrap();
        self.next
    }
}

#[test]
fn the_highest_effective_priority_goes_first() {
    let mut poster = Poster::default();
    let ids = EffectivePriority::ALL.map(|priority| poster.append_fixed(priority));
    let highest_first: Vec<TaskId> = ids.into_iter().rev().collect();
    assert_eq!(drained(&mut poster.queues), highest_first);
}

#[test]
fn the_oldest_task_goes_first_within_a_priority_whatever_its_queue() {
    let mut poster = Poster::default();
    let first_dynamic = poster.open_queue(UserVisible);
    let second_dynamic = poster.open_queue(UserVisible);
    let fixed = TaskQueues::fixed_queue(UserVisible);
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
fn a_queue_can_fall_as_well_as_rise() {
    let mut poster = Poster::default();
    let dynamic = poster.open_queue(UserBlocking);
    let a = poster.append(dynamic);
    let b = poster.append_fixed(UserVisible);
    poster.queues.set_priority(dynamic, Background).unwrap();
    assert_eq!(poster.queues.choose().map(|choice| choice.task), Some(b));
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
        poster.queues.append(9, dynamic),
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
    poster.queues.advance(10);
    let choice = poster.queues.choose().unwrap();
    assert_eq!((choice.task, choice.priority), (delayed, UserBlocking));
}

#[test]
fn a_delayed_task_gets_its_enqueue_order_when_it_is_queued() {
    let mut poster = Poster::default();
    let queue = TaskQueues::fixed_queue(UserVisible);
    let late = poster.append_delayed(queue, 20);
    let early = poster.append_delayed(queue, 10);
    let now = poster.append_fixed(UserVisible);
    assert_eq!(poster.queues.queued(), 1);
    poster.queues.advance(20);
    assert_eq!(poster.queues.queued(), 3);
    assert_eq!(drained(&mut poster.queues), [now, early, late]);
}

#[test]
fn what_does_not_exist_is_refused_and_nothing_changes() {
    let mut poster = Poster::default();
    let task = poster.append_fixed(UserVisible);
    let queues = &mut poster.queues;
    assert_eq!(queues.append(8, 7), Err(QueueError::NoSuchQueue(7)));
    assert_eq!(
        queues.append_delayed(8, 99, 1),
        Err(QueueError::NoSuchQueue(99))
    );
    assert_eq!(queues.append(task, 0), Err(QueueError::BadTaskId(task)));
    assert_eq!(
        queues.append(TaskId::MAX, 0),
        Err(QueueError::BadTaskId(TaskId::MAX))
    );
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
    let step = prop_oneof![
        1 => priority().prop_map(Step::OpenQueue),
        8 => pick().prop_map(Step::Append),
        1 => (0u32..300, pick()).prop_map(|(id, q)| Step::AppendAs(id, q)),
        2 => (pick(), 0u64..50).prop_map(|(q, d)| Step::AppendDelayed(q, d)),
        3 => (pick(), priority()).prop_map(|(q, p)| Step::SetPriority(q, p)),
        2 => pick().prop_map(Step::Remove),
        2 => (0u64..20).prop_map(Step::Advance),
        5 => Just(Step::Take),
    ];
    // Many at once, for what depends on how much there is room for.
    let times = prop_oneof![3000 => Just(1u16), 1 => 1u16..1500];
    prop::collection::vec((step, times), 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_queues_do_as_the_naive_oracle_does(steps in steps()) {
        let mut compared = Compared::default();
        for (step, times) in steps {
            compared.step(step, times);
        }
        compared.finish();
    }
}

#[test]
fn background_tasks_that_have_waited_for_too_long_compete_by_age_with_user_visible_ones() {
    let mut poster = Poster::default();
    poster.queues.set_background_timeout(Some(100));
    let dynamic = poster.open_queue(Background);
    let idle = poster.append_fixed(Idle);
    let first = poster.append(dynamic);
    let continuation = poster.append_fixed(BackgroundContinuation);
    let visible = poster.append_fixed(UserVisible);
    poster.queues.advance(0);
    let young = poster.append_fixed(Background);
    let blocking = poster.append_fixed(UserBlocking);
    poster.queues.advance(99);
    assert_eq!(poster.queues.choose().map(|c| c.task), Some(blocking));
    poster.queues.advance(100);
    let ids = [blocking, continuation, first, visible, young, idle];
    let mut chosen = Vec::new();
    while let Some(choice) = poster.queues.choose() {
        chosen.push(choice.priority);
        assert_eq!(poster.queues.take(choice), ids[chosen.len() - 1]);
    }
    let priorities = [
        UserBlocking,
        UserVisibleContinuation,
        UserVisible,
        UserVisible,
        Background,
        Idle,
    ];
    assert_eq!(chosen, priorities);
}

#[test]
fn a_queue_that_falls_to_background_has_waited_since_its_tasks_were_queued() {
    let mut poster = Poster::default();
    poster.queues.set_background_timeout(Some(100));
    let dynamic = poster.open_queue(UserBlocking);
    let old = poster.append(dynamic);
    poster.queues.advance(0);
    let visible = poster.append_fixed(UserVisible);
    poster.queues.advance(100);
    poster.queues.set_priority(dynamic, Background).unwrap();
    assert_eq!(drained(&mut poster.queues), [old, visible]);
}
