'use strict';

// The units and names of the public types: each time is in milliseconds and says so, and members
// and options are documented, with their defaults and errors. A new member with a number that is
// no time belongs in a list.
// @host any

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');
const { LABEL_METRICS, METRICS } = require('../../integrations/metrics.js');
const { ROOT } = require('../helpers/programs.js');

const INTEGRATIONS = ['bullmq', 'guard', 'http', 'opentelemetry', 'prometheus', 'react', 'testing',
  'watch'];
// The documentation of the globals, in register.d.ts, is that of index.d.ts.
const FILES = ['index.d.ts', 'task-priority.d.ts',
  ...INTEGRATIONS.map((name) => `integrations/${name}/index.d.ts`)];

const NO_TIMES = [
  // Counts and shares.
  'count', 'queued', 'running', 'completed', 'failed', 'aborted', 'joined', 'requests', 'admitted',
  'refused', 'left', 'withdrawn', 'raised', 'maxQueued', 'maxRunning', 'maxGiveBacks',
  'maxTaskLabels', 'maxTasks', 'busy', 'no-turn', 'closing', 'draining', 'buckets', 'share',
  'utilization', 'observed', 'wouldRefuse', 'maxHeap',
  // Statuses, ports.
  'status', 'shareStatus', 'port',
  // Weights, ids, places in files, and percent.
  'fairnessWeight', 'weight', 'id', 'parentId', 'handle', 'line', 'lineNumber', 'hottestLine',
  'columnNumber', 'percent', 'labels', 'requestIdleCallback', 'seed', 'seeds', 'first',
];

// Members whose numbers have the unit of the type that they stand in: one for each use or priority.
const UNIT_OF_TYPE = ['user-blocking', 'user-visible', 'background', 'container', 'machine',
  'other', 'idle', 'levels'];

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
      const top = topOf(node);
      const of = top.name?.getText() ?? '';
      found.push({ node, name, of, doc: own, isOwn: docOf(node) !== '', topDoc: docOf(top) });
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

// Asserts a check of all members that a filter selects, of which there are so many at least.
function assertAll(isSelected, isRight, count) {
  const selected = members.filter(isSelected);
  assert.ok(selected.length >= count, `${selected.length}`);
  assert.deepEqual(selected.filter((each) => !isRight(each)).map(place), []);
}

describe('the public types', () => {
  it('document each time in milliseconds, and in nothing else', () => {
    const isTime = (each) => hasNumber(each) && ![...NO_TIMES, ...UNIT_OF_TYPE].includes(each.name);
    assertAll(isTime, ({ doc }) => MILLISECONDS.test(doc) && !OTHER_UNIT.test(doc), 40);
    const isByType = (each) => hasNumber(each) && UNIT_OF_TYPE.includes(each.name);
    assertAll(isByType, ({ doc, topDoc }) =>
      MILLISECONDS.test(doc + topDoc) || /\b(number|Tasks|Requests)\b/.test(doc), 8);
  });

  it('call the time that a caller asks for a delay, and nothing else', () => {
    const delays = members.filter(({ name, node }) => name === 'delay' && !ts.isParameter(node));
    const types = ['SchedulerPostTaskOptions', 'ShutDownOptions', 'TaskMessage'];
    assert.deepEqual(delays.map(({ of }) => of), types);
  });

  it('document each member of an interface or a class', () => {
    const isMember = ({ node: { parent }, of }) => {
      const isTop = ts.isInterfaceDeclaration(parent) || ts.isClassDeclaration(parent);
      return isTop && parent.name.text === of;
    };
    // The members of prom-client's registers are declared as there, and overloads have the
    // documentation of the first one.
    const isExempt = ({ of, name, node }) => of === 'MetricRegistryLike' ||
      node.parent.members.some((each) => each.name?.getText() === name && docOf(each) !== '');
    assertAll(isMember, (each) => each.isOwn || isExempt(each), 150);
  });

  it('say the default of each option, and the errors of what takes options', () => {
    const isOption = ({ node, of }) => ts.isPropertySignature(node) && node.questionToken &&
      /Options$|Init$/.test(of) && !/Event|Listener/.test(of);
    assertAll(isOption, ({ doc, isOwn }) => isOwn && /default/i.test(doc), 40);
    const takesOptions = ({ node, name, doc }) => {
      // Listeners are the DOM's.
      return ts.isParameter(node) && ['options', 'init'].includes(name) && doc !== '' &&
        !/Listener$/.test(node.parent.name?.getText());
    };
    assertAll(takesOptions, ({ doc }) => /@throws|TypeError|never throws/i.test(doc), 10);
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
