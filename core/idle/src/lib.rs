//! Whether background work has to leave the processor to others although its event loop is idle:
//! to other work of its control group, which has a CPU quota, or to other threads of the machine.
//!
//! Plain Rust without a host, as the core is. On Linux it reads what the kernel says of the control
//! groups of the process and of the thread; elsewhere background work never has to wait.

#![forbid(unsafe_code)]

pub mod container;
pub mod machine;
#[cfg(target_os = "linux")]
pub mod schedstat;
pub mod verdict;
