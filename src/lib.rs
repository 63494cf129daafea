//! `uv-scheduler`: the web's prioritized task scheduler for Node, drained from libuv's own hooks.
//!
//! This crate ties the scheduler to a Node environment. What runs when is decided in
//! [`uv_scheduler_core`], which knows neither Node nor libuv. The map, from the bottom up:
//!
//! ```text
//! host       libuv's functions in the running process        (unsafe)
//! uv         the loop handles, what the loop can be asked    (unsafe)
//! callback   calls into JavaScript, environment life         (unsafe)
//! shared     the memory that JavaScript and Rust share
//! binding    the functions JavaScript sees, and the loop hooks
//! ```
//!
//! Between JavaScript and Rust pass integers: a task is its id, a queue is its id. What a task
//! does, its promise and its signal are in `lib/`.

mod binding;
mod callback;
mod host;
mod shared;
mod uv;
