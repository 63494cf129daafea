// Draws the figures. Labels come from tasks, so text is only ever set as text.

import { boundOf } from './recent.mjs';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 600;
const HEIGHT = 100;
const STATES = ['user-blocking', 'user-visible', 'background', 'other', 'idle'];
const PRIORITIES = STATES.slice(0, 3);
const EXPLAINED = {
  background: 'background (gives way)',
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
  return `${ms.toFixed(1)} ms`;
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
  return legend;
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

/** A reason for which nothing was ever held is not shown. */
function drawHeld(shares, totals) {
  for (const [reason, { item, share }] of holds) {
    item.hidden = totals[reason] === 0;
    share.textContent = percent(shares[reason]);
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

function describe(times, bounds) {
  if (times.count === 0) return '–';
  const upTo = (share) => {
    const bound = boundOf(times, bounds, share);
    return bound === Infinity ? `> ${time(bounds.at(-1))}` : `≤ ${time(bound)}`;
  };
  return `half ${upTo(0.5)}, 99 % ${upTo(0.99)}`;
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

function drawCard(card, figures, share, bounds) {
  const set = (field, text, isBad = false) => {
    const place = card.querySelector(`[data-field=${field}]`);
    place.textContent = text;
    place.toggleAttribute('data-bad', isBad);
  };
  set('share', percent(share));
  set('queued', whole(figures.queued));
  set('oldest', figures.queued === 0 ? '–' : time(figures.oldest), figures.oldest > 1000);
  set('running', whole(figures.running));
  set('rate', `${whole(Math.round(figures.rate))} /s`);
  for (const count of ['completed', 'aborted']) set(count, whole(figures[count]));
  set('failed', whole(figures.failed), figures.failed > 0);
  for (const part of ['delay', 'duration']) {
    const text = describe(figures[part], bounds);
    set(part, text);
    const place = card.querySelector(`[data-times=${part}] .histogram`);
    place.setAttribute('aria-label', text);
    drawHistogram(place, figures[part], bounds);
  }
}

function drawLongest(longest) {
  byId('longest').replaceChildren(...longest.map(({ label, priority, duration }) => {
    const row = create('tr', priority);
    const texts = [label === '' ? '(anonymous)' : label, priority, time(duration)];
    row.append(...texts.map((text) => {
      const cell = create('td');
      cell.textContent = text;
      return cell;
    }));
    row.children[0].title = label;
    row.children[2].className = 'number';
    const bar = create('i');
    bar.style.width = `${duration / longest[0].duration * 100}%`;
    row.insertCell().append(bar);
    return row;
  }));
}

export function draw(recent) {
  const { bounds, held, longest } = recent.latest;
  const { shares } = recent;
  drawShares(shares);
  drawHeld(recent.held, held);
  drawHistory(recent.history());
  for (const [priority, card] of cards) {
    drawCard(card, recent.priority(priority), shares[priority], bounds);
  }
  drawLongest(longest);
}
