'use strict';

// uv-scheduler/report: what it says of programs that do not know it, and that they do what they do
// without it. The programs are in fixtures/report/.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');
const { buildSync } = require('esbuild');
const { FIXTURES, LIMIT, ROOT, nodes, run } = require('../helpers/loop.js');
const {
  FLAG, assertFirst, lineAbout, onEachNode, post, reportOn, takeFiles, useFolder, withServer,
  withoutOurs,
} = require('../helpers/report-flag.js');
const { until } = require('../helpers/watch.js');

const PROGRAMS = path.join(FIXTURES, 'report', 'programs.js');
const SLOW = 4 * LIMIT;

// A mark for the address of each document that a summary links to.
const DOCUMENTS = 'https://github.com/uv-scheduler/uv-scheduler/blob/main/';

let folder;

useFolder((made) => (folder = made));

const report = (node, args, settings) => reportOn(node, folder, [PROGRAMS, ...args], settings);
const assertPlanted = (file) => assertFirst(file, 'planted', PROGRAMS);

describe('uv-scheduler/report', function () {
  this.timeout(SLOW);

  const WAYS = {
    '--import': { flags: ['--import', FLAG] },
    '--require': { flags: ['--require', FLAG] },
    'NODE_OPTIONS with --import': { flags: [], env: { NODE_OPTIONS: `--import ${FLAG}` } },
    'NODE_OPTIONS with --require': { flags: [], env: { NODE_OPTIONS: `--require ${FLAG}` } },
    'both': { flags: ['--import', FLAG, '--require', FLAG] },
  };

  for (const [way, settings] of Object.entries(WAYS)) {
    it(`names the function that blocked the thread, by ${way}`, async () => {
      await onEachNode(async (node) => {
        const { code, stdout, stderr, files } = await report(node, ['computes'], settings);
        assert.deepEqual([code, stdout, withoutOurs(stderr)], [0, 'computed\n', '']);
        assert.match(stderr, lineAbout('planted'));
        assert.equal(stderr.match(/watched for/g).length, 1, stderr);
        assert.equal(files.length, 1);
        const { line, kind, callbacks, time, isStartUp } = assertPlanted(files[0]);
        assert.deepEqual([kind, callbacks, isStartUp], ['code', 1, false]);
        assert.ok(time > 500, `${time}`);
        // The loop, and not the begin of the function.
        const text = fs.readFileSync(PROGRAMS, 'utf8').split('\n')[line - 1];
        assert.match(text, /Math\.sqrt/);
      });
    });
  }

  it('names the main script, too', async () => {
    await onEachNode(async (node) => {
      const { code, stdout, stderr, files } = await report(node, ['script']);
      assert.deepEqual([code, stdout], [0, 'computed\n']);
      assert.match(stderr, lineAbout('planted'));
      assertPlanted(files[0]);
    });
  });

  it('names the function in which a thread hangs, before the process is killed', async () => {
    await onEachNode(async (node) => {
      let written = '';
      const onStart = (child) => child.stderr.on('data', (text) => {
        written += text;
        if (/stuck for [^]*at .*planted/.test(written)) child.kill('SIGKILL');
      });
      const { signal, stderr } = await report(node, ['hangs'], { onStart });
      assert.equal(signal, 'SIGKILL', stderr);
      assert.match(stderr, /^uv-scheduler: stuck for \d+\.\d s /m);
    });
  });

  it('writes at most a line in a second for the same place', async () => {
    const { stderr, files: [{ places: [{ longest, time }], watched }] } =
      await report(nodes.at(-1), ['often']);
    const lines = stderr.match(new RegExp(lineAbout('planted'), 'g'));
    assert.ok(lines.length <= watched / 1000 + 1, stderr);
    assert.ok(time >= 400 && longest <= time, `${time} ${longest}`);
  });

  it('says of a program that does not block that nothing has', async () => {
    const env = { UV_SCHEDULER_REPORT: '10000' };
    await onEachNode(async (node) => {
      const { code, stdout, stderr, files } = await report(node, ['quick'], { env });
      assert.deepEqual([code, stdout, withoutOurs(stderr)], [0, 'quick\n', '']);
      assert.doesNotMatch(stderr, /blocked for/);
      assert.match(stderr, /; no callback blocked the thread for longer than 10000 ms\n/);
      assert.deepEqual([files[0].places, files[0].duration], [[], 10_000]);
    });
  });

  it('names a JSON.parse() of a body, and links to the section on it', async () => {
    const body = JSON.stringify(Array.from({ length: 1_000_000 }, (_, id) => ({ id })));
    await onEachNode(async (node) => {
      const onStart = withServer((port) => post(port, body));
      const { code, stderr, files } = await report(node, ['parses'], { onStart });
      assert.deepEqual([code, withoutOurs(stderr)], [0, '']);
      const { kind, help, isStartUp } = assertFirst(files[0], 'parseBody', PROGRAMS);
      assert.deepEqual([kind, isStartUp], ['json-parse', false]);
      // Below the first line of its kind, and in the summary.
      assert.match(stderr, /by parseBody .*\n {2}JSON\.parse\(\): http/);
      assert.ok(stderr.includes(`     JSON.parse(): ${help}\n`), stderr);
    });
  });

  it('counts the connections and requests that waited', async () => {
    const COUNT = 8;
    await onEachNode(async (node) => {
      const file = path.join(folder, `${node.major}`);
      const onStart = withServer(async (port, child) => {
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
      });
      const { code, stderr, files } = await report(node, ['blocks', file], { onStart });
      assert.deepEqual([code, withoutOurs(stderr)], [0, '']);
      const { waited } = assertFirst(files[0], 'plantedWait', PROGRAMS);
      assert.deepEqual(waited, { requests: COUNT, connections: COUNT, tasks: 0 });
      assert.match(stderr, /plantedWait .*; 8 requests and 8 connections waited\n/);
    });
  });

  it('tells what came before the program listened', async () => {
    await onEachNode(async (node) => {
      const onStart = withServer((port) => post(port, ''));
      const { code, stderr, files: [{ startUp, ...file }] } =
        await report(node, ['startsUp'], { onStart });
      assert.equal(code, 0, stderr);
      const { isStartUp, kind } = assertPlanted(file);
      assert.deepEqual([isStartUp, kind], [true, 'start-up']);
      assert.match(stderr, / s after \d+\.\d s of start-up; /);
      assert.ok(startUp.blocked[2].time > 500, JSON.stringify(startUp));
    });
  });

  it('lists what came before the program listened last', async () => {
    const onStart = withServer((port) => post(port, ''));
    const { files: [{ places }], stderr } =
      await report(nodes.at(-1), ['startsUp', 'serves'], { onStart });
    const named = places.filter(({ functionName }) => functionName === 'planted');
    assert.deepEqual(named.map(({ isStartUp }) => isStartUp), [false, true], stderr);
  });

  it('reports on each worker', async () => {
    await onEachNode(async (node) => {
      const { code, stderr, files } = await report(node, ['worker']);
      assert.deepEqual([code, withoutOurs(stderr)], [0, '']);
      const [, id] = /^\[uv-scheduler \d+:(\d+)\] blocked for [\d,]+ ms by planted /m.exec(stderr);
      assert.deepEqual(files.map(({ threadId }) => threadId), [0, Number(id)]);
      assertPlanted(files[1]);
      assert.ok(files[0].places.every(({ functionName }) => functionName !== 'planted'));
    });
  });

  it('reports on each process of a cluster', async () => {
    await onEachNode(async (node) => {
      const { code, stderr, files } = await report(node, ['cluster']);
      assert.deepEqual([code, withoutOurs(stderr)], [0, '']);
      assert.equal(new Set(files.map(({ pid }) => pid)).size, 2);
      const names = files.map(({ places: [first] }) => first?.functionName);
      assert.equal(names.filter((name) => name === 'planted').length, 1, names.join());
    });
  });

  it('names the place in the source if Node maps sources', async () => {
    const source = path.join(folder, 'slow.ts');
    const file = path.join(folder, 'slow.js');
    const text = fs.readFileSync(PROGRAMS, 'utf8');
    const [planted] = /^function planted[^]*?^}$/m.exec(text);
    const typed = planted.replace('(ms', '(ms: Time');
    fs.writeFileSync(source, `type Time = number;\n\nexport ${typed}\n`);
    buildSync({ entryPoints: [source], outfile: file, format: 'cjs', sourcemap: true });
    const flags = ['--enable-source-maps', '--import', FLAG];
    await onEachNode(async (node) => {
      const { stderr, files } = await report(node, ['mapped', file], { flags });
      const { line } = assertFirst(files[0], 'planted', source);
      assert.match(fs.readFileSync(source, 'utf8').split('\n')[line - 1], /Math\.sqrt/, stderr);
    });
  });

  it('works beside preloads that hook modules and requests, before and behind it', async () => {
    const agent = path.join(folder, 'agent.mjs');
    fs.writeFileSync(agent, `
      import { AsyncLocalStorage } from 'node:async_hooks';
      import { subscribe } from 'node:diagnostics_channel';
      import { register } from 'node:module';
      register('data:text/javascript,export const resolve = (name, context, next) => next(name)');
      new AsyncLocalStorage().enterWith('a store');
      subscribe('http.server.request.start', () => {});
    `);
    const url = require('node:url').pathToFileURL(agent).href;
    for (const names of [[url, FLAG], [FLAG, url]]) {
      const flags = names.flatMap((name) => ['--import', name]);
      await onEachNode(async (node) => {
        const { code, stdout, stderr, files } = await report(node, ['computes'], { flags });
        assert.deepEqual([code, stdout], [0, 'computed\n'], stderr);
        assert.match(stderr, lineAbout('planted'));
        assertPlanted(files[0]);
      });
    }
  });
});

