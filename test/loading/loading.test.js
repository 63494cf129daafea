'use strict';

// Where the package finds its binary. Where it finds none that can be loaded, the error says in
// plain words what is wrong and what to do, and has the code of hosts that cannot be used.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { PLATFORMS, fileOf, platform } = require('../../lib/loading/binary.js');
const { version } = require('../../package.json');
const { ENTRIES } = require('../../scripts/setup/bundle.js');
const { ROOT, assertOnEachNode, nodes, run } = require('../helpers/loop.js');
const { CODE, WAY_OUT, refusal } = require('../helpers/refusals.js');

const PLATFORM = platform();
const BINARY = fileOf(PLATFORM);

// The tests may be run with a given binary, which must not keep the package from looking for one.
const { UV_SCHEDULER_BINARY: given, ...ENVIRONMENT } = process.env;
const SOURCE = given || path.join(ROOT, BINARY);

// A copy of the package as npm installs it, without the package of its binary.
function copyPackage(folder) {
  for (const name of ['dist', 'package.json']) {
    fs.cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
}

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

// Asserts that loading a file is refused with this reason, a string or a regular expression.
async function assertRefused(reason, { file, prepare, args = [], env = {}, on = nodes, end }) {
  await assertOnEachNode(true, async (node) => {
    const options = { env: { ...ENVIRONMENT, ...env } };
    const { code, stdout, stderr } =
      await run(node, [...args, '-e', program(file, prepare)], options);
    // Node warns that the permission model is experimental.
    assert.equal(stderr.replace(/^\(.*\n(\(Use .*\n)?/gm, ''), '');
    assert.equal(code, 0);
    const found = stdout.slice(0, stdout.lastIndexOf('\n', stdout.length - 2));
    assert.equal(stdout, `${found}\n${CODE}\n`);
    const wayOut = end ?? WAY_OUT;
    assert.ok(found.endsWith(wayOut), found);
    const said = found.slice(0, found.length - wayOut.length);
    if (typeof reason === 'string') assert.equal(said, refusal(reason));
    else assert.match(said, reason);
    return true;
  }, { on });
}

// A checkout whose binary could be loaded, wherever it is.
const FORBIDDEN = { file: ROOT, env: { UV_SCHEDULER_BINARY: SOURCE } };

describe('loading the package is refused in plain words', () => {
  let folder;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-loading-'));
    copyPackage(folder);
    // Where a bundler puts it.
    fs.mkdirSync(path.join(folder, 'bundled', 'build'), { recursive: true });
    fs.copyFileSync(
      path.join(ROOT, 'dist', 'index.js'),
      path.join(folder, 'bundled', 'build', 'bundle.js'),
    );
    fs.writeFileSync(path.join(folder, 'damaged.node'), 'no binary');
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('on a platform for which there is no binary', async () => {
    const prepare = "Object.defineProperty(process, 'arch', { value: 'mips' });";
    const reason = new RegExp(
      ': there is no binary for [a-z0-9]+-mips[a-z-]*\\.\nThere are binaries for .*\n' +
        'To build one, clone .* `npm run build` there, and set .*\n.*`\\.node`',
    );
    await assertRefused(reason, { file: folder, prepare });
  });

  it('on a Node that is too old', async () => {
    const prepare = 'process.getBuiltinModule = undefined;';
    for (const file of [folder, path.join(folder, 'dist', 'http.js')]) {
      await assertRefused('it needs Node 20.19, 22.3 or newer.', { file, prepare, end: '' });
    }
  });

  it('where the package of the binary is not installed', async () => {
    const reason = new RegExp(
      `: the package @uv-scheduler/binding-${PLATFORM}, which contains the binary for this ` +
        'platform, is not installed\\.\nnpm leaves it out with --omit=optional, .*\n.*\n' +
        `  npm install uv-scheduler@${version.replaceAll('.', '\\.')}$`,
    );
    for (const file of [folder, path.join(folder, 'dist', 'http.js')]) {
      await assertRefused(reason, { file });
    }
  });

  describe('where only the binaries of other platforms are installed', () => {
    const [first, second] = PLATFORMS.filter((name) => name !== PLATFORM);
    const installed = `: it was installed for ${first}, ${second}, and this is ${PLATFORM}\\.\n`;
    let other;

    before(() => {
      other = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-other-'));
      for (const name of [first, second]) installBinary(other, name);
    });

    after(() => fs.rmSync(other, { recursive: true, force: true }));

    it('beside the package', async () => {
      const own = path.join(other, 'node_modules', 'uv-scheduler');
      copyPackage(own);
      const reason = new RegExp(
        `${installed}Install it on this platform, or for it:\n  npm         npm install --os=` +
          `${process.platform} --cpu=${process.arch}.*\n  pnpm, Yarn  supportedArchitectures: {`,
      );
      await assertRefused(reason, { file: own });
    });

    it('near a program whose bundle holds the package', async () => {
      const bundle = path.join(folder, 'bundled', 'build', 'bundle.js');
      const main = path.join(other, 'main.js');
      fs.writeFileSync(main, program(bundle));
      const reason = `${installed}Install it on this platform, or for it, and bundle again`;
      await assertOnEachNode(true, async (node) => {
        const { code, stdout } = await run(node, [main], { env: ENVIRONMENT });
        assert.equal(code, 0);
        assert.match(stdout, new RegExp(reason));
        return true;
      });
    });
  });

  it('where a bundler has moved the code', async () => {
    const file = path.join(folder, 'bundled', 'build', 'bundle.js');
    const reason = new RegExp(
      `: its binary for ${PLATFORM} was not found\\.\nA bundler has moved the code away from ` +
        'the binary\\. Mark the package as external, and\ninstall it where the program runs:\n' +
        '  Next\\.js +serverExternalPackages: .*\n(?:  .*\n)+Or copy the binary next to the ',
    );
    await assertRefused(reason, { file });
  });

  it('where native addons are switched off', async () => {
    await assertRefused('native addons are switched off. Start Node without --no-addons.', {
      ...FORBIDDEN,
      args: ['--no-addons'],
    });
  });

  it('where the permission model forbids native addons', async () => {
    const reason =
      'the permission model forbids native addons. Also start Node with --allow-addons.';
    for (const node of nodes) {
      const flag = node.major < 24 ? '--experimental-permission' : '--permission';
      const args = [flag, '--allow-fs-read=*'];
      await assertRefused(reason, { ...FORBIDDEN, args, on: [node] });
    }
  });

  it('where the binary is damaged', async () => {
    const file = path.join(folder, 'damaged.node');
    await assertRefused(/: its binary .*damaged\.node could not be loaded: .+/, {
      file: ROOT,
      env: { UV_SCHEDULER_BINARY: file },
    });
  });

  it('where UV_SCHEDULER_BINARY names no file', async () => {
    await assertRefused(/: its binary .*absent\.node could not be loaded: .+/, {
      file: ROOT,
      env: { UV_SCHEDULER_BINARY: path.join(folder, 'absent.node') },
    });
  });
});

describe('an ES module', () => {
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
  let folder;

  beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-found-'))));
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  // Asserts that loading the file succeeds.
  const assertLoads = async (file, options = { env: ENVIRONMENT }) => {
    await assertOnEachNode({ code: 0, signal: null, stdout: 'loaded\n', stderr: '' }, (node) => {
      return run(node, ['-e', program(file)], options);
    });
  };

  // With a given binary there may be none in the checkout.
  if (!given) {
    it('in a checkout, also by the sources themselves', async () => {
      await assertLoads(ROOT);
      await assertLoads(path.join(ROOT, 'index.js'));
    });
  }

  it('in the package of the platform', async () => {
    copyPackage(folder);
    installBinary(folder);
    await assertLoads(folder);
  });

  it('in the package of every platform', async () => {
    copyPackage(folder);
    for (const name of PLATFORMS) installBinary(folder, name);
    const bindings = path.join(folder, 'dist', 'bindings.js');
    const text = `
      const { packagedFile } = require(${JSON.stringify(bindings)});
      for (const name of ${JSON.stringify(PLATFORMS)}) console.log(packagedFile(name));`;
    const { stdout } = await run({ path: process.execPath }, ['-e', text]);
    const names = stdout.trim().split(/\r?\n/).map((file) => path.basename(file));
    assert.deepEqual(names, PLATFORMS.map(fileOf));
  });

  it('beside a bundle', async () => {
    fs.copyFileSync(path.join(ROOT, 'dist', 'index.js'), path.join(folder, 'bundle.js'));
    fs.copyFileSync(SOURCE, path.join(folder, BINARY));
    await assertLoads(path.join(folder, 'bundle.js'));
  });

  describe('from the folder of the program, if a bundler has moved the code elsewhere,', () => {
    let elsewhere;

    beforeEach(() => {
      elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-elsewhere-'));
      installBinary(folder);
      const bundle = path.join(elsewhere, 'bundle.js');
      fs.copyFileSync(path.join(ROOT, 'dist', 'index.js'), bundle);
      fs.writeFileSync(path.join(folder, 'main.js'), program(bundle));
    });

    afterEach(() => fs.rmSync(elsewhere, { recursive: true, force: true }));

    const assertStarts = async (file) => {
      const expected = { code: 0, signal: null, stdout: 'loaded\n', stderr: '' };
      await assertOnEachNode(expected, (node) => run(node, [file], { env: ENVIRONMENT }));
    };

    it('if Node is given its file', () => assertStarts(path.join(folder, 'main.js')));

    it('if Node is given its folder', async () => {
      fs.writeFileSync(path.join(folder, 'package.json'), '{ "main": "main" }');
      await assertStarts(folder);
    });

    // As npm makes them for commands. On Windows, where they take a privilege, npm makes none.
    if (process.platform !== 'win32') {
      it('if Node is given a symbolic link', async () => {
        const link = path.join(elsewhere, 'command');
        fs.symlinkSync(path.join(folder, 'main.js'), link);
        await assertStarts(link);
      });
    }
  });

  // As Next.js does it.
  it('in node_modules without the rest of its package', async () => {
    installBinary(folder);
    const scope = path.join(folder, 'node_modules', '@uv-scheduler');
    fs.rmSync(path.join(scope, `binding-${PLATFORM}`, 'index.js'));
    const program = path.join(folder, 'build', 'main.js');
    fs.mkdirSync(path.dirname(program));
    fs.copyFileSync(path.join(ROOT, 'dist', 'index.js'), program);
    const expected = { code: 0, signal: null, stdout: '', stderr: '' };
    await assertOnEachNode(expected, (node) => run(node, [program]));
  });

  it('by UV_SCHEDULER_BINARY', async () => {
    const file = path.join(folder, 'mine.node');
    fs.copyFileSync(SOURCE, file);
    copyPackage(folder);
    for (const name of [file, 'mine.node']) {
      const env = { ...ENVIRONMENT, UV_SCHEDULER_BINARY: name };
      await assertLoads(folder, { cwd: folder, env });
    }
  });
});
