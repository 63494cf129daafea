'use strict';

// Teams: the server processes of one contender, in a control group of their own, and what was
// measured of them. The load comes from another processor, and from outside the group.

const { setTimeout: sleep } = require('node:timers/promises');
const { createControlGroup } = require('./control-group');
const { createArrivals } = require('../harness/arrivals');
const { startLoad } = require('../harness/processes');
const { sum } = require('../harness/statistics');
const { PAGE_MS, calibrate } = require('./work');

const SERVER = require.resolve('./server');

// A quota is for so many milliseconds.
const PERIOD = 100;

// Every third request is a small one. By these a server's code is compiled.
const SMALL = '/small';
const nameOf = (i) => (i % 3 === 0 ? 'small' : 'page');
const COMPILING = { paths: ['/page', SMALL], visitors: 1, seconds: 1 };

// The time for which requests that arrive by themselves are measured.
const TRIAL_SECONDS = 5;

// Between two measurements, so that no quota is spent when the next one begins.
const PAUSE = 300;

function createTeams(processes) {
  const { processors, startServer } = processes;
  const groups = new Set();
  // Requests a second that take so much of a processor, by that share.
  const rates = new Map();
  // The work that this machine does in a millisecond. All servers do the same.
  const sizes = calibrate();

  const load = startLoad(processes);

  // Starts `count` servers of a contender in one group. The quota, in processors, is set when they
  // have started. A team on `one` processor leaves the other ones to the load.
  async function startTeam({ contender, quota, count = 1, threads = 0, place = 'one' }) {
    const group = await createControlGroup();
    groups.add(group);
    const servers = [];
    for (let i = 0; i < count; i++) {
      servers.push(await startServer(SERVER, { contender, threads, sizes }, { place, group }));
    }
    const lanes = count * (threads + 1);
    const width = processors[place]?.length ?? processors.count;
    // A server that has been up for a while has its code compiled.
    for (const server of servers) {
      await load.measure(server, { page: SMALL }, 'saturate', COMPILING);
    }
    group.setQuota(quota * PERIOD);
    return {
      group,
      capacity: Math.min(group.exists ? quota : Infinity, lanes, width),
      urls: servers.map(({ url }) => url),
      tell: (command) => Promise.all(servers.map(({ ask }) => ask(command))),
      async end() {
        for (const server of servers) await server.end();
        groups.delete(group);
        await group.remove();
      },
    };
  }

  // Reads the totals of a team since its start; times in ms.
  async function read(team) {
    const elapsed = performance.now();
    const { usage, periods, throttled } = team.group.read();
    const servers = await team.tell('read');
    const own = sum(servers.map(({ cpu }) => cpu));
    return {
      elapsed, periods, throttled,
      usage: team.group.exists ? usage / 1e6 : own,
      pieces: servers.flatMap(({ pieces }) => pieces),
    };
  }

  const difference = ({ pieces, ...after }, before) => ({
    ...Object.fromEntries(Object.entries(after).map(([key, total]) => [key, total - before[key]])),
    pieces: pieces.map((count, i) => count - before.pieces[i]),
  });

  // Sends requests at random times, the same ones for the same seed, to one server after the other.
  // Resolves to how long those took that were sent at `from` or later, in ms from when they were
  // sent.
  async function sendRequests({ perSecond, seconds, from, seed }) {
    const visitors = createArrivals({ perSecond, seconds, seed })
      .map((time, i) => ({ time, name: nameOf(i) }));
    const { results, lateness } = await load.ask('arrive', { visitors });
    const failed = results.filter(({ outcome }) => outcome !== 'served').length;
    if (failed > 0) throw new Error(`${failed} of ${results.length} requests failed`);
    return results.map(({ ms }, i) => ms - lateness[i])
      .filter((_, i) => visitors[i].time >= from * 1000);
  }

  // Lets a team work for `settle` seconds, and measures it for `seconds` more. `asked` is a team
  // that has the requests instead; both have used the processor then.
  async function measure(team, { perSecond, settle, seconds, seed, asked = team }) {
    await load.connect(asked.urls, SMALL);
    await team.tell('start');
    const sent = sendRequests({ perSecond, seconds: settle + seconds, from: settle, seed });
    const readAll = () => Promise.all([...new Set([team, asked])].map(read));
    await sleep(settle * 1000);
    const before = await readAll();
    await sleep(seconds * 1000);
    const after = await readAll();
    const times = await sent;
    await team.tell('stop');
    await sleep(PAUSE);
    const all = after.map((each, i) => difference(each, before[i]));
    return { times, capacity: team.capacity, ...all[0], usage: sum(all.map(({ usage }) => usage)) };
  }

  // Returns how many requests a second take a share of a processor. A page takes more than its
  // rendering, and a small request less, so some are tried first.
  async function rateOf(share) {
    if (share === 0) return 0;
    if (!rates.has(share)) {
      const perSecond = share * 1000 / PAGE_MS;
      const team = await startTeam({ contender: 'none', quota: Infinity });
      const options = { perSecond, settle: 1, seconds: TRIAL_SECONDS, seed: 0 };
      const { usage, elapsed } = await measure(team, options);
      await team.end();
      rates.set(share, perSecond * share / (usage / elapsed));
    }
    return rates.get(share);
  }

  return {
    measure, rateOf, startTeam,
    // Removes the groups of a run that ends early, with all that runs in them.
    async removeGroups() {
      for (const group of groups) await group.remove();
    },
  };
}

module.exports = { createTeams };
