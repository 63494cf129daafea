// A long report of server components: a section for each month, prepared in a task of its own and
// sent when it is ready.

import { after } from 'next/server';
import { Suspense, cache } from 'react';
import { TaskController, requestIdleCallback, scheduler, shouldYield } from 'uv-scheduler';
import { nameOf, summarise } from '../../orders.mjs';

export const dynamic = 'force-dynamic';

const MONTHS = 300;

// One for each visit. `after` calls back when the response was closed, also by a visitor who leaves.
const visitOf = cache(() => {
  const controller = new TaskController();
  const visit = { signal: controller.signal, count: 0 };
  after(() => {
    controller.abort();
    if (visit.count === MONTHS) return;
    // A line in the log can wait.
    requestIdleCallback(() => {
      console.log(`/report: the visitor left; ${visit.count} of ${MONTHS} months were rendered`);
    });
  });
  return visit;
});

// Runs `work` as a task of the visit. Once the visitor has left, the result is null.
async function inTask(work, options) {
  const { signal } = visitOf();
  try {
    return await scheduler.postTask(work, { ...options, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  }
}

function Sales({ title, sales }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {sales.map(([product, sum]) => <li key={product}>{product}: {sum}</li>)}
      </ul>
    </section>
  );
}

async function Month({ month }) {
  const sales = await inTask(() => summarise(month));
  if (sales === null) return null;
  visitOf().count += 1;
  return <Sales title={nameOf(month)} sales={sales} />;
}

async function addUp() {
  const totals = new Map();
  for (let month = 0; month < MONTHS; month++) {
    for (const [product, sum] of summarise(month)) {
      totals.set(product, (totals.get(product) ?? 0) + sum);
    }
    // Goes straight on while nobody else waits. Rejects when the visitor has left.
    if (shouldYield()) await scheduler.yield();
  }
  return [...totals];
}

// Background work: the months come first, of this visit and of all others.
async function Totals() {
  const sales = await inTask(addUp, { priority: 'background' });
  return sales === null ? null : <Sales title="Totals" sales={sales} />;
}

export default function Report() {
  return (
    <main>
      <Suspense fallback={<p>The totals come last.</p>}>
        <Totals />
      </Suspense>
      {Array.from({ length: MONTHS }, (_, month) => (
        <Suspense key={month}>
          <Month month={month} />
        </Suspense>
      ))}
    </main>
  );
}
