'use strict';

// Where the package finds its binary. Where it finds none that can be loaded, it runs as
// WebAssembly, and a warning says in plain words what is wrong and what to do.
// @host each-node

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { buildSync } = require('esbuild');
const { PLATFORMS, fileOf, platform } = require('../../lib/loading/binary.js');
const { version } = require('../../package.json');
const { ENTRIES } = require('../../scripts/setup/bundle.js');
const { copyPackage, useFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT, assertOnEachNode, nodes, run } = require('../helpers/loop.js');
const { CODE } = require('../helpers/refusals.js');

const PLATFORM = platform();
const BINARY = fileOf(PLATFORM);

// The tests may be run with a given binary, which must not keep the package from looking for one.
const { UV_SCHEDULER_BINARY: given, ...ENVIRONMENT } = process.env;
const SOURCE = given || path.join(ROOT, BINARY);

// The code of the package in one file, as in a bundle.
const CODE_ALONE = path.join(ROOT, 'dist', 'index.js');

// The package of a binary, in a folder where Node finds packages.
function installBinary(root, name = PLATFORM) {
  const target = path.join(root, 'node_modules', '@uv-scheduler', `binding-${name}`);
  fs.mkdirSync(target, { recursive: true });
  fs.copyFileSync(SOURCE, path.join(target, fileOf(name)));
  fs.writeFileSync(
    path.join(target, 'index.js'),
    `exports.file = require('node:path').join(__dirname, ${JSON.stringify(fileOf(name))});`,
  );
}

// Prints how loading a file ends. `prepare` is code that runs before.
const program = (file, prepare = '') => `
  ${prepare}
  try {
    require(${JSON.stringify(file)});
    console.log('loaded');
  } catch (error) {
    console.log(String(error));
    console.log(error.code);
  }
`;

