// A page of twenty sections behind <Scheduled>, of server components.

import { Scheduled } from 'uv-scheduler/react';

const COUNT = 20;

// Notes that a section was rendered, for server.mjs. A section takes five milliseconds.
function note(name) {
  const end = performance.now() + 5;
  while (performance.now() < end);
  globalThis.noteSection?.(name);
  return name;
}

function Section({ name }) {
  return <p>{note(name)}</p>;
}

export function Sections({ page }) {
  return Array.from({ length: COUNT }, (_, number) => (
    <Scheduled key={number} fallback={<i>wait</i>}>
      <Section name={`${page} ${number}`} />
    </Scheduled>
  ));
}
