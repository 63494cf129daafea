//! Decodes bytes as steps. All bytes are valid.

use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::MAX_TASKS;
use uv_scheduler_core_model::Step;

/// Bytes of a step: its kind, how often it is taken, and three that depend on the kind. All steps
/// have the same length, so that a mutation of some bytes leaves the other steps as they are.
const LENGTH: usize = 5;

/// The maximum number of steps of one input, repetitions included: enough for floods, but not for
/// slow inputs.
const MOST_STEPS: usize = 2_500;

/// The steps that the bytes encode, each with its number of repetitions.
pub fn steps(bytes: &[u8]) -> impl Iterator<Item = (Step, u16)> {
    let mut left = MOST_STEPS;
    bytes.chunks_exact(LENGTH).map_while(move |chunk| {
        let &[kind, times, a, b, c] = chunk else {
            return None;
        };
        let times = repetitions(times);
        left = left.checked_sub(times.into())?;
        Some((step(kind, a, u16::from_le_bytes([b, c])), times))
    })
}

/// 1, except for one value: more than the capacity that empty collections keep.
fn repetitions(byte: u8) -> u16 {
    if byte == 0xa5 { 1_100 } else { 1 }
}

fn step(kind: u8, a: u8, pick: u16) -> Step {
    match kind % 20 {
        0 => Step::OpenQueue(priority(a)),
        1..=3 => Step::Append(pick),
        4 => Step::AppendAs(task(a), pick),
        5 => Step::AppendDelayed(pick, a.into()),
        6 | 7 => Step::SetPriority(pick, priority(a)),
        8 => Step::Remove(pick),
        9 | 10 => Step::Take,
        11 => Step::Advance(a.into()),
        12 => Step::Unreference(pick),
        13 => Step::AppendBounded(pick, (a % 8).into(), bound(a / 8)),
        14 => Step::SetMaxWait((pick % 256).into(), a.into()),
        15 => Step::OpenFlow(a),
        16 | 17 => Step::OpenQueueOf(pick, priority(a)),
        18 => Step::CloseFlow(pick),
        _ => Step::End(a.into()),
    }
}

fn priority(byte: u8) -> EffectivePriority {
    EffectivePriority::ALL[usize::from(byte) % EffectivePriority::ALL.len()]
}

/// The highest number is no bound.
fn bound(number: u8) -> u64 {
    match number {
        31.. => u64::MAX,
        _ => number.into(),
    }
}

/// Ids close together, ids far apart, and ids that are too large.
fn task(byte: u8) -> u32 {
    match byte {
        0..=99 => byte.into(),
        100..=249 => u32::from(byte) * 31,
        250..=255 => MAX_TASKS + (u32::from(byte) - 250) * 1_000,
    }
}
