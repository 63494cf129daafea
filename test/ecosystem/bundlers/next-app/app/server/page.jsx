// Twenty sections of server components, rendered for each request.

import { Suspense } from 'react';
import { Sections } from '../../sections.jsx';

async function Body({ searchParams }) {
  const { page } = await searchParams;
  return <Sections page={page} />;
}

export default function Page({ searchParams }) {
  return <Suspense><Body searchParams={searchParams} /></Suspense>;
}
