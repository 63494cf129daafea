// Twenty sections of server components or of client components, rendered for each request.

import { Suspense } from 'react';
import { ClientSections } from '../../client-sections.jsx';
import { Sections } from '../../sections.jsx';

async function Body({ searchParams }) {
  const { kind, page } = await searchParams;
  return kind === 'client' ? <ClientSections page={page} /> : <Sections page={page} />;
}

export default function Page({ searchParams }) {
  return <Suspense><Body searchParams={searchParams} /></Suspense>;
}