describe('a program with uv-scheduler/report', function () {
  this.timeout(SLOW);

  // The same program without and with the flag.
  async function compare(node, args) {
    // Node itself starts a main script otherwise if there is an `--import`.
    const plain = await run(node, ['--import', 'data:text/javascript,', PROGRAMS, ...args]);
    const flagged = await report(node, args);
    return { plain, flagged };
  }

  it('exits with the same code by process.exit(), and is reported on', async () => {
    await onEachNode(async (node) => {
      const { code, stderr, files } = await report(node, ['exits']);
      assert.deepEqual([code, withoutOurs(stderr)], [3, '']);
      assert.match(stderr, lineAbout('planted'));
      assertPlanted(files[0]);
    });
  });

  it('ends with the same error and code, and is reported on', async () => {
    await onEachNode(async (node) => {
      const { plain, flagged } = await compare(node, ['throws']);
      assert.match(plain.stderr, /Error: thrown by the program/);
      assert.deepEqual([flagged.code, flagged.signal], [plain.code, plain.signal]);
      // Lines of ours are indented, as those of the stack are.
      const [ours, theirs] = flagged.stderr.split(/(?=^.*programs\.js:\d+$)/m);
      assert.equal(theirs, plain.stderr);
      assert.match(ours, lineAbout('planted'));
      assertPlanted(flagged.files[0]);
    });
  });

  it('has the same order and the same globals', async () => {
    await onEachNode(async (node) => {
      const { plain, flagged } = await compare(node, ['order']);
      assert.equal(flagged.stdout, plain.stdout);
      assert.deepEqual([flagged.code, flagged.signal], [plain.code, plain.signal]);
    });
  });

  it('goes on without a report if Node runs with --cpu-prof', async () => {
    const flags = ['--cpu-prof', '--cpu-prof-dir', folder, '--import', FLAG];
    await onEachNode(async (node) => {
      const { code, stdout, stderr } = await report(node, ['quick'], { flags, env: {} });
      assert.deepEqual([code, stdout], [0, 'quick\n']);
      assert.match(stderr, /^\[\S+ \d+\] \S+ is not available: Node runs with --cpu-prof\n$/);
    }, [nodes.at(0), nodes.at(-1)]);
  });

  it('keeps its exit code and goes on if the addon cannot be loaded', async () => {
    const env = { UV_SCHEDULER_BINARY: path.join(folder, 'missing.node') };
    await onEachNode(async (node) => {
      const { code, stdout, stderr } = await report(node, ['computes'], { env });
      assert.deepEqual([code, stdout], [0, 'computed\n']);
      assert.match(stderr, /^\[uv-scheduler \d+\] uv-scheduler\/report is not available: .+\n$/);
    });
  });

  for (const [name, host] of Object.entries({ bun: 'Bun', deno: 'Deno' })) {
    it(`goes on after a line on ${host}`, async () => {
      const program = `
        const versions = { ...process.versions, ${name}: '1.0.0' };
        Object.defineProperty(process, 'versions', { value: versions });
        require('uv-scheduler/report');
        console.log('goes on');`;
      const { code, stdout, stderr } = await run(nodes.at(-1), ['-e', program], { cwd: ROOT });
      assert.deepEqual([code, stdout], [0, 'goes on\n']);
      const text = `uv-scheduler/report is not available on ${host}: it needs Node.`;
      assert.match(stderr, new RegExp(`^\\[uv-scheduler \\d+\\] ${text}\n$`));
    });
  }
});

