//! The scheduler of one event loop: its task queues, and when each task may start.
//!
//! Plain Rust without a host. It sees the loop through three small traits in [`host`], so that the
//! tests drive the very code that runs on libuv. From the bottom up:
//!
//! ```text
//! protocol       the numbers that JavaScript and Rust share
//! priority       the scale of effective priorities
//! task_queue     one queue: first in, first out, removal from anywhere
//! heap           ids ordered by a key that can change
//! delayed_tasks  tasks that wait for a deadline
//! dynamic_queues the queues whose priority can change
//! levels         how far a request may go before others of its priority go first
//! shares         how keys share the thread
//! fair_queues    requests and keys: the choice among equals that have a key
//! max_wait       which queued tasks are overdue by the setting
//! bounded_tasks  queued tasks that have a bound of their own
//! task_queues    all queues of an event loop: the choice of the next task
//! hold           times in which background work waits although the loop is idle
//! host           questions about the loop, its handles, entries from JavaScript
//! shared         the words that JavaScript and Rust share: the reading end
//! meter          how long tasks run
//! thread_time    for how long a thread was stopped in a callback
//! quantum        how long code goes on while only equals wait
//! others         how much of the thread callbacks that are no tasks leave to tasks
//! rules          when an entry may start, and the time budgets of a turn of the loop
//! turn           a turn of the loop: the check pass and the checkpoint pass; when code yields
//! advice         the answer to code that asks whether to yield
//! event_loop     all state of one loop, and what is published of it
//! ```
//!
//! [`task_queues::TaskQueues::choose`] chooses the next task, and
//! [`event_loop::EventLoop::end_check`] lets the process end.

#![forbid(unsafe_code)]

pub mod advice;
pub mod bounded_tasks;
pub mod delayed_tasks;
pub mod dynamic_queues;
pub mod event_loop;
pub mod fair_queues;
pub mod heap;
pub mod hold;
pub mod host;
pub mod levels;
pub mod max_wait;
pub mod meter;
pub mod others;
pub mod priority;
pub mod protocol;
pub mod quantum;
pub mod rules;
pub mod shared;
pub mod shares;
pub mod task_queue;
pub mod task_queues;
pub mod thread_time;
pub mod turn;
