'use strict';

// uv-scheduler/report: what it says of programs that do not know it, and that they do what they do
// without it. The programs are in fixtures/report/.
// @lane slow waiting
// @host programs

const assert = require('node:assert/strict');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');
const { buildSync } = require('esbuild');
// First, so that the tests of the same process get dist/, and not the sources that place.js loads.
require('uv-scheduler');
const { KINDS, linkTo } = require('../../integrations/report/place.js');
const { FIXTURES, LIMIT, ROOT, nodes, run } = require('../helpers/loop.js');
const {
  FLAG, assertFirst, lineAbout, onEachNode, post, reportOn, withServer, withoutOurs,
} = require('../helpers/report-flag.js');
const { useFolder } = require('../helpers/folders.js');

const PROGRAMS = path.join(FIXTURES, 'report', 'programs.js');
const SLOW = 4 * LIMIT;
const NEWEST = [nodes.at(-1)];

// In ms: most of what a planted function takes.
const PLANTED = 250;

const inFolder = useFolder(beforeEach, afterEach);

const assertPlanted = (file) => assertFirst(file, 'planted', PROGRAMS);

// Defines a test that runs a program with the flag, on each Node unless `on` names some. The
// program ends and prints as `end` says, `stderr` has nothing but lines of the report, and
// `check(result, node)` checks the rest. `make(node)` may return more settings, and other
// arguments.
function testReport(title, names, { on = nodes, stdout, end, make, ...settings }, check) {
  it(title, () => onEachNode(async (node) => {
    const { args = names, ...more } = make?.(node) ?? {};
    const result = await reportOn(node, inFolder(), [PROGRAMS, ...args], { ...settings, ...more });
    const { code, signal, stderr } = result;
    const expected = { code: 0, signal: null, ...end };
    assert.deepEqual({ code, signal }, expected, stderr);
    if (stdout !== undefined) assert.equal(result.stdout, stdout);
    if (end === undefined) assert.equal(withoutOurs(stderr), '');
    await check(result, node);
  }, on)).timeout(SLOW);
}

const assertNames = ({ stderr, files }) => {
  assert.match(stderr, lineAbout('planted'));
  return assertPlanted(files[0]);
};

