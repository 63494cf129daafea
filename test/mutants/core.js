'use strict';

// Mutants of core/src/: which task runs next, and when.

const { mutantsOf } = require('./mutants-of.js');

const RULES = 'core/src/rules.rs';
const OTHERS = 'core/src/others.rs';
const TURN = 'core/src/turn.rs';
const SHARES = 'core/src/shares.rs';

module.exports = [
  ...mutantsOf(RULES, { target: 'simulated_loop' }, [
    ['overdue work starts at checkpoints',
      '(place != Place::Check).then_some(WaitsFor::CheckPhase)', 'None'],
  ]),
  ...mutantsOf(RULES, { target: 'event_loop' }, [
    ['a pause delays nothing', '_ if budget.is_paused =>',
      '_ if budget.is_paused && place == Place::Checkpoint =>', 'pause'],
    ['background work is not held', '.or_else(hold)',
      '.or_else(|| hold().filter(|_| !candidate.is_old))', 'holding'],
    ['user-visible work has no allowance beside callbacks that are no tasks',
      'self.used < self.allowance',
      'self.used < self.allowance && self.allowance > self.slice', 'beside'],
  ]),
  ...mutantsOf(RULES, { target: 'turn' }, [
    ['the head start is longer than the slice', 'self.slice / HEAD_START',
      'self.slice * HEAD_START', 'should_yield'],
    ['code in the poll phase does not look at ready I/O',
      '(UserVisibleContinuation, Place::Poll) => io(),',
      '(UserVisibleContinuation, Place::Poll) => None,', 'should_yield'],
  ]),
  ...mutantsOf(OTHERS, { target: 'lib' }, [
    ['the allowance grows in proportion to the lag', '(most * lag * lag / (full * full)) as u64',
      '(most * lag / full) as u64', 'others'],
    ['a lag is remembered while no user-visible work is queued',
      '        } else {\n            0\n        };',
      '        } else {\n            lag.min(FULL_LAG)\n        };', 'others'],
    ['the tasks of checkpoints count as time of the others',
      'since.saturating_sub(ran.at_checkpoints)', 'since.saturating_sub(ran.at_checkpoints.min(0))',
      'others'],
  ]),
  ...mutantsOf(OTHERS, { target: 'event_loop' }, [
    ['user-blocking work may take one slice more in a turn', 'slice.saturating_mul(URGENT_SLICES)',
      'slice.saturating_mul(URGENT_SLICES + 1)', 'beside'],
  ]),
  ...mutantsOf(TURN, { target: 'event_loop' }, [
    ['a chain of checkpoints that has ended seems to be under way',
      'self.is_chain_scheduled = choice.is_some();', 'self.is_chain_scheduled |= choice.is_some();',
      'calls'],
  ]),
  ...mutantsOf(TURN, { target: 'simulated_loop' }, [
    ['a short slice lets a check phase start nothing',
      'self.budget.has_time(choice.priority) || !self.has_run',
      'self.budget.has_time(choice.priority)'],
    ['a check phase starts overdue background work without end',
      'turn.has_run_overdue_background |= choice.is_overdue && choice.is_background();', ''],
  ]),
  ...mutantsOf(TURN, { target: 'turn' }, [
    ['ready I/O counts as none for a while', '*quiet_at = (!ready).then_some(now);',
      '*quiet_at = Some(now);', 'io_that_was_ready'],
  ]),
  ...mutantsOf('core/src/quantum.rs', { target: 'turn' }, [
    ['the turn of code beside equals has no tolerance', 'longest - longest / TOLERANCE',
      'longest + longest / TOLERANCE', 'quantum'],
  ]),
  ...mutantsOf(SHARES, { target: 'lib' }, [
    ['the current time of keys stays behind a waiting key',
      'self.current = self.current.max(next);', 'let _ = next;', 'shares'],
    ['a key is ahead only by more than the lag', 'own >= least.saturating_add(LAG)',
      'own > least.saturating_add(LAG)', 'shares'],
    ['a key goes on at its own time when it was idle', 'None => self.own(key).max(self.current),',
      'None => self.own(key),', 'shares'],
    ['the weight of a key counts when it has nothing queued',
      'self.queued_weight -= self.keys[key as usize].weight;', '', 'shares'],
  ]),
  ...mutantsOf(SHARES, { target: 'fair_queues' }, [
    ['a part goes where the last one would that waits for it',
      'if from_start || time < self.time(key) {', 'if from_start || time > self.time(key) {',
      'part'],
  ]),
  ...mutantsOf('core/src/levels.rs', { target: 'event_loop' }, [
    ['requests that were given up are a reason to learn the levels anew',
      'self.since += u32::from(has_finished);', 'self.since += 1;', 'levels'],
  ]),
  ...mutantsOf('core/src/hold.rs', { target: 'event_loop' }, [
    ['a hold counts beyond its end', 'let end = now.min(hold.until);', 'let end = now;', 'holding'],
  ]),
  ...mutantsOf('core/src/event_loop.rs', { target: 'event_loop' }, [
    ['a delayed task needs a checkpoint when it is posted',
      'deadline.is_none().then_some(destination.priority)', 'Some(destination.priority)',
      'own_bound'],
  ]),
  ...mutantsOf('core/src/bounded_tasks.rs', { target: 'event_loop' }, [
    ['a task with a bound of its own is overdue a moment early', 'if latest >= now {',
      'if latest > now {', 'own_bound'],
  ]),
  ...mutantsOf('core/src/event_loop/published.rs', { target: 'event_loop' }, [
    ['a fallback timer stays when nothing is queued', 'self.fallback = None;', '', 'giving_way'],
  ]),
];
