//! The actions of callbacks and tasks in the schedules that are all tried: any action of a short
//! list, any number of times, until the schedule has spent its actions.

use uv_scheduler_core::protocol::FlowId;

use crate::ledger::{Home, Rank, USER_VISIBLE, USER_VISIBLE_CONTINUATION};
use crate::rules::{Kept, Violation};
use crate::simulation::Simulation;
use crate::world::MILLISECOND;

/// How many actions each schedule has, unless `SIMULATION_DEPTH` is set.
const ACTIONS: u32 = 4;

pub fn depth() -> u32 {
    let depth = std::env::var("SIMULATION_DEPTH").ok();
    depth.map_or(ACTIONS, |depth| {
        depth.parse().expect("SIMULATION_DEPTH is a number")
    })
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum Action {
    Post(Rank),
    /// Posts a task that does not keep the process alive.
    PostUnreferenced(Rank),
    /// Posts a task that has the priority of a signal.
    PostToSignal,
    /// Moves the signal to another priority.
    MoveSignal(Rank),
    /// Removes the task with the lowest id.
    Remove,
    PostDelayed,
    /// Posts a task that is overdue after a millisecond, with the priority of a signal.
    PostBounded,
    SetTimer,
    SetImmediate,
    StartIo,
    RunNested,
    /// Asks whether to yield.
    Ask,
    /// Takes some milliseconds.
    Work(u64),
    /// Posts a task of a request, which is opened if it is not open. The last one has another key
    /// than the others.
    PostOf(FlowId),
    /// Posts a continuation of a request, if it is open.
    ContinueOf(FlowId),
    /// Posts a task of a request that is overdue after a millisecond.
    PostBoundedOf(FlowId),
    /// Moves a request to another priority.
    MoveOf(FlowId, Rank),
    /// Asks whether to yield, in the name of a request.
    AskOf(FlowId),
    /// Closes a request of which nothing waits.
    Close(FlowId),
}

use Action::*;

pub const TASKS: &[Action] = &[
    Post(0),
    Post(2),
    Post(3),
    Post(4),
    PostUnreferenced(0),
    PostUnreferenced(4),
    PostToSignal,
    MoveSignal(4),
    MoveSignal(0),
    Remove,
    PostDelayed,
    PostBounded,
    SetTimer,
    SetImmediate,
    StartIo,
    RunNested,
    Ask,
    // Past the head start, and past the slice.
    Work(2),
    Work(6),
];

pub const REQUESTS: &[Action] = &[
    PostOf(0),
    PostOf(1),
    PostOf(2),
    Post(2),
    ContinueOf(0),
    PostBoundedOf(2),
    MoveOf(0, 4),
    AskOf(0),
    Close(0),
    Remove,
    SetTimer,
    RunNested,
    Work(2),
    // Past the first level.
    Work(60),
];

/// Whether another schedule comes to the same: one with the two actions the other way round, or
/// with one in place of both.
fn is_same(last: Option<Action>, next: Action) -> bool {
    match (last, next) {
        (Some(Work(_)), Work(_)) | (Some(Ask), Ask) => true,
        (Some(last @ (SetTimer | SetImmediate | StartIo)), SetTimer | SetImmediate | StartIo) => {
            last > next
        }
        _ => false,
    }
}

impl Simulation {
    pub fn act_by_choice(&mut self) -> Kept {
        let mut last = None;
        while self.actions_left > 0 {
            let is_new = |action: &Action| self.is_possible(*action) && !is_same(last, *action);
            let all = self.character.choices.iter().copied();
            let possible: Vec<Action> = all.filter(is_new).collect();
            let choice = self.dice.below(possible.len() as u64 + 1) as usize;
            // The first choice is to do nothing more.
            let Some(action) = choice.checked_sub(1).map(|index| possible[index]) else {
                break;
            };
            last = Some(action);
            self.actions_left -= 1;
            self.act_as_chosen(action)?;
            self.ensure_published()?;
        }
        Ok(())
    }

    /// Whether the action would change anything.
    fn is_possible(&self, action: Action) -> bool {
        let signal = self.ledger.signals.first();
        let has_begun = self.actions_left < self.character.actions;
        match action {
            MoveSignal(rank) => signal.is_some_and(|s| s.queue.is_some() && s.rank != rank),
            Remove => !self.ledger.is_empty(),
            RunNested => !self.is_nested && has_begun,
            Work(_) => has_begun,
            ContinueOf(flow) | AskOf(flow) => self.ledger.fair.is_open(flow),
            MoveOf(flow, rank) => {
                let of_flow = signal.filter(|signal| signal.flow == Some(flow));
                of_flow.is_some_and(|signal| signal.rank != rank)
            }
            Close(flow) => self.ledger.fair.is_open(flow) && self.ledger.is_vacant(flow),
            _ => true,
        }
    }

    fn act_as_chosen(&mut self, action: Action) -> Kept {
        let now = self.world.now;
        match action {
            Post(rank) => self.post(Home::Fixed(rank), true)?,
            PostUnreferenced(rank) => self.post(Home::Fixed(rank), false)?,
            PostToSignal => {
                let home = self.only_signal();
                self.post(home, true)?;
            }
            PostBounded => {
                let home = self.only_signal();
                self.post_bounded(home, true, 0, MILLISECOND)?;
            }
            MoveSignal(rank) => self.set_priority(0, rank)?,
            Remove => {
                let lowest = self.ledger.ids()[0];
                self.remove(&[lowest])?;
            }
            PostDelayed => self.post_delayed(Home::Fixed(2), true, MILLISECOND)?,
            SetTimer => self.world.timers.push((now, now)),
            SetImmediate => self.world.immediates.push(true),
            StartIo => self.world.io.push(now),
            RunNested => self.run_nested()?,
            Ask => self.ask_to_yield(USER_VISIBLE_CONTINUATION, false, None)?,
            PostOf(flow) => {
                let [tasks, _] = self.request(flow)?;
                self.post(Home::Signal(tasks), true)?;
            }
            ContinueOf(flow) => {
                let [_, continuations] = self.request(flow)?;
                self.post(Home::Signal(continuations), true)?;
            }
            PostBoundedOf(flow) => {
                let [tasks, _] = self.request(flow)?;
                self.post_bounded(Home::Signal(tasks), true, 0, MILLISECOND)?;
            }
            MoveOf(flow, rank) => {
                let [tasks, continuations] = self.request(flow)?;
                self.set_priority(tasks, rank)?;
                self.set_priority(continuations, rank + 1)?;
            }
            AskOf(flow) => self.ask_to_yield(USER_VISIBLE_CONTINUATION, false, Some(flow))?,
            Close(flow) => self.close_request(flow, true)?,
            Work(milliseconds) => self.world.now += milliseconds * MILLISECOND,
        }
        Ok(())
    }

    /// The signals of a request, which is opened if it is not open.
    fn request(&mut self, flow: FlowId) -> Result<[usize; 2], Violation> {
        let signals = self.ledger.signals.iter().enumerate();
        let mut of_flow = signals.filter(|(_, signal)| signal.flow == Some(flow));
        if let Some((first, _)) = of_flow.next() {
            return Ok([first, first + 1]);
        }
        self.open_request(flow, u32::from(flow == 2), USER_VISIBLE)
    }

    fn only_signal(&mut self) -> Home {
        if self.ledger.signals.is_empty() {
            self.ledger.add_signal(2);
        }
        Home::Signal(0)
    }
}