describe('uv-scheduler/report', () => {
  const WAYS = {
    '--import': { flags: ['--import', FLAG] },
    '--require': { flags: ['--require', FLAG] },
    'NODE_OPTIONS with --import': { flags: [], env: { NODE_OPTIONS: `--import ${FLAG}` } },
    'NODE_OPTIONS with --require': { flags: [], env: { NODE_OPTIONS: `--require ${FLAG}` } },
    'both': { flags: ['--import', FLAG, '--require', FLAG] },
  };
  for (const [way, settings] of Object.entries(WAYS)) {
    testReport(`names the function that blocked the thread, by ${way}`, ['computes'],
      { ...settings, stdout: 'computed\n' }, (result) => {
        assert.equal(result.stderr.match(/watched for/g).length, 1, result.stderr);
        assert.equal(result.files.length, 1);
        const { line, kind, callbacks, time, isStartUp } = assertNames(result);
        const found = { kind, callbacks, isStartUp };
        const expected = { kind: 'code', callbacks: 1, isStartUp: false };
        assert.deepEqual(found, expected, JSON.stringify(result.files));
        assert.ok(time > PLANTED, `${time}`);
        // The loop, and not the begin of the function.
        const text = fs.readFileSync(PROGRAMS, 'utf8').split('\n')[line - 1];
        assert.match(text, /Math\.sqrt/);
      });
  }

  testReport('names the main script, too', ['script'], { stdout: 'computed\n' }, assertNames);

  testReport('names the function in which a thread hangs, before the process ends', ['hangs'], {
    // stuck.test.js tests such reports on each Node.
    on: NEWEST,
    end: { code: null, signal: 'SIGKILL' },
    onStart: (child) => {
      let written = '';
      child.stderr.on('data', (text) => {
        written += text;
        if (/stuck for [^]*at .*planted/.test(written)) child.kill('SIGKILL');
      });
    },
  }, ({ stderr }) => assert.match(stderr, /^uv-scheduler: stuck for \d+\.\d s /m));

  testReport('writes one line for the same place in a minute', ['often'], { on: NEWEST },
    ({ stderr, files: [{ places: [{ longest, time }] }] }) => {
      assert.equal(stderr.match(new RegExp(lineAbout('planted'), 'g')).length, 1, stderr);
      assert.ok(time >= 400 && longest <= time, `${time} ${longest}`);
    });

  // Where the machine stands still, a callback may have no other stack, and a native call that is
  // the last act of a callback has none.
  const PROFILE = { UV_SCHEDULER_REPORT_PROFILE: '1' };

  testReport('tells timers of one turn apart', ['together'], { env: PROFILE },
    ({ stderr, files: [{ places: [{ callbacks }] }] }) => assert.equal(callbacks, 5, stderr));

  testReport('says of a program that does not block that nothing has', ['quick'],
    { env: { UV_SCHEDULER_REPORT: '10000' }, stdout: 'quick\n' }, ({ stderr, files: [file] }) => {
      assert.doesNotMatch(stderr, /blocked for/);
      assert.match(stderr, /; no callback blocked the thread for longer than 10000 ms\n/);
      assert.deepEqual([file.places, file.duration], [[], 10_000]);
    });

  testReport('names a loop of microtasks', ['microtasks'], {}, assertNames);

  // Without a thread that asks for stacks, V8's profiler names them.
  for (const more of [[], ['--allow-worker']]) {
    testReport(`names it under --permission ${more.join()}`, ['computes'], {
      on: NEWEST, end: {},
      make: () => ({
        flags: ['--permission', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-addons',
          '--allow-inspector', ...more, '--import', FLAG],
      }),
    }, assertNames);
  }

  testReport('is switched by the program itself', ['switches'], { flags: [], end: {} },
    ({ stderr }) => {
      assert.equal(stderr.match(/watched for/g).length, 2, stderr);
      assert.equal(stderr.match(new RegExp(lineAbout('planted'), 'g')).length, 2, stderr);
    });

  // Several, and of numbers, for the same reasons as in `fetches`.
  const postBodies = async (port) => {
    const body = `[${'1,'.repeat(5_000_000)}1]`;
    for (let i = 0; i < 5; i++) await post(port, body);
  };
  testReport('names a JSON.parse() of a body, and links to the section on it', ['parses'],
    { env: PROFILE, onStart: withServer(postBodies) }, ({ stderr, files: [file] }) => {
      const { kind, help, isStartUp } = assertFirst(file, 'parseBody', PROGRAMS);
      assert.deepEqual([kind, isStartUp], ['json-parse', false]);
      // Below the first line of its kind, and in the summary.
      assert.match(stderr, /by parseBody .*\n {2}JSON\.parse\(\): http/);
      assert.ok(stderr.includes(`     JSON.parse(): ${help}\n`), stderr);
    });

  testReport('names a regular expression that has exploded', ['explodes'], {},
    ({ stderr, files: [file] }) => {
      const { kind, help } = assertPlanted(file);
      assert.deepEqual([kind, path.basename(help)], ['regular-expression',
        'guide.md#a-regular-expression'], stderr);
    });

  testReport('names a function that waits for a child process', ['waits'], {},
    ({ stderr, files: [file] }) => assert.equal(assertPlanted(file).kind, 'child-process', stderr));

  testReport('does so on the portable host', ['computes'],
    { on: NEWEST, env: { UV_SCHEDULER_PORTABLE: '1' } }, ({ stderr }) =>
      assert.match(stderr, lineAbout('planted')));

  const isOfNode = 'names a function of Node behind fetch(), and no package';
  testReport(isOfNode, ['fetches'], { env: PROFILE },
    ({ stderr, files: [{ places }] }) => {
      const isParser = ({ functionName }) => functionName.startsWith('parseJSON');
      const { file, kind } = places.find(isParser);
      assert.match(file, /^node:/);
      assert.equal(kind, 'json-parse', stderr);
    });

  testReport('lists the modules of a program that never listens last', [], {
    make: ({ major }) => {
      const file = inFolder(`${major}.js`);
      const body = `${'text '.repeat(20)}`;
      const lines = Array.from({ length: 120_000 }, (_, i) => `function f${i}() { '${body}' }\n`);
      fs.writeFileSync(file, lines.join(''));
      return { args: ['loads', file] };
    },
  }, ({ stderr, files: [{ places }] }) => {
    const [first, last] = [places.at(0), places.at(-1)];
    assert.deepEqual([first.functionName, first.isStartUp], ['planted', false], stderr);
    assert.deepEqual([last.kind, last.isStartUp], ['start-up', true], stderr);
    assert.match(stderr, /at start-up blocked for .* by loads /);
  });

  const ENDS = { terminated: {}, exitsBeside: {}, killed: { code: null, signal: 'SIGKILL' } };
  for (const [name, end] of Object.entries(ENDS)) {
    testReport(`names what blocked a thread that ends at once without an exit event: ${name}`,
      [name], { end }, ({ stderr }) => {
        assert.match(stderr, lineAbout('planted'));
        // The thread that has started it writes its summary.
        if (name === 'terminated') assert.match(stderr, /:\d+\] watched for .*\n.* planted /);
      });
  }

  const COUNT = 8;
  // Connects clients while the thread is blocked, which ends when the file is there.
  async function letWait(port, child, file) {
    const first = http.get({ port, host: '127.0.0.1', path: '/blocked', agent: false });
    const answered = once(first, 'response');
    await once(child.stdout, 'data');
    const clients = Array.from({ length: COUNT }, () => net.connect(port, '127.0.0.1'));
    // The kernel takes them, and what they send.
    await Promise.all(clients.map((client) => once(client, 'connect')));
    const text = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    await Promise.all(clients.map((client) => new Promise((sent) => client.write(text, sent))));
    const ends = clients.map((client) => once(client.resume(), 'end'));
    // The report is due by then, before the loop has accepted them.
    setTimeout(() => fs.writeFileSync(file, ''), 1500);
    await Promise.all(ends);
    const [response] = await answered;
    response.resume();
  }
  testReport('counts the connections and requests that waited', [], {
    make: ({ major }) => {
      const file = inFolder(`${major}`);
      const onStart = withServer((port, child) => letWait(port, child, file));
      return { args: ['blocks', file], onStart };
    },
  }, ({ stderr, files: [file] }) => {
    const { waited } = assertFirst(file, 'plantedWait', PROGRAMS);
    assert.deepEqual(waited, { requests: COUNT, connections: COUNT, tasks: 0 }, stderr);
    const waits = '8 requests and 8 connections waited (GET /)\n';
    assert.match(stderr, /plantedWait .* in GET \/blocked; /);
    assert.ok(stderr.includes(waits), stderr);
  });

  // Behind an `await`, Node 22 knows the request only if each promise takes time for it.
  testReport('names the route of the request whose code blocked', ['answersLate'], {
    on: nodes.filter(({ major }) => major > 22),
    onStart: withServer((port) => post(port, '', {}, '/orders/17')),
  }, ({ stderr, files: [file] }) => {
    const { routes } = assertPlanted(file);
    assert.deepEqual(routes.map(({ route }) => route), ['POST /orders/:id'], stderr);
    assert.match(stderr, /by planted .* in POST \/orders\/:id/);
  });

  testReport('tells of named work by a channel, while its span is open, and at /blocked', ['tells'],
    {}, ({ stdout, stderr }) => {
      const { message, last, page } = JSON.parse(stdout);
      // On a busy machine, a loop may look as if it waited for native code.
      const { startedAt, duration, place, line, kind, help, stack, ...rest } = message;
      assert.ok(startedAt > 0 && duration > 100 && line > 0 && kind in KINDS, stdout);
      assert.equal(help, linkTo(kind));
      assert.deepEqual(rest, {
        schema: 1, functionName: 'planted', file: PROGRAMS, label: '', route: 'rebuild',
        routes: ['rebuild'],
      });
      assert.ok(stack.includes(`    at planted (${PROGRAMS}:${line}:`), stack);
      assert.deepEqual([last.place, last.routes], [place, ['rebuild']]);
      for (const text of [place, 'rebuild', 'The worst places']) assert.ok(page.includes(text));
      assert.match(stderr, /by planted .* in rebuild/);
    });

  const asks = { onStart: withServer((port) => post(port, '')) };
  testReport('tells what came before the program listened', ['startsUp'], asks,
    ({ stderr, files: [{ startUp, places }] }) => {
      // If the machine holds the program up later, that place is listed before those of start-up.
      const { kind } = assertPlanted({ places: places.filter(({ isStartUp }) => isStartUp) });
      assert.equal(kind, 'start-up');
      assert.match(stderr, / s after \d+\.\d s of start-up; /);
      assert.ok(startUp.blocked[1].time > PLANTED, JSON.stringify(startUp));
    });

  testReport('lists what came before the program listened last', ['startsUp', 'serves'],
    { ...asks, on: NEWEST }, ({ stderr, files: [{ places }] }) => {
      const named = places.filter(({ functionName }) => functionName === 'planted');
      assert.deepEqual(named.map(({ isStartUp }) => isStartUp), [false, true], stderr);
    });

  testReport('reports on each worker', ['worker'], {}, ({ stderr, files }) => {
    const [, id] = /^\[uv-scheduler \d+:(\d+)\] blocked for [\d,]+ ms by planted /m.exec(stderr);
    assert.deepEqual(files.map(({ threadId }) => threadId), [0, Number(id)]);
    assertPlanted(files[1]);
    assert.ok(files[0].places.every(({ functionName }) => functionName !== 'planted'));
  });

  testReport('names the place in the source if Node maps sources', [], {
    flags: ['--enable-source-maps', '--import', FLAG],
    make: () => {
      const [source, file] = ['slow.ts', 'slow.js'].map((name) => inFolder(name));
      const [planted] = /^function planted[^]*?^}$/m.exec(fs.readFileSync(PROGRAMS, 'utf8'));
      const typed = planted.replace('(ms', '(ms: Time');
      fs.writeFileSync(source, `type Time = number;\n\nexport ${typed}\n`);
      buildSync({ entryPoints: [source], outfile: file, format: 'cjs', sourcemap: true });
      return { args: ['mapped', file] };
    },
  }, ({ stderr, files: [file] }) => {
    const source = inFolder('slow.ts');
    const { line } = assertFirst(file, 'planted', source);
    assert.match(fs.readFileSync(source, 'utf8').split('\n')[line - 1], /Math\.sqrt/, stderr);
  });

  const AGENT = `data:text/javascript,${encodeURIComponent(`
    import { AsyncLocalStorage } from 'node:async_hooks';
    import { subscribe } from 'node:diagnostics_channel';
    import { register } from 'node:module';
    register('data:text/javascript,export const resolve = (name, context, next) => next(name)');
    new AsyncLocalStorage().enterWith('a store');
    subscribe('http.server.request.start', () => {});`)}`;
  for (const [place, names] of Object.entries({ before: [AGENT, FLAG], behind: [FLAG, AGENT] })) {
    testReport(`works beside a preload that hooks modules and more, ${place} it`, ['computes'], {
      flags: names.flatMap((name) => ['--import', name]), stdout: 'computed\n', end: {},
    }, assertNames);
  }
});