// Asserts that a process which loads a file, or runs a main program that does, prints this, and
// writes on standard error what matches.
async function assertEnds(stdout, stderr, options) {
  const { file, prepare, main, args = [], env = {}, on = nodes } = options;
  await assertOnEachNode({ code: 0, signal: null, stdout }, async (node) => {
    const started = main === undefined ? ['-e', program(file, prepare)] : [main];
    const { stderr: said, ...end } =
      await run(node, [...args, ...started], { env: { ...ENVIRONMENT, ...env } });
    // Node warns of the permission model.
    const ofNode = /^\(.*(ExperimentalWarning|SecurityWarning|--trace-warnings).*\n/gm;
    assert.match(said.replace(ofNode, ''), stderr);
    return end;
  }, { on });
}

const LOADED = 'loaded\n';

// Asserts that the package loads as WebAssembly, and that one warning names the file and the
// reason, a regular expression.
const assertFallsBack = (reason, options) => assertEnds(LOADED, new RegExp(
  String.raw`^\(node:\d+\) \[UV_SCHEDULER_PORTABLE\] UvSchedulerWarning: ` +
  `uv-scheduler cannot run with its addon \\S+\\.node: ${reason}\nIt runs as WebAssembly .*\n$`,
), options);

// A checkout whose binary could be loaded, wherever it is.
const ABLE = { file: ROOT, env: { UV_SCHEDULER_BINARY: SOURCE } };

// Forbids all files to be written, as a read-only file system does.
const PERMISSION = ['--permission', '--allow-fs-read=*'];

describe('the package runs as WebAssembly, with a warning in plain words', () => {
  const inFolder = useFolder();
  const inOther = useFolder();
  // Where a bundler puts it.
  const bundle = () => inFolder('bundled', 'build', 'bundle.js');

  before(() => {
    copyPackage(inFolder());
    const options = { bundle: true, platform: 'node', logLevel: 'error' };
    buildSync({ ...options, entryPoints: [CODE_ALONE], outfile: bundle() });
    fs.writeFileSync(inFolder('damaged.node'), 'no binary');
  });

  it('on a platform for which there is no binary', async () => {
    const prepare = "Object.defineProperty(process, 'arch', { value: 'mips' });";
    const reason =
      'there is no binary for [a-z0-9]+-mips[a-z-]*\\.\nThere are binaries for .*\n' +
      'To build one, clone .* `npm run build` there, and set .*\n.*`\\.node` file\\.';
    await assertFallsBack(reason, { file: inFolder(), prepare });
  });

  it('where the package of the binary is not installed', async () => {
    const reason =
      `the package @uv-scheduler/binding-${PLATFORM}, which contains the binary for this ` +
      'platform, is not installed\\.\nnpm leaves it out with --omit=optional, .*\n.*\n' +
      `  npm install uv-scheduler@${version.replaceAll('.', '\\.')}`;
    for (const file of [inFolder(), inFolder('dist', 'http.js')]) {
      await assertFallsBack(reason, { file });
    }
  });

  it('where only the binaries of other platforms are installed', async () => {
    const [first, second] = PLATFORMS.filter((name) => name !== PLATFORM);
    for (const name of [first, second]) installBinary(inOther(), name);
    const installed = `it was installed for ${first}, ${second}, and this is ${PLATFORM}\\.\n`;
    const own = inOther('node_modules', 'uv-scheduler');
    copyPackage(own);
    const besideIt =
      `${installed}Install it on this platform, or for it:\n  npm         npm install --os=` +
      `${process.platform} --cpu=${process.arch}.*\n  pnpm, Yarn  supportedArchitectures: {[^]*`;
    await assertFallsBack(besideIt, { file: own });
    // Near a program whose bundle holds the package.
    const main = inOther('main.js');
    fs.writeFileSync(main, program(bundle()));
    const bundled = `${installed}Install it on this platform, or for it, and bundle again[^]*`;
    await assertFallsBack(bundled, { main });
  }).timeout(LIMIT);

  it('in a bundle without the binary', async () => {
    const reason =
      'it was not found\\.\nA bundler has moved the code away from the binary\\. Mark the ' +
      'package as external, and\ninstall it where the program runs:\n' +
      '  Next\\.js +serverExternalPackages: .*\n(?:  .*\n)+Or copy the binary next to the .*';
    await assertFallsBack(reason, { file: bundle() });
  });

  it('where native addons are switched off', async () => {
    const reason = 'native addons are switched off. Start Node without --no-addons.';
    await assertFallsBack(reason, { ...ABLE, args: ['--no-addons'] });
  });

  it('where the permission model forbids native addons, and without where it allows', async () => {
    const reason =
      'the permission model forbids native addons. Also start Node with --allow-addons.';
    for (const node of nodes) {
      const [flag, read] = PERMISSION;
      const args = [node.major < 24 ? '--experimental-permission' : flag, read];
      await assertFallsBack(reason, { ...ABLE, args, on: [node] });
      await assertEnds(LOADED, /^$/, { ...ABLE, args: [...args, '--allow-addons'], on: [node] });
    }
  });

  it('where the binary is damaged, and where UV_SCHEDULER_BINARY names no file', async () => {
    for (const name of ['damaged', 'absent']) {
      const env = { UV_SCHEDULER_BINARY: inFolder(`${name}.node`) };
      await assertFallsBack('it could not be loaded: .+', { file: ROOT, env });
    }
  });

  it('and shares it with the entry of Bun and Deno, whichever is first', async () => {
    const [index, portable] = ['index', 'portable'].map((name) =>
      `require(${JSON.stringify(path.join(ROOT, 'dist', `${name}.js`))})`);
    for (const [first, second] of [[index, portable], [portable, index]]) {
      const prepare = `if (${first} !== ${second}) throw new Error('two schedulers');`;
      const options = { ...ABLE, prepare, args: ['--no-addons'], on: [nodes.at(-1)] };
      await assertFallsBack('native addons are switched off. .*', options);
    }
  });

  if (process.platform !== 'linux') return;

  it('where the binary is for another processor or C library', async () => {
    const binary = fs.readFileSync(SOURCE, 'latin1');
    // The machine, in the header of the format ELF, and the name of the library.
    const machine = binary.slice(0, 18) + '\xff\xff' + binary.slice(20);
    const library = binary.replace(/\0libc\./, '\0libq.');
    assert.notEqual(library, binary);
    for (const [index, foreign] of [machine, library].entries()) {
      const UV_SCHEDULER_BINARY = inFolder(`foreign-${index}.node`);
      fs.writeFileSync(UV_SCHEDULER_BINARY, foreign, 'latin1');
      const env = { UV_SCHEDULER_BINARY };
      await assertFallsBack('it could not be loaded: .+', { file: ROOT, env });
    }
  });
});

describe('loading the package is refused', () => {
  const refused = (text) => `Error: uv-scheduler cannot run ${text}\n${CODE}\n`;
  const MISSING = path.join(ROOT, 'none.node');
  const unloadable = refused(
    `with its addon ${MISSING}: native addons are switched off. Start Node without --no-addons.`);

  it('on a Node that is too old', async () => {
    const prepare = 'process.getBuiltinModule = undefined;';
    const stdout = refused('in this process: it needs Node 20.19, 22.3 or newer.');
    for (const file of [ROOT, path.join(ROOT, 'dist', 'http.js')]) {
      await assertEnds(stdout, /^$/, { file, prepare });
    }
  });

  it('without the addon if UV_SCHEDULER_PORTABLE is 0, and without WebAssembly', async () => {
    const env = { UV_SCHEDULER_BINARY: MISSING };
    const options = { file: ROOT, args: ['--no-addons'], env };
    await assertEnds(unloadable, /^$/, { ...options, env: { ...env, UV_SCHEDULER_PORTABLE: '0' } });
    await assertEnds(unloadable, /^$/, { ...options, prepare: 'delete globalThis.WebAssembly;' });
  });
});

describe('an ES module', () => {
  it('can hold each file of dist/, as none requires a module of Node', () => {
    for (const { file } of ENTRIES) {
      const text = fs.readFileSync(path.join(ROOT, 'dist', file), 'utf8');
      assert.doesNotMatch(text, /\brequire\("node:/, file);
    }
  });

  // Loading dist/edge.js throws, and dist/report.js reports on the process.
  const OTHERS = ['edge.js', 'report.js'];
  for (const { file, exports: listed } of ENTRIES.filter((each) => !OTHERS.includes(each.file))) {
    it(`can import every export of dist/${file} by its name`, async () => {
      const { default: whole, ...named } = await import(`../../dist/${file}`);
      // An ES module has no default export here.
      const api = whole ?? named;
      delete named['module.exports'];
      assert.deepEqual(Object.keys(named).sort(), Object.keys(api).sort());
      assert.deepEqual(Object.keys(api).sort(), [...listed].sort());
      for (const name of Object.keys(api)) assert.equal(named[name], api[name]);
    });
  }
});

describe('the binary is found', () => {
  const inFolder = useFolder(beforeEach, afterEach);
  const elsewhere = useFolder(beforeEach, afterEach);

  const assertRuns = (args, options = { env: ENVIRONMENT }) => {
    const expected = { code: 0, signal: null, stdout: LOADED, stderr: '' };
    return assertOnEachNode(expected, (node) => run(node, args, options));
  };

  // Asserts that loading the file succeeds.
  const assertLoads = (file, options) => assertRuns(['-e', program(file)], options);

  // With a given binary there may be none in the checkout.
  if (!given) {
    it('in a checkout, also by the sources themselves', async () => {
      await assertLoads(ROOT);
      await assertLoads(path.join(ROOT, 'index.js'));
    });
  }

  it('in the package of the platform, of whichever', async () => {
    copyPackage(inFolder());
    for (const name of PLATFORMS) installBinary(inFolder(), name);
    await assertLoads(inFolder());
    const text = `
      const { packagedFile } = require(${JSON.stringify(inFolder('dist', 'bindings.js'))});
      for (const name of ${JSON.stringify(PLATFORMS)}) console.log(packagedFile(name));`;
    const { stdout } = await run(nodes[0], ['-e', text]);
    const names = stdout.trim().split(/\r?\n/).map((file) => path.basename(file));
    assert.deepEqual(names, PLATFORMS.map(fileOf));
  });

  it('beside a bundle', async () => {
    fs.copyFileSync(CODE_ALONE, inFolder('bundle.js'));
    fs.copyFileSync(SOURCE, inFolder(BINARY));
    await assertLoads(inFolder('bundle.js'));
  });

  it('from the folder of the program, if a bundler has moved the code elsewhere', async () => {
    installBinary(inFolder());
    fs.copyFileSync(CODE_ALONE, elsewhere('bundle.js'));
    fs.writeFileSync(inFolder('main.js'), program(elsewhere('bundle.js')));
    fs.writeFileSync(inFolder('package.json'), '{ "main": "main" }');
    const commands = [inFolder('main.js'), inFolder()];
    // As npm makes them for commands. On Windows, where they take a privilege, npm makes none.
    if (process.platform !== 'win32') {
      fs.symlinkSync(inFolder('main.js'), elsewhere('command'));
      commands.push(elsewhere('command'));
    }
    for (const file of commands) await assertRuns([file]);
    // As Next.js does it: without the rest of the binary's package.
    const scope = inFolder('node_modules', '@uv-scheduler');
    fs.rmSync(path.join(scope, `binding-${PLATFORM}`, 'index.js'));
    await assertRuns([inFolder('main.js')]);
  }).timeout(LIMIT);

  it('by UV_SCHEDULER_BINARY', async () => {
    const file = inFolder('mine.node');
    fs.copyFileSync(SOURCE, file);
    copyPackage(inFolder());
    for (const name of [file, 'mine.node']) {
      const env = { ...ENVIRONMENT, UV_SCHEDULER_BINARY: name };
      await assertLoads(inFolder(), { cwd: inFolder(), env });
    }
  });
});
