// A page of twenty sections behind <Scheduled>, of server components.

import { Scheduled } from 'uv-scheduler/react';
import { note } from './note.mjs';

const COUNT = 20;

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