describe('a program with uv-scheduler/report', () => {
  // Node itself starts a main script otherwise if there is an `--import`.
  const runPlain = (node, ...args) =>
    run(node, ['--import', 'data:text/javascript,', PROGRAMS, ...args]);

  testReport('exits with the same code by process.exit(), and is reported on', ['exits'],
    { end: { code: 3 } }, (result) => {
      assert.equal(withoutOurs(result.stderr), '');
      assertNames(result);
    });

  testReport('ends with the same error and code, and is reported on', ['throws'],
    { end: { code: 1 } }, async ({ stderr, files }, node) => {
      const plain = await runPlain(node, 'throws');
      assert.match(plain.stderr, /Error: thrown by the program/);
      assert.deepEqual([plain.code, plain.signal], [1, null]);
      // Lines of ours are indented, as those of the stack are.
      const [ours, theirs] = stderr.split(/(?=^.*programs\.js:\d+$)/m);
      assert.equal(theirs, plain.stderr);
      assertNames({ stderr: ours, files });
    });

  testReport('has the same order and the same globals', ['order'], {}, async ({ stdout }, node) => {
    const plain = await runPlain(node, 'order');
    assert.deepEqual([plain.code, plain.stdout], [0, stdout]);
  });

  testReport('goes on without a report if Node runs with --cpu-prof', ['quick'], {
    on: [...new Set([nodes.at(0), nodes.at(-1)])], end: {}, env: {}, stdout: 'quick\n',
    make: () => ({ flags: ['--cpu-prof', '--cpu-prof-dir', inFolder(), '--import', FLAG] }),
  }, ({ stderr }) => {
    assert.match(stderr, /^\[\S+ \d+\] \S+ is not available: Node runs with --cpu-prof\n$/);
  });

  testReport('keeps its exit code and goes on if the package cannot be loaded', ['computes'], {
    env: { UV_SCHEDULER_BINARY: '/missing/addon.node', UV_SCHEDULER_PORTABLE: '0' },
    stdout: 'computed\n',
  }, ({ stderr }) => {
    assert.match(stderr, /^\[uv-scheduler \d+\] uv-scheduler\/report is not available: .+\n$/);
  });

  for (const [name, host] of Object.entries({ bun: 'Bun', deno: 'Deno' })) {
    it(`goes on after a line on ${host}`, async () => {
      const program = `
        const versions = { ...process.versions, ${name}: '1.0.0' };
        Object.defineProperty(process, 'versions', { value: versions });
        require('uv-scheduler/report').startReport();
        console.log('goes on');`;
      const { code, stdout, stderr } = await run(nodes.at(-1), ['-e', program], { cwd: ROOT });
      assert.deepEqual([code, stdout], [0, 'goes on\n']);
      const text = `uv-scheduler/report is not available: ${host} has no inspector of V8`;
      assert.match(stderr, new RegExp(`^\\[uv-scheduler \\d+\\] ${text}\n$`));
    });
  }
});

