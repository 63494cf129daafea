//! The reading end of the words that JavaScript and Rust share: JavaScript adds an entry for each
//! task that it posts or removes, and for each change, and reads from which rank on it has to flush
//! posts at once.
//!
//! The layout is in [`protocol`](crate::protocol); the writing end is `lib/loop/shared.js`. The
//! memory of the words belongs to the binding.

use crate::advice::Code;
use crate::host::Inbox;
use crate::priority::EffectivePriority;
use crate::protocol::{
    BEGUN, CAPACITY, CODE_FLOW, CODE_RANK, COUNT, END_OF_CHECK, ENTRIES, Entry, NOTIFY_RANK,
    OPERANDS, OTHER_CODE, TIME_HIGH, TIME_LOW,
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

    fn entry(&self, index: usize) -> [u32; 2] {
        [0, 1].map(|word| self.words.get(ENTRIES + 2 * index + word))
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

    /// The number of tasks that JavaScript has begun so far, modulo 2^32.
    pub fn begun(&self) -> u32 {
        self.words.get(BEGUN)
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

fn to_number([low, high]: [u32; 2]) -> f64 {
    f64::from_bits(u64::from(high) << 32 | u64::from(low))
}

impl<W: Words> Inbox for Shared<W> {
    fn take_entries(&self, mut each: impl FnMut(Entry)) {
        let count = self.words.get(COUNT) as usize;
        if count == 0 {
            return;
        }
        let mut entries = (0..count.min(CAPACITY)).map(|index| self.entry(index));
        while let Some([what, word]) = entries.next() {
            if Entry::has_operands(word) {
                let operands = [(); OPERANDS].map(|()| entries.next().map_or(f64::NAN, to_number));
                Entry::of_change(what, word, operands).map(&mut each);
            } else {
                each(Entry::from_words(what, word));
            }
        }
        self.words.set(COUNT, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::protocol::{CHANGE, CHANGES, Destination, OF_FLOW, RANK_BITS, REMOVED, WORDS};

    struct Memory([Cell<u32>; WORDS]);

    impl Words for Memory {
        fn get(&self, index: usize) -> u32 {
            self.0[index].get()
        }

        fn set(&self, index: usize, word: u32) {
            self.0[index].set(word);
        }
    }

    fn shared() -> Shared<Memory> {
        Shared {
            words: Memory([const { Cell::new(0) }; WORDS]),
        }
    }

    fn put(shared: &Shared<Memory>, entry: [u32; 2]) {
        let count = shared.words.get(COUNT);
        let index = ENTRIES + 2 * count as usize;
        shared.words.set(index, entry[0]);
        shared.words.set(index + 1, entry[1]);
        shared.words.set(COUNT, count + 1);
    }

    fn take(shared: &Shared<Memory>) -> Vec<Entry> {
        let mut taken = Vec::new();
        shared.take_entries(|entry| taken.push(entry));
        taken
    }

    #[test]
    fn entries_are_taken_once_and_in_order() {
        let shared = shared();
        let destination = Destination::fixed(EffectivePriority::UserVisible);
        put(&shared, [5, destination.to_word()]);
        put(&shared, [3, REMOVED]);
        assert_eq!(
            take(&shared),
            [Entry::Post(5, destination), Entry::Remove(3)]
        );
        assert_eq!(take(&shared), []);
    }

    #[test]
    fn a_change_takes_its_operands_and_one_that_is_unknown_is_left_out() {
        let shared = shared();
        let destination = Destination::fixed(EffectivePriority::UserVisible);
        for change in [CHANGES, 7] {
            put(&shared, [5, CHANGE | change << RANK_BITS | OF_FLOW]);
            for operand in [2.5_f64, 0.0, 0.0] {
                let bits = operand.to_bits();
                put(&shared, [bits as u32, (bits >> 32) as u32]);
            }
        }
        put(&shared, [3, destination.to_word()]);
        let taken = [Entry::SetTimeSlice(2_500_000), Entry::Post(3, destination)];
        assert_eq!(take(&shared), taken);
    }

    #[test]
    fn a_count_above_the_capacity_reads_no_word_behind_the_last_entry() {
        let shared = shared();
        shared.words.set(COUNT, u32::MAX);
        assert_eq!(take(&shared).len(), CAPACITY);
    }

    #[test]
    fn the_mark_of_other_code_is_read_once() {
        let shared = shared();
        let rank = EffectivePriority::Background.rank();
        shared.words.set(CODE_RANK, rank + OTHER_CODE);
        shared.words.set(CODE_FLOW, 8);
        for is_other in [true, false] {
            let code = shared.take_code();
            let found = code.map(|code| (code.priority, code.flow, code.is_other));
            assert_eq!(
                found,
                Some((EffectivePriority::Background, Some(7), is_other))
            );
        }
    }

    #[test]
    fn a_rank_off_the_scale_is_no_code() {
        let shared = shared();
        shared.words.set(CODE_RANK, 7);
        assert!(shared.take_code().is_none());
    }

    #[test]
    fn the_halves_of_a_time_make_the_time() {
        let shared = shared();
        let time = (7 << 32) + 5;
        shared.set_time(time);
        let halves = [TIME_HIGH, TIME_LOW].map(|index| shared.words.get(index));
        assert_eq!(halves, [7, 5]);
    }

    #[test]
    fn the_end_of_a_check_phase_is_asked_for_once() {
        let shared = shared();
        shared.words.set(END_OF_CHECK, 1);
        assert!(shared.take_end_of_check());
        assert!(!shared.take_end_of_check());
    }
}
