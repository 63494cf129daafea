// Draws the figures. Labels come from tasks, so text is only ever set as text.

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 600;
const HEIGHT = 100;
const STATES = ['user-blocking', 'user-visible', 'background', 'other', 'idle'];
const PRIORITIES = STATES.slice(0, 3);
const EXPLAINED = {
  background: 'background (yields to others)',
  other: 'other callbacks',
  idle: 'waiting for events',
};

const REASONS = {
  container: 'held for the container',
  machine: 'held for other processes',
};
const HELD = 'Background tasks waited although the event loop was idle';

const byId = (id) => document.getElementById(id);

function create(name, state) {
  const element = document.createElement(name);
  if (state !== undefined) element.style.setProperty('--color', `var(--${state})`);
  return element;
}

const whole = new Intl.NumberFormat('en').format;
const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

function time(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 10) return `${ms.toFixed(0)} ms`;
  if (ms >= 0.1) return `${ms.toFixed(1)} ms`;
  return `${(ms * 1000).toFixed(0)} µs`;
}

function age(ms) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

function createCard(priority) {
  const { firstElementChild: card } = byId('card').content.cloneNode(true);
  card.dataset.priority = priority;
  card.style.setProperty('--color', `var(--${priority})`);
  card.querySelector('[data-name]').textContent = priority;
  return card;
}

function createLegend(state, text) {
  const item = create('li', state);
  const share = create('b');
  item.append(create('i'), text, ' ', share);
  return { item, share };
}

function createStateLegend(state) {
  const legend = createLegend(state, EXPLAINED[state] ?? state);
  legend.item.dataset.state = state;
  return legend;
}

function createReasonLegend(reason) {
  const legend = createLegend('background', REASONS[reason]);
  legend.item.dataset.reason = reason;
  legend.item.title = HELD;
  const total = create('span');
  legend.item.append(total);
  return { ...legend, total };
}

const bars = new Map(STATES.map((state) => [state, create('i', state)]));
const legends = new Map(STATES.map((state) => [state, createStateLegend(state)]));
const holds = new Map(Object.keys(REASONS).map((reason) => [reason, createReasonLegend(reason)]));
const cards = new Map(PRIORITIES.map((priority) => [priority, createCard(priority)]));
const areas = new Map(STATES.map((state) => {
  const area = document.createElementNS(SVG, 'path');
  area.style.setProperty('--color', `var(--${state})`);
  return [state, area];
}));

byId('shares').append(...bars.values());
byId('legend').append(...Array.from(legends.values(), ({ item }) => item));
byId('held').append(...Array.from(holds.values(), ({ item }) => item));
byId('cards').append(...cards.values());
byId('history').append(...areas.values());

function drawShares(shares) {
  for (const state of STATES) {
    bars.get(state).style.width = `${shares[state] * 100}%`;
    legends.get(state).share.textContent = percent(shares[state]);
  }
}

function drawProcess({ host, pid, node, uptime }) {
  byId('process').textContent = `${host}, process ${pid}, up for ${age(uptime)}, Node ${node}`;
}

/** A reason for which nothing was ever held is not shown. */
function drawHeld(shares, totals) {
  for (const [reason, { item, share, total }] of holds) {
    item.hidden = totals[reason] === 0;
    share.textContent = percent(shares[reason]);
    total.textContent = `, ${time(totals[reason])} since the start`;
  }
}

/** Stacks the states on each other, a step for each pair of totals. */
function drawHistory(history) {
  const bottoms = history.map(() => 0);
  for (const [state, area] of areas) {
    const path = history.map(({ from, to, shares }, i) => {
      const [left, right] = [from, to].map((age) => ((1 - age) * WIDTH).toFixed(1));
      const bottom = HEIGHT * (1 - bottoms[i]);
      bottoms[i] = Math.min(1, bottoms[i] + shares[state]);
      const top = (HEIGHT * (1 - bottoms[i])).toFixed(1);
      return `M${left},${bottom.toFixed(1)}V${top}H${right}V${bottom.toFixed(1)}Z`;
    });
    area.setAttribute('d', path.join(''));
  }
}

/** The percentiles of a part; null if nothing was measured. */
function describe(percentiles) {
  if (percentiles === null) return '–';
  return `half ≤ ${time(percentiles[50])}, 99 % ≤ ${time(percentiles[99])}`;
}

function drawHistogram(place, times, bounds) {
  while (place.childElementCount < times.counts.length) place.append(create('i'));
  const most = Math.max(1, ...times.counts);
  times.counts.forEach((count, i) => {
    const bar = place.children[i];
    // Few are visible, too: the slowest matter most.
    bar.style.height = count === 0 ? '0' : `max(3px, ${count / most * 100}%)`;
    bar.title = `${i < bounds.length ? `up to ${time(bounds[i])}` : 'longer'}: ${whole(count)}`;
  });
}

