//! The queues, with what the tests do to them again and again.

use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::Destination;
use uv_scheduler_core::task_queue::{QueueId, TaskId};
use uv_scheduler_core::task_queues::{Post, TaskQueues};

/// Takes all tasks in the order in which they are chosen.
pub fn drained(queues: &mut TaskQueues) -> Vec<TaskId> {
    std::iter::from_fn(|| queues.choose(0, true).map(|choice| queues.take(choice))).collect()
}

/// The queues, with a source of ids.
#[derive(Default)]
pub struct Poster {
    pub queues: TaskQueues,
    next: TaskId,
}

impl Poster {
    pub fn open_queue(&mut self, priority: EffectivePriority) -> QueueId {
        let numbers = (0..).map(TaskQueues::dynamic_queue);
        let is_free = |queue: &QueueId| self.queues.priority(*queue).is_err();
        let queue = numbers.into_iter().find(is_free).unwrap();
        self.queues
            .open(Destination {
                queue,
                priority,
                is_referenced: true,
            })
            .unwrap();
        queue
    }

    pub fn append(&mut self, queue: QueueId) -> TaskId {
        self.post(queue, Post::default(), 0)
    }

    pub fn append_fixed(&mut self, priority: EffectivePriority) -> TaskId {
        self.append(priority.rank())
    }

    pub fn append_delayed(&mut self, queue: QueueId, deadline: u64) -> TaskId {
        let post = Post {
            deadline: Some(deadline),
            ..Post::default()
        };
        self.post(queue, post, 0)
    }

    /// Queues a task that has a bound of its own.
    pub fn append_bounded(&mut self, queue: QueueId, now: u64, max_wait: u64) -> TaskId {
        let post = Post {
            max_wait: Some(max_wait),
            ..Post::default()
        };
        self.post(queue, post, now)
    }

    fn post(&mut self, queue: QueueId, post: Post, now: u64) -> TaskId {
        self.next += 1;
        self.queues.post(self.next, queue, post, now).unwrap();
        self.next
    }

    /// The task to run next, and whether it is overdue.
    pub fn chosen_at(&mut self, now: u64) -> Option<(TaskId, bool)> {
        self.queues.queue_due(now);
        let choice = self.queues.choose(now, true);
        choice.map(|choice| (choice.task, choice.is_overdue))
    }
}
