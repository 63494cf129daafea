//! How much of the thread the keys of each priority have had, and whether that is their share.
//!
//! While two keys have something queued all the time, what they get of the thread, divided by their
//! weights, differs by no more than the longest turn of each, and the longest turn of any key: so
//! much may a key owe the other one when they meet. A key also counts as queued while it
//! runs. It does not matter how the scheduler
//! arrives at that. The entries without a key are one more key.

use std::collections::BTreeMap;

use uv_scheduler_core::shares::KeyId;

use crate::rules::{Guarantee, Kept, ensure};

/// The index of a priority, a key, and its weight.
pub type Sharer = (usize, Option<KeyId>, f64);

/// Keys are named by this: of a priority.
type Name = (usize, Option<KeyId>);

/// Rounding.
const TOLERANCE: f64 = 1.0;

/// By how much the first of two keys has had more than the second, since both have something
/// queued.
#[derive(Clone, Copy, Default)]
struct Lead {
    now: f64,
    least: f64,
    most: f64,
}

#[derive(Default)]
pub struct Shares {
    /// Of two keys, the first in order leads.
    leads: BTreeMap<(Name, Name), Lead>,
    /// The longest turn of each, divided by its weight.
    longest: BTreeMap<Name, f64>,
    running: Option<(Sharer, u64)>,
    /// The priorities in which a task has started before its turn, as it was overdue. Its key has
    /// to wait for longer afterwards.
    out_of_turn: [bool; 3],
    /// How often two keys were compared.
    pub compared: u64,
}

impl Shares {
    /// A task starts beside what is queued, which includes it. `is_in_turn` says that it is the
    /// next one by the order of keys.
    pub fn start(
        &mut self,
        queued: Vec<Sharer>,
        started: Option<Sharer>,
        is_in_turn: bool,
        now: u64,
    ) {
        let mut names: Vec<Name> = queued.iter().map(|(of, key, _)| (*of, *key)).collect();
        names.sort_unstable();
        names.dedup();
        if let Some((of, ..)) = started.filter(|_| !is_in_turn) {
            self.out_of_turn[of] = true;
        }
        names.retain(|(of, _)| !self.out_of_turn[*of]);
        self.leads
            .retain(|(one, other), _| names.contains(one) && names.contains(other));
        for one in &names {
            for other in names
                .iter()
                .filter(|other| one < *other && one.0 == other.0)
            {
                self.leads.entry((*one, *other)).or_default();
            }
        }
        self.running = started.map(|sharer| (sharer, now));
    }

    /// The task that was started last has ended.
    pub fn end(&mut self, now: u64) -> Kept {
        let Some(((of, key, weight), began)) = self.running.take() else {
            return Ok(());
        };
        let name = (of, key);
        let turn = (now - began) as f64 / weight;
        let longest = self.longest.entry(name).or_default();
        *longest = longest.max(turn);
        for ((one, other), lead) in &mut self.leads {
            if *one == name {
                lead.now += turn;
            } else if *other == name {
                lead.now -= turn;
            }
            lead.least = lead.least.min(lead.now);
            lead.most = lead.most.max(lead.now);
            let own = [one, other].map(|name| self.longest.get(name).copied().unwrap_or(0.0));
            let of_any = self.longest.iter().filter(|((of, _), _)| *of == one.0);
            let of_any = of_any.map(|(_, longest)| *longest).fold(0.0, f64::max);
            let limit = own.iter().sum::<f64>() + of_any;
            let spread = lead.most - lead.least;
            self.compared += u64::from(spread > 0.0);
            ensure(
                spread <= limit * (1.0 + 1e-9) + TOLERANCE,
                Guarantee::Shares,
                "a key gets less than its share beside another one",
            )?;
        }
        Ok(())
    }

    /// Whether two keys are compared.
    pub fn has_leads(&self) -> bool {
        !self.leads.is_empty()
    }

    /// Forgets the keys that have nothing queued and do not run: they save nothing up.
    pub fn retain(&mut self, queued: &[Sharer]) {
        let running = self.running.as_ref().map(|(sharer, _)| sharer);
        let names: Vec<Name> = queued
            .iter()
            .chain(running)
            .map(|(of, key, _)| (*of, *key))
            .collect();
        self.leads
            .retain(|(one, other), _| names.contains(one) && names.contains(other));
    }

    /// The loop is run from inside a task, whose time is then charged in part.
    pub fn forget(&mut self) {
        self.leads.clear();
    }
}
