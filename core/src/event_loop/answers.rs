//! The answers to JavaScript's questions.

use super::{EventLoop, Queued, Refused};
use crate::fair_queues::KeyUse;
use crate::host::{Loop, NANOSECONDS_PER_MILLISECOND};
use crate::priority::EffectivePriority;
use crate::protocol::Question;
use crate::task_queues::Waiting;

const PER_MILLISECOND: f64 = NANOSECONDS_PER_MILLISECOND as f64;

/// What JavaScript receives. Frequent questions have a number, as a list costs more than that.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The whole answer.
    Number(f64),
    /// As many numbers as there is something to tell.
    List(Vec<f64>),
}

impl EventLoop {
    /// Answers the question with this number in `lib/loop/protocol.js`, which is about a flow, a
    /// key or a rank, or 0. The answer to an unknown question is an empty list.
    pub fn ask(&mut self, host: &impl Loop, question: u32, about: u32) -> Answer {
        let Some(question) = Question::from_number(question) else {
            return Answer::List(Vec::new());
        };
        let list = match question {
            Question::Waiting => {
                let waiting = self.waiting(host).into_iter();
                waiting.flat_map(Waiting::numbers).map(f64::from).collect()
            }
            Question::Queued => {
                let queued = self.queued(host).into_iter();
                queued.flat_map(Queued::numbers).collect()
            }
            Question::Refused => {
                let refused = self.refused(host).into_iter();
                refused.flat_map(Refused::numbers).collect()
            }
            Question::Held => self.held(host).numbers().into(),
            Question::TaskTime => {
                return Answer::Number(self.task_time(host) as f64 / PER_MILLISECOND);
            }
            Question::TimeToNext => {
                let time = if host.is_io_ready() {
                    Some(0)
                } else {
                    host.time_to_next()
                };
                let time = time.map_or(f64::INFINITY, |time| time as f64 / PER_MILLISECOND);
                return Answer::Number(time);
            }
            Question::RankOfStarted => return Answer::Number(self.rank_of_started().into()),
            Question::Keys => {
                let keys = self.flows_mut(host).keys();
                keys.flat_map(KeyUse::numbers).collect()
            }
            Question::Levels => {
                let priority = EffectivePriority::from_rank(about);
                let flows = self.flows_mut(host);
                let ends = priority.map(|priority| flows.levels(priority));
                let ends = ends.unwrap_or_default().iter();
                ends.map(|end| *end as f64).collect()
            }
            Question::LevelOfFlow => {
                let level = self.flows_mut(host).level(about).unwrap_or(0);
                return Answer::Number(level.into());
            }
            Question::ForgetKey => {
                let is_forgotten = self.flows_mut(host).forget(about);
                return Answer::Number(f64::from(is_forgotten));
            }
        };
        Answer::List(list)
    }
}
