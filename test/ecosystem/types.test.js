'use strict';

// The type declarations, compiled as a user's compiler does: from a folder in which the package is
// installed, with its own declarations checked as well (`skipLibCheck` off). The programs of
// ../types/ use what they must accept, and mark with `@ts-expect-error` what they must refuse. They
// are never run. Each is compiled as an ES module and as a CommonJS module.
// @lane slow

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { finder } = require('../helpers/installed.js');
const { MAIN, tarballs } = require('../helpers/packed.js');
const { LIMIT, ROOT, mapSome, run } = require('../helpers/programs.js');
const { files: PUBLISHED } = require('../../package.json');
const { VERSIONS: BULLMQ } = require('./bullmq');

const find = finder('types');

const compilers = ['5.4', '5.9', '6', '7'].map((name) => {
  const folder = `typescript${name.replace('.', '')}`;
  return { name, tsc: find(`TypeScript ${name}`, folder, 'bin', 'tsc') };
});
// TypeScript 7 is a native program, in a package that is named after its platform.
find('TypeScript 7', '@typescript', `typescript-${process.platform}-${process.arch}`);

const SOURCES = path.join(ROOT, 'test', 'types');
const HERE = { path: process.execPath };

// A compilation takes long where the machine is busy, and a test runs a few, two at once.
const SLOW = 4 * LIMIT;

// The libraries that declare `AbortSignal` and the other interfaces of the host. One of them must.
const HOSTS = {
  '@types/node 20': { node: 20, lib: [] },
  '@types/node 26': { node: 26, lib: [] },
  'the dom library': { lib: ['dom'] },
  'the webworker library': { lib: ['webworker'] },
  '@types/node 20 and the dom library': { node: 20, lib: ['dom'] },
  '@types/node 26 and the dom library': { node: 26, lib: ['dom'] },
};

// The libraries of TypeScript declare the scheduler of browsers since TypeScript 6.
const hasLibScheduler = (compiler, host) => host.lib.length > 0 && Number(compiler.name) >= 6;

// @types/node 26 uses syntax and library types of TypeScript 5.6 and later, so its users need
// `skipLibCheck` with an older compiler.
const refusesNodeTypes = (compiler, host) => host.node === 26 && Number(compiler.name) < 5.6;

// A folder like that of a user who has installed the package, the host's declarations and nothing
// else.
function install(folder, { node, bullmq }) {
  const modules = path.join(folder, 'node_modules');
  const own = path.join(modules, 'uv-scheduler');
  fs.mkdirSync(own, { recursive: true });
  const declarations = PUBLISHED.filter((name) => name.endsWith('.d.ts'));
  for (const name of ['package.json', ...declarations]) {
    fs.cpSync(path.join(ROOT, name), path.join(own, name));
  }
  if (bullmq !== undefined) fs.symlinkSync(bullmq, path.join(modules, 'bullmq'), 'junction');
  if (node === undefined) return;
  fs.mkdirSync(path.join(modules, '@types'));
  // A junction needs no privilege on Windows.
  const types = find(`@types/node ${node}`, `types-node${node}`);
  fs.symlinkSync(types, path.join(modules, '@types', 'node'), 'junction');
}

// Copies programs of ../types/, those without a kind of module in their name once for each kind.
function copyPrograms(folder, names) {
  return names.flatMap((name) => {
    const kinds = name.endsWith('.ts') ? ['mts', 'cts'] : ['ts'];
    const copies = kinds.map((kind) => name.replace(/ts$/, kind));
    for (const copy of copies) fs.copyFileSync(path.join(SOURCES, name), path.join(folder, copy));
    return copies;
  });
}

const optionsOf = ({ compiler, host, module }) => ({
  strict: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noEmit: true,
  pretty: false,
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable', ...host.lib],
  // An `import x = require()` is not allowed in the other format of bundlers, esnext.
  module: module === 'bundler' ? 'preserve' : module,
  moduleResolution: module,
  types: host.node === undefined ? [] : ['node'],
  skipLibCheck: host.skipLibCheck === true || refusesNodeTypes(compiler, host),
});

