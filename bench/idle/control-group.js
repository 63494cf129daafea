'use strict';

// Control groups with a CPU quota, as a container has one, for this benchmark and for tests. A
// group is made below the one of this process: in version 2 where its `cpu` controller may be used,
// else in the hierarchies `cpu` and `cpuacct` of version 1. Children start inside it. Where no
// group can be made, an object stands for it that sets no quota, and `available()` says why.

const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

// In ms.
const PERIOD = 100;

// Far longer than killed processes take to leave their group.
const LIMIT = 10_000;

// The shell enters the group and becomes the program: so the program's first instruction runs
// inside, and its pid is that of the shell.
const ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';

const write = (folder, file, text) => fs.writeFileSync(path.join(folder, file), text);
const read = (folder, file) => fs.readFileSync(path.join(folder, file), 'utf8');

const microseconds = (milliseconds) => Math.round(milliseconds * 1000);

// The numbers of `cpu.stat`, which has a name and a number in each line.
function statistics(folder) {
  const lines = read(folder, 'cpu.stat').trimEnd().split('\n').map((line) => line.split(' '));
  const stat = Object.fromEntries(lines.map(([name, number]) => [name, Number(number)]));
  return { ...stat, periods: stat.nr_periods, throttled: stat.nr_throttled };
}

// The differences between the versions. `folders` are the folders of a group by controller.
const VERSIONS = {
  1: {
    limit({ cpu }, quota) {
      write(cpu, 'cpu.cfs_quota_us', '-1');
      write(cpu, 'cpu.cfs_period_us', `${microseconds(PERIOD)}`);
      if (quota !== Infinity) write(cpu, 'cpu.cfs_quota_us', `${microseconds(quota)}`);
    },
    read({ cpu, cpuacct }) {
      const { periods, throttled } = statistics(cpu);
      return { usage: Number(read(cpuacct, 'cpuacct.usage')), periods, throttled };
    },
  },
  2: {
    limit({ cpu }, quota) {
      const text = quota === Infinity ? 'max' : microseconds(quota);
      write(cpu, 'cpu.max', `${text} ${microseconds(PERIOD)}`);
    },
    read({ cpu }) {
      const { usage_usec: usage, periods, throttled } = statistics(cpu);
      return { usage: usage * 1000, periods, throttled };
    },
  },
};

// The folder of this process's own group in the hierarchy of a mount. A container may see the mount
// alone, which is its group then.
function ownFolder(mount, own) {
  const folder = path.join(mount.point, path.relative(mount.root, own));
  return folder.startsWith(mount.point) && fs.existsSync(folder) ? folder : mount.point;
}

// The hierarchies that are mounted: type, controllers, and the folder of this process's group.
function hierarchies() {
  const groups = read('/proc/self', 'cgroup').trimEnd().split('\n').map((line) => line.split(':'));
  const ownGroup = (controllers) => {
    const [, , ...rest] = groups.find(([, names]) =>
      controllers.length === 0 ? names === '' : names.split(',').includes(controllers[0])) ?? [];
    return rest.join(':') || '/';
  };
  return read('/proc/self', 'mountinfo').trimEnd().split('\n').flatMap((line) => {
    const [, , , root, point, ...rest] = line.split(' ');
    const [type, , options] = rest.slice(rest.indexOf('-') + 1);
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    const all = type === 'cgroup2' ? [] : options.split(',');
    const controllers = all.filter((name) => name === 'cpu' || name === 'cpuacct');
    if (type === 'cgroup' && controllers.length === 0) return [];
    return [{ type, controllers, folder: ownFolder({ root, point }, ownGroup(controllers)) }];
  });
}

// In version 2 the nearest group above, or this one, whose children have the controller.
function delegating(folder) {
  for (let at = folder; fs.existsSync(path.join(at, 'cgroup.controllers')); at = path.dirname(at)) {
    if (read(at, 'cgroup.subtree_control').split(/\s+/).includes('cpu')) return at;
  }
  return null;
}

