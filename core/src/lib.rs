//! The scheduler of one event loop: its task queues, and when each task may start.
//!
//! Plain Rust without a host. The loop is seen through three small traits in [`host`], so that the
//! tests drive the very code that runs on libuv. From the bottom up:
//!
//! ```text
//! protocol       the numbers that JavaScript and Rust share
//! priority       the scale of effective priorities
//! task_queue     one queue: first in, first out, removal from anywhere
//! heap           ids ordered by a key that can change
//! delayed_tasks  tasks that wait for a deadline
//! max_wait       which queued tasks are overdue
//! task_queues    all queues of an event loop: the choice of the next task
//! host           what the scheduler asks of the loop and does to it
//! drain          when a task may start: the check drain and the checkpoint drain
//! event_loop     all state of one loop, and what its handles have to do
//! ```
//!
//! The line that chooses the next task is in [`task_queues::TaskQueues::choose`]; the line that
//! lets the process end is in [`event_loop::EventLoop::end_check`].

#![forbid(unsafe_code)]

pub mod delayed_tasks;
pub mod drain;
pub mod event_loop;
pub mod heap;
pub mod host;
pub mod max_wait;
pub mod priority;
pub mod protocol;
pub mod task_queue;
pub mod task_queues;
