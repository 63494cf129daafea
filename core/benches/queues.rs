//! What an operation on the queues costs, in nanoseconds, from a thousand tasks to a million.
//!
//! A sample starts from fresh queues and does one operation as often as there are tasks; the times
//! printed are those of one operation. In `tasks_1e6`, `append` fills empty queues up to a million
//! tasks, `choose_and_take` empties such queues, and `append_and_take` does both in turn while a
//! million tasks wait. There is a dynamic queue for every ten tasks. Priorities, queues, deadlines
//! and the order of removals are random.
//!
//! `cargo bench -p uv-scheduler-core` runs all cases; with `-- dynamic` behind it, those whose name
//! contains that word.

use std::cell::RefCell;

use divan::Bencher;
use uv_scheduler_core::delayed_tasks::DelayedTasks;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::Destination;
use uv_scheduler_core::task_queue::{QueueId, TaskId};
use uv_scheduler_core::task_queues::{Post, TaskQueues};

fn main() {
    divan::main();
}

/// The cases for one number of tasks. A sample is as long as there are tasks.
macro_rules! cases {
    ($($size:ident: $tasks:literal tasks, $samples:literal samples;)*) => {$(
        #[divan::bench_group(sample_size = $tasks, sample_count = $samples)]
        mod $size {
            cases!($tasks: fixed(append, choose_and_take, append_and_take, remove,
                append_scattered, choose_and_take_scattered));
            cases!($tasks: dynamic(append, choose_and_take, append_and_take, remove,
                set_priority));
            cases!($tasks: delayed(insert, take_due, remove));
        }
    )*};
    ($tasks:literal: $group:ident($($case:ident),*)) => {
        mod $group {
            $(
                #[divan::bench]
                fn $case(bencher: divan::Bencher) {
                    crate::$group::$case(bencher, $tasks);
                }
            )*
        }
    };
}

cases! {
    tasks_1e3: 1_000 tasks, 1_000 samples;
    tasks_1e4: 10_000 tasks, 200 samples;
    tasks_1e5: 100_000 tasks, 40 samples;
    tasks_1e6: 1_000_000 tasks, 12 samples;
}

/// Measures an operation on each of the inputs. These and the state that the operation changes are
/// created for every sample, which is not measured.
fn measure<S, I, O>(
    bencher: Bencher,
    fresh: impl Fn() -> (S, Vec<I>),
    operation: impl Fn(&mut S, I) -> O,
) {
    let state = RefCell::new(None);
    let mut inputs = Vec::new().into_iter();
    let next = || {
        inputs.next().unwrap_or_else(|| {
            state.replace(None);
            let (made, all) = fresh();
            state.replace(Some(made));
            inputs = all.into_iter();
            inputs.next().unwrap()
        })
    };
    bencher
        .with_inputs(next)
        .bench_local_values(|input| operation(state.borrow_mut().as_mut().unwrap(), input));
}

/// The queues of the fixed priorities.
mod fixed {
    use super::*;

    pub fn append(bencher: Bencher, tasks: u32) {
        measure_append(bencher, || posts(&fixed_queues(), in_order(tasks)));
    }

    pub fn choose_and_take(bencher: Bencher, tasks: u32) {
        measure_take(bencher, || posts(&fixed_queues(), in_order(tasks)));
    }

    pub fn remove(bencher: Bencher, tasks: u32) {
        measure_remove(bencher, || posts(&fixed_queues(), in_order(tasks)));
    }

    pub fn append_and_take(bencher: Bencher, tasks: u32) {
        let queue = EffectivePriority::UserVisible.rank();
        measure_append_and_take(bencher, || posts(&[queue], in_order(tasks)));
    }

    /// Ids as they are after earlier tasks have ended in random order.
    pub fn append_scattered(bencher: Bencher, tasks: u32) {
        measure_append(bencher, || posts(&fixed_queues(), shuffled(tasks)));
    }

    pub fn choose_and_take_scattered(bencher: Bencher, tasks: u32) {
        measure_take(bencher, || posts(&fixed_queues(), shuffled(tasks)));
    }

    fn fixed_queues() -> Vec<QueueId> {
        EffectivePriority::ALL.map(EffectivePriority::rank).into()
    }

    fn posts(queues: &[QueueId], ids: Vec<TaskId>) -> (TaskQueues, Vec<Target>) {
        (TaskQueues::default(), super::posts(queues, ids))
    }
}

/// Queues whose priority can change.
mod dynamic {
    use super::*;

    pub fn append(bencher: Bencher, tasks: u32) {
        measure_append(bencher, || posts(tasks));
    }

    pub fn choose_and_take(bencher: Bencher, tasks: u32) {
        measure_take(bencher, || posts(tasks));
    }

    /// All with one priority, or tasks appended to the highest would be taken at once.
    pub fn append_and_take(bencher: Bencher, tasks: u32) {
        let fresh = || {
            let mut queues = TaskQueues::default();
            let open = |number| open_queue(&mut queues, number, EffectivePriority::UserVisible);
            let ids: Vec<QueueId> = (0..tasks / 10).map(open).collect();
            // So that each queue outlives its other tasks.
            let never = Post {
                deadline: Some(u64::MAX),
                ..Post::default()
            };
            for (queue, task) in ids.iter().zip(tasks + 1..) {
                queues.post(task, *queue, never, 0).unwrap();
            }
            (queues, super::posts(&ids, in_order(tasks)))
        };
        measure_append_and_take(bencher, fresh);
    }

