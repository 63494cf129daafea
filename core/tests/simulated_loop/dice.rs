//! The source of a schedule's decisions: a seeded sequence of numbers (splitmix64), or a path
//! through the tree of all decisions.

pub enum Dice {
    Seeded(u64),
    /// Each decision, and the number of its alternatives. Decisions past the end are 0.
    Path {
        taken: Vec<(u64, u64)>,
        next: usize,
    },
}

impl Dice {
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(seed)
    }

    /// The first path, on which every decision is 0.
    pub fn first_path() -> Self {
        Self::Path {
            taken: Vec::new(),
            next: 0,
        }
    }

    /// The path after this one. `None` after the last.
    pub fn next_path(self) -> Option<Self> {
        let Self::Path { mut taken, .. } = self else {
            return None;
        };
        while let Some((decision, end)) = taken.pop() {
            if decision + 1 < end {
                taken.push((decision + 1, end));
                return Some(Self::Path { taken, next: 0 });
            }
        }
        None
    }

    /// The decisions so far, for a message.
    pub fn decisions(&self) -> Vec<u64> {
        match self {
            Self::Seeded(_) => Vec::new(),
            Self::Path { taken, .. } => taken.iter().map(|(decision, _)| *decision).collect(),
        }
    }

    /// Whether all paths are tried, so that there may only be few decisions.
    pub fn is_exhaustive(&self) -> bool {
        matches!(self, Self::Path { .. })
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: u64) -> u64 {
        match self {
            Self::Seeded(state) => next(state) % end,
            Self::Path { taken, next } => {
                if *next == taken.len() {
                    taken.push((0, end));
                }
                *next += 1;
                taken[*next - 1].0
            }
        }
    }

    /// True in this percentage of cases. On a path it is not a decision.
    pub fn percent(&mut self, percent: u64) -> bool {
        match self {
            Self::Seeded(_) => self.below(100) < percent,
            Self::Path { .. } => percent >= 100,
        }
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
