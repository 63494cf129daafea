// A page on the edge runtime.

import { Scheduled } from 'uv-scheduler/react';

export const runtime = 'edge';

export default function Page() {
  return <Scheduled fallback={<i>wait</i>}><p>edge</p></Scheduled>;
}