describe('SIGUSR2 with uv-scheduler/report', function () {
  if (process.platform === 'win32') return;
  this.timeout(SLOW);

  const OPTION = { UV_SCHEDULER_REPORT_SIGNAL: 'SIGUSR2' };

  // Sends the signal once the program was reported on, and then `then(child, text)`.
  const signalled = (then) => (child) => {
    let text = '';
    let isSent = false;
    child.stderr.on('data', (more) => {
      text += more;
      if (isSent || !text.includes('by planted')) return;
      isSent = true;
      child.kill('SIGUSR2');
      then?.(child, () => text);
    });
  };

  it('writes the summary of a program that goes on, if the option asks for it', async () => {
    await onEachNode(async (node) => {
      const onStart = signalled(async (child, text) => {
        await until(() => text().includes('watched for'));
        child.kill('SIGTERM');
      });
      const { code, signal, stderr, files } =
        await report(node, ['signals'], { env: OPTION, onStart });
      assert.deepEqual([code, signal], [0, null], stderr);
      assert.equal(stderr.match(/watched for/g).length, 2, stderr);
      assert.equal(stderr.match(/1\. planted /g).length, 2, stderr);
      assertPlanted(files[0]);
    });
  });

  it('belongs to a program that listens to it', async () => {
    await onEachNode(async (node) => {
      const onStart = signalled((child) => {
        child.stdout.on('data', (text) => {
          if (`${text}`.includes('SIGUSR2')) child.kill('SIGTERM');
        });
      });
      const { code, stdout, stderr } =
        await report(node, ['signals', 'listens'], { env: OPTION, onStart });
      assert.deepEqual([code, stdout], [0, 'started\nSIGUSR2\n'], stderr);
      assert.equal(stderr.match(/watched for/g).length, 1, stderr);
    });
  });

  it('ends the program without the option, as it does without the flag', async () => {
    const { code, signal, stderr } =
      await report(nodes.at(-1), ['signals'], { onStart: signalled() });
    assert.deepEqual([code, signal], [null, 'SIGUSR2']);
    assert.doesNotMatch(stderr, /watched for/);
  });
});

