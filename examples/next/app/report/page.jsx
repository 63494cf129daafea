// A long report of server components: a section for each month, rendered in a turn of its own and
// sent when it is ready.

import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { after } from 'next/server';
import { Suspense, cache } from 'react';
import { requestIdleCallback, scheduler, shouldYield } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { Scheduled } from 'uv-scheduler/react';
import { PRIORITY_HEADER } from '../../classes.mjs';
import { MONTHS, nameOf, summarise } from '../../orders.mjs';

export const dynamic = 'force-dynamic';

// An error that Next.js does not log, as it logs all others of a page.
function quietError() {
  try {
    return notFound();
  } catch (error) {
    return error;
  }
}

// One for each visit. `after` calls back when the response was closed, also by a visitor who
// leaves. `controllerFor` makes the visit a request: a page that has begun goes on before one that
// has not.
const visitOf = cache(() => {
  const controller = new AbortController();
  const { signal } = controllerFor(controller.signal);
  const visit = { signal, count: 0 };
  after(() => {
    controller.abort(quietError());
    if (visit.count === MONTHS) return;
    // A line in the log can wait.
    requestIdleCallback(() => {
      console.log(`/report: the visitor left; ${visit.count} of ${MONTHS} months were rendered`);
    });
  });
  return visit;
});

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

function Month({ month }) {
  visitOf().count += 1;
  return <Sales title={nameOf(month)} sales={summarise(month)} />;
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

// Background work, unless the environment says otherwise: the months come first, of this visit and
// of all others.
async function Totals() {
  const priority = process.env.TOTALS_PRIORITY ?? 'background';
  const { signal } = visitOf();
  try {
    const sales = await scheduler.postTask(addUp, { priority, signal });
    return <Sales title="Totals" sales={sales} />;
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  }
}

export default async function Report() {
  const priority = (await headers()).get(PRIORITY_HEADER);
  // Next.js renders on when a visitor has left. The months end with the signal.
  const { signal } = visitOf();
  return (
    <main>
      <Suspense fallback={<p>The totals come last.</p>}>
        <Totals />
      </Suspense>
      {Array.from({ length: MONTHS }, (_, month) => (
        <Scheduled key={month} priority={priority} signal={signal}>
          <Month month={month} />
        </Scheduled>
      ))}
    </main>
  );
}
