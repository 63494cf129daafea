//! The share of each key over time, beside keys that come and go.
//!
//! In any second in which a key has work queued all the time, it gets 0.8 of its share by weight of
//! the time that its priority was served, less one callback of each key that is queued beside it. A
//! second in which the process was stopped for the most part is too short to tell.

use proptest::prelude::*;
use uv_scheduler_core::priority::EffectivePriority::UserVisible;
use uv_scheduler_core::protocol::{Destination, Entry, FlowId};
use uv_scheduler_core::task_queue::TaskId;
use uv_scheduler_core::task_queues::TaskQueues;

use crate::fixture::{Fixture, MILLISECOND};

const SECOND: u64 = 1_000 * MILLISECOND;
const RUNS_FOR: u64 = 3 * SECOND;
const WINDOWS_EACH: u64 = 250 * MILLISECOND;

/// The behaviour of a flow after each of its callbacks.
#[derive(Clone, Copy, Debug)]
enum Habit {
    /// Goes on, always with the same key.
    Stays,
    /// Ends. Another flow comes in its place, with a key of its own.
    IsReplaced,
    /// Sleeps for so many microseconds.
    Sleeps(u64),
    /// Goes on, charged to the key of flow 0, as the run of a shared task that the flow has begun.
    IsPart,
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    habit: Habit,
    weight: f64,
    /// The length of a callback in microseconds.
    length: u64,
}

fn plan() -> impl Strategy<Value = Plan> {
    let habit = prop_oneof![
        1 => Just(Habit::Stays),
        2 => Just(Habit::IsReplaced),
        1 => (1_000u64..100_000).prop_map(Habit::Sleeps),
        1 => Just(Habit::IsPart),
    ];
    let weight = prop::sample::select(&[1.0, 1.0, 3.0, 0.5][..]);
    (habit, weight, 50u64..8_000).prop_map(|(habit, weight, length)| {
        // Nothing gives these another weight.
        let is_plain = matches!(habit, Habit::IsReplaced | Habit::IsPart);
        let weight = if is_plain { 1.0 } else { weight };
        Plan {
            habit,
            weight,
            length,
        }
    })
}

/// The flows by number, each with one queue, which has the same number. The first one stays.
struct Site {
    fixture: Fixture,
    plans: Vec<Plan>,
    tasks: Vec<Option<TaskId>>,
    wakes: Vec<Option<u64>>,
    next_key: u32,
    /// For each callback: its end, its flow and its length.
    served: Vec<(u64, usize, u64)>,
}

impl Site {
    fn new(plans: Vec<Plan>) -> Self {
        let count = plans.len();
        let mut site = Self {
            fixture: Fixture::default(),
            plans,
            tasks: vec![None; count],
            wakes: vec![None; count],
            next_key: count as u32,
            served: Vec::new(),
        };
        for flow in 0..count {
            let plan = site.plans[flow];
            let (event_loop, host) = (&mut site.fixture.event_loop, &site.fixture.host);
            if let Habit::IsPart = plan.habit {
                assert!(event_loop.flows_mut(host).open_part(flow as u32, Some(0)));
            } else {
                assert!(
                    event_loop
                        .flows_mut(host)
                        .set_weight(flow as u32, plan.weight)
                );
            }
            site.open(flow, flow as u32);
        }
        site
    }

    fn open(&mut self, flow: usize, key: u32) {
        self.fixture
            .leave_entry(Entry::OpenFlow(flow as FlowId, key));
        self.queue(flow);
    }

    fn queue(&mut self, flow: usize) {
        let queue = TaskQueues::dynamic_queue(flow as u32);
        self.fixture
            .leave_entry(Entry::BindQueue(flow as FlowId, queue));
        let destination = Destination {
            queue,
            ..Destination::fixed(UserVisible)
        };
        self.tasks[flow] = Some(self.fixture.leave_in(destination));
    }

    /// A callback has run.
    fn ended(&mut self, flow: usize) {
        match self.plans[flow].habit {
            Habit::Stays | Habit::IsPart => self.queue(flow),
            Habit::Sleeps(time) => {
                self.tasks[flow] = None;
                self.wakes[flow] = Some(self.fixture.host.now.get() + time * 1_000);
            }
            Habit::IsReplaced => {
                self.fixture
                    .leave_entry(Entry::CloseFlow(flow as FlowId, true));
                self.next_key += 1;
                let key = self.next_key;
                self.open(flow, key);
            }
        }
    }

    fn run(&mut self, stops_at: u64) {
        let mut is_stopped = false;
        while self.fixture.host.now.get() < RUNS_FOR {
            self.fixture.prepare();
            let Some(mut check) = self.fixture.begin_check() else {
                panic!("a flow that stays has something queued");
            };
            while let Some(task) = self.fixture.next_in(&mut check) {
                let flow = self.tasks.iter().position(|each| *each == Some(task));
                let flow = flow.expect("it is of a flow");
                let length = self.plans[flow].length * 1_000;
                self.fixture.pass(length);
                let now = self.fixture.host.now.get();
                self.served.push((now, flow, length));
                if now > stops_at && !std::mem::replace(&mut is_stopped, true) {
                    self.fixture.stop(SECOND);
                }
                for flow in 0..self.plans.len() {
                    if self.wakes[flow].is_some_and(|at| at <= now) {
                        self.wakes[flow] = None;
                        self.queue(flow);
                    }
                }
                self.ended(flow);
            }
            self.fixture.end_check(check);
        }
    }

    /// Judges the flows that stay.
    fn judge(&self) -> Result<(), TestCaseError> {
        let is_part = |flow: usize| matches!(self.plans[flow].habit, Habit::IsPart);
        let weights: f64 = self.plans.iter().map(|plan| plan.weight).sum();
        let longest: u64 = self.plans.iter().map(|plan| plan.length * 1_000).sum();
        let has_parts = (0..self.plans.len()).any(is_part);
        for (flow, plan) in self.plans.iter().enumerate() {
            // The key of a part is served by both.
            if !matches!(plan.habit, Habit::Stays) || (flow == 0 && has_parts) {
                continue;
            }
            let mut start = 0;
            while start + SECOND <= RUNS_FOR {
                let within = |end: u64| end > start && end <= start + SECOND;
                let served = self.served.iter().filter(|(end, ..)| within(*end));
                let all: u64 = served.clone().map(|(.., length)| length).sum();
                let own = served.filter(|(_, of, _)| *of == flow);
                let own: u64 = own.map(|(.., length)| length).sum();
                let share = plan.weight / weights * all as f64;
                prop_assert!(
                    all < SECOND / 2 || own as f64 + longest as f64 >= 0.8 * share,
                    "flow {flow} has had {own} ns from {start} on, of {all}; its share is {share}"
                );
                start += WINDOWS_EACH;
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 200 },
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_key_that_has_work_queued_gets_its_share_whatever_comes_beside_it(
        others in prop::collection::vec(plan(), 1..10),
        length in 50u64..8_000,
        stops_at in 0..RUNS_FOR,
    ) {
        let first = Plan { habit: Habit::Stays, weight: 1.0, length };
        let mut site = Site::new([vec![first], others].concat());
        site.run(stops_at);
        site.judge()?;
    }
}