    pub fn remove(bencher: Bencher, tasks: u32) {
        measure_remove(bencher, || posts(tasks));
    }

    pub fn set_priority(bencher: Bencher, tasks: u32) {
        let fresh = || {
            let (queues, posts) = posts(tasks);
            let mut random = Random(3);
            let moves = posts.iter().map(|post| (post.queue, random.priority()));
            (filled(queues, &posts), moves.collect())
        };
        measure(bencher, fresh, |queues, (queue, priority)| {
            queues.set_priority(queue, priority).unwrap()
        });
    }

    fn posts(tasks: u32) -> (TaskQueues, Vec<Target>) {
        let mut queues = TaskQueues::default();
        let mut random = Random(2);
        let open = |number| open_queue(&mut queues, number, random.priority());
        let ids: Vec<QueueId> = (0..tasks / 10).map(open).collect();
        (queues, super::posts(&ids, in_order(tasks)))
    }
}

/// Tasks that wait for a deadline, without queuing them when it has passed.
mod delayed {
    use super::*;

    pub fn insert(bencher: Bencher, tasks: u32) {
        let fresh = || (DelayedTasks::default(), deadlines(tasks));
        measure(bencher, fresh, |delayed, (task, deadline)| {
            delayed.insert(task, deadline)
        });
    }

    pub fn take_due(bencher: Bencher, tasks: u32) {
        let fresh = || (filled(tasks), in_order(tasks));
        measure(bencher, fresh, |delayed, _| {
            delayed.take_due(u64::MAX).unwrap()
        });
    }

    pub fn remove(bencher: Bencher, tasks: u32) {
        let fresh = || (filled(tasks), shuffled(tasks));
        measure(bencher, fresh, DelayedTasks::remove);
    }

    fn filled(tasks: u32) -> DelayedTasks {
        let mut delayed = DelayedTasks::default();
        for (task, deadline) in deadlines(tasks) {
            delayed.insert(task, deadline);
        }
        delayed
    }

    fn deadlines(tasks: u32) -> Vec<(TaskId, u64)> {
        let mut random = Random(1);
        let deadline = |task| (task, random.below(1 << 40));
        (0..tasks).map(deadline).collect()
    }
}

fn measure_append(bencher: Bencher, fresh: impl Fn() -> (TaskQueues, Vec<Target>)) {
    measure(bencher, fresh, |queues, Target { task, queue }| {
        queues.post(task, queue, Post::default(), 0).unwrap();
    });
}

fn measure_take(bencher: Bencher, posts: impl Fn() -> (TaskQueues, Vec<Target>)) {
    let fresh = || {
        let (queues, posts) = posts();
        (filled(queues, &posts), in_order(posts.len() as u32))
    };
    measure(bencher, fresh, |queues, _| {
        let choice = queues.choose(0, true).unwrap();
        queues.take(choice, 0)
    });
}

fn measure_append_and_take(bencher: Bencher, posts: impl Fn() -> (TaskQueues, Vec<Target>)) {
    let fresh = || {
        let (queues, posts) = posts();
        let free = posts.len() as TaskId;
        ((filled(queues, &posts), free), posts)
    };
    measure(bencher, fresh, |(queues, free), post| {
        queues.post(*free, post.queue, Post::default(), 0).unwrap();
        let choice = queues.choose(0, true).unwrap();
        *free = queues.take(choice, 0);
    });
}

fn measure_remove(bencher: Bencher, posts: impl Fn() -> (TaskQueues, Vec<Target>)) {
    let fresh = || {
        let (queues, posts) = posts();
        (filled(queues, &posts), shuffled(posts.len() as u32))
    };
    measure(bencher, fresh, |queues, task| queues.remove(task).unwrap());
}

fn open_queue(queues: &mut TaskQueues, number: u32, priority: EffectivePriority) -> QueueId {
    let queue = TaskQueues::dynamic_queue(number);
    queues
        .open(Destination {
            queue,
            priority,
            is_referenced: true,
        })
        .unwrap();
    queue
}

#[derive(Clone, Copy)]
struct Target {
    task: TaskId,
    queue: QueueId,
}

/// Each id for a queue at random.
fn posts(queues: &[QueueId], ids: Vec<TaskId>) -> Vec<Target> {
    let mut random = Random(4);
    let post = |task| Target {
        task,
        queue: queues[random.below(queues.len() as u64) as usize],
    };
    ids.into_iter().map(post).collect()
}

fn filled(mut queues: TaskQueues, posts: &[Target]) -> TaskQueues {
    for post in posts {
        queues
            .post(post.task, post.queue, Post::default(), 0)
            .unwrap();
    }
    queues
}

fn in_order(tasks: u32) -> Vec<TaskId> {
    (0..tasks).collect()
}

fn shuffled(tasks: u32) -> Vec<TaskId> {
    let (mut ids, mut random) = (in_order(tasks), Random(5));
    for index in (1..ids.len()).rev() {
        ids.swap(index, random.below(index as u64 + 1) as usize);
    }
    ids
}

/// A seeded sequence of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn priority(&mut self) -> EffectivePriority {
        EffectivePriority::ALL[self.below(EffectivePriority::ALL.len() as u64) as usize]
    }
}
