// Adds the turns in which the server renders the sections. The build leaves them out of what is
// sent to browsers.

import { createTurns } from '../../../../shared/turns.mjs';

export async function load({ data }) {
  if (!import.meta.env.SSR) return data;
  const { pieces } = await import('uv-scheduler');
  return { ...data, turns: createTurns(pieces(data.months)) };
}
