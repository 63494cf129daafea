//! Every rule of the queues by example, and all of them together against a naive oracle.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use EffectivePriority::*;

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
    let first_dynamic = poster.queues.create_queue(UserVisible);
    let second_dynamic = poster.queues.create_queue(UserVisible);
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
    let dynamic = poster.queues.create_queue(Background);
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
    let dynamic = poster.queues.create_queue(UserBlocking);
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
    let dynamic = poster.queues.create_queue(UserVisible);
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
    let dynamic = poster.queues.create_queue(UserVisible);
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

/// The specification's own way: a list of tasks, each naming its queue; every question is a scan.
#[derive(Debug, Default)]
struct Oracle {
    queues: BTreeMap<QueueId, EffectivePriority>,
    /// Queue, and the enqueue order or the deadline and call order.
    tasks: BTreeMap<TaskId, (QueueId, Wait)>,
    next_order: u64,
    next_call: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wait {
    Queued(u64),
    Delayed(u64, u64),
}

impl Oracle {
    fn priority(&self, queue: QueueId) -> EffectivePriority {
        match EffectivePriority::ALL.get(queue as usize) {
            Some(priority) => *priority,
            None => self.queues[&queue],
        }
    }

    fn append(&mut self, task: TaskId, queue: QueueId) {
        self.tasks
            .insert(task, (queue, Wait::Queued(self.next_order)));
        self.next_order += 1;
    }

    fn append_delayed(&mut self, task: TaskId, queue: QueueId, deadline: u64) {
        self.tasks
            .insert(task, (queue, Wait::Delayed(deadline, self.next_call)));
        self.next_call += 1;
    }

    fn queue_due(&mut self, now: u64) {
        let mut due: Vec<(u64, u64, TaskId)> = Vec::new();
        for (task, (_, wait)) in &self.tasks {
            if let Wait::Delayed(deadline, call) = *wait
                && deadline <= now
            {
                due.push((deadline, call, *task));
            }
        }
        due.sort_unstable();
        for (_, _, task) in due {
            let queue = self.tasks[&task].0;
            self.append(task, queue);
        }
    }

    fn choose(&self) -> Option<TaskId> {
        let mut best: Option<(EffectivePriority, u64, TaskId)> = None;
        for (task, (queue, wait)) in &self.tasks {
            let Wait::Queued(order) = *wait else { continue };
            let priority = self.priority(*queue);
            if best.is_none_or(|(p, o, _)| priority > p || (priority == p && order < o)) {
                best = Some((priority, order, *task));
            }
        }
        best.map(|(_, _, task)| task)
    }

    fn remove(&mut self, task: TaskId) {
        let (queue, _) = self.tasks.remove(&task).unwrap();
        if self.tasks.values().all(|(other, _)| *other != queue) {
            self.queues.remove(&queue);
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    PostFixed(EffectivePriority),
    PostNew(EffectivePriority),
    PostDynamic(prop::sample::Index),
    PostDelayed(EffectivePriority, u64),
    PostDynamicDelayed(prop::sample::Index, u64),
    Remove(prop::sample::Index),
    SetPriority(prop::sample::Index, EffectivePriority),
    Advance(u64),
    Run,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let priority = || prop::sample::select(&EffectivePriority::ALL[..]);
    let index = any::<prop::sample::Index>;
    let step = prop_oneof![
        3 => priority().prop_map(Step::PostFixed),
        2 => priority().prop_map(Step::PostNew),
        4 => index().prop_map(Step::PostDynamic),
        1 => (priority(), 0u64..50).prop_map(|(p, d)| Step::PostDelayed(p, d)),
        1 => (index(), 0u64..50).prop_map(|(i, d)| Step::PostDynamicDelayed(i, d)),
        2 => index().prop_map(Step::Remove),
        3 => (index(), priority()).prop_map(|(i, p)| Step::SetPriority(i, p)),
        2 => (0u64..20).prop_map(Step::Advance),
        5 => Just(Step::Run),
    ];
    prop::collection::vec(step, 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_queues_choose_as_the_naive_oracle_does(steps in steps()) {
        let mut poster = Poster::default();
        let mut oracle = Oracle::default();
        let mut now = 0;
        for step in steps {
            let dynamic: Vec<QueueId> = oracle.queues.keys().copied().collect();
            let tasks: Vec<TaskId> = oracle.tasks.keys().copied().collect();
            match step {
                Step::PostFixed(priority) => {
                    let queue = TaskQueues::fixed_queue(priority);
                    oracle.append(poster.append(queue), queue);
                }
                Step::PostNew(priority) => {
                    let queue = poster.queues.create_queue(priority);
                    oracle.queues.insert(queue, priority);
                    oracle.append(poster.append(queue), queue);
                }
                Step::PostDynamic(index) if !dynamic.is_empty() => {
                    let queue = *index.get(&dynamic);
                    oracle.append(poster.append(queue), queue);
                }
                Step::PostDelayed(priority, delay) => {
                    let queue = TaskQueues::fixed_queue(priority);
                    let task = poster.append_delayed(queue, now + delay);
                    oracle.append_delayed(task, queue, now + delay);
                }
                Step::PostDynamicDelayed(index, delay) if !dynamic.is_empty() => {
                    let queue = *index.get(&dynamic);
                    let task = poster.append_delayed(queue, now + delay);
                    oracle.append_delayed(task, queue, now + delay);
                }
                Step::Remove(index) if !tasks.is_empty() => {
                    let task = *index.get(&tasks);
                    prop_assert_eq!(poster.queues.remove(task), Ok(()));
                    oracle.remove(task);
                }
                Step::SetPriority(index, priority) if !dynamic.is_empty() => {
                    let queue = *index.get(&dynamic);
                    prop_assert!(poster.queues.set_priority(queue, priority).is_ok());
                    oracle.queues.insert(queue, priority);
                }
                Step::Advance(time) => {
                    now += time;
                    poster.queues.advance(now);
                    oracle.queue_due(now);
                }
                Step::Run => {
                    if let Some(choice) = poster.queues.choose() {
                        prop_assert_eq!(Some(choice.task), oracle.choose());
                        oracle.remove(poster.queues.take(choice));
                    }
                }
                _ => {}
            }
            prop_assert_eq!(poster.queues.choose().map(|choice| choice.task), oracle.choose());
            prop_assert_eq!(poster.queues.is_empty(), oracle.tasks.is_empty());
            let queued = oracle.tasks.values().filter(|(_, w)| matches!(w, Wait::Queued(_)));
            prop_assert_eq!(poster.queues.queued(), queued.count());
            for queue in dynamic {
                let expected = oracle.queues.get(&queue).copied();
                prop_assert_eq!(poster.queues.priority(queue).ok(), expected);
            }
        }
    }
}

#[test]
fn background_tasks_that_have_waited_for_too_long_compete_by_age_with_user_visible_ones() {
    let mut poster = Poster::default();
    poster.queues.set_background_timeout(Some(100));
    let dynamic = poster.queues.create_queue(Background);
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
    let dynamic = poster.queues.create_queue(UserBlocking);
    let old = poster.append(dynamic);
    poster.queues.advance(0);
    let visible = poster.append_fixed(UserVisible);
    poster.queues.advance(100);
    poster.queues.set_priority(dynamic, Background).unwrap();
    assert_eq!(drained(&mut poster.queues), [old, visible]);
}