describe('SIGUSR2 with uv-scheduler/report', () => {
  if (process.platform === 'win32') return;

  const env = { UV_SCHEDULER_REPORT_SIGNAL: 'SIGUSR2' };

  // Sends the signal once the program was reported on, and SIGTERM once it has printed `until` to
  // one of its streams behind that.
  const signalled = (stream, until) => (child) => {
    const sent = new Set();
    const send = (signal) => sent.has(signal) || sent.add(signal) && child.kill(signal);
    const texts = { stdout: '', stderr: '' };
    const look = (name) => (more) => {
      texts[name] += more;
      if (texts.stderr.includes('by planted')) send('SIGUSR2');
      if (texts[stream]?.includes(until)) send('SIGTERM');
    };
    for (const name of Object.keys(texts)) child[name].on('data', look(name));
  };

  testReport('writes the summary of a program that goes on, if the option asks for it', ['signals'],
    { env, onStart: signalled('stderr', 'watched for') }, ({ stderr, files }) => {
      assert.equal(stderr.match(/watched for/g).length, 2, stderr);
      assert.equal(stderr.match(/1\. planted /g).length, 2, stderr);
      assertPlanted(files[0]);
      // Also of samples that were read before, for the line.
      assert.ok(files[0].blocked[1].time > PLANTED, JSON.stringify(files[0].blocked));
    });

  const twice = (child) => {
    let texts = '';
    const sent = new Set();
    const send = (signal, text) => {
      if (!texts.includes(text) || sent.has(text)) return;
      sent.add(text);
      child.kill(signal);
    };
    const look = (more) => {
      texts += more;
      send('SIGUSR2', 'started');
      send('SIGUSR2', 'by planted');
      send('SIGTERM', 'watched for');
    };
    for (const name of ['stdout', 'stderr']) child[name].on('data', look);
  };

  testReport('begins and ends a report that is off', ['signals', 'again'],
    { env: { UV_SCHEDULER_REPORT: 'off' }, onStart: twice }, ({ stderr }) => {
      assert.equal(stderr.match(/the report begins/g).length, 1, stderr);
      assert.equal(stderr.match(/watched for/g).length, 1, stderr);
    });

  testReport('belongs to a program that listens to it', ['signals', 'listens'],
    { env, onStart: signalled('stdout', 'SIGUSR2') }, ({ stdout, stderr }) => {
      assert.equal(stdout, 'started\nSIGUSR2\n');
      assert.equal(stderr.match(/watched for/g).length, 1, stderr);
    });

  testReport('ends the program without the option, as it does without the flag', ['signals'],
    { on: NEWEST, onStart: signalled(), end: { code: null, signal: 'SIGUSR2' } },
    ({ stderr }) => assert.doesNotMatch(stderr, /watched for/));

  const ends = (signal) => (child) => child.stderr.on('data', (text) => {
    if (text.includes('by planted')) child.kill(signal);
  });

  const SIGINT = {
    env: { UV_SCHEDULER_REPORT_SIGNAL: 'SIGINT' },
    onStart: ends('SIGINT'),
    end: { code: null, signal: 'SIGINT' },
  };
  testReport('is replaced by SIGINT, behind whose summary the program ends as without', ['signals'],
    SIGINT, ({ stderr, files }) => {
      assert.equal(stderr.match(/watched for/g).length, 1, stderr);
      assert.match(stderr, /1\. planted /);
      assertPlanted(files[0]);
    });

  testReport('is replaced by SIGINT where only signal-exit listens to it',
    ['signals', 'signal-exit'], { ...SIGINT, on: NEWEST, stdout: 'started\nown\n' },
    ({ stderr }) => assert.equal(stderr.match(/watched for/g).length, 1, stderr));

  testReport('is replaced by SIGTERM, which belongs to a program that listens to it', ['signals'],
    { on: NEWEST, env: { UV_SCHEDULER_REPORT_SIGNAL: 'sigterm' }, onStart: ends('SIGTERM') },
    ({ stderr }) => assert.equal(stderr.match(/watched for/g).length, 1, stderr));
});