function drawCard(card, figures, share, bounds, percentiles) {
  const set = (field, text, isBad = false) => {
    const place = card.querySelector(`[data-field=${field}]`);
    place.textContent = text;
    place.toggleAttribute('data-bad', isBad);
  };
  set('share', percent(share));
  set('queued', whole(figures.queued));
  set('oldest', figures.queued === 0 ? '–' : time(figures.oldest));
  set('running', whole(figures.running));
  set('rate', `${whole(Math.round(figures.rate))} /s`);
  for (const count of ['completed', 'aborted']) set(count, whole(figures[count]));
  set('failed', whole(figures.failed), figures.failedNow > 0);
  for (const part of ['wait', 'duration']) {
    const text = describe(percentiles[part]);
    set(part, text);
    const place = card.querySelector(`[data-times=${part}] .histogram`);
    place.setAttribute('aria-label', text);
    drawHistogram(place, figures[part], bounds);
  }
}

/** A row for each entry, the one with most time first; `numbers` returns its texts. */
function drawTable(id, entries, timeOf, numbers) {
  byId(id).replaceChildren(...entries.map((entry) => {
    const { label, priority } = entry;
    const row = create('tr', priority);
    const texts = [label === '' ? '(anonymous)' : label, priority, ...numbers(entry)];
    row.append(...texts.map((text, i) => {
      const cell = create('td');
      cell.textContent = text;
      if (i >= 2) cell.className = 'number';
      return cell;
    }));
    row.children[0].title = label;
    const bar = create('i');
    bar.style.width = `${timeOf(entry) / timeOf(entries[0]) * 100}%`;
    row.insertCell().append(bar);
    return row;
  }));
}

/** A row for each priority that had requests; nothing where no admission has seen any. */
function drawRequests(requests) {
  const section = byId('requests');
  section.hidden = requests.length === 0;
  section.querySelector('tbody').replaceChildren(...requests.map((each) => {
    const { priority, admitted, refused, left, queued, mean } = each;
    const row = create('tr', priority);
    row.dataset.priority = priority;
    const all = Object.values(refused).reduce((sum, count) => sum + count, 0);
    const counts = [admitted, all, left, queued].map((count) => whole(count));
    const texts = [priority, ...counts, mean === null ? '–' : time(mean)];
    row.append(...texts.map((text, i) => {
      const cell = create('td');
      cell.textContent = text;
      if (i > 0) cell.className = 'number';
      return cell;
    }));
    return row;
  }));
}

/** A row for each key, and where levels end, which is the same for all; nothing without a key. */
function drawKeys(keys) {
  const section = byId('keys');
  section.hidden = keys.length === 0;
  if (section.hidden) return;
  section.querySelector('tbody').replaceChildren(...keys.map((each) => {
    const { key, weight, requests, waitTime } = each;
    const row = create('tr', 'user-visible');
    const name = key === null ? '(all others)' : key;
    const texts = [
      name === '' ? '(none)' : name, whole(weight), whole(requests), time(waitTime),
      time(each.time),
    ];
    row.append(...texts.map((text, i) => {
      const cell = create('td');
      cell.textContent = text;
      if (i > 0) cell.className = 'number';
      return cell;
    }));
    row.children[0].title = name;
    const bar = create('i');
    bar.style.width = `${each.time / keys[0].time * 100}%`;
    row.insertCell().append(bar);
    return row;
  }));
  section.querySelector('dl').replaceChildren(...PRIORITIES.map((priority) => {
    const part = create('div', priority);
    part.dataset.priority = priority;
    const [name, ends] = [create('dt'), create('dd')];
    name.textContent = priority;
    ends.textContent = keys[0].levels[priority].map(time).join(', ');
    part.append(name, ends);
    return part;
  }));
}

/** A row for each slow callback or long wait, the newest first; nothing if there was none. */
function drawReports(reports, now) {
  const section = byId('reports');
  section.hidden = reports.length === 0;
  section.querySelector('tbody').replaceChildren(...reports.map((each) => {
    const { kind, label, priority = 'other', startedAt, hasWaited, behind } = each;
    const row = create('tr', priority);
    const texts = [
      label === '' ? `(${kind})` : label,
      priority,
      `${time(now - startedAt)} ago`,
      `${hasWaited ? 'waited' : 'ran'} ${time(each.time)}`,
      behind === undefined ? '' : `${behind.label}, ${percent(behind.share)}`,
    ];
    row.append(...texts.map((text, i) => {
      const cell = create('td');
      cell.textContent = text;
      if (i === 2 || i === 3) cell.className = 'number';
      return cell;
    }));
    return row;
  }));
}

export function draw(recent) {
  const {
    at, bounds, heldTime, keys, labels, longest, percentiles, reports, requests,
  } = recent.latest;
  const { shares } = recent;
  drawProcess(recent.latest);
  drawShares(shares);
  drawHeld(recent.held, heldTime);
  drawHistory(recent.history());
  for (const [priority, card] of cards) {
    drawCard(card, recent.priority(priority), shares[priority], bounds, percentiles[priority]);
  }
  drawRequests(requests);
  drawKeys(keys);
  drawReports(reports, at);
  drawTable('labels', labels, (each) => each.time, (each) => [whole(each.count), time(each.time)]);
  drawTable('longest', longest, (each) => each.duration, (each) => [time(each.duration)]);
}
