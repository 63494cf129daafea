'use strict';

// The units and names of the public types: each time is in milliseconds and says so, a word has
// one meaning, and options say their defaults and errors. A new member with a number belongs in a
// table.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');
const { LABEL_METRICS, METRICS } = require('../../integrations/metrics.js');
const { ROOT } = require('../helpers/programs.js');

const INTEGRATIONS = ['bullmq', 'http', 'opentelemetry', 'prometheus', 'react', 'testing'];
const FILES = ['index.d.ts', 'register.d.ts', 'task-priority.d.ts',
  ...INTEGRATIONS.map((name) => `integrations/${name}/index.d.ts`)];

// The meaning of a number by the name of its member or parameter: one meaning for each name.
const MEANINGS = {
  // Of one wait, callback or setting.
  time: ['delay', 'wait', 'duration', 'maxWait', 'timeout', 'timeSlice', 'timeRemaining', 'window',
    'oldest', 'awaitedFor', 'patience', 'giveBackAfter', 'forceAfter', 'refuseAfter', 'stuckAfter',
    // Of several: their least, most, mean, bounds and percentiles.
    'min', 'max', 'mean', 'le', 'percentile', 'percentiles',
    // Sums.
    'sum', 'time', 'waitTime', 'heldTime', 'discardedTime', 'self', 'total',
    // By a clock: the test's, or that of performance.now().
    'ms', 'now', 'postedAt', 'queuedAt', 'startedAt', 'endedAt'],
  count: ['count', 'queued', 'running', 'completed', 'failed', 'aborted', 'joined', 'requests',
    'admitted', 'refused', 'left', 'withdrawn', 'raised', 'maxQueued', 'maxRunning', 'maxGiveBacks',
    'maxTaskLabels', 'maxTasks', 'busy', 'no-turn', 'closing', 'draining', 'buckets'],
  share: ['share', 'utilization'],
  // Weights, ids, places in files, and percent.
  other: ['fairnessWeight', 'weight', 'id', 'parentId', 'handle', 'lineNumber', 'hottestLine',
    'columnNumber', 'percent', 'labels', 'requestIdleCallback', 'seed', 'seeds', 'first'],
};

// Members whose numbers have the unit of the type that they stand in: one for each use or priority.
const UNIT_OF_TYPE = ['user-blocking', 'user-visible', 'background', 'container', 'machine',
  'other', 'idle', 'levels'];

// The types that a member with one of these names may have, as the text of its type.
const WORDS = {
  wait: /^(number|TimeDistribution|TimeDistributionJSON|number \| undefined|\(.*)$/,
  duration: /^(number|TimeDistribution|TimeDistributionJSON|number \| undefined)$/,
  delay: /^number( \| undefined)?$/,
  time: /^(number|ThreadTime)$/,
  waitTime: /^number$/,
  heldTime: /^TaskHeldTime$/,
  heldFor: /^'container' \| 'machine' \| null$/,
  queued: /^number$/,
  longest: /^LongestCallback\[\]$/,
  waitedFor: /^\[Blocker, \.\.\.Blocker\[\]\]$/,
  stop: /^\(this: void\) => void$/,
  signal: /AbortSignal|TaskSignal/,
};

// `delay` is what a caller asks for.
const DELAYS = ['SchedulerPostTaskOptions', 'TaskMessage'];
// Other units. Where a metric or header is in seconds, the text says whose it is.
const OTHER_UNIT = /\b(nano|micro)?seconds?\b|\bns\b|\bµs\b/;
const MILLISECONDS = /\bms\b|\bmilliseconds\b/i;

const sources = FILES.map((name) => {
  const text = fs.readFileSync(path.join(ROOT, name), 'utf8');
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
});

// The documentation of a node, without its marks.
function docOf(node) {
  const all = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return all.map((each) => each.getText()).join(' ').replace(/\s+\*?\s*/g, ' ');
}

// The declaration that stands at the top of the file.
function topOf(node) {
  return ts.isSourceFile(node.parent) || ts.isModuleBlock(node.parent) ? node : topOf(node.parent);
}

// All that has a name, a type, and the documentation of the nearest node that has some.
function collect() {
  const found = [];
  const visit = (node, doc) => {
    const own = docOf(node) || doc;
    const isNamed = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) ||
      ts.isMethodSignature(node) || ts.isMethodDeclaration(node) || ts.isGetAccessor(node) ||
      ts.isParameter(node) || ts.isFunctionDeclaration(node);
    if (isNamed && node.type !== undefined) {
      const name = (node.name.text ?? node.name.getText()).replace(/^'|'$/g, '');
      const isOwn = docOf(node) !== '';
      const top = topOf(node);
      const of = top.name?.getText();
      found.push({ node, name, of, doc: own, isOwn, topDoc: docOf(top) });
    }
    node.forEachChild((child) => visit(child, own));
  };
  for (const source of sources) visit(source, '');
  return found;
}

const members = collect();
const place = ({ node, of, name }) => `${node.getSourceFile().fileName}: ${of}.${name}`;