describe('the file of uv-scheduler/report', () => {
  // Sends the signal once the file names a place.
  const interrupt = (child) => {
    const timer = setInterval(() => {
      if (!fs.readdirSync(inFolder()).some(namesPlaces)) return;
      clearInterval(timer);
      child.kill('SIGINT');
    }, 50);
    child.once('exit', () => clearInterval(timer));
  };
  // A file may be read while it is written.
  const namesPlaces = (name) => fs.readFileSync(inFolder(name), 'utf8').includes('functionName');
  if (process.platform !== 'win32') {
    testReport('is up to date when a signal ends the program, as it does without the flag',
      ['signals'], { onStart: interrupt, end: { code: null, signal: 'SIGINT' } },
      ({ stderr, files: [file] }) => {
        assert.doesNotMatch(stderr, /watched for/);
        assertPlanted(file);
        assert.ok(file.watched > PLANTED && file.blocked[1].time > PLANTED, JSON.stringify(file));
      });
  }

  testReport('has a version, the times, and the places with what they link to', ['computes'],
    { on: NEWEST }, ({ files: [file] }) => {
      assert.deepEqual(Object.keys(file), [
        'schema', 'pid', 'threadId', 'node', 'beganAt', 'duration', 'startUp', 'watched', 'blocked',
        'named', 'places',
      ]);
      assert.deepEqual([file.schema, file.duration, file.startUp], [1, 50, null]);
      assert.deepEqual(file.blocked.map(({ beyond }) => beyond), [50, 200]);
      const shares = file.blocked.map(({ share }) => share);
      assert.ok(shares.every((share) => share > 0 && share <= 1), shares.join());
      assert.ok(file.blocked.every(({ time }) => time > PLANTED && time <= file.watched));
      assert.deepEqual(Object.keys(file.places[0]), [
        'functionName', 'file', 'line', 'kind', 'isStartUp', 'callbacks', 'time', 'longest',
        'garbage', 'waited', 'routes', 'waitedRoutes', 'help',
      ]);
    });
});

describe('a wrong environment variable of uv-scheduler/report', () => {
  for (const setting of [
    'REPORT=fast', 'REPORT=0', 'REPORT=-5', 'REPORT=Infinity',
    'REPORT_FILE=/missing/folder/report.json', 'REPORT_SIGNAL=SIGHUP',
  ]) {
    const [name, value] = `UV_SCHEDULER_${setting}`.split('=');
    testReport(`is named with its value in one line: ${name}=${value}`, ['computes'],
      { on: NEWEST, env: { [name]: value }, stdout: 'computed\n' }, ({ stderr }) => {
        const lines = stderr.split('\n').filter((line) => line.includes(name));
        assert.equal(lines.length, 1, stderr);
        assert.ok(lines[0].includes(value.replace(/\.json$/, '')), lines[0]);
        // The report is made nevertheless.
        assert.match(stderr, lineAbout('planted'));
      });
  }
});
