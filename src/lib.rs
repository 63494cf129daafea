//! `uv-scheduler`: the web's prioritized task scheduler for Node, run from libuv's own hooks.
//!
//! This crate ties the scheduler to a Node environment. [`uv_scheduler_core`], which knows neither
//! Node nor libuv, decides what runs when. The modules, from the bottom up:
//!
//! ```text
//! host       libuv's functions, the environment's lifetime      (unsafe)
//! uv         the loop handles, and questions about the loop     (unsafe)
//! callback   calls into JavaScript                              (unsafe)
//! binding    the functions that JavaScript calls, and the loop hooks
//! ```
//!
//! JavaScript and Rust exchange integers only: a task is its id, a queue is its id. The callbacks,
//! promises and signals of tasks are in `lib/`, as a reference from Rust to a JavaScript value
//! costs far more than an index into an array.
//!
//! One process has many environments, and a worker has a loop of its own. So there is no
//! `uv_default_loop()`, and the addon starts no thread. The only process-wide state is the loop
//! whose idle time other threads read.

mod binding;
mod callback;
mod host;
mod uv;
