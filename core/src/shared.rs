//! The reading end of the words that JavaScript and Rust share: JavaScript adds an entry for each
//! task that it posts or removes, without a call, and reads from which rank on it has to flush at
//! once.
//!
//! The layout is in [`protocol`](crate::protocol); the writing end is `lib/loop/shared.js`. The
//! memory of the words belongs to the binding.

use crate::advice::Code;
use crate::host::Inbox;
use crate::priority::EffectivePriority;
use crate::protocol::{
    CAPACITY, CODE_FLOW, CODE_RANK, COUNT, END_OF_CHECK, ENTRIES, Entry, NOTIFY_RANK, OTHER_CODE,
    TIME_HIGH, TIME_LOW,
};

/// The memory of the words.
pub trait Words {
    /// The word at `index`; 0 if the memory is gone.
    fn get(&self, index: usize) -> u32;
    /// Sets the word at `index`, unless the memory is gone.
    fn set(&self, index: usize, word: u32);
}

/// The reading end of the shared words.
#[derive(Debug, Default)]
pub struct Shared<W> {
    /// The memory of the words.
    pub words: W,
}

impl<W: Words> Shared<W> {
    /// Sets the lowest rank of tasks that JavaScript has to flush at once.
    pub fn set_notify_rank(&self, rank: u32) {
        self.words.set(NOTIFY_RANK, rank);
    }

    /// Reads which code asks whether to yield, and clears the mark that says that other code has
    /// asked last. `None` if the word has no valid rank.
    pub fn take_code(&self) -> Option<Code> {
        let word = self.words.get(CODE_RANK);
        let rank = word & !OTHER_CODE;
        let is_other = word != rank;
        if is_other {
            self.words.set(CODE_RANK, rank);
        }
        Some(Code {
            priority: EffectivePriority::from_rank(rank)?,
            flow: self.words.get(CODE_FLOW).checked_sub(1),
            is_other,
        })
    }

    /// Sets the time that was read last, in nanoseconds.
    pub fn set_time(&self, time: u64) {
        self.words.set(TIME_LOW, time as u32);
        self.words.set(TIME_HIGH, (time >> 32) as u32);
    }

    /// Whether JavaScript has asked for a call at the end of the check phase. Clears the request.
    pub fn take_end_of_check(&self) -> bool {
        let is_wanted = self.words.get(END_OF_CHECK) != 0;
        if is_wanted {
            self.words.set(END_OF_CHECK, 0);
        }
        is_wanted
    }
}

impl<W: Words> Inbox for Shared<W> {
    fn take_entries(&self, mut each: impl FnMut(Entry)) {
        let count = self.words.get(COUNT) as usize;
        if count == 0 {
            return;
        }
        for index in 0..count.min(CAPACITY) {
            let task = self.words.get(ENTRIES + 2 * index);
            let word = self.words.get(ENTRIES + 2 * index + 1);
            each(Entry::from_words(task, word));
        }
        self.words.set(COUNT, 0);
    }
}
