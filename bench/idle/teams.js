'use strict';

// Teams: the server processes of one contender, in a control group of their own, and what was
// measured of them. The load comes from another processor, and from outside the group.

const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { createControlGroup } = require('../../test/helpers/control-group');
const { createArrivals } = require('../arrivals');
const { bound, chooseProcessors } = require('../processors');

const LOAD = path.join(__dirname, 'load.js');
const SERVER = path.join(__dirname, 'server.js');

// A quota is for so many milliseconds.
const PERIOD = 100;

// Requests for the compiler, and those by which the cost of one is measured.
const REQUESTS = 600;

// How long it is measured what requests take that arrive by themselves.
const TRIAL_SECONDS = 5;

// Between two measurements, so that no quota is spent when the next one begins.
const PAUSE = 300;

function createTeams({ startChild }) {
  const processors = chooseProcessors();
  const groups = new Set();
  // Requests a second that take so much of a processor, by that share.
  const rates = new Map();
  let sizes = null;

  const ask = async (child, message) => (await child.ask(message)).result;

  function startNode(file, args, place, group) {
    let [program, rest] = bound(place, process.execPath, process.execArgv);
    if (group !== undefined) [program, rest] = group.command(program, rest);
    return startChild(file, args, rest, program);
  }

  const load = startNode(LOAD, [], processors.load);

  /** Measures how much work this machine does in a millisecond. All servers do the same. */
  async function calibrate() {
    const child = startNode(SERVER, ['calibrate'], processors.one);
    ({ sizes } = await child.answer());
    await child.end();
  }

  const connect = (team) => ask(load, { command: 'connect', urls: team.urls });

  const visitInTurn = (team) =>
    ask(load, { command: 'visitInTurn', urls: team.urls, count: REQUESTS });

  /**
   * Starts `count` servers of a contender in one group. The quota, in processors, is set when they
   * have started. A team on `one` processor leaves the other ones to the load.
   */
  async function startTeam({ contender, quota, count = 1, threads = 0, place = 'one', ...more }) {
    const group = await createControlGroup();
    groups.add(group);
    const options = JSON.stringify({ contender, threads, sizes, ...more });
    const servers = [];
    const urls = [];
    for (let i = 0; i < count; i++) {
      const server = startNode(SERVER, [options], processors[place], group);
      servers.push(server);
      urls.push((await server.answer()).url);
    }
    const lanes = count * (threads + 1);
    const width = processors[place]?.length ?? processors.count;
    const team = {
      urls, group,
      tell: (command) => Promise.all(servers.map((server) => ask(server, { command }))),
      setQuota(value) {
        group.setQuota(value * PERIOD, PERIOD);
        team.capacity = Math.min(group.exists ? value : Infinity, lanes, width);
      },
      async end() {
        for (const server of servers) await server.end();
        groups.delete(group);
        await group.remove();
      },
    };
    // A server that has been up for a while has its code compiled.
    team.setQuota(Infinity);
    await connect(team);
    await visitInTurn(team);
    team.setQuota(quota);
    return team;
  }

  /** What a team has used and done so far; times in ms. */
  async function read(team) {
    const time = performance.now();
    const { usage, periods, throttled } = team.group.read();
    const servers = await team.tell('read');
    const own = servers.reduce((sum, { cpu }) => sum + cpu, 0);
    return {
      time, periods, throttled,
      usage: team.group.exists ? usage / 1e6 : own,
      pieces: servers.flatMap(({ pieces }) => pieces),
    };
  }

  const difference = (after, before) => ({
    elapsed: after.time - before.time,
    usage: after.usage - before.usage,
    periods: after.periods - before.periods,
    throttled: after.throttled - before.throttled,
    pieces: after.pieces.map((count, i) => count - before.pieces[i]),
  });

  /** Sends requests at random times, the same ones for the same seed. Resolves to their times. */
  async function sendRequests(team, { perSecond, seconds, from, seed }) {
    if (perSecond === 0) {
      await sleep(seconds * 1000);
      return [];
    }
    const arrivals = createArrivals({ perSecond, seconds, seed });
    return ask(load, { command: 'arrive', urls: team.urls, arrivals, from: from * 1000 });
  }

  /**
   * Lets a team work for `settle` seconds, and measures it for `seconds` more. `beside` is a team
   * that has the background work instead.
   */
  async function measure(team, { perSecond, settle, seconds, seed, beside = team }) {
    await connect(team);
    await beside.tell('start');
    const sent = sendRequests(
      team, { perSecond, seconds: settle + seconds, from: settle, seed });
    await sleep(settle * 1000);
    const before = [await read(team), await read(beside)];
    await sleep(seconds * 1000);
    const after = [await read(team), await read(beside)];
    const times = await sent;
    await beside.tell('stop');
    await sleep(PAUSE);
    const [own, other] = after.map((each, i) => difference(each, before[i]));
    return { times, ...own, beside: other };
  }

  /** Returns the milliseconds of processor time that a request takes, one after the other. */
  async function costOfRequest() {
    const team = await startTeam({ contender: 'none', quota: Infinity });
    const before = await read(team);
    await visitInTurn(team);
    const { usage } = difference(await read(team), before);
    await team.end();
    return usage / REQUESTS;
  }

  /**
   * Returns how many requests a second take a share of a processor, if one takes `cost` in turn. It
   * takes more when it arrives by itself, so they are tried first.
   */
  async function rateOf(share, cost) {
    if (share === 0) return 0;
    if (!rates.has(share)) {
      const perSecond = share * 1000 / cost;
      const team = await startTeam({ contender: 'none', quota: Infinity });
      const options = { perSecond, settle: 1, seconds: TRIAL_SECONDS, seed: 0 };
      const { usage, elapsed } = await measure(team, options);
      await team.end();
      rates.set(share, perSecond * share / (usage / elapsed));
    }
    return rates.get(share);
  }

  return {
    calibrate, connect, costOfRequest, difference, measure, processors, rateOf, read,
    sendRequests, startTeam,
    get sizes() {
      return sizes;
    },
    /** Removes the groups of a run that ends early, with all that runs in them. */
    async removeGroups() {
      for (const group of groups) await group.remove();
    },
  };
}

module.exports = { createTeams };
