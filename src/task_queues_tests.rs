//! Every rule of the queues by example, and all of them together against a naive oracle.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use EffectivePriority::*;

/// Takes every task in the order of choice.
fn drained(queues: &mut TaskQueues) -> Vec<TaskId> {
    std::iter::from_fn(|| queues.choose().map(|choice| queues.take(choice))).collect()
}

fn append(queues: &mut TaskQueues, priority: EffectivePriority) -> TaskId {
    queues.append(TaskQueues::fixed_queue(priority)).unwrap()
}

#[test]
fn the_highest_effective_priority_goes_first() {
    let mut queues = TaskQueues::default();
    let ids: Vec<TaskId> = EffectivePriority::ALL
        .into_iter()
        .map(|p| append(&mut queues, p))
        .collect();
    let highest_first: Vec<TaskId> = ids.into_iter().rev().collect();
    assert_eq!(drained(&mut queues), highest_first);
}

#[test]
fn the_oldest_task_goes_first_within_a_priority_whatever_its_queue() {
    let mut queues = TaskQueues::default();
    let first_dynamic = queues.create_queue(UserVisible);
    let second_dynamic = queues.create_queue(UserVisible);
    let fixed = TaskQueues::fixed_queue(UserVisible);
    let ids: Vec<TaskId> = [
        second_dynamic,
        fixed,
        first_dynamic,
        fixed,
        second_dynamic,
        first_dynamic,
    ]
    .map(|queue| queues.append(queue).unwrap())
    .to_vec();
    assert_eq!(drained(&mut queues), ids);
}

#[test]
fn a_queue_that_changes_priority_merges_by_age() {
    let mut queues = TaskQueues::default();
    let dynamic = queues.create_queue(Background);
    let a = queues.append(dynamic).unwrap();
    let b = append(&mut queues, UserVisible);
    let c = queues.append(dynamic).unwrap();
    let d = append(&mut queues, UserVisible);
    assert_eq!(queues.set_priority(dynamic, UserVisible), Ok(true));
    assert_eq!(drained(&mut queues), [a, b, c, d]);
}

#[test]
fn a_queue_can_fall_as_well_as_rise() {
    let mut queues = TaskQueues::default();
    let dynamic = queues.create_queue(UserBlocking);
    let a = queues.append(dynamic).unwrap();
    let b = append(&mut queues, UserVisible);
    queues.set_priority(dynamic, Background).unwrap();
    assert_eq!(queues.choose().map(|choice| choice.task), Some(b));
    queues
        .set_priority(dynamic, UserBlockingContinuation)
        .unwrap();
    assert_eq!(drained(&mut queues), [a, b]);
}

#[test]
fn a_dynamic_queue_is_removed_with_its_last_task() {
    let mut queues = TaskQueues::default();
    let dynamic = queues.create_queue(UserVisible);
    let task = queues.append(dynamic).unwrap();
    queues.append(dynamic).unwrap();
    queues.remove(task).unwrap();
    assert_eq!(queues.priority(dynamic), Ok(UserVisible));
    drained(&mut queues);
    assert_eq!(
        queues.priority(dynamic),
        Err(QueueError::NoSuchQueue(dynamic))
    );
    assert_eq!(
        queues.append(dynamic),
        Err(QueueError::NoSuchQueue(dynamic))
    );
}

#[test]
fn a_delayed_task_keeps_its_queue() {
    let mut queues = TaskQueues::default();
    let dynamic = queues.create_queue(UserVisible);
    let delayed = queues.append_delayed(dynamic, 10).unwrap();
    let task = queues.append(dynamic).unwrap();
    queues.remove(task).unwrap();
    assert_eq!(queues.set_priority(dynamic, UserBlocking), Ok(false));
    queues.queue_due(10);
    let choice = queues.choose().unwrap();
    assert_eq!((choice.task, choice.priority), (delayed, UserBlocking));
}

