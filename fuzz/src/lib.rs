//! What the fuzz targets run: the core of the main crate, and how bytes become steps.
//!
//! Takes in the source files of the core themselves instead of the crate: they need no host and
//! none of its bindings, and every branch that the fuzzer counts is one of the core.

#[path = "../../src/background_timeout.rs"]
pub mod background_timeout;
#[path = "../../src/delayed_tasks.rs"]
pub mod delayed_tasks;
#[path = "../../src/heap.rs"]
pub mod heap;
#[path = "../../src/task_queues_model.rs"]
pub mod model;
#[path = "../../src/priority.rs"]
pub mod priority;
#[path = "../../src/task_queue.rs"]
pub mod task_queue;
#[path = "../../src/task_queues.rs"]
pub mod task_queues;

pub mod decode;