// Where groups can be made: the version, and the folders to make them in.
function places() {
  const all = hierarchies();
  const unified = all.find(({ type }) => type === 'cgroup2');
  const parent = unified === undefined ? null : delegating(unified.folder);
  if (parent !== null) return { version: 2, parents: { cpu: parent } };
  const [cpu, cpuacct] = ['cpu', 'cpuacct'].map((name) =>
    all.find(({ controllers }) => controllers.includes(name))?.folder);
  if (cpu === undefined || cpuacct === undefined) {
    throw new Error('no hierarchy with the cpu controller is mounted, or none for children');
  }
  return { version: 1, parents: { cpu, cpuacct } };
}

const members = (folder) => read(folder, 'cgroup.procs').split('\n').filter(Boolean).map(Number);

// Ends what runs in a group, and removes it.
async function removeFolder(folder) {
  const deadline = performance.now() + LIMIT;
  while (fs.existsSync(folder)) {
    try {
      members(folder).filter((pid) => pid > 0).forEach((pid) => process.kill(pid, 'SIGKILL'));
      fs.rmdirSync(folder);
    } catch (error) {
      if (!['EBUSY', 'ENOENT', 'ENODEV', 'ESRCH'].includes(error.code)) throw error;
      if (performance.now() > deadline) throw error;
      await sleep(10);
    }
  }
}

let count = 0;

/** A control group, or none at all where none can be made. Times are in milliseconds. */
class ControlGroup {
  #version;
  #folders;

  constructor(version, folders) {
    this.#version = VERSIONS[version];
    this.#folders = folders;
  }

  /** Whether there is a quota. */
  get exists() {
    return this.#folders !== undefined;
  }

  /** So much processor time in each 100 ms; `Infinity`: no quota. */
  setQuota(quota) {
    if (this.exists) this.#version.limit(this.#folders, quota);
  }

  /**
   * The processor time that the group has used so far, in ns, the number of periods in which it
   * was active, and the number of those in which it was throttled. Without a group: zeros.
   */
  read() {
    if (!this.exists) return { usage: 0, periods: 0, throttled: 0 };
    return this.#version.read(this.#folders);
  }

  /** The program and the arguments that start another one inside the group. */
  command(program, args = []) {
    if (!this.exists) return [program, args];
    const folders = [...new Set(Object.values(this.#folders))];
    const files = folders.map((folder) => path.join(folder, 'cgroup.procs'));
    return ['/bin/sh', ['-c', ENTER, 'sh', ...files, '--', program, ...args]];
  }

  /** Ends what still runs in it. */
  async remove() {
    if (!this.exists) return;
    for (const folder of new Set(Object.values(this.#folders))) await removeFolder(folder);
    this.#folders = undefined;
  }
}

// Makes a group, or throws.
function make() {
  const { version, parents } = places();
  const name = `uv-scheduler-${process.pid}-${++count}`;
  const entries = Object.entries(parents).map(([key, parent]) => [key, path.join(parent, name)]);
  const folders = Object.fromEntries(entries);
  try {
    for (const folder of new Set(Object.values(folders))) fs.mkdirSync(folder);
    const group = new ControlGroup(version, folders);
    group.setQuota(Infinity);
    return { group, version };
  } catch (error) {
    for (const folder of Object.values(folders)) {
      if (fs.existsSync(folder)) fs.rmdirSync(folder);
    }
    throw error;
  }
}

// Whether groups can be made here: the version, or why not.
async function find() {
  if (process.platform !== 'linux') return { why: `${process.platform} has none` };
  try {
    const { group, version } = make();
    await group.remove();
    return { version };
  } catch (error) {
    return { why: error.message };
  }
}

// Tried once.
let found;

/** In words: what this machine has. */
async function available() {
  const { version, why } = await (found ??= find());
  if (version === undefined) return `without a quota: no control group can be made (${why})`;
  return `with a quota by control groups v${version}`;
}

/** Makes a group without a quota, or one that stands for it. */
async function createControlGroup() {
  const { version } = await (found ??= find());
  return version === undefined ? new ControlGroup() : make().group;
}

module.exports = { available, createControlGroup };
