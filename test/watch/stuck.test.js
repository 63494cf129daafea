'use strict';

// The option `stuckAfter` of reportSlowTasks(): a thread that hangs is reported before the process
// is killed, with the function in which it hangs, and one that only seems to hang is not.
// @lane slow waiting
// @host programs

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { buildSync } = require('esbuild');
const { WebSocket } = require('ws');
const { withFolder } = require('../helpers/folders.js');
const { FIXTURES, LIMIT, ROOT, assertOnEachNode, mapSome, nodes, run } =
  require('../helpers/loop.js');
const { BINARY } = require('../helpers/packed.js');
const { until } = require('../helpers/watch.js');

const PROGRAM = path.join(FIXTURES, 'stuck.js');
const SLOW = 4 * LIMIT;
const STUCK_AFTER = 300;

// For how long a program hangs, in ms, that is not killed: for two reports.
const FOR_A_WHILE = 1500;

// In ms: more than what holds up a program that is not stuck, and for how long it is watched.
const LONG = 1000;
const TWICE = 2 * LONG;

// The digits of a time, in ms.
const ROUNDED = 50;

const HEAD = /^uv-scheduler: stuck for (\d+\.\d) s \(process (\d+), thread (\d+)(.*)\)$/gm;
const WITHOUT_STACK = / {4}no stack, as in a native call/;

// A program of the fixture that runs until it is killed.
class Hanging {
  stdout = '';
  stderr = '';

  constructor(node, name, options) {
    const { time = 'Infinity', stuckAfter = STUCK_AFTER, thread = 'main' } = options;
    const { flags = () => [], env, file = PROGRAM } = options;
    const args = [...(node.args ?? []), ...flags(node), file, name, stuckAfter, time, thread];
    this.child = spawn(node.path, args, { env: { ...process.env, ...env } });
    this.ended = once(this.child, 'close');
    for (const stream of ['stdout', 'stderr']) {
      this.child[stream].setEncoding('utf8').on('data', (text) => (this[stream] += text));
    }
  }

  // Waits until stderr matches.
  async says(pattern) {
    await until(() => pattern.test(this.stderr) || this.child.exitCode !== null);
    assert.match(this.stderr, pattern);
  }

  // The rest of the first line of each report.
  get reports() {
    return [...this.stderr.matchAll(HEAD)].map(([, , pid, thread, rest]) => {
      return { pid: Number(pid), thread: Number(thread), rest };
    });
  }
}

// Calls `work` with a program that hangs, on each Node, and kills the program. The programs wait
// beside each other.
const eachHanging = (name, options, work) => mapSome(nodes, async (node) => {
  const program = new Hanging(node, name, options);
  try {
    await work(program, node);
  } finally {
    program.child.kill('SIGKILL');
    await program.ended;
  }
});

// A report whose stack has a function.
const stackWith = (name) => {
  return new RegExp(`^uv-scheduler: stuck .*\n(?: {4}at .*\n)* {4}at (?:\\S+\\.)?${name} `, 'm');
};

const permitting = (...more) => ({ major }) => {
  const flag = major < 23 ? '--experimental-permission' : '--permission';
  return ['--no-warnings', flag, '--allow-fs-read=*', '--allow-addons', ...more];
};