// Whether a type is made of numbers, and not of an object that has members of its own.
function hasNumber({ node }) {
  const text = node.type.getText();
  if (ts.isTypeLiteralNode(node.type) && !/\[/.test(text)) return false;
  return /\bnumber\b/.test(text) && !/=>/.test(text) && !/\bstring \| number\b/.test(text);
}

const numbers = members.filter(hasNumber);
const meaningOf = (name) => Object.keys(MEANINGS).find((each) => MEANINGS[each].includes(name));

// The members that fail a check, by their places.
const failing = (all, isRight) => all.filter((each) => !isRight(each)).map(place);

describe('the public types', () => {
  it('say of each number whether it is a time, a count or a share, in one way', () => {
    assert.ok(numbers.length > 80, `${numbers.length}`);
    const isKnown = ({ name }) => meaningOf(name) !== undefined || UNIT_OF_TYPE.includes(name);
    assert.deepEqual(failing(numbers, isKnown), []);
    const names = Object.values(MEANINGS).flat();
    assert.equal(new Set(names).size, names.length);
  });

  it('document each time in milliseconds, and in nothing else', () => {
    const times = numbers.filter(({ name }) => meaningOf(name) === 'time');
    // The documentation of the globals is in index.d.ts.
    const isGlobal = ({ node }) => node.getSourceFile().fileName === 'register.d.ts';
    const documented = times.filter((each) => !isGlobal(each));
    assert.deepEqual(failing(documented, ({ doc }) => MILLISECONDS.test(doc)), []);
    assert.deepEqual(failing(times, ({ doc }) => !OTHER_UNIT.test(doc)), []);
    const others = numbers.filter(({ name }) => ['count', 'share'].includes(meaningOf(name)));
    assert.deepEqual(failing(others.filter(({ isOwn }) => isOwn), ({ doc }) => {
      return !/\b(how many|in|so many) (ms|milliseconds)\b/i.test(doc);
    }), []);
    const byType = numbers.filter(({ name }) => UNIT_OF_TYPE.includes(name));
    const hasUnit = ({ doc, topDoc }) => {
      return MILLISECONDS.test(doc + topDoc) || /\b(number|Tasks|Requests)\b/.test(doc);
    };
    assert.deepEqual(failing(byType, hasUnit), []);
  });

  it('have one meaning for each word', () => {
    for (const [word, pattern] of Object.entries(WORDS)) {
      const named = members.filter(({ name, node }) => name === word && !ts.isParameter(node));
      assert.ok(named.length > 0, word);
      assert.deepEqual(failing(named, ({ node }) => {
        const isFunction = ts.isMethodSignature(node) || ts.isMethodDeclaration(node) ||
          ts.isFunctionDeclaration(node);
        const parameters = isFunction ? node.parameters.map((each) => each.getText()) : [];
        const text = node.type.getText();
        return pattern.test(isFunction ? `(${parameters.join(', ')}) => ${text}` : text);
      }), [], word);
    }
    const delays = members.filter(({ name, node }) => name === 'delay' && !ts.isParameter(node));
    assert.deepEqual(delays.map(({ of }) => of), DELAYS);
  });

  it('document each member of an interface or a class', () => {
    // The members of prom-client's registers are declared as there, and overloads have the
    // documentation of the first one.
    const isExempt = ({ of, name, node }) => of === 'MetricRegistryLike' ||
      node.parent.members.some((each) => each.name?.getText() === name && docOf(each) !== '');
    const own = members.filter(({ node, of }) => {
      const { parent } = node;
      const isTop = ts.isInterfaceDeclaration(parent) || ts.isClassDeclaration(parent);
      return isTop && parent.name.text === of && node.getSourceFile().fileName !== 'register.d.ts';
    });
    assert.ok(own.length > 150, `${own.length}`);
    assert.deepEqual(failing(own, (each) => each.isOwn || isExempt(each)), []);
  });

  it('say the default of each option, and the errors of what takes options', () => {
    const options = members.filter(({ node, of = '' }) => {
      return ts.isPropertySignature(node) && node.questionToken !== undefined &&
        /Options$|Init$/.test(of) && !/Event|Listener/.test(of);
    });
    assert.ok(options.length > 40, `${options.length}`);
    assert.deepEqual(failing(options, ({ doc, isOwn }) => isOwn && /default/i.test(doc)), []);
    const takers = members.filter(({ node, name }) => {
      // Listeners are the DOM's.
      return ts.isParameter(node) && ['options', 'init'].includes(name) &&
        !/Listener$/.test(node.parent.name?.getText());
    });
    assert.deepEqual(failing(takers.filter(({ doc }) => doc !== ''), ({ doc }) => {
      return /@throws|TypeError|never throws/i.test(doc);
    }), []);
  });

  it('list every metric with its kind', () => {
    const docs = sources.map((source) => source.getText().replace(/\s+\*?\s*/g, ' '));
    for (const { kind, name, unit } of [...METRICS, ...LABEL_METRICS]) {
      const seconds = unit === 's' ? '_seconds' : '';
      const total = kind === 'counter' ? '_total' : '';
      const inPrometheus = `\`uv_scheduler_${name.replaceAll('.', '_')}${seconds}${total}\``;
      for (const each of [inPrometheus, `\`uv_scheduler.${name}\``]) {
        assert.ok(docs.some((doc) => doc.includes(`- ${each}`)), each);
      }
    }
  });
});