#[test]
fn a_delayed_task_gets_its_enqueue_order_when_it_is_queued() {
    let mut queues = TaskQueues::default();
    let queue = TaskQueues::fixed_queue(UserVisible);
    let late = queues.append_delayed(queue, 20).unwrap();
    let early = queues.append_delayed(queue, 10).unwrap();
    let now = append(&mut queues, UserVisible);
    assert_eq!(queues.queued(), 1);
    queues.queue_due(20);
    assert_eq!(queues.queued(), 3);
    assert_eq!(drained(&mut queues), [now, early, late]);
}

#[test]
fn what_does_not_exist_is_refused_and_nothing_changes() {
    let mut queues = TaskQueues::default();
    let task = append(&mut queues, UserVisible);
    assert_eq!(queues.append(7), Err(QueueError::NoSuchQueue(7)));
    assert_eq!(
        queues.append_delayed(QueueId::MAX, 1),
        Err(QueueError::NoSuchQueue(QueueId::MAX))
    );
    assert_eq!(
        queues.set_priority(0, UserVisible),
        Err(QueueError::NoSuchQueue(0))
    );
    assert_eq!(queues.remove(9), Err(QueueError::NoSuchTask(9)));
    assert_eq!(drained(&mut queues), [task]);
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
        let mut queues = TaskQueues::default();
        let mut oracle = Oracle::default();
        let mut now = 0;
        for step in steps {
            let dynamic: Vec<QueueId> = oracle.queues.keys().copied().collect();
            let tasks: Vec<TaskId> = oracle.tasks.keys().copied().collect();
            match step {
                Step::PostFixed(priority) => {
                    let queue = TaskQueues::fixed_queue(priority);
                    oracle.append(queues.append(queue).unwrap(), queue);
                }
                Step::PostNew(priority) => {
                    let queue = queues.create_queue(priority);
                    oracle.queues.insert(queue, priority);
                    oracle.append(queues.append(queue).unwrap(), queue);
                }
                Step::PostDynamic(index) if !dynamic.is_empty() => {
                    let queue = *index.get(&dynamic);
                    oracle.append(queues.append(queue).unwrap(), queue);
                }
                Step::PostDelayed(priority, delay) => {
                    let queue = TaskQueues::fixed_queue(priority);
                    let task = queues.append_delayed(queue, now + delay).unwrap();
                    oracle.append_delayed(task, queue, now + delay);
                }
                Step::PostDynamicDelayed(index, delay) if !dynamic.is_empty() => {
                    let queue = *index.get(&dynamic);
                    let task = queues.append_delayed(queue, now + delay).unwrap();
                    oracle.append_delayed(task, queue, now + delay);
                }
                Step::Remove(index) if !tasks.is_empty() => {
                    let task = *index.get(&tasks);
                    prop_assert_eq!(queues.remove(task), Ok(()));
                    oracle.remove(task);
                }
                Step::SetPriority(index, priority) if !dynamic.is_empty() => {
                    let queue = *index.get(&dynamic);
                    prop_assert!(queues.set_priority(queue, priority).is_ok());
                    oracle.queues.insert(queue, priority);
                }
                Step::Advance(time) => {
                    now += time;
                    queues.queue_due(now);
                    oracle.queue_due(now);
                }
                Step::Run => {
                    if let Some(choice) = queues.choose() {
                        prop_assert_eq!(Some(choice.task), oracle.choose());
                        oracle.remove(queues.take(choice));
                    }
                }
                _ => {}
            }
            prop_assert_eq!(queues.choose().map(|choice| choice.task), oracle.choose());
            prop_assert_eq!(queues.is_empty(), oracle.tasks.is_empty());
            let queued = oracle.tasks.values().filter(|(_, w)| matches!(w, Wait::Queued(_)));
            prop_assert_eq!(queues.queued(), queued.count());
            for queue in dynamic {
                let expected = oracle.queues.get(&queue).copied();
                prop_assert_eq!(queues.priority(queue).ok(), expected);
            }
        }
    }
}