describe('a report of a thread that is stuck', () => {
  const ways = {
    'an endless loop': 'loop',
    'endless microtasks': ['microtasks', 'nextMicrotask'],
    'endless ticks': 'ticks',
    'a regular expression that explodes': 'expression',
    'Atomics.wait()': 'wait',
  };

  for (const thread of ['main', 'worker']) {
    for (const [title, way] of Object.entries(ways)) {
      const [name, functionName = name] = [way].flat();
      it(`names the function before the process is killed: ${title}, ${thread}`, async () => {
        await eachHanging(name, { thread }, async (program) => {
          await program.says(stackWith(functionName));
          const [{ pid, thread: id }] = program.reports;
          assert.deepEqual([pid, id], [program.child.pid, thread === 'main' ? 0 : 1]);
          assert.doesNotMatch(program.stderr, /underWay/);
        });
      }).timeout(SLOW);
    }

    it(`comes without a stack in a native call, ${thread}`, async () => {
      await eachHanging('nativeCall', { thread }, (program) => program.says(WITHOUT_STACK));
    }).timeout(SLOW);

    it(`names the caller of a native call that has returned, ${thread}`, async () => {
      await eachHanging('child', { thread, time: FOR_A_WHILE }, async (program, { major }) => {
        // Node 20 loses some answers of workers.
        if (thread === 'main' || major > 20) await program.says(stackWith('child'));
      });
    }).timeout(SLOW);
  }

  for (const minify of [false, true]) {
    const way = minify ? 'minified' : 'not minified';
    it(`comes in a program whose bundler keeps the names of functions, ${way}`, async () => {
      await withFolder(async (folder) => {
        const file = path.join(folder, 'bundled.js');
        buildSync({
          entryPoints: [PROGRAM], outfile: file, bundle: true, platform: 'node', keepNames: true,
          minify, external: ['@uv-scheduler/*', '*.node'], logLevel: 'error',
        });
        const env = { UV_SCHEDULER_BINARY: path.join(ROOT, BINARY) };
        await eachHanging('loop', { env, file }, (program) => program.says(stackWith('loop')));
      });
    }).timeout(SLOW);
  }

  it('names the child process that the thread waits for', async function () {
    // Other systems do not tell.
    if (process.platform !== 'linux') this.skip();
    await eachHanging('child', { time: 2 * LIMIT }, async (program) => {
      await program.says(/ {4}no stack, .*; recent child processes: \d+ \(.+\)$/m);
      const [, child] = /processes: (\d+)/.exec(program.stderr);
      process.kill(Number(child), 'SIGKILL');
    });
  }).timeout(SLOW);

  it('comes again each time that the time has doubled', async () => {
    await eachHanging('loop', {}, async (program) => {
      await until(() => program.reports.length >= 3);
      // A late stack comes in a report of its own behind one without it.
      const late = /(uv-scheduler.*\n {4}no stack.*\n)(?=uv-scheduler.*\n {4}at)/g;
      const times = [...program.stderr.replace(late, '').matchAll(HEAD)].map(([, time]) => time);
      times.forEach((time, i) => {
        assert.ok(1e3 * time >= STUCK_AFTER * 2 ** i - ROUNDED, program.stderr);
      });
    });
  }).timeout(SLOW);

  it('names the task that is under way', async () => {
    await eachHanging('task', {}, async (program) => {
      await program.says(stackWith('loop'));
      assert.equal(program.reports[0].rest, ', task "a \\"task\\"", user-blocking');
    });
  }).timeout(SLOW);

  it('is in the ordinary report when the callback has ended', async () => {
    await mapSome(nodes, async (node) => {
      // It ends long after the third report and long before the fourth.
      const args = [PROGRAM, 'loop', STUCK_AFTER, 6 * STUCK_AFTER];
      const { code, stdout, stderr } = await run(node, args);
      assert.equal(code, 0, stderr);
      // There is one.
      const { kind, stuck } = JSON.parse(stdout.replace('ready\n', ''));
      assert.equal(kind, 'other');
      assert.equal(stuck.length, [...stderr.matchAll(HEAD)].length, stdout + stderr);
      assert.ok(stuck.every(({ duration }) => duration >= STUCK_AFTER), stdout);
      assert.ok(stuck.some(({ stack }) => /^ {4}at (\S+\.)?loop /m.test(stack)), stdout);
    });
  }).timeout(SLOW);

  it('has no stack without the permission for the inspector', async () => {
    const flags = permitting('--allow-worker');
    await eachHanging('loop', { flags }, async (program) => {
      await program.says(/stuck for .*\n {4}no stack: Node needs --allow-inspector\n/);
    });
    const all = permitting('--allow-worker', '--allow-inspector');
    await mapSome(nodes.filter(({ major }) => major >= 24), async (node) => {
      const { stderr } =
        await run(node, [...all(node), PROGRAM, 'loop', STUCK_AFTER, FOR_A_WHILE]);
      assert.match(stderr, stackWith('loop'));
    });
  }).timeout(SLOW);

  it('is refused without the permission for threads', async () => {
    await assertOnEachNode([1, true], async (node) => {
      const args = [...permitting()(node), PROGRAM, 'loop', STUCK_AFTER, FOR_A_WHILE];
      const { code, stderr } = await run(node, args);
      return [code, /Failed to execute 'reportSlowTasks': .* --allow-worker/.test(stderr)];
    });
  }).timeout(SLOW);

  it('does not load the modules that the program preloads', async () => {
    const preload = 'process._rawDebug("preloaded");';
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
    await eachHanging('loop', { env }, async (program) => {
      await program.says(stackWith('loop'));
      assert.equal(program.stderr.match(/preloaded/g).length, 1);
    });
  }).timeout(SLOW);
});

describe('nothing is reported of a thread', () => {
  const nothing = { code: 0, signal: null, stdout: 'ready\n', stderr: '' };

  for (const [title, name] of [['blocked for short times', 'busy'], ['that is idle', 'idle']]) {
    for (const thread of ['main', 'worker']) {
      it(`${title}, ${thread}`, async () => {
        await assertOnEachNode(nothing, (node) => {
          return run(node, [PROGRAM, name, LONG, TWICE, thread]);
        });
      }).timeout(SLOW);
    }
  }

  it('that was stopped', async () => {
    await eachHanging('busy', { stuckAfter: LONG }, async (program, { version }) => {
      await until(() => program.stdout.includes('ready'));
      for (let i = 0; i < 2; i++) {
        await sleep(LONG / 2);
        program.child.kill('SIGSTOP');
        await sleep(TWICE);
        program.child.kill('SIGCONT');
      }
      // Until a report would have come.
      await sleep(LONG);
      assert.equal(program.stderr, '', version);
    });
  }).timeout(SLOW);

  it('once the reports were stopped', async () => {
    await assertOnEachNode(nothing, (node) => {
      return run(node, [PROGRAM, 'stopped', STUCK_AFTER, FOR_A_WHILE]);
    });
  }).timeout(SLOW);

  it('that a debugger has paused, until it goes on', async () => {
    await eachHanging('paused', {}, async (program) => {
      await until(() => /^ws:.*\n/m.test(program.stdout));
      const client = new WebSocket(/^ws:.*/m.exec(program.stdout)[0]);
      await once(client, 'open');
      const messages = [];
      client.on('message', (data) => messages.push(JSON.parse(data)));
      ['Debugger.enable', 'Runtime.runIfWaitingForDebugger'].forEach((method, id) => {
        client.send(JSON.stringify({ id, method }));
      });
      await until(() => messages.some(({ method }) => method === 'Debugger.paused'));
      await sleep(5 * STUCK_AFTER);
      assert.doesNotMatch(program.stderr, /stuck for/);
      client.send(JSON.stringify({ id: 2, method: 'Debugger.resume' }));
      await program.says(stackWith('loop'));
      client.terminate();
    });
  }).timeout(SLOW);
});
