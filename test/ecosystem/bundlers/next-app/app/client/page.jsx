// Twenty sections of client components, rendered for each request.

import { Suspense } from 'react';
import { ClientSections } from '../../client-sections.jsx';

async function Body({ searchParams }) {
  const { page } = await searchParams;
  return <ClientSections page={page} />;
}

export default function Page({ searchParams }) {
  return <Suspense><Body searchParams={searchParams} /></Suspense>;
}
