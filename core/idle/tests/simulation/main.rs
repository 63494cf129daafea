//! The controller for a CPU quota on a simulated machine: the goals that it has to reach. They hold
//! at any seed: `SIMULATION_SEED=1000 cargo test -p uv-scheduler-idle -- --nocapture` takes others,
//! and prints figures.

mod bandwidth;
mod batch;
mod changes;
mod dice;
mod event_loop;
mod kernel_model;
mod machine;
mod one_server;
mod scenario;
mod several;

/// A millisecond in ns.
pub const MS: u64 = 1_000_000;
