'use client';

// The same of client components.

import { Sections } from './sections.jsx';

export function ClientSections({ page }) {
  return <Sections page={page} />;
}
