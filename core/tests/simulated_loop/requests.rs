//! The actions of schedules on requests: flows of a few keys, each with a signal for its tasks and
//! one for its continuations.

use uv_scheduler_core::event_loop::EventLoop;
use uv_scheduler_core::protocol::Entry;
use uv_scheduler_core::protocol::FlowId;
use uv_scheduler_core::shares::KeyId;
use uv_scheduler_core::task_queue::TaskId;

use crate::calls::priority;
use crate::ledger::{Home, IDLE, Rank, USER_VISIBLE};
use crate::rules::{Guarantee, Kept, Violation, ensure};
use crate::simulation::Simulation;

/// The weight of each key.
const WEIGHTS: [f64; 4] = [1.0, 1.0, 3.0, 1e6];

/// Requests that any action uses. Others are opened only at first.
const FLOWS: FlowId = 5;

/// Levels are learned after a hundred.
const MANY: FlowId = 200;

impl Simulation {
    /// Opens a request of a key, whose tasks have this priority. Returns its signals.
    pub fn open_request(
        &mut self,
        flow: FlowId,
        key: KeyId,
        rank: Rank,
    ) -> Result<[usize; 2], Violation> {
        self.trace
            .push(self.world.now, "opens a request", flow, rank);
        let weight = WEIGHTS[key as usize];
        let signals = self.ledger.open_flow(flow, key, weight, rank);
        self.ledger.signals[signals[1]].rank = continuation_of(rank);
        self.leave(Entry::OpenFlow(flow, key));
        self.wake();
        let is_set = self
            .event_loop
            .flows_mut(&self.world)
            .set_weight(key, weight);
        ensure(is_set, Guarantee::Sound, "a key was refused")?;
        Ok(signals)
    }

    /// Closes a request of which nothing waits.
    pub fn close_request(&mut self, flow: FlowId, has_finished: bool) -> Kept {
        let now = self.world.now;
        self.trace.push(now, "closes a request", flow, 0);
        self.ledger.close_flow(flow, has_finished, now);
        self.leave(Entry::CloseFlow(flow, has_finished));
        self.wake();
        let level = self.event_loop.flows_mut(&self.world).level(flow);
        ensure(
            level.is_none(),
            Guarantee::Sound,
            "a request was not closed",
        )
    }

    /// Opens a request, closes one, or posts a task of one.
    pub fn act_on_requests(&mut self) -> Kept {
        let flow = self.dice.below(FLOWS.into()) as FlowId;
        if !self.ledger.fair.is_open(flow) {
            let key = self.dice.below(WEIGHTS.len() as u64) as KeyId;
            let rank = self.any_rank().max(0) / 2 * 2;
            let [tasks, _] = self.open_request(flow, key, rank)?;
            return self.post(Home::Signal(tasks), true);
        }
        if self.ledger.is_vacant(flow) && self.dice.percent(30) {
            let has_finished = self.dice.percent(80);
            return self.close_request(flow, has_finished);
        }
        let signals = self.ledger.signals.iter().enumerate();
        let of_flow = signals.filter(|(_, signal)| signal.flow == Some(flow));
        let signals: Vec<usize> = of_flow.map(|(signal, _)| signal).collect();
        let signal = self.dice.pick(&signals);
        if self.dice.percent(10) {
            let max_wait = self.any_own_bound();
            return self.post_bounded(Home::Signal(signal), true, 0, max_wait);
        }
        if self.dice.percent(10) {
            let rank = self.any_rank();
            return self.set_priority(signal, rank);
        }
        self.post(Home::Signal(signal), true)
    }

    /// So many requests with a task each that levels are learned when they are closed.
    pub fn open_many_requests(&mut self) -> Kept {
        for flow in FLOWS..MANY {
            let [tasks, _] = self.open_request(flow, 0, USER_VISIBLE)?;
            self.post(Home::Signal(tasks), true)?;
        }
        Ok(())
    }

    /// Closes the requests of [`Self::open_many_requests`] that have run.
    pub fn close_many_requests(&mut self) -> Kept {
        for flow in FLOWS..MANY {
            if self.ledger.fair.is_open(flow) && self.ledger.is_vacant(flow) {
                self.close_request(flow, true)?;
            }
        }
        Ok(())
    }

    pub fn any_flow(&mut self) -> Option<FlowId> {
        let open = (0..FLOWS).filter(|flow| self.ledger.fair.is_open(*flow));
        let open: Vec<FlowId> = open.collect();
        (!open.is_empty()).then(|| self.dice.pick(&open))
    }

    /// A task is about to start: counts its level, if it is one of a request.
    pub fn note_level(&mut self, started: Option<TaskId>) {
        let flow = started.and_then(|id| self.ledger.flow_of(id));
        self.wake();
        let level = flow.and_then(|flow| self.event_loop.flows_mut(&self.world).level(flow));
        if let Some(level) = level {
            self.reached.levels[usize::from(level > 0)] += 1;
        }
    }

    /// Counts what the schedule has reached.
    pub fn note_end(&mut self) {
        self.reached.shares = self.ledger.shares.compared;
        let mut unlearned = EventLoop::default();
        self.wake();
        let flows = self.event_loop.flows_mut(&self.world);
        let before = unlearned.flows_mut(&self.world);
        let [ends, before] = [flows, before].map(|of| of.levels(priority(USER_VISIBLE)));
        let are_learned = ends != before;
        self.reached.learned = u64::from(are_learned);
    }
}

/// The priority of the continuations of a task.
fn continuation_of(rank: Rank) -> Rank {
    if rank == IDLE { IDLE } else { rank | 1 }
}
