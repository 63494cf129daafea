//! Fuzzes the task queues, delayed tasks included: after any steps they agree with the naive
//! oracle. With `TRACE=1` in the environment each call is printed before it is made.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use uv_scheduler_core_model::Compared;
use uv_scheduler_fuzz::decode;

static TRACED: LazyLock<bool> = LazyLock::new(|| std::env::var_os("TRACE").is_some());

fuzz_target!(|bytes: &[u8]| {
    let mut compared = Compared::default();
    compared.traced = *TRACED;
    for (step, times) in decode::steps(bytes) {
        compared.step(step, times);
    }
    compared.finish();
});
