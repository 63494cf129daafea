//! `uv-scheduler`: the web's prioritized task scheduler for Node, drained from libuv's own hooks.
//!
//! The map, from the bottom up; each file opens with what it owns and what it does not know:
//!
//! ```text
//! priority            effective priorities, -1 to 5
//! task_queue          one queue: first in, first out, removal from anywhere
//! heap                ids ordered by a key that can change
//! delayed_tasks       tasks that wait for a deadline
//! background_timeout  which background tasks have waited for too long
//! task_queues         all queues of an event loop: the choice of the next task
//! drain               when a task may start, over a trait of three questions
//! event_loop          one loop's state: queues, drains, phase
//! ---------------- plain Rust above, the host below --------------------------------
//! uv                  loop handles, what the loop can be asked   (unsafe)
//! callback            calls into JavaScript, environment life   (unsafe)
//! outbox              where JavaScript leaves the tasks it posts
//! binding             the functions JavaScript sees, and what the loop hooks do
//! ```
//!
//! Between JavaScript and Rust pass integers: a task is its id, a queue is its id. What a task
//! does, its promise and its signal are JavaScript's matter (`lib/`).

pub mod background_timeout;
pub mod delayed_tasks;
pub mod drain;
pub mod event_loop;
pub mod heap;
pub mod priority;
pub mod task_queue;
pub mod task_queues;

// Not in the tests of the core: nothing there could call them, they need a host.
#[cfg(not(test))]
mod binding;
#[cfg(not(test))]
mod callback;
#[cfg(not(test))]
mod outbox;
#[cfg(not(test))]
mod uv;