describe('the file of uv-scheduler/report', function () {
  this.timeout(SLOW);

  it('has a version, the times, and the places with what they link to', async () => {
    const { files: [file] } = await report(nodes.at(-1), ['computes']);
    assert.deepEqual(Object.keys(file), [
      'schema', 'pid', 'threadId', 'node', 'beganAt', 'duration', 'startUp', 'watched', 'blocked',
      'places',
    ]);
    assert.deepEqual([file.schema, file.duration, file.startUp], [1, 50, null]);
    assert.deepEqual(file.blocked.map(({ beyond }) => beyond), [10, 50, 200]);
    const shares = file.blocked.map(({ share }) => share);
    assert.ok(shares.every((share) => share > 0 && share <= 1), shares.join());
    assert.ok(file.blocked.every(({ time }) => time > 500 && time <= file.watched));
    assert.deepEqual(Object.keys(file.places[0]), [
      'functionName', 'file', 'line', 'kind', 'isStartUp', 'callbacks', 'time', 'longest',
      'garbage', 'waited', 'help',
    ]);
  });

  it('has its ids where ${pid} and ${tid} stand', async () => {
    const env = { UV_SCHEDULER_REPORT_FILE: `${folder}/report.t\${tid}-p\${pid}` };
    const result = await run(nodes.at(-1), ['--import', FLAG, PROGRAMS, 'worker'], {
      cwd: ROOT, env: { ...process.env, ...env },
    });
    assert.equal(result.code, 0);
    const names = fs.readdirSync(folder).sort();
    const files = takeFiles(folder);
    assert.deepEqual(names, files.map(({ pid, threadId }) => `report.t${threadId}-p${pid}`));
    assert.equal(names.length, 2);
  });

  it('links to sections that the documents have', async () => {
    const { linkTo, KINDS } = require('../../integrations/report/place.js');
    const { default: GithubSlugger } = await import('github-slugger');
    for (const kind of Object.keys(KINDS)) {
      const [name, heading] = linkTo(kind).replace(DOCUMENTS, '').split('#');
      const text = fs.readFileSync(path.join(ROOT, name), 'utf8');
      const slugger = new GithubSlugger();
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => slugger.slug(title));
      assert.ok(headings.includes(heading), `${name}#${heading}`);
    }
  });
});

describe('a wrong environment variable of uv-scheduler/report', function () {
  this.timeout(SLOW);

  const FAULTS = {
    UV_SCHEDULER_REPORT: ['fast', '0', '-5', 'Infinity'],
    UV_SCHEDULER_REPORT_FILE: ['/missing/folder/report.json'],
    UV_SCHEDULER_REPORT_SIGNAL: ['SIGHUP'],
  };

  for (const [name, values] of Object.entries(FAULTS)) {
    it(`is named with its value in one line: ${name}`, async () => {
      for (const value of values) {
        const { code, stdout, stderr } =
          await report(nodes.at(-1), ['computes'], { env: { [name]: value } });
        assert.deepEqual([code, stdout, withoutOurs(stderr)], [0, 'computed\n', '']);
        const lines = stderr.split('\n').filter((line) => line.includes(name));
        assert.equal(lines.length, 1, stderr);
        assert.ok(lines[0].includes(value.replace(/\.json$/, '')), lines[0]);
        // The report is made nevertheless.
        assert.match(stderr, lineAbout('planted'));
      }
    });
  }
});
