// Ten sections of server components and ten of client components that wait for one promise, as
// for one fetch().

import { Suspense, cache, use } from 'react';
import { Scheduled } from 'uv-scheduler/react';
import { DataSections } from '../../client-sections.jsx';
import { note } from '../../note.mjs';

const load = cache(() => new Promise((resolve) => setTimeout(resolve, 300, 'data')));

function Rows({ name, text }) {
  return <p>{note(`${name} ${text}`)}</p>;
}

async function Awaiting({ name }) {
  return <Rows name={name} text={await load()} />;
}

function Using({ name }) {
  return <Rows name={name} text={use(load())} />;
}

async function Body({ searchParams }) {
  const { page } = await searchParams;
  if (page === 'client') return <DataSections page={page} promise={load()} />;
  return Array.from({ length: 10 }, (_, number) => (
    <Scheduled key={number} fallback={<i>wait</i>}>
      {number % 2 === 0
        ? <Awaiting name={`${page} ${number}`} />
        : <Using name={`${page} ${number}`} />}
    </Scheduled>
  ));
}

export default function Page({ searchParams }) {
  return <Suspense><Body searchParams={searchParams} /></Suspense>;
}