describe('the type declarations', () => {
  const inRoot = useFolder();

  // Compiles programs in a new folder. Returns what the compiler says.
  async function compile(compiler, { host, module, programs }) {
    const folder = fs.mkdtempSync(inRoot('user-'));
    install(folder, host);
    const names = hasLibScheduler(compiler, host) ? [...programs, 'lib-dom.ts'] : programs;
    const files = copyPrograms(folder, names);
    const settings = { compilerOptions: optionsOf({ compiler, host, module }), files };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const args = [compiler.tsc, '--project', folder];
    const options = { cwd: folder, timeout: SLOW };
    const { code, signal, stdout, stderr } = await run(HERE, args, options);
    const said = stdout + stderr;
    // Silence is success only if the compiler came to its end.
    return said === '' && code !== 0 ? `ended with ${code ?? signal}` : said;
  }

  // Compiles programs with each of some compilers. A failure shows what each has said.
  async function assertCompiles(among, options) {
    const said = await mapSome(among, async (compiler) => {
      const complaint = await compile(compiler, options);
      return complaint === '' ? [] : [`TypeScript ${compiler.name}:\n${complaint}`];
    });
    assert.equal(said.flat().join('\n'), '');
  }

  const USAGE = ['usage.ts', 'watch.ts', 'http.ts', 'imports.mts', 'imports.cts'];
  const REGISTERED = [...USAGE, 'register.ts'];
  // The responses of Node's own types, where there are no others.
  const ofNode = ({ node, lib }) => (node && lib.length === 0 ? ['http-node.ts'] : []);
  const namesOf = (some) => some.map(({ name }) => name).join(', ');
  // All compilers read the declarations beside those of Node alone. Whatever else differs by the
  // age of the compiler differs between the oldest and the newest.
  const ENDS = [compilers.at(0), compilers.at(-1)];

  for (const [name, host] of Object.entries(HOSTS)) {
    const some = host.lib.length > 0 ? ENDS : compilers;
    const title = `${name}, nodenext and TypeScript ${namesOf(some)}`;
    it(`of the globals compile with ${title}`, async () => {
      const programs = [...REGISTERED, ...ofNode(host)];
      await assertCompiles(some, { host, module: 'nodenext', programs });
    }).timeout(2 * SLOW);
  }

  // The declarations of BullMQ itself and of its dependencies do not all pass with these settings.
  for (const [name, bullmq] of Object.entries(BULLMQ)) {
    it(`of /bullmq compile with ${name} and TypeScript ${namesOf(ENDS)}`, async () => {
      const host = { ...HOSTS['@types/node 20'], bullmq, skipLibCheck: true };
      await assertCompiles(ENDS, { host, module: 'node16', programs: ['bullmq.ts'] });
    }).timeout(2 * SLOW);
  }

  // Without the globals. With both, the DOM library's declarations replace those of @types/node.
  for (const name of ['@types/node 20', 'the dom library']) {
    it(`compile with ${name}, node16 and TypeScript ${namesOf(ENDS)}`, async () => {
      await assertCompiles(ENDS, { host: HOSTS[name], module: 'node16', programs: USAGE });
    }).timeout(2 * SLOW);
  }

  // How the package and its subpaths are found does not depend on the host.
  it(`compile for a bundler with TypeScript ${namesOf(ENDS)}`, async () => {
    const host = { ...HOSTS['@types/node 20'], bullmq: BULLMQ['BullMQ 6'], skipLibCheck: true };
    const programs = [...REGISTERED, 'http-node.ts', 'bullmq.ts'];
    await assertCompiles(ENDS, { host, module: 'bundler', programs });
  }).timeout(2 * SLOW);

  it('and the package pass the linters attw and publint', async () => {
    const file = tarballs()[MAIN];
    const attw = find('attw', '@arethetypeswrong', 'cli', 'dist', 'index.js');
    const publint = find('publint', 'publint', 'src', 'cli.js');
    // TypeScript's oldest way to resolve knows no JSON of packages.
    const schemas = ['guard/schema.json', 'guard/report-schema.json'];
    const resolution = await run(HERE,
      [attw, file, '--no-color', '--no-emoji', '--exclude-entrypoints', ...schemas]);
    assert.equal(resolution.code, 0, resolution.stdout + resolution.stderr);
    const env = { ...process.env, NO_COLOR: '1' };
    const lint = await run(HERE, [publint, 'run', file, '--strict'], { env });
    assert.match(lint.stdout, /^All good!$/m);
  }).timeout(2 * SLOW);
});
