// A page that shows the order of tasks.

import { connection } from 'next/server';
import { Suspense } from 'react';
import { order } from '../order.mjs';

async function Order() {
  await connection();
  return <p>{await order()}</p>;
}

export default function Page() {
  return <Suspense><Order /></Suspense>;
}
