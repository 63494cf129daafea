'use client';

// The same of client components, and sections that wait for the data of a promise.

import { use } from 'react';
import { Scheduled } from 'uv-scheduler/react';
import { note } from './note.mjs';
import { Sections } from './sections.jsx';

export function ClientSections({ page }) {
  return <Sections page={page} />;
}

function Rows({ name, text }) {
  return <p>{note(`${name} ${text}`)}</p>;
}

function Data({ name, promise }) {
  return <Rows name={name} text={use(promise)} />;
}

export function DataSections({ page, promise }) {
  return Array.from({ length: 10 }, (_, number) => (
    <Scheduled key={number} fallback={<i>wait</i>}>
      <Data name={`${page} ${number}`} promise={promise} />
    </Scheduled>
  ));
}
